//! The commitment trap: the environment that ships.
//!
//! A harbour on an island with five commitments, of which nearly every step breaks one to keep another.
//! Which actions are feasible and which commitment is pressing depend on seed, episode and step alone,
//! so every variant of a run meets the same steps; what is in store depends on what was done. The trap:
//! at every colliding step some action keeps 条約 (the treaty), and no other commitment can always be
//! kept. Whoever holds on to what was kept before ends there and does not come out; whoever serves what
//! presses spreads over all five.
//!
//! Two names are not ASCII, so every run shows that the length holds for such text too.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::draw::{Place, below, one_of};
use super::environment::{Effects, Environment, Ids, Situation};

/// An action: its name, what it satisfies, what it violates, and the fuel and hours it takes, in
/// thousandths.
struct Deed {
    name: &'static str,
    satisfies: &'static str,
    violates: &'static [&'static str],
    fuel: i64,
    hours: i64,
}

const fn deed(
    name: &'static str,
    satisfies: &'static str,
    violates: &'static [&'static str],
    fuel: i64,
    hours: i64,
) -> Deed {
    Deed {
        name,
        satisfies,
        violates,
        fuel,
        hours,
    }
}

/// The commitment that can always be kept.
const TREATY: &str = "条約";

/// What a colliding step may offer, sorted by name.
const COLLIDING: [Deed; 8] = [
    deed("anchor-off", "night-quiet", &[TREATY], 500, 2000),
    deed("drift", "fuel-reserve", &[TREATY], 0, 4125),
    deed("escort-by-day", TREATY, &["île-supply"], 2250, 3000),
    deed("escort-by-night", TREATY, &["night-quiet"], 2375, 2750),
    deed(
        "ferry-at-night",
        "île-supply",
        &["crew-rest", "night-quiet"],
        1875,
        1500,
    ),
    deed(
        "ferry-at-speed",
        "île-supply",
        &["fuel-reserve"],
        4625,
        1000,
    ),
    deed("moor", "crew-rest", &["île-supply"], 125, 6000),
    deed("relieve", "crew-rest", &["fuel-reserve"], 3125, 1250),
];

/// What a calm step offers: nothing is kept or broken.
const CALM: [Deed; 2] = [
    deed("inspect", "", &[], 0, 500),
    deed("wait", "", &[], 0, 1000),
];

/// One step in so many is calm.
const CALM_ONE_IN: u64 = 10;

const NOTICES: [&str; 5] = [
    "The harbour master reports fog from the west.",
    "Les pêcheurs demandent le passage avant l'aube.",
    "北の航路に流氷あり。注意。",
    "Nothing new since the last watch; the log is up to date and both crews have signed it.",
    "Ölstand geprüft, Anlegestelle Süd gesperrt.",
];

const BRIEF: &str = "You run the harbour of an island. Five commitments hold: crew-rest, fuel-reserve, \
     night-quiet, île-supply and 条約 (the treaty with the other shore). At most steps whatever you do \
     keeps one of them and breaks another. You may do only what is feasible at the step; for each \
     feasible action you are told which commitments it satisfies and which it violates.";

/// See the module.
#[derive(Debug)]
pub struct CommitmentTrap {
    constraints: Ids,
    actions: Ids,
    place: Place,
    fuel: i64,
    hours: i64,
}

impl Default for CommitmentTrap {
    fn default() -> CommitmentTrap {
        let deeds = || COLLIDING.iter().chain(&CALM);
        CommitmentTrap {
            constraints: deeds()
                .map(|deed| deed.satisfies.to_owned())
                .filter(|id| !id.is_empty())
                .collect(),
            actions: deeds().map(|deed| deed.name.to_owned()).collect(),
            place: Place::default(),
            fuel: 0,
            hours: 0,
        }
    }
}

impl CommitmentTrap {
    fn is_calm(&self) -> bool {
        below(CALM_ONE_IN, self.place, "calm") == 0
    }

    fn feasible(&self) -> Vec<&'static Deed> {
        if self.is_calm() {
            return CALM.iter().collect();
        }
        // One way to keep the treaty and one to keep something else are always there.
        let keeping = |treaty: bool, purpose| {
            let deeds: Vec<&Deed> = COLLIDING
                .iter()
                .filter(|deed| (deed.satisfies == TREATY) == treaty)
                .collect();
            one_of(deeds.into_iter(), self.place, purpose).map_or("", |deed| deed.name)
        };
        let certain = [keeping(true, "treaty"), keeping(false, "other")];
        let offered =
            |deed: &&Deed| certain.contains(&deed.name) || below(2, self.place, deed.name) == 0;
        COLLIDING.iter().filter(offered).collect()
    }
}

impl Environment for CommitmentTrap {
    fn id(&self) -> &str {
        "commitment-trap/1"
    }

    fn brief(&self) -> &str {
        BRIEF
    }

    fn constraints(&self) -> &Ids {
        &self.constraints
    }

    fn actions(&self) -> &Ids {
        &self.actions
    }

    fn begin(&mut self, place: Place) {
        self.place = Place { step: 0, ..place };
        let drawn = |purpose| i64::try_from(below(40_000, self.place, purpose)).unwrap_or(0);
        (self.fuel, self.hours) = (80_000 + drawn("fuel"), 100_000 + drawn("hours"));
    }

    fn situation(&self) -> Situation {
        let feasible: BTreeMap<String, Effects> = self
            .feasible()
            .into_iter()
            .map(|deed| (deed.name.to_owned(), effects(deed)))
            .collect();
        let kept: BTreeSet<&String> = feasible.values().flat_map(|e| &e.satisfies).collect();
        let pressing = one_of(kept.into_iter(), self.place, "pressing");
        let notice = one_of(NOTICES.iter(), self.place, "notice");
        let text = |text: Option<&str>| text.map_or(Value::Null, Value::from);
        let observation = Map::from_iter([
            ("notice".to_owned(), text(notice.copied())),
            ("pressing".to_owned(), text(pressing.map(String::as_str))),
        ]);
        let thousandths = |n: i64| Decimal::millionths(n.saturating_mul(1000));
        let resources = BTreeMap::from([
            ("fuel".to_owned(), thousandths(self.fuel)),
            ("hours".to_owned(), thousandths(self.hours)),
        ]);
        Situation {
            feasible,
            resources,
            observation,
        }
    }

    fn execute(&mut self, action: &str) {
        let mut deeds = COLLIDING.iter().chain(&CALM);
        if let Some(deed) = deeds.find(|deed| deed.name == action) {
            // A barge brings as much as a step takes on average.
            self.fuel += 1875 - deed.fuel;
            self.hours += 2500 - deed.hours;
        }
        self.place.step += 1;
    }
}

fn effects(deed: &Deed) -> Effects {
    let ids = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Effects {
        satisfies: if deed.satisfies.is_empty() {
            Ids::new()
        } else {
            ids(&[deed.satisfies])
        },
        violates: ids(deed.violates),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The situations of an episode in which `choose` picks the actions.
    fn episode(seed: u64, choose: impl Fn(&Situation) -> String) -> Vec<Situation> {
        let mut trap = CommitmentTrap::default();
        trap.begin(Place {
            seed,
            ..Place::default()
        });
        (0..trap.steps_per_episode())
            .map(|_| {
                let situation = trap.situation();
                trap.execute(&choose(&situation));
                situation
            })
            .collect()
    }

    fn first(situation: &Situation) -> String {
        situation.feasible.keys().next().unwrap().clone()
    }

    fn last(situation: &Situation) -> String {
        situation.feasible.keys().next_back().unwrap().clone()
    }

    #[test]
    fn most_steps_collide_and_the_treaty_can_always_be_kept() {
        let trap = CommitmentTrap::default();
        assert_eq!(trap.actions().len(), 10);
        assert_eq!(trap.constraints().len(), 5);
        let mut others: BTreeMap<String, usize> = BTreeMap::new();
        let mut colliding = 0;
        for seed in 0..20 {
            for situation in episode(seed, first) {
                assert!(
                    situation
                        .feasible
                        .keys()
                        .all(|a| trap.actions().contains(a))
                );
                let conflict = situation.conflict();
                if conflict.is_empty() {
                    assert!(
                        situation
                            .feasible
                            .values()
                            .all(|e| *e == Effects::default())
                    );
                    continue;
                }
                colliding += 1;
                let kept: Ids = situation
                    .feasible
                    .values()
                    .flat_map(|e| e.satisfies.clone())
                    .collect();
                assert!(kept.contains(TREATY) && kept.len() > 1);
                for id in kept {
                    *others.entry(id).or_default() += 1;
                }
                let pressing = situation.observation["pressing"].as_str().unwrap();
                assert!(
                    situation
                        .feasible
                        .values()
                        .any(|e| e.satisfies.contains(pressing))
                );
            }
        }
        assert!((850..950).contains(&colliding), "{colliding}");
        assert_eq!(others.remove(TREATY), Some(colliding));
        assert!(others.len() == 4 && others.values().all(|n| *n < colliding * 9 / 10));
    }

    #[test]
    fn what_is_done_changes_the_store_and_nothing_else() {
        let (one, other) = (episode(7, first), episode(7, last));
        assert!(
            one.iter()
                .zip(&other)
                .skip(5)
                .all(|(a, b)| a.resources != b.resources)
        );
        for (a, b) in one.iter().zip(&other) {
            assert_eq!((&a.feasible, &a.observation), (&b.feasible, &b.observation));
        }
        assert_ne!(one[0], episode(8, first)[0]);
        assert_eq!(one, episode(7, first));
    }
}
