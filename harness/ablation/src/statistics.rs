//! The difference of two runs' choices: a distance of action distributions, its interval over seeds, and
//! the verdict that follows from the interval.
//!
//! A seed is one observation: within a seed steps depend on each other, between seeds nothing does. For
//! each seed let `d` be the difference of the two runs' shares of each action. The distance is the squared
//! length of the mean of `d`, estimated without bias by the mean of the products of `d` of two *different*
//! seeds: where both runs choose by one law it is 0 on average, and may be negative. The interval is the
//! middle 95 % of the same estimate over resamples of the seeds, in which a seed is never multiplied with
//! its own copy. All numbers are integers; the resamples are drawn from fixed seeds. Determinism: D1.

use super::decimal::Decimal;
use super::draw::draw_below;
use super::environment::Place;

/// How often the seeds are resampled for the interval.
pub const RESAMPLES: u32 = 9999;

/// How many seeds a verdict takes at least: with fewer the interval is too narrow.
pub const MIN_SEEDS: usize = 8;

/// What follows from an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The interval lies above 0: the runs choose differently.
    ToldApart,
    /// The interval does not lie above 0.
    NotToldApart,
    /// There are fewer seeds than [`MIN_SEEDS`].
    TooFewSeeds,
}

impl Verdict {
    /// The verdict as documents name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::ToldApart => "TOLD_APART",
            Verdict::NotToldApart => "NOT_TOLD_APART",
            Verdict::TooFewSeeds => "TOO_FEW_SEEDS",
        }
    }
}

/// The difference of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The share of all choices that would have to be others for both to have the same counts: half the
    /// sum of the differences, between 0 and 1. It grows with chance, so it gives no verdict.
    pub total_variation: Decimal,
    /// The estimated distance.
    pub estimate: Decimal,
    /// The lower end of the distance's interval.
    pub low: Decimal,
    /// The upper end of the distance's interval.
    pub high: Decimal,
    /// What follows from the interval.
    pub verdict: Verdict,
}

/// An exact fraction: the numerator, and the positive denominator.
#[derive(Clone, Copy)]
struct Fraction(i128, i128);

/// Measures the difference of two runs. A run is given by how often it did each action under each seed.
/// Both runs have the same seeds and actions in the same order, and equally many steps under each seed. The
/// result is exact up to 2^31 steps in a run.
#[must_use]
pub fn measure_difference(reference: &[Vec<i64>], run: &[Vec<i64>]) -> Difference {
    let differences: Vec<Vec<i128>> = reference
        .iter()
        .zip(run)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| i128::from(a - b)).collect())
        .collect();
    let steps: i128 = reference
        .first()
        .map_or(0, |counts| counts.iter().map(|n| i128::from(*n)).sum());
    let products: Vec<Vec<i128>> = differences
        .iter()
        .map(|a| differences.iter().map(|b| multiply(a, b)).collect())
        .collect();
    let seeds = differences.len();
    let mut estimates: Vec<Fraction> = (0..RESAMPLES)
        .filter_map(|resample| estimate_distance(&products, &draw_weights(seeds, resample)))
        .collect();
    estimates.sort_by(|Fraction(a, m), Fraction(b, n)| (a * n).cmp(&(b * m)));
    let to_decimal = |fraction: Option<&Fraction>| {
        fraction.map_or(Decimal::default(), |Fraction(n, d)| {
            Decimal::from_ratio(*n, d * steps * steps)
        })
    };
    let tail = estimates.len() / 40;
    let (low, high) = (estimates.get(tail), estimates.iter().rev().nth(tail));
    let verdict = match low {
        _ if seeds < MIN_SEEDS => Verdict::TooFewSeeds,
        Some(Fraction(numerator, _)) if *numerator > 0 => Verdict::ToldApart,
        _ => Verdict::NotToldApart,
    };
    Difference {
        total_variation: measure_total_variation(&differences, steps),
        estimate: to_decimal(estimate_distance(&products, &vec![1; seeds]).as_ref()),
        low: to_decimal(low),
        high: to_decimal(high),
        verdict,
    }
}

/// Multiplies two vectors: the sum of the products of their elements.
fn multiply(a: &[i128], b: &[i128]) -> i128 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn measure_total_variation(differences: &[Vec<i128>], steps: i128) -> Decimal {
    let actions = differences.first().map_or(0, Vec::len);
    let sum_of = |action| {
        differences
            .iter()
            .filter_map(|d: &Vec<i128>| d.get(action))
            .sum::<i128>()
    };
    let absolute: i128 = (0..actions).map(|action| sum_of(action).abs()).sum();
    Decimal::from_ratio(absolute, 2 * steps * differences.len() as i128)
}

/// Draws a resample: how often each of `seeds` seeds stands in it.
fn draw_weights(seeds: usize, resample: u32) -> Vec<i128> {
    let mut weights = vec![0; seeds];
    for number in 0..seeds {
        let place = Place {
            seed: number as u64,
            episode: resample,
            step: 0,
        };
        let drawn = draw_below(seeds as u64, place, "resample");
        if let Some(weight) = usize::try_from(drawn).ok().and_then(|i| weights.get_mut(i)) {
            *weight += 1;
        }
    }
    weights
}

/// Estimates the distance, times the square of the steps, by the mean of the products of different seeds.
/// `None` where there is only one seed.
fn estimate_distance(products: &[Vec<i128>], weights: &[i128]) -> Option<Fraction> {
    let (mut sum, mut pairs) = (0, 0);
    for (s, (row, w)) in products.iter().zip(weights).enumerate() {
        for (t, (product, v)) in row.iter().zip(weights).enumerate() {
            if s != t {
                sum += w * v * product;
                pairs += w * v;
            }
        }
    }
    (pairs > 0).then_some(Fraction(sum, pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: i64 = 150;

    /// Draws the actions of [`STEPS`] steps, each `times` in a row, and counts them. Of a thousand draws
    /// `pull` are the action 0 in any case; the others are one of ten.
    fn draw_counts(seed: u64, pull: u64, times: i64) -> Vec<i64> {
        let mut counts = vec![0; 10];
        for n in 0..STEPS / times {
            let place = Place {
                seed,
                episode: 0,
                step: n as u32,
            };
            let pulled = draw_below(1000, place, "pulled") < pull;
            let action = if pulled {
                0
            } else {
                draw_below(10, place, "action")
            };
            counts[action as usize] += times;
        }
        counts
    }

    /// Compares a run of one law with a run that is pulled.
    fn compare_drawn_runs(number: u64, seeds: usize, pull: u64, times: i64) -> Verdict {
        let run = |which: u64, pull| {
            let seeds = (0..seeds as u64).map(|seed| (number * 2 + which) * 1000 + seed);
            seeds
                .map(|seed| draw_counts(seed, pull, times))
                .collect::<Vec<_>>()
        };
        measure_difference(&run(0, 0), &run(1, pull)).verdict
    }

    fn count_told_apart(seeds: usize, pull: u64, times: i64, trials: u64) -> u64 {
        let trials = 0..trials;
        trials
            .filter(|n| compare_drawn_runs(*n, seeds, pull, times) == Verdict::ToldApart)
            .count() as u64
    }

    /// Runs of one law are told apart in less than 2.5 of 100 cases, whether their steps are independent
    /// or come in tens; a shift of a tenth of all choices is found.
    #[test]
    fn chance_is_not_taken_for_a_difference() {
        assert!(count_told_apart(MIN_SEEDS, 0, 1, 40) <= 2);
        assert!(count_told_apart(MIN_SEEDS, 0, 10, 40) <= 2);
        assert!(count_told_apart(MIN_SEEDS, 100, 1, 20) >= 17);
    }

    #[test]
    fn differences_are_the_known_ones() {
        let same = vec![vec![10, 20]; MIN_SEEDS];
        let none = measure_difference(&same, &same);
        let zero = Decimal::default();
        assert_eq!(none.verdict, Verdict::NotToldApart);
        assert_eq!(
            [none.estimate, none.low, none.high, none.total_variation],
            [zero; 4]
        );

        // Every seed moves 6 of 30 choices: the shares differ by 0.2 and -0.2.
        let moved = vec![vec![16, 14]; MIN_SEEDS];
        let found = measure_difference(&same, &moved);
        assert_eq!(found.verdict, Verdict::ToldApart);
        let expected = Decimal::from_millionths(80_000);
        assert_eq!([found.estimate, found.low, found.high], [expected; 3]);
        assert_eq!(found.total_variation, Decimal::from_millionths(200_000));
        assert_eq!(found, measure_difference(&moved, &same));

        // Seed n moves n of 30 choices: the 250th resamples from both ends, computed apart from this code.
        let more: Vec<_> = (1..=8).map(|n| vec![10 + n, 20 - n]).collect();
        let found = measure_difference(&same, &more);
        assert_eq!(found.low, Decimal::from_millionths(18_311));
        assert_eq!(found.high, Decimal::from_millionths(75_657));

        // Half of the seeds move one way, half the other: nothing on the whole.
        let mut both = moved.clone();
        both[..MIN_SEEDS / 2].fill(vec![4, 26]);
        let found = measure_difference(&same, &both);
        assert!(found.estimate < zero && found.low < zero && found.high > zero);
        assert_eq!(
            (found.total_variation, found.verdict),
            (zero, Verdict::NotToldApart)
        );

        let few = measure_difference(&same[1..], &moved[1..]);
        assert_eq!((few.verdict, few.low), (Verdict::TooFewSeeds, expected));
        assert_eq!(measure_difference(&[], &[]).verdict, Verdict::TooFewSeeds);
    }
}
