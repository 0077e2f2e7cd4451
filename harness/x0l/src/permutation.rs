//! The permutation test of L-E (Q28, Q37): the candidates of the one answer in other orders, and the
//! kernel's selection, which must not change.

use super::kernel::{CandidateSet, Constitution, Observation, State, decide, judge, select};

pub use super::log::Permutations;

/// Up to so many candidates are tried in every order: 120 orders.
pub const MAX_CANDIDATES: usize = 5;

/// Puts what the gates say of the candidates of `set` before the kernel's selector in every order; where
/// they are more than [`MAX_CANDIDATES`], in their own, backwards, and turned by one. Each selection must
/// be that of the kernel's decision. `state` is the one before the cycle.
///
/// The gates judge each candidate by itself, so they are asked once. That they do, and that nothing
/// else of the decision depends on the order, a whole decision on the candidates backwards shows.
#[must_use]
pub fn permute(
    constitution: &Constitution,
    state: &State,
    observations: &[Observation],
    set: &CandidateSet,
) -> Permutations {
    let decided = |set: &CandidateSet| decide(constitution, state, observations, set).0;
    let decision = decided(set);
    let selected = decision.warrant.as_ref().map(|warrant| warrant.bundle_hash);
    // Where it did not come to the gates, nothing selects.
    let selects = !decision.verdicts.is_empty();
    let mut verdicts = judge(constitution, observations, set);
    let mut found = permute_by(&mut verdicts, |order| {
        select(order).filter(|_| selects) == selected
    });
    let mut backwards = set.clone();
    backwards.candidates.reverse();
    found.equal &= decided(&backwards) == decision;
    found
}

/// Puts `items` before `agrees` in their orders, the one they have first.
fn permute_by<T>(items: &mut [T], mut agrees: impl FnMut(&[T]) -> bool) -> Permutations {
    let mut found = Permutations {
        tried: 0,
        equal: true,
    };
    let mut attempt = |items: &[T]| {
        found.tried += 1;
        found.equal &= agrees(items);
    };
    attempt(items);
    let count = items.len();
    if count > MAX_CANDIDATES {
        items.reverse();
        attempt(items);
        items.reverse();
        items.rotate_left(1);
        attempt(items);
    } else {
        every_other_order(count, &mut |one, other| {
            items.swap(one, other);
            attempt(items);
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
    use axilog::hash::{Hash, sha256};
    use std::collections::BTreeSet;

    fn hashes(count: u8) -> Vec<Hash> {
        (0..count).map(|n| sha256(&[n])).collect()
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
            let found = permute_by(&mut hashes(count), |order| seen.insert(order.to_vec()));
            assert_eq!((found.tried, found.equal), (orders, true));
            assert_eq!(seen.len() as u64, orders);
        }
    }

    #[test]
    fn a_selection_that_depends_on_the_order_is_found() {
        for count in [2, 3, 5, 6] {
            let hashes = hashes(count);
            let (first, smallest) = (hashes.first(), hashes.iter().min());
            let found = permute_by(&mut hashes.clone(), |order| order.first() == first);
            assert!(!found.equal, "{count}");
            let found = permute_by(&mut hashes.clone(), |order| order.iter().min() == smallest);
            assert!(found.equal, "{count}");
        }
    }
}
