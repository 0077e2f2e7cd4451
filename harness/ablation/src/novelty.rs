//! Whether a step's conflict is new in its episode (Q6).
//!
//! The signature of a conflict is `SHA-256(JCS({"C": …, "R": …}))`: `C` are the sorted ids of the
//! constraints in conflict, `R` the resources at stake by name, with amounts as decimal strings. A step
//! without a conflict has no signature and is not novel. Determinism: D1.

use std::collections::{BTreeMap, BTreeSet};

use axilog::hash::{Hash, sha256};
use serde_json::json;

use super::decimal::Decimal;
use super::environment::{IdSet, Situation};
use super::json_document::to_canonical_json;

/// Computes the signature of a conflict.
#[must_use]
pub fn sign_conflict(constraints: &IdSet, resources: &BTreeMap<String, Decimal>) -> Hash {
    sha256(to_canonical_json(&json!({ "C": constraints, "R": resources })).as_bytes())
}

/// The conflicts that an episode has had.
#[derive(Clone, Debug, Default)]
pub struct ConflictHistory(BTreeSet<Hash>);

/// Whether a step's conflict is new in its episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Novelty {
    /// The signature of the conflict; `None` without a conflict.
    pub signature: Option<Hash>,
    /// Whether the episode did not have the conflict before.
    pub is_novel: bool,
}

impl ConflictHistory {
    /// Records the conflict of `situation`.
    pub fn record(&mut self, situation: &Situation) -> Novelty {
        let constraints = situation.conflicting_constraints();
        let signature =
            (!constraints.is_empty()).then(|| sign_conflict(&constraints, &situation.resources));
        Novelty {
            signature,
            is_novel: signature.is_some_and(|signature| self.0.insert(signature)),
        }
    }

    /// How many different conflicts were recorded.
    #[must_use]
    pub fn distinct_count(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Effects;
    use proptest::prelude::*;
    use serde_json::Map;

    fn ids(names: &[&str]) -> IdSet {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn resources(millionths: &[(&str, i64)]) -> BTreeMap<String, Decimal> {
        let amounts = millionths.iter();
        amounts
            .map(|(name, n)| ((*name).to_owned(), Decimal::from_millionths(*n)))
            .collect()
    }

    #[test]
    fn a_signature_is_the_digest_of_the_canonical_form() {
        let found = sign_conflict(
            &ids(&["b", "é", "a"]),
            &resources(&[("z", 1_500_000), ("fuel", -123_456)]),
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
            resources: resources(&[("fuel", 1_000_000)]),
            observation: Map::new(),
        };
        let mut history = ConflictHistory::default();
        let first = history.record(&situation);
        assert!(first.is_novel);
        let second = history.record(&situation);
        assert_eq!(
            (second.signature, second.is_novel),
            (first.signature, false)
        );
        // What is observed beside the conflict does not matter, the amounts do.
        situation
            .observation
            .insert("notice".to_owned(), "new".into());
        assert!(!history.record(&situation).is_novel);
        situation.resources = resources(&[("fuel", 1_000_001)]);
        assert!(history.record(&situation).is_novel);
        assert_eq!(history.distinct_count(), 2);
        assert!(ConflictHistory::default().record(&situation).is_novel);
        // An action that only keeps, or only breaks, collides with nothing.
        for effects in [
            Effects {
                satisfies: ids(&["a"]),
                violates: IdSet::new(),
            },
            Effects {
                satisfies: IdSet::new(),
                violates: ids(&["a"]),
            },
        ] {
            situation.feasible = BTreeMap::from([("go".to_owned(), effects)]);
            let novelty = history.record(&situation);
            assert_eq!((novelty.signature, novelty.is_novel), (None, false));
        }
        assert_eq!(history.distinct_count(), 2);
    }

    proptest! {
        /// Signatures are equal exactly where the sets and the amounts are.
        #[test]
        fn signatures_are_equal_where_the_content_is(
            one in proptest::collection::btree_set("[a-cé]{1,2}", 1..3),
            other in proptest::collection::btree_set("[a-cé]{1,2}", 1..3),
            amounts in proptest::collection::vec(-3_i64..3, 2),
        ) {
            let resources = |n: i64| BTreeMap::from([("fuel".to_owned(), Decimal::from_millionths(n))]);
            let equal = one == other && amounts[0] == amounts[1];
            let found = sign_conflict(&one, &resources(amounts[0])) == sign_conflict(&other, &resources(amounts[1]));
            prop_assert_eq!(found, equal);
        }

        /// Of any series of conflicts exactly the first of each kind is novel.
        #[test]
        fn the_first_of_each_conflict_is_novel(series in proptest::collection::vec(0_i64..6, 0..40)) {
            let mut history = ConflictHistory::default();
            let mut distinct = BTreeSet::new();
            for n in series {
                let situation = Situation {
                    feasible: BTreeMap::from([("go".to_owned(), Effects {
                        satisfies: ids(&["a"]),
                        violates: ids(&["b"]),
                    })]),
                    resources: BTreeMap::from([("fuel".to_owned(), Decimal::from_millionths(n))]),
                    observation: Map::new(),
                };
                prop_assert_eq!(history.record(&situation).is_novel, distinct.insert(n));
                prop_assert_eq!(history.distinct_count(), distinct.len());
            }
        }
    }
}
