//! The order of the tasks in the cycles of a condition (Q26, Q30).
//!
//! L-B goes through its corpus in the order of the file, again and again. The others go through all their
//! tasks in
//! an order that is drawn, then through all of them in another, and so on: Fisher and Yates' shuffle
//! from the last place down, each index drawn from SplitMix64 by rejection, so that no order is likelier
//! than another. Equal seeds give equal orders on every machine and in every version. Determinism: D1.

use super::condition::{Condition, TaskSet};

/// The generator SplitMix64, as Steele, Lea and Flood describe it (OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator with this seed.
    #[must_use]
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// Draws the next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Draws one of the numbers below `bound`, all equally likely; 0 where `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // What is left of 2^64 once `bound` goes into it as often as it does would come up more often.
        let bound = bound.max(1);
        let excess = (u64::MAX % bound + 1) % bound;
        loop {
            let drawn = self.draw();
            if drawn <= u64::MAX - excess {
                return drawn % bound;
            }
        }
    }

    /// Shuffles `items`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1);
            items.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }
}

/// The seed of a condition's order, from that of the session: the same for L-A, one more for each
/// condition that
/// follows; none for L-B.
#[must_use]
pub fn order_seed(session: u32, condition: Condition) -> Option<u64> {
    let place = Condition::ALL
        .iter()
        .position(|other| *other == condition)?;
    (condition != Condition::B).then_some(u64::from(session) + place as u64)
}

/// Draws the task of each of `cycles` cycles, as indices into the set.
#[must_use]
pub fn schedule(set: &TaskSet, seed: Option<u64>, cycles: u64) -> Vec<usize> {
    let mut generator = seed.map(SplitMix64::new);
    let mut places: Vec<usize> = Vec::new();
    let cycles = usize::try_from(cycles).unwrap_or(usize::MAX);
    while places.len() < cycles && !set.tasks.is_empty() {
        let mut round: Vec<usize> = (0..set.tasks.len()).collect();
        if let Some(generator) = &mut generator {
            generator.shuffle(&mut round);
        }
        round.truncate(cycles - places.len());
        places.extend(round);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::Task;

    fn set(condition: Condition, tasks: usize) -> TaskSet {
        let task = |n: usize| Task {
            id: n.to_string(),
            prompt: "do".to_owned(),
            prompt_valid: true,
            family: None,
        };
        TaskSet {
            condition,
            hash: [0; 32],
            corpus: None,
            tasks: (0..tasks).map(task).collect(),
        }
    }

    /// The first numbers of the generator's published reference code for these seeds.
    #[test]
    fn the_generator_is_splitmix64() {
        let drawn = |seed| {
            let mut generator = SplitMix64::new(seed);
            [generator.draw(), generator.draw(), generator.draw()]
        };
        assert_eq!(
            drawn(1_234_567),
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
        assert_eq!(drawn(0)[0], 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn orders_never_change() {
        let order = schedule(&set(Condition::A, 8), Some(0), 12);
        assert_eq!(order, ORDER);
        assert_eq!(schedule(&set(Condition::A, 8), Some(0), 5), ORDER[..5]);
        assert_ne!(schedule(&set(Condition::A, 8), Some(1), 12), order);
    }

    const ORDER: [usize; 12] = [2, 5, 0, 3, 4, 6, 1, 7, 3, 7, 0, 5];

    #[test]
    fn every_round_has_every_task_once() {
        for seed in 0..50 {
            let order = schedule(&set(Condition::C, 7), Some(seed), 21);
            for round in order.chunks(7) {
                let mut round = round.to_vec();
                round.sort_unstable();
                assert_eq!(round, [0, 1, 2, 3, 4, 5, 6]);
            }
        }
        assert_eq!(
            schedule(&set(Condition::B, 3), None, 7),
            [0, 1, 2, 0, 1, 2, 0]
        );
        assert!(schedule(&set(Condition::A, 3), Some(1), 0).is_empty());
    }

    #[test]
    fn draws_are_below_their_bound_and_even() {
        let mut generator = SplitMix64::new(9);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[usize::try_from(generator.below(6)).unwrap()] += 1;
        }
        assert!(
            counts.iter().all(|&count| count.abs_diff(10_000) < 500),
            "{counts:?}"
        );
        assert_eq!((generator.below(0), generator.below(1)), (0, 0));
        let most = generator.below(u64::MAX);
        assert!(most < u64::MAX);
    }

    #[test]
    fn seeds_follow_from_the_sessions() {
        let seeds = Condition::ALL.map(|condition| order_seed(10, condition));
        assert_eq!(seeds, [Some(10), None, Some(12), Some(13), Some(14)]);
        assert_eq!(order_seed(u32::MAX, Condition::E), Some(0x1_0000_0003));
    }
}
