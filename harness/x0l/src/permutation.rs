//! The permutation test of L-E (Q28, Q37): the kernel is given the candidates of one answer in other orders,
//! and its selection must not change.

use super::kernel::{
    CandidateSet, Constitution, KernelObservation, KernelState, decide, judge_candidates,
    select_candidate,
};

pub use super::log::PermutationTest;

/// The most candidates that are tried in every order, which makes 120 orders.
pub const MAX_CANDIDATES: usize = 5;

/// Gives the verdicts on the candidates of `set` to the kernel's selector in every order; where
/// there are more than [`MAX_CANDIDATES`], in their own, reversed, and rotated by one. Each selection must
/// be that of the kernel's decision. `state` is the one before the cycle.
///
/// The gates judge each candidate by itself, so they are asked once. A whole decision on the reversed
/// candidates checks that, and that nothing else of the decision depends on the order.
#[must_use]
pub fn test_permutations(
    constitution: &Constitution,
    state: &KernelState,
    observations: &[KernelObservation],
    set: &CandidateSet,
) -> PermutationTest {
    let decided = |set: &CandidateSet| decide(constitution, state, observations, set).0;
    let decision = decided(set);
    let selected = decision.warrant.as_ref().map(|warrant| warrant.bundle_hash);
    // Where it did not come to the gates, nothing selects.
    let selects = !decision.verdicts.is_empty();
    let mut verdicts = judge_candidates(constitution, observations, set);
    let mut found = try_orders(&mut verdicts, |order| {
        select_candidate(order).filter(|_| selects) == selected
    });
    let mut backwards = set.clone();
    backwards.candidates.reverse();
    found.equal &= decided(&backwards) == decision;
    found
}

/// Calls `agrees` with `items` in each order, beginning with their own.
fn try_orders<T>(items: &mut [T], mut agrees: impl FnMut(&[T]) -> bool) -> PermutationTest {
    let mut found = PermutationTest {
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
        swap_through_orders(count, &mut |one, other| {
            items.swap(one, other);
            attempt(items);
        });
    }
    found
}

/// Heap's algorithm: calls `exchange` with two places at a time, and each exchange leads to an order that
/// is new.
fn swap_through_orders(count: usize, exchange: &mut dyn FnMut(usize, usize)) {
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
            let found = try_orders(&mut hashes(count), |order| seen.insert(order.to_vec()));
            assert_eq!((found.tried, found.equal), (orders, true));
            assert_eq!(seen.len() as u64, orders);
        }
    }

    #[test]
    fn a_selection_that_depends_on_the_order_is_found() {
        for count in [2, 3, 5, 6] {
            let hashes = hashes(count);
            let (first, smallest) = (hashes.first(), hashes.iter().min());
            let found = try_orders(&mut hashes.clone(), |order| order.first() == first);
            assert!(!found.equal, "{count}");
            let found = try_orders(&mut hashes.clone(), |order| order.iter().min() == smallest);
            assert!(found.equal, "{count}");
        }
    }
}
