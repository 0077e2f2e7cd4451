//! The statistics of a comparison: how far the choices of two runs are apart, and how much more often one of
//! them had no useful answer.
//!
//! A run is compared as a *distribution over seeds*: each seed gives one profile of shares, and the energy
//! distance of the two runs is 0 only where their profiles have one law. So it sees a run that holds to one
//! policy under each seed, another one each time, beside a run that mixes them, though both do every action
//! equally often on the whole. It is estimated without bias from pairs of *different* seeds: where both
//! runs choose by one law the estimate is 0 on average, and it may be negative. Determinism: D1.

use super::decimal::Decimal;
use super::profile::{ActionProfile, UNITS, distance_error};
use super::resampling::{Fraction, SeedResamples};
use super::swap_test::{PValue, PairContributions};

/// The difference of two runs' profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileDifference {
    /// How many seeds have a profile in both runs.
    pub seeds: usize,
    /// The estimated energy distance: 0 on average for runs of one law, and at most twice the root of 2.
    pub distance: Decimal,
    /// The ends of the distance's resampling interval.
    pub interval: [Decimal; 2],
    /// The share of all choices that would have to be others for both runs to have the same counts: half
    /// the sum of the differences, between 0 and 1. It grows with chance, and does not see what cancels
    /// out between seeds.
    pub total_variation: Decimal,
    /// The p-value of the seed-swap test.
    pub p_value: PValue,
}

/// Measures the difference of two runs' profiles. A run is given by how often each action was counted under
/// each seed; both runs have the same seeds and actions in the same order. A seed under which one of them
/// counted nothing is left out.
#[must_use]
pub fn measure_profile_difference(
    reference: &[Vec<u64>],
    run: &[Vec<u64>],
    resamples: &SeedResamples,
) -> ProfileDifference {
    let added = contribute_profiles(reference, run);
    let estimate = |weights: &[i128]| {
        let (sum, pairs) = added.sum_weighted(weights);
        (pairs > 0).then_some(Fraction {
            numerator: sum,
            denominator: pairs * UNITS,
        })
    };
    let found = estimate(&vec![1; added.seeds()]);
    ProfileDifference {
        seeds: added.seeds(),
        distance: found.map_or(Decimal::default(), Fraction::to_decimal),
        interval: find_interval(resamples, added.seeds(), estimate),
        total_variation: measure_total_variation(reference, run),
        p_value: added.test_by_swaps(),
    }
}

/// What each pair of seeds adds to the energy distance of two runs, which are given as in
/// [`measure_profile_difference`], in [`UNITS`]. The mean over all pairs is the estimated distance.
#[must_use]
pub fn contribute_profiles(reference: &[Vec<u64>], run: &[Vec<u64>]) -> PairContributions {
    let pairs: Vec<(ActionProfile, ActionProfile)> = reference
        .iter()
        .zip(run)
        .filter_map(|(a, b)| ActionProfile::from_counts(a).zip(ActionProfile::from_counts(b)))
        .collect();
    let actions = reference.first().map_or(0, Vec::len);
    // What a pair of seeds adds: the distances between the runs less those within each run.
    let contribute = |first: usize, second: usize| match (pairs.get(first), pairs.get(second)) {
        (Some((a, b)), Some((c, d))) => {
            a.distance_to(d) + b.distance_to(c) - a.distance_to(c) - b.distance_to(d)
        }
        _ => 0,
    };
    PairContributions::new(pairs.len(), 4 * distance_error(actions), contribute)
}

/// The ends of the interval of an estimate over `seeds` seeds; both 0 where there is none.
fn find_interval(
    resamples: &SeedResamples,
    seeds: usize,
    estimate: impl Fn(&[i128]) -> Option<Fraction>,
) -> [Decimal; 2] {
    let ends = match resamples.seeds() == seeds {
        true => resamples.find_interval(estimate),
        // Some seed was left out.
        false => SeedResamples::draw(seeds).find_interval(estimate),
    };
    ends.map_or_else(Default::default, |ends| ends.map(Fraction::to_decimal))
}

fn measure_total_variation(reference: &[Vec<u64>], run: &[Vec<u64>]) -> Decimal {
    let count_all =
        |seeds: &[Vec<u64>]| -> i128 { seeds.iter().flatten().map(|n| i128::from(*n)).sum() };
    let count_action = |seeds: &[Vec<u64>], action: usize| -> i128 {
        let counts = seeds.iter().filter_map(|counts| counts.get(action));
        counts.map(|n| i128::from(*n)).sum()
    };
    let (all, all_of_run) = (count_all(reference), count_all(run));
    let actions = reference.first().map_or(0, Vec::len);
    let moved: i128 = (0..actions)
        .map(|action| {
            let (a, b) = (count_action(reference, action), count_action(run, action));
            (a * all_of_run - b * all).abs()
        })
        .sum();
    Decimal::from_ratio(moved, 2 * all * all_of_run)
}

/// The difference of how often two runs had something happen under each seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareDifference {
    /// The share of all steps in the run less that in the reference: between -1 and 1.
    pub difference: Decimal,
    /// The ends of the difference's resampling interval.
    pub interval: [Decimal; 2],
    /// The p-value of the seed-swap test, for a difference in either direction.
    pub p_value: PValue,
}

/// Measures the difference of two runs' shares. A run is given by how often it happened under each seed,
/// of `steps` steps each; both runs have the same seeds in the same order.
#[must_use]
pub fn measure_share_difference(
    reference: &[u64],
    run: &[u64],
    steps: u64,
    resamples: &SeedResamples,
) -> ShareDifference {
    let pairs = reference.iter().zip(run);
    let differences: Vec<i128> = pairs
        .map(|(a, b)| i128::from(*b) - i128::from(*a))
        .collect();
    let added = PairContributions::of_differences(&differences);
    let estimate = |weights: &[i128]| {
        let of: i128 = weights.iter().sum();
        let weighted = differences.iter().zip(weights);
        (of > 0 && steps > 0).then(|| Fraction {
            numerator: weighted
                .map(|(difference, weight)| difference * weight)
                .sum(),
            denominator: of * i128::from(steps),
        })
    };
    let found = estimate(&vec![1; differences.len()]);
    ShareDifference {
        difference: found.map_or(Decimal::default(), Fraction::to_decimal),
        interval: find_interval(resamples, differences.len(), estimate),
        p_value: added.test_by_swaps(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: usize = 8;

    fn measure(reference: &[Vec<u64>], run: &[Vec<u64>]) -> ProfileDifference {
        measure_profile_difference(reference, run, &SeedResamples::draw(reference.len()))
    }

    fn smallest() -> PValue {
        PValue::smallest(SEEDS)
    }

    /// A run that locks onto one action under each seed does every action as often as a run that mixes
    /// them. 102 of 150 steps under a seed are one action, against 36 of the mixing run.
    #[test]
    fn a_run_that_locks_onto_one_policy_per_seed_is_told_apart() {
        let counts = |seed: usize, most: u64, others: u64| -> Vec<u64> {
            (0..4)
                .map(|action| if action == seed % 4 { most } else { others })
                .collect()
        };
        let seeds = |most, others| (0..SEEDS).map(|s| counts(s, most, others)).collect();
        let (locked, mixed): (Vec<_>, Vec<_>) = (seeds(102, 16), seeds(36, 38));
        let found = measure(&mixed, &locked);
        assert_eq!(found.total_variation, Decimal::default());
        assert_eq!(found.p_value, smallest());
        assert_eq!(found.p_value.to_decimal().to_string(), "0.007812");
        // The correction over the two variants of a run leaves it significant.
        assert!(found.p_value.multiply(2).is_below_level());
    }

    #[test]
    fn differences_are_the_known_ones() {
        let same = vec![vec![10, 20]; SEEDS];
        let none = measure(&same, &same);
        let zero = Decimal::default();
        assert_eq!(
            none.p_value,
            PValue {
                at_least: 128,
                of: 128
            }
        );
        assert_eq!(
            (none.distance, none.interval, none.total_variation),
            (zero, [zero; 2], zero)
        );

        // Every seed moves 6 of 30 choices: each pair of seeds adds twice the root of 0.08.
        let moved = vec![vec![16, 14]; SEEDS];
        let found = measure(&same, &moved);
        let expected = Decimal::from_millionths(565_685);
        assert_eq!((found.distance, found.interval), (expected, [expected; 2]));
        assert_eq!(found.total_variation, Decimal::from_millionths(200_000));
        assert_eq!(found.p_value, smallest());
        assert_eq!(found, measure(&moved, &same));

        // Half of the seeds move one way, half the other: nothing on the whole, but other distributions.
        // Swapping one half makes all seeds move one way, which is as much.
        let mut both = moved.clone();
        both[..SEEDS / 2].fill(vec![4, 26]);
        let found = measure(&same, &both);
        let mirrored = PValue {
            at_least: 2,
            of: 128,
        };
        assert_eq!((found.total_variation, found.p_value), (zero, mirrored));

        // A seed under which one run counted nothing is left out.
        let mut empty = moved.clone();
        empty[3] = vec![0, 0];
        let found = measure(&same, &empty);
        assert_eq!((found.seeds, found.p_value), (7, PValue::smallest(7)));
        let nothing = measure(&[], &[]);
        assert_eq!((nothing.seeds, nothing.distance), (0, zero));
    }

    #[test]
    fn shares_are_compared_in_both_directions() {
        let resamples = SeedResamples::draw(SEEDS);
        let measure =
            |a: [u64; SEEDS], b: [u64; SEEDS]| measure_share_difference(&a, &b, 50, &resamples);
        let worse = measure([0; SEEDS], [5; SEEDS]);
        let tenth = Decimal::from_millionths(100_000);
        assert_eq!((worse.difference, worse.interval), (tenth, [tenth; 2]));
        assert_eq!(worse.p_value, smallest());
        let better = measure([5; SEEDS], [0; SEEDS]);
        assert_eq!(better.difference, Decimal::from_millionths(-100_000));
        assert_eq!(better.p_value, smallest());
        // Sums of 8 signs times 1 that reach 2 in size: 256 ways less the 70 that cancel out.
        let mixed = measure([0, 0, 0, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0, 1, 1]);
        assert_eq!(mixed.difference, Decimal::from_millionths(5_000));
        assert_eq!(
            mixed.p_value,
            PValue {
                at_least: (256 - 70) / 2,
                of: 128
            }
        );
    }

    /// The numbers were computed apart from this code, in floating point, with all 512 ways of swapping and
    /// the same resamples.
    #[test]
    fn a_second_computation_gives_the_same_numbers() {
        let decimal = Decimal::from_millionths;
        let resamples = SeedResamples::draw(9);
        let counts = |of: &dyn Fn(u64, u64) -> u64| -> Vec<Vec<u64>> {
            let seeds = 0..9;
            seeds
                .map(|seed| (0..5).map(|action| of(seed, action)).collect())
                .collect()
        };
        let reference = counts(&|seed, action| (seed * 7 + action * 3) % 11 + 1);
        let run = |pull: u64| {
            counts(&|seed, action| {
                let pulled = if action == 2 { pull } else { 0 };
                (seed * 5 + action * action * 2) % 13 + 1 + pulled
            })
        };
        let found = measure_profile_difference(&reference, &run(0), &resamples);
        assert_eq!(found.distance, decimal(832));
        assert_eq!(found.interval, [decimal(-61_569), decimal(86_194)]);
        let p_value = |at_least| PValue { at_least, of: 256 };
        assert_eq!(found.p_value, p_value(198 / 2));
        let found = measure_profile_difference(&reference, &run(14), &resamples);
        assert_eq!(found.distance, decimal(185_833));
        assert_eq!(found.interval, [decimal(75_150), decimal(325_461)]);
        assert_eq!(found.p_value, p_value(2 / 2));
        assert_eq!(found.total_variation, decimal(243_645));

        let (a, b) = ([3, 0, 2, 5, 1, 0, 4, 2, 1], [6, 1, 1, 9, 3, 0, 2, 8, 4]);
        let found = measure_share_difference(&a, &b, 40, &resamples);
        assert_eq!(found.difference, decimal(44_444));
        assert_eq!(found.interval, [decimal(5_556), decimal(83_333)]);
        assert_eq!(found.p_value, p_value(48 / 2));
    }
}
