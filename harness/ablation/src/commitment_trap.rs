//! The commitment trap: the environment that ships.
//!
//! A harbour on an island has five commitments, of which nearly every step breaks one to keep another.
//! Which actions are feasible and which commitment is pressing depends on seed, episode and step alone, so
//! that every variant of a run meets the same steps; what is in store depends on what was done. The trap:
//! at every colliding step some action keeps 条約 (the treaty), and no other commitment can always be
//! kept. An agent that holds on to what it kept before ends at the treaty and does not leave it; an agent
//! that keeps what presses spreads over all five.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::draw::{draw_below, draw_one};
use super::environment::{Amounts, Effects, Environment, IdSet, Place, Situation};
use super::harbour::{BRIEFING, CALM, COLLIDING, HarbourAction, NOTICES, TREATY};

/// One step in so many is calm.
const CALM_ONE_IN: u64 = 10;

/// The commitment trap.
#[derive(Debug)]
pub struct CommitmentTrap {
    constraints: IdSet,
    actions: IdSet,
    place: Place,
    fuel: i64,
    hours: i64,
}

impl Default for CommitmentTrap {
    fn default() -> CommitmentTrap {
        let actions = || COLLIDING.iter().chain(&CALM);
        CommitmentTrap {
            constraints: actions()
                .map(|action| action.satisfies.to_owned())
                .filter(|id| !id.is_empty())
                .collect(),
            actions: actions().map(|action| action.name.to_owned()).collect(),
            place: Place::default(),
            fuel: 0,
            hours: 0,
        }
    }
}

impl CommitmentTrap {
    fn is_calm(&self) -> bool {
        draw_below(CALM_ONE_IN, self.place, "calm") == 0
    }

    fn feasible_actions(&self) -> Vec<&'static HarbourAction> {
        if self.is_calm() {
            return CALM.iter().collect();
        }
        // An action that keeps the treaty and one that keeps something else are always feasible.
        let draw_action = |keeps_treaty: bool, purpose| {
            let actions: Vec<&HarbourAction> = COLLIDING
                .iter()
                .filter(|action| (action.satisfies == TREATY) == keeps_treaty)
                .collect();
            draw_one(actions.into_iter(), self.place, purpose).map_or("", |action| action.name)
        };
        let certain = [draw_action(true, "treaty"), draw_action(false, "other")];
        let is_feasible = |action: &&HarbourAction| {
            certain.contains(&action.name) || draw_below(2, self.place, action.name) == 0
        };
        COLLIDING.iter().filter(is_feasible).collect()
    }
}

impl Environment for CommitmentTrap {
    fn id(&self) -> &str {
        "commitment-trap/1"
    }

    fn briefing(&self) -> &str {
        BRIEFING
    }

    fn constraints(&self) -> &IdSet {
        &self.constraints
    }

    fn actions(&self) -> &IdSet {
        &self.actions
    }

    fn begin_episode(&mut self, place: Place) {
        self.place = Place { step: 0, ..place };
        let draw = |purpose| i64::try_from(draw_below(40_000, self.place, purpose)).unwrap_or(0);
        (self.fuel, self.hours) = (80_000 + draw("fuel"), 100_000 + draw("hours"));
    }

    fn situation(&self) -> Situation {
        let actions = self.feasible_actions();
        let feasible: BTreeMap<String, Effects> = actions
            .iter()
            .map(|action| (action.name.to_owned(), action.effects()))
            .collect();
        let demands = actions.iter().map(|action| {
            (
                action.name.to_owned(),
                name_amounts(action.fuel, action.hours),
            )
        });
        let kept: BTreeSet<&String> = feasible.values().flat_map(|e| &e.satisfies).collect();
        let pressing = draw_one(kept.into_iter(), self.place, "pressing");
        let notice = draw_one(NOTICES.iter(), self.place, "notice");
        let text = |text: Option<&str>| text.map_or(Value::Null, Value::from);
        let observation = Map::from_iter([
            ("notice".to_owned(), text(notice.copied())),
            ("pressing".to_owned(), text(pressing.map(String::as_str))),
        ]);
        Situation {
            demands: demands.collect(),
            feasible,
            resources: name_amounts(self.fuel, self.hours),
            observation,
        }
    }

    fn execute(&mut self, action: &str) {
        let mut actions = COLLIDING.iter().chain(&CALM);
        if let Some(done) = actions.find(|known| known.name == action) {
            // A barge brings as much as a step takes on average.
            self.fuel += 1875 - done.fuel;
            self.hours += 2500 - done.hours;
        }
        self.place.step += 1;
    }
}

/// Names amounts of fuel and hours, given in thousandths.
fn name_amounts(fuel: i64, hours: i64) -> Amounts {
    let thousandths = |n: i64| Decimal::from_millionths(n.saturating_mul(1000));
    Amounts::from([
        ("fuel".to_owned(), thousandths(fuel)),
        ("hours".to_owned(), thousandths(hours)),
    ])
}

impl HarbourAction {
    fn effects(&self) -> Effects {
        let ids = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Effects {
            satisfies: match self.satisfies {
                "" => IdSet::new(),
                id => ids(&[id]),
            },
            violates: ids(self.violates),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The situations of an episode in which `choose` picks the actions.
    fn play_episode(seed: u64, choose: impl Fn(&Situation) -> String) -> Vec<Situation> {
        let mut trap = CommitmentTrap::default();
        trap.begin_episode(Place {
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

    fn choose_first(situation: &Situation) -> String {
        situation.feasible.keys().next().unwrap().clone()
    }

    fn choose_last(situation: &Situation) -> String {
        situation.feasible.keys().next_back().unwrap().clone()
    }

    #[test]
    fn most_steps_collide_and_the_treaty_can_always_be_kept() {
        let trap = CommitmentTrap::default();
        assert_eq!(trap.actions().len(), 10);
        assert_eq!(trap.constraints().len(), 5);
        let mut keepable: BTreeMap<String, usize> = BTreeMap::new();
        let mut colliding = 0;
        for seed in 0..20 {
            for situation in play_episode(seed, choose_first) {
                assert!(
                    situation
                        .feasible
                        .keys()
                        .all(|a| trap.actions().contains(a))
                );
                let conflict = situation.conflicting_constraints();
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
                let kept: IdSet = situation
                    .feasible
                    .values()
                    .flat_map(|e| e.satisfies.clone())
                    .collect();
                assert!(kept.contains(TREATY) && kept.len() > 1);
                for id in kept {
                    *keepable.entry(id).or_default() += 1;
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
        assert_eq!(keepable.remove(TREATY), Some(colliding));
        assert!(keepable.len() == 4 && keepable.values().all(|n| *n < colliding * 9 / 10));
    }

    #[test]
    fn actions_change_the_store_and_nothing_else() {
        let (one, other) = (play_episode(7, choose_first), play_episode(7, choose_last));
        assert!(
            one.iter()
                .zip(&other)
                .skip(5)
                .all(|(a, b)| a.resources != b.resources)
        );
        for (a, b) in one.iter().zip(&other) {
            assert_eq!((&a.feasible, &a.observation), (&b.feasible, &b.observation));
            assert_eq!(a.demands, b.demands);
        }
        assert_ne!(one[0], play_episode(8, choose_first)[0]);
        assert_eq!(one, play_episode(7, choose_first));
    }
}
