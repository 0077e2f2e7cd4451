//! Whether a step's conflict is one that its episode has not had before (Q6).
//!
//! `sig = SHA-256(JCS({"C": …, "R": …}))`: `C` the sorted ids of the constraints in conflict, `R` the
//! resources at stake by name, amounts as decimal strings. A step without a conflict has no signature
//! and is not novel. Determinism: D1.

use std::collections::{BTreeMap, BTreeSet};

use axilog::hash::{Hash, sha256};
use serde_json::{Map, Value, json};

use super::canonical;
use super::decimal::Decimal;
use super::environment::{Ids, Situation};

/// The signature of a conflict.
#[must_use]
pub fn signature(conflict: &Ids, resources: &BTreeMap<String, Decimal>) -> Hash {
    let amounts: Map<String, Value> = resources
        .iter()
        .map(|(name, amount)| (name.clone(), amount.to_string().into()))
        .collect();
    sha256(canonical(&json!({ "C": conflict, "R": amounts })).as_bytes())
}

/// The conflicts that an episode has had.
#[derive(Clone, Debug, Default)]
pub struct History(BTreeSet<Hash>);

/// What a step's conflict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Novelty {
    /// Its signature; `None` without a conflict.
    pub signature: Option<Hash>,
    /// Whether the episode had not had it.
    pub novel: bool,
}

impl History {
    /// Notes the conflict of `situation`.
    pub fn see(&mut self, situation: &Situation) -> Novelty {
        let conflict = situation.conflict();
        if conflict.is_empty() {
            return Novelty {
                signature: None,
                novel: false,
            };
        }
        let signature = signature(&conflict, &situation.resources);
        Novelty {
            signature: Some(signature),
            novel: self.0.insert(signature),
        }
    }

    /// How many different ones there were.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Effects;
    use proptest::prelude::*;

    fn ids(names: &[&str]) -> Ids {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn resources(amounts: &[(&str, &str)]) -> BTreeMap<String, Decimal> {
        let amounts = amounts.iter();
        amounts
            .map(|(name, amount)| ((*name).to_owned(), amount.parse().unwrap()))
            .collect()
    }

    #[test]
    fn a_signature_is_the_digest_of_the_canonical_form() {
        let found = signature(
            &ids(&["b", "é", "a"]),
            &resources(&[("z", "1.50"), ("fuel", "-0.1234565")]),
        );
        let form = r#"{"C":["a","b","é"],"R":{"fuel":"-0.123456","z":"1.5"}}"#;
        assert_eq!(found, sha256(form.as_bytes()));
    }

    #[test]
    fn a_conflict_is_novel_once_per_episode() {
        let mut situation = Situation {
            feasible: BTreeMap::from([(
                "go".to_owned(),
                Effects {
                    satisfies: ids(&["a"]),
                    violates: ids(&["b"]),
                },
            )]),
            resources: resources(&[("fuel", "1")]),
            observation: Map::new(),
        };
        let mut history = History::default();
        let seen = history.see(&situation);
        assert!(seen.novel);
        let again = history.see(&situation);
        assert_eq!((again.signature, again.novel), (seen.signature, false));
        // What is observed beside the conflict does not matter, the amounts do.
        situation
            .observation
            .insert("notice".to_owned(), "new".into());
        assert!(!history.see(&situation).novel);
        situation.resources = resources(&[("fuel", "1.000001")]);
        assert!(history.see(&situation).novel);
        assert_eq!(history.distinct(), 2);
        assert!(History::default().see(&situation).novel);
        // An action that only keeps, or only breaks, collides with nothing.
        for effects in [
            Effects {
                satisfies: ids(&["a"]),
                violates: Ids::new(),
            },
            Effects {
                satisfies: Ids::new(),
                violates: ids(&["a"]),
            },
        ] {
            situation.feasible = BTreeMap::from([("go".to_owned(), effects)]);
            let seen = history.see(&situation);
            assert_eq!((seen.signature, seen.novel), (None, false));
        }
        assert_eq!(history.distinct(), 2);
    }

    proptest! {
        /// Signatures are equal exactly where the sets and the rounded amounts are.
        #[test]
        fn signatures_are_of_the_content(
            one in proptest::collection::btree_set("[a-cé]{1,2}", 1..3),
            other in proptest::collection::btree_set("[a-cé]{1,2}", 1..3),
            amounts in proptest::collection::vec(-3_i64..3, 2),
        ) {
            let resources = |n: i64| BTreeMap::from([("fuel".to_owned(), Decimal::millionths(n))]);
            let equal = one == other && amounts[0] == amounts[1];
            let found = signature(&one, &resources(amounts[0])) == signature(&other, &resources(amounts[1]));
            prop_assert_eq!(found, equal);
        }

        /// Of any series of conflicts exactly the first of each kind is novel.
        #[test]
        fn the_first_of_each_is_novel(series in proptest::collection::vec(0_i64..6, 0..40)) {
            let mut history = History::default();
            let mut seen = BTreeSet::new();
            for n in series {
                let situation = Situation {
                    feasible: BTreeMap::from([("go".to_owned(), Effects {
                        satisfies: ids(&["a"]),
                        violates: ids(&["b"]),
                    })]),
                    resources: BTreeMap::from([("fuel".to_owned(), Decimal::millionths(n))]),
                    observation: Map::new(),
                };
                prop_assert_eq!(history.see(&situation).novel, seen.insert(n));
                prop_assert_eq!(history.distinct(), seen.len());
            }
        }
    }
}
