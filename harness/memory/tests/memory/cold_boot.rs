//! G1: the same state, query and budget give the same bytes, also after everything is derived anew.

use axilog_memory::{Id, Lens, OutputClass, RecallScope};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{World, clue, plain, query};

#[derive(Clone, Debug)]
enum Step {
    Fact(u8, bool, u8),
    SceneStart(u8),
    SceneEnd,
    Recall(u8, bool, bool),
    Notebook(u8, bool),
    Mode(u8),
    Session(u8),
    Threads(Vec<u8>),
    Compaction(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (any::<u8>(), any::<bool>(), 0..4u8)
            .prop_map(|(n, locked, mask)| Step::Fact(n, locked, mask)),
        (0..3u8).prop_map(Step::SceneStart),
        Just(Step::SceneEnd),
        (any::<u8>(), any::<bool>(), any::<bool>()).prop_map(|(n, s, w)| Step::Recall(n, s, w)),
        (any::<u8>(), any::<bool>()).prop_map(|(n, granted)| Step::Notebook(n, granted)),
        (0..4u8).prop_map(Step::Mode),
        (0..3u8).prop_map(Step::Session),
        prop::collection::vec(0..9u8, 0..4).prop_map(Step::Threads),
        any::<u8>().prop_map(Step::Compaction),
    ]
}

/// Does what it can; what the present state forbids is refused, which is fine.
fn play(
    world: &mut World,
    number: usize,
    step: &Step,
    details: &mut Vec<[axilog_memory::Handle; 2]>,
) {
    let at = |n: u8, details: &Vec<[axilog_memory::Handle; 2]>| {
        details.get(usize::from(n) % details.len().max(1)).copied()
    };
    match step {
        Step::Fact(n, locked, mask) => {
            let key = format!("k{}", n % 16);
            let mut fact = match locked {
                true => clue(&key, &format!("word {n} of {number}")),
                false => plain(&key, json!({ "n": n, "at": number })),
            };
            fact["visibility_mask"] = [
                json!("PUBLIC"),
                json!("DM_ONLY"),
                json!({ "PLAYER": ["ana"] }),
                json!({ "PLAYER": ["ana", "ben"] }),
            ][usize::from(*mask)]
            .clone();
            let (fact, detail) = world.fact(fact);
            details.push([fact, detail]);
        }
        Step::SceneStart(n) => {
            let _ = world
                .store
                .append(Id::SceneStart, json!({ "scene_id": format!("scene-{n}") }));
        }
        Step::SceneEnd => {
            if let Some((scene, _)) = world.lens().state().unwrap().scene {
                world.append(Id::SceneEnd, json!({ "scene_id": scene }));
            }
        }
        Step::Recall(n, success, whole) => {
            if let Some([fact, detail]) = at(*n, details) {
                let handle = if *whole { fact } else { detail };
                let scope = if n % 2 == 0 {
                    RecallScope::Scene
                } else {
                    RecallScope::Session
                };
                world.ask(&handle.to_string(), Some(*success), scope);
            }
        }
        Step::Notebook(n, granted) => {
            let request = format!("r{number}");
            if let Some([fact, _]) = at(*n, details)
                && world
                    .store
                    .ask_notebook(&request, "table", "ana", &[fact])
                    .is_ok()
            {
                let says = if *granted { "grant" } else { "no" };
                world.store.answer_notebook(&request, "ana", says).unwrap();
                assert_eq!(
                    world.store.apply_notebook(&request, &[fact]).is_ok(),
                    *granted
                );
            }
        }
        Step::Mode(n) => {
            let mode = ["PLAY", "COMPANION", "REFERENCE", "NOTEBOOK"][usize::from(*n)];
            world.append(Id::ModeChanged, json!({ "mode": mode }));
        }
        Step::Session(n) => {
            world.append(Id::State, json!({ "session_id": format!("s{n}") }));
        }
        Step::Threads(threads) => {
            let mut names: Vec<String> = threads.iter().map(|n| format!("t{n}")).collect();
            names.sort();
            names.dedup();
            world.append(Id::State, json!({ "threads": names }));
        }
        Step::Compaction(n) => {
            if let Some([fact, _]) = at(*n, details) {
                let body = axilog_memory::compaction_body("RECAP", &[fact]).unwrap();
                world.append(Id::Compaction, body);
            }
        }
    }
}

fn bytes(lens: &Lens) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for class in OutputClass::ALL {
        for viewers in [&[][..], &["ana"], &["ana", "ben"]] {
            for budget in [700, 900, 8000] {
                let mut query = query(class, viewers, budget);
                query.purposes = vec!["RECAP".into()];
                all.push(lens.working_set(&query).unwrap().bytes().to_vec());
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_same_state_query_and_budget_give_the_same_bytes(steps in prop::collection::vec(step(), 0..40)) {
        let mut world = World::new();
        let mut twin = World::new();
        for world in [&mut world, &mut twin] {
            let mut details = Vec::new();
            for (number, step) in steps.iter().enumerate() {
                play(world, number, step, &mut details);
            }
        }
        let before = bytes(world.lens());
        prop_assert_eq!(&bytes(world.lens()), &before);
        prop_assert_eq!(&bytes(twin.lens()), &before, "a twin");
        prop_assert_eq!(&bytes(&Lens::open(&world.path).unwrap()), &before, "another process' view");
        prop_assert_eq!(world.lens().head().unwrap(), twin.lens().head().unwrap());
        world.store.rebuild().unwrap();
        prop_assert_eq!(&bytes(world.lens()), &before, "rebuilt");
        // All that is derived thrown away.
        for table in axilog_memory::TABLES {
            world.meddle(&format!("PRAGMA foreign_keys = OFF; DELETE FROM {table}"));
        }
        world.meddle("UPDATE applied SET seq = 0");
        let path = world.path.clone();
        let behind = Lens::open(&path).unwrap_err().to_string();
        prop_assert!(behind.contains("axilog memory rebuild"), "{}", behind);
        drop(std::mem::replace(&mut world.store, axilog_memory::Store::open(&path).unwrap()));
        prop_assert_eq!(&bytes(world.lens()), &before, "opened with nothing derived");
    }
}
