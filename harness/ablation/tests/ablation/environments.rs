//! Environments that files describe: those that ship, those that a caller names, and the copies of recorded ones.

use std::collections::BTreeMap;

use axilog::hash::sha256;
use axilog_ablation::AblationError;
use axilog_ablation::declared_environment::DeclaredEnvironment;
use axilog_ablation::environment::{Effects, Environment, IdSet, Place, Situation};
use axilog_ablation::environment_source::{
    HARBOUR, SHIPPED, open_environment, open_harbour, open_recorded_environment,
};
use axilog_ablation::environment_survey::survey_environment;
use axilog_ledger::encoding::hex;

/// The file of each environment that ships, as it will always be: its id stands in documents.
const FROZEN: [(&str, &str, &str); 3] = [
    (
        "harbour",
        "commitment-trap/1",
        "58c796d2371bb57ce398fb8a969f245b954fb9928c13866a8960bdf1d2ce837a",
    ),
    (
        "newsroom",
        "newsroom/1",
        "0635618076854956f9d0152113d2400f6d7d3dbf4bd39e5900c1b5264c20ceeb",
    ),
    (
        "night-ward",
        "night-ward/1",
        "e414fabf67e97e0da8b3c2e11e9c5350d7875f612783d84910012ac6c440ead1",
    ),
];

/// Opens an environment that ships.
pub fn open_shipped(name: &str) -> DeclaredEnvironment {
    let (_, text) = SHIPPED
        .into_iter()
        .find(|(known, _)| *known == name)
        .unwrap();
    DeclaredEnvironment::parse(text.as_bytes()).unwrap()
}

/// The situations of an episode in which `choose` picks the actions.
fn play_episode(
    environment: &mut DeclaredEnvironment,
    seed: u64,
    choose: impl Fn(&Situation) -> &String,
) -> Vec<Situation> {
    environment.begin_episode(Place {
        seed,
        ..Place::default()
    });
    (0..environment.steps_per_episode())
        .map(|_| {
            let situation = environment.situation();
            environment.execute(choose(&situation));
            situation
        })
        .collect()
}

fn choose_first(situation: &Situation) -> &String {
    situation.feasible.keys().next().unwrap()
}

fn choose_last(situation: &Situation) -> &String {
    situation.feasible.keys().next_back().unwrap()
}

#[test]
fn the_files_that_ship_are_frozen() {
    assert_eq!(SHIPPED.len(), FROZEN.len());
    for ((name, text), (expected, id, hash)) in SHIPPED.into_iter().zip(FROZEN) {
        assert_eq!(name, expected);
        assert_eq!(open_shipped(name).id(), id);
        assert_eq!(hex(&sha256(text.as_bytes())), hash, "{name}");
    }
}

#[test]
fn most_steps_of_the_harbour_collide_and_the_treaty_can_always_be_kept() {
    const TREATY: &str = "条約";
    let mut harbour = open_harbour().unwrap();
    assert_eq!(harbour.actions().len(), 10);
    assert_eq!(harbour.constraints().len(), 5);
    let mut keepable: BTreeMap<String, usize> = BTreeMap::new();
    let mut colliding = 0;
    for seed in 0..20 {
        for situation in play_episode(&mut harbour, seed, choose_first) {
            let mut effects = situation.feasible.values();
            if situation.conflicting_constraints().is_empty() {
                assert!(effects.all(|e| *e == Effects::default()));
                continue;
            }
            colliding += 1;
            let kept: IdSet = effects.flat_map(|e| e.satisfies.clone()).collect();
            assert!(kept.contains(TREATY) && kept.len() > 1);
            assert!(kept.contains(situation.observation["pressing"].as_str().unwrap()));
            for id in kept {
                *keepable.entry(id).or_default() += 1;
            }
        }
    }
    assert!((850..950).contains(&colliding), "{colliding}");
    assert_eq!(keepable.remove(TREATY), Some(colliding));
    assert!(keepable.len() == 4 && keepable.values().all(|n| *n < colliding * 9 / 10));
}

#[test]
fn actions_change_the_store_and_nothing_else() {
    for (name, _) in SHIPPED {
        let mut environment = open_shipped(name);
        let one = play_episode(&mut environment, 7, choose_first);
        let other = play_episode(&mut environment, 7, choose_last);
        let late = one.iter().zip(&other).skip(9);
        assert!(
            late.into_iter().all(|(a, b)| a.resources != b.resources),
            "{name}"
        );
        for (a, b) in one.iter().zip(&other) {
            assert_eq!((&a.feasible, &a.observation), (&b.feasible, &b.observation));
            assert_eq!(a.demands, b.demands);
        }
        assert_ne!(one[0], play_episode(&mut environment, 8, choose_first)[0]);
        assert_eq!(one, play_episode(&mut environment, 7, choose_first));
    }
}

/// In the two other environments that ship no action and no constraint is better than another one: each constraint is kept
/// and broken by two actions, each action keeps and breaks one, and at the steps of a long run each constraint can be kept
/// about as often as every other one, and is pressing as often.
#[test]
fn the_other_environments_that_ship_are_balanced() {
    for name in ["newsroom", "night-ward"] {
        let mut environment = open_shipped(name);
        let count = |is_counted: &dyn Fn(&Effects) -> bool| {
            environment
                .effects()
                .filter(|(_, it)| is_counted(it))
                .count()
        };
        assert_eq!(
            count(&|it| it.satisfies.len() > 1 || it.violates.len() > 1),
            0
        );
        for id in environment.constraints() {
            assert_eq!(count(&|it| it.satisfies.contains(id)), 2, "{name} {id}");
            assert_eq!(count(&|it| it.violates.contains(id)), 2, "{name} {id}");
        }
        let seeds: Vec<u64> = (1..=100).collect();
        let found = survey_environment(&mut environment, &seeds, 3);
        assert_eq!(found.steps, 15_000);
        assert!((12_500..14_000).contains(&found.conflicts), "{found:?}");
        for counts in [&found.keepable, &found.pressing] {
            let least = counts.values().min().unwrap();
            let most = counts.values().max().unwrap();
            assert!(*most * 10 < *least * 14, "{name}: {counts:?}");
            assert!(*most < found.conflicts * 8 / 10, "{name}: {counts:?}");
        }
        assert!(found.distinct[0] >= 10, "{:?}", found.distinct);
    }
}

/// An id belongs to one file.
#[test]
fn the_id_of_an_environment_that_ships_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.toml");
    let open = |text: &str| {
        std::fs::write(&path, text).unwrap();
        open_environment(&path)
    };
    for (name, text) in SHIPPED {
        let error = open(&format!("{text}# Mine.\n")).unwrap_err();
        assert!(
            matches!(error, AblationError::Environment { .. }),
            "{error}"
        );
        let told = error.to_string();
        assert!(
            told.contains(&format!("that of the environment {name} that ships")),
            "{told}"
        );
        let id = open_shipped(name).id().to_owned();
        let mine = open(&text.replacen(&id, "mine/1", 1)).unwrap();
        assert_eq!(mine.id(), "mine/1");
        assert!(mine.file_hash().is_some());
    }
    // The harbour's own file is the harbour, whose documents have no hash.
    assert_eq!(open(HARBOUR).unwrap().file_hash(), None);
    let (_, ward) = SHIPPED[2];
    let hash = hex(&sha256(ward.as_bytes()));
    assert_eq!(open(ward).unwrap().file_hash(), Some(hash.as_str()));
}

#[test]
fn a_recorded_environment_is_the_one_that_was_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("environment.toml");
    let header = dir.path().join("header.json");
    let (_, ward) = SHIPPED[2];
    let hash = hex(&sha256(ward.as_bytes()));
    let open = |id: &str, hash: Option<&str>| open_recorded_environment(&header, (id, hash), &copy);
    assert_eq!(
        open("commitment-trap/1", None).unwrap().id(),
        "commitment-trap/1"
    );
    let refused = |id: &str, hash: Option<&str>, expected: &str| {
        let error = open(id, hash).unwrap_err();
        assert!(matches!(error, AblationError::Document { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    };
    refused(
        "night-ward/1",
        None,
        "header.json: names the environment \"night-ward/1\"; no environment of that id ships",
    );
    refused(
        "night-ward/1",
        Some(&hash),
        "environment.toml: is not there, and",
    );
    std::fs::write(&copy, ward).unwrap();
    assert_eq!(
        open("night-ward/1", Some(&hash)).unwrap().id(),
        "night-ward/1"
    );
    refused(
        "night-ward/2",
        Some(&hash),
        "is the environment \"night-ward/1\" with SHA-256",
    );
    std::fs::write(&copy, format!("{ward}\n")).unwrap();
    refused(
        "night-ward/1",
        Some(&hash),
        "put the file back with which it was made",
    );
    std::fs::write(&copy, "id = 1").unwrap();
    refused("night-ward/1", Some(&hash), "is no environment");
}
