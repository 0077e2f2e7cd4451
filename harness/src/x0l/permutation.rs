//! The permutation test of L-E (Q28, Q37): the candidates of the one answer in other orders, and the
//! kernel's selection, which must not change.

use axilog::hash::Hash;

use super::kernel::{CandidateSet, Constitution, Observation, State, decide};
pub use super::log::Permutations;

/// Up to so many candidates are tried in every order: 120 orders.
pub const MAX_CANDIDATES: usize = 5;

/// Puts `set` before the kernel in every order of its candidates; where they are more than
/// [`MAX_CANDIDATES`], in their own, backwards, and turned by one. `state` is the one before the cycle.
#[must_use]
pub fn permute(
    constitution: &Constitution,
    state: &State,
    observations: &[Observation],
    set: &CandidateSet,
) -> Permutations {
    permute_by(set, |set| {
        let (decision, _) = decide(constitution, state, observations, set);
        decision.warrant.map(|warrant| warrant.bundle_hash)
    })
}

/// The same for any `select`, which gives the hash of the selected candidate, if one is.
fn permute_by(
    set: &CandidateSet,
    mut select: impl FnMut(&CandidateSet) -> Option<Hash>,
) -> Permutations {
    let mut set = set.clone();
    let expected = select(&set);
    let mut found = Permutations {
        tried: 1,
        equal: true,
    };
    let mut attempt = |set: &CandidateSet| {
        found.tried += 1;
        found.equal &= select(set) == expected;
    };
    let count = set.candidates.len();
    if count > MAX_CANDIDATES {
        set.candidates.reverse();
        attempt(&set);
        set.candidates.reverse();
        set.candidates.rotate_left(1);
        attempt(&set);
    } else {
        every_other_order(count, &mut |one, other| {
            set.candidates.swap(one, other);
            attempt(&set);
        });
    }
    found
}

/// Heap's algorithm: gives one exchange after the other, and each leads to an order that was not there
/// yet.
fn every_other_order(count: usize, exchange: &mut dyn FnMut(usize, usize)) {
    let mut turns = [0; MAX_CANDIDATES];
    let mut place = 1;
    while place < count {
        let Some(turn) = turns.get_mut(place) else {
            return;
        };
        if *turn < place {
            exchange(if place.is_multiple_of(2) { 0 } else { *turn }, place);
            *turn += 1;
            place = 1;
        } else {
            *turn = 0;
            place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::x0l::kernel::Candidate;
    use std::collections::BTreeSet;

    fn candidates(count: usize) -> CandidateSet {
        let candidate = |n: usize| Candidate {
            action_type: n.to_string(),
            fields: serde_json::Map::new(),
            observation_ids: Vec::new(),
            claim: String::new(),
            clause_ref: String::new(),
            justification: String::new(),
            authority_citations: Vec::new(),
        };
        CandidateSet {
            candidates: (0..count).map(candidate).collect(),
            ..CandidateSet::default()
        }
    }

    #[test]
    fn every_order_is_tried_once() {
        for (count, orders) in [
            (0, 1),
            (1, 1),
            (2, 2),
            (3, 6),
            (4, 24),
            (5, 120),
            (6, 3),
            (40, 3),
        ] {
            let mut seen = BTreeSet::new();
            let found = permute_by(&candidates(count), |set| {
                let order: Vec<String> = set
                    .candidates
                    .iter()
                    .map(|c| c.action_type.clone())
                    .collect();
                assert!(seen.insert(order));
                None
            });
            assert_eq!((found.tried, found.equal), (orders, true));
            assert_eq!(seen.len() as u64, orders);
        }
    }

    #[test]
    fn a_selection_that_depends_on_the_order_is_found() {
        let first = |set: &CandidateSet| set.candidates.first().map(Candidate::hash);
        let smallest = |set: &CandidateSet| set.candidates.iter().map(Candidate::hash).min();
        for count in [2, 3, 5, 6] {
            assert!(!permute_by(&candidates(count), first).equal, "{count}");
            assert!(permute_by(&candidates(count), smallest).equal, "{count}");
        }
    }
}
