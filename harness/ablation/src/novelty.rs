//! Whether a step's conflict is new in its episode (Q6).
//!
//! The signature of a conflict is `SHA-256(JCS({"C": …, "R": …}))`: `C` are the sorted ids of the
//! constraints in conflict, `R` the resources at stake in it by name, with amounts as decimal strings. Both
//! come from the actions that collide: what is in store changes with every step, whatever the conflict is,
//! and is not at stake. A step without a conflict has no signature and is not novel. Determinism: D1.

use std::collections::BTreeSet;

use axilog::hash::{Hash, sha256};
use serde_json::json;

use super::environment::{Amounts, IdSet, Situation};
use super::json_document::to_canonical_json;

/// Computes the signature of a conflict between `constraints` over `resources`.
#[must_use]
pub fn sign_conflict(constraints: &IdSet, resources: &Amounts) -> Hash {
    sha256(to_canonical_json(&json!({ "C": constraints, "R": resources })).as_bytes())
}

/// Signs the conflict of `situation` with the resources that are at stake in it; `None` without a conflict.
#[must_use]
pub fn sign_situation(situation: &Situation) -> Option<Hash> {
    let constraints = situation.conflicting_constraints();
    (!constraints.is_empty()).then(|| sign_conflict(&constraints, &situation.resources_at_stake()))
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
    /// Records the conflict with this signature, or that there is none.
    pub fn record(&mut self, signature: Option<Hash>) -> Novelty {
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
    use std::collections::BTreeMap;

    use super::*;
    use crate::decimal::Decimal;
    use crate::environment::Effects;
    use proptest::prelude::*;
    use serde_json::Map;

    fn ids(names: &[&str]) -> IdSet {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn amounts(millionths: &[(&str, i64)]) -> Amounts {
        let amounts = millionths.iter();
        amounts
            .map(|(name, n)| ((*name).to_owned(), Decimal::from_millionths(*n)))
            .collect()
    }

    /// An action's name, what it satisfies, violates and takes.
    type DeclaredAction<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [(&'a str, i64)]);

    fn situation(actions: &[DeclaredAction]) -> Situation {
        let named = |name: &str| name.to_owned();
        let feasible = actions.iter().map(|(name, satisfies, violates, _)| {
            let (satisfies, violates) = (ids(satisfies), ids(violates));
            let effects = Effects {
                satisfies,
                violates,
            };
            (named(name), effects)
        });
        let demands = actions.iter();
        Situation {
            feasible: feasible.collect(),
            resources: Amounts::new(),
            demands: demands
                .map(|(name, _, _, takes)| (named(name), amounts(takes)))
                .collect(),
            observation: Map::new(),
        }
    }

    #[test]
    fn a_signature_is_the_digest_of_the_canonical_form() {
        let found = sign_conflict(
            &ids(&["b", "é", "a"]),
            &amounts(&[("z", 1_500_000), ("fuel", -123_456)]),
        );
        let form = r#"{"C":["a","b","é"],"R":{"fuel":"-0.123456","z":"1.5"}}"#;
        assert_eq!(found, sha256(form.as_bytes()));
    }

    /// Q6: R is what the colliding actions would take, and of each resource the most that one of them would.
    #[test]
    fn at_stake_is_the_most_that_a_colliding_action_would_take() {
        let mut situation = situation(&[
            ("go", &["a"], &["b"], &[("fuel", 2_000_000), ("hours", 1)]),
            ("stay", &["b"], &["a"], &[("fuel", 500_000), ("hours", 3)]),
            ("rest", &["b"], &[], &[("fuel", 9_000_000), ("food", 1)]),
            ("idle", &[], &[], &[("hours", 100)]),
        ]);
        let expected = amounts(&[("fuel", 2_000_000), ("hours", 3)]);
        assert_eq!(situation.resources_at_stake(), expected);
        let form = r#"{"C":["a","b"],"R":{"fuel":"2","hours":"0.000003"}}"#;
        let signature = Some(sha256(form.as_bytes()));
        assert_eq!(sign_situation(&situation), signature);
        // Neither what is in store nor what is observed beside the conflict matters.
        situation.resources = amounts(&[("fuel", 7), ("food", 7)]);
        let observation = &mut situation.observation;
        observation.insert("notice".to_owned(), "new".into());
        assert_eq!(sign_situation(&situation), signature);
        // What an action brings, or takes nothing of, is not at stake; an action may declare nothing.
        let takes = amounts(&[("fuel", -5), ("hours", 0)]);
        situation.demands = BTreeMap::from([("go".to_owned(), takes)]);
        assert_eq!(situation.resources_at_stake(), Amounts::new());
        let form = r#"{"C":["a","b"],"R":{}}"#;
        assert_eq!(sign_situation(&situation), Some(sha256(form.as_bytes())));
    }

    /// An action that only keeps, or only breaks, collides with nothing.
    #[test]
    fn a_step_without_a_conflict_has_no_signature() {
        for (satisfies, violates) in [(&["a"][..], &[][..]), (&[], &["a"]), (&[], &[])] {
            let situation = situation(&[("go", satisfies, violates, &[("fuel", 1)])]);
            assert_eq!(sign_situation(&situation), None);
        }
        let mut history = ConflictHistory::default();
        let novelty = history.record(None);
        assert_eq!((novelty.signature, novelty.is_novel), (None, false));
        assert_eq!(history.distinct_count(), 0);
    }

    proptest! {
        /// Signatures are equal exactly where the sets and the amounts are.
        #[test]
        fn signatures_are_equal_where_the_content_is(
            one in proptest::collection::btree_set("[a-cé]{1,2}", 1..3),
            other in proptest::collection::btree_set("[a-cé]{1,2}", 1..3),
            taken in proptest::collection::vec(-3_i64..3, 2),
        ) {
            let resources = |n: i64| amounts(&[("fuel", n)]);
            let equal = one == other && taken[0] == taken[1];
            let found = sign_conflict(&one, &resources(taken[0])) == sign_conflict(&other, &resources(taken[1]));
            prop_assert_eq!(found, equal);
        }

        /// Of any series of conflicts exactly the first of each kind is novel.
        #[test]
        fn the_first_of_each_conflict_is_novel(series in proptest::collection::vec(0_i64..6, 0..40)) {
            let mut history = ConflictHistory::default();
            let mut distinct = BTreeSet::new();
            for n in series {
                // What is not positive is not at stake: n = 0 is a conflict over nothing.
                let situation = situation(&[("go", &["a"], &["b"], &[("fuel", n)])]);
                let novelty = history.record(sign_situation(&situation));
                prop_assert_eq!(novelty.is_novel, distinct.insert(n));
                prop_assert_eq!(history.distinct_count(), distinct.len());
            }
        }
    }
}
