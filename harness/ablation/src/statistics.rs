//! Whether two runs choose alike: a distance of action distributions, its interval over seeds, and the
//! verdict that follows from the interval.
//!
//! A seed is one observation: within a seed steps depend on each other, between seeds nothing does. For
//! each seed let `d` be the difference of the two runs' shares of each action. The distance is the squared
//! length of the mean of `d`, estimated without bias by the mean of the products of `d` of two *different*
//! seeds: where both runs choose by one law it is 0 on average, and may be negative. The interval is the
//! middle 95 % of the same estimate over resamples of the seeds, in which a seed is never multiplied with
//! its own copy. Integers throughout; the resamples are drawn from fixed seeds. Determinism: D1.

use super::decimal::Decimal;
use super::draw::{Place, below};

/// How often the seeds are resampled.
pub const RESAMPLES: u32 = 9999;

/// As few seeds as a verdict takes: with fewer the interval is too narrow.
pub const MIN_SEEDS: usize = 8;

/// What an interval says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It lies above 0.
    ToldApart,
    /// It does not.
    NotToldApart,
    /// There are fewer than [`MIN_SEEDS`].
    TooFewSeeds,
}

impl Verdict {
    /// As documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::ToldApart => "TOLD_APART",
            Verdict::NotToldApart => "NOT_TOLD_APART",
            Verdict::TooFewSeeds => "TOO_FEW_SEEDS",
        }
    }
}

/// How two runs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The share of all choices that would have to be others for both to have the same counts: half the
    /// sum of the differences, between 0 and 1. It grows with chance, so it gives no verdict.
    pub total_variation: Decimal,
    /// The distance, estimated.
    pub estimate: Decimal,
    /// Where its interval begins.
    pub low: Decimal,
    /// Where its interval ends.
    pub high: Decimal,
    /// What follows.
    pub verdict: Verdict,
}

/// An exact quotient; the second is positive.
#[derive(Clone, Copy)]
struct Quotient(i128, i128);

/// Holds two runs against each other: for each seed how often each action was done, in one order in both,
/// and as many in all; exact up to 2^31 in a run.
#[must_use]
pub fn difference(one: &[Vec<i64>], other: &[Vec<i64>]) -> Difference {
    let apart: Vec<Vec<i128>> = one
        .iter()
        .zip(other)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| i128::from(a - b)).collect())
        .collect();
    let steps: i128 = one
        .first()
        .map_or(0, |counts| counts.iter().map(|n| i128::from(*n)).sum());
    let products: Vec<Vec<i128>> = apart
        .iter()
        .map(|a| apart.iter().map(|b| product(a, b)).collect())
        .collect();
    let mut found: Vec<Quotient> = (0..RESAMPLES)
        .filter_map(|resample| distance(&products, &weights(apart.len(), resample)))
        .collect();
    found.sort_by(|Quotient(a, m), Quotient(b, n)| (a * n).cmp(&(b * m)));
    let scaled = |quotient: Option<&Quotient>| {
        quotient.map_or(Decimal::default(), |Quotient(n, d)| {
            Decimal::ratio(*n, d * steps * steps)
        })
    };
    let tail = found.len() / 40;
    let (low, high) = (found.get(tail), found.iter().rev().nth(tail));
    let verdict = match low {
        _ if apart.len() < MIN_SEEDS => Verdict::TooFewSeeds,
        Some(Quotient(numerator, _)) if *numerator > 0 => Verdict::ToldApart,
        _ => Verdict::NotToldApart,
    };
    Difference {
        total_variation: total_variation(&apart, steps),
        estimate: scaled(distance(&products, &vec![1; apart.len()]).as_ref()),
        low: scaled(low),
        high: scaled(high),
        verdict,
    }
}

fn product(a: &[i128], b: &[i128]) -> i128 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn total_variation(apart: &[Vec<i128>], steps: i128) -> Decimal {
    let actions = apart.first().map_or(0, Vec::len);
    let sum_of = |action| {
        apart
            .iter()
            .filter_map(|d: &Vec<i128>| d.get(action))
            .sum::<i128>()
    };
    let absolute: i128 = (0..actions).map(|action| sum_of(action).abs()).sum();
    Decimal::ratio(absolute, 2 * steps * apart.len() as i128)
}

/// How often each of `seeds` stands in a resample.
fn weights(seeds: usize, resample: u32) -> Vec<i128> {
    let mut weights = vec![0; seeds];
    for number in 0..seeds {
        let place = Place {
            seed: number as u64,
            episode: resample,
            step: 0,
        };
        let drawn = below(seeds as u64, place, "resample");
        if let Some(weight) = usize::try_from(drawn).ok().and_then(|i| weights.get_mut(i)) {
            *weight += 1;
        }
    }
    weights
}

/// The mean of the products of different seeds, times the square of the steps; `None` where there is only
/// one.
fn distance(products: &[Vec<i128>], weights: &[i128]) -> Option<Quotient> {
    let (mut sum, mut pairs) = (0, 0);
    for (s, (row, w)) in products.iter().zip(weights).enumerate() {
        for (t, (product, v)) in row.iter().zip(weights).enumerate() {
            if s != t {
                sum += w * v * product;
                pairs += w * v;
            }
        }
    }
    (pairs > 0).then_some(Quotient(sum, pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: i64 = 150;

    /// Counts over ten actions of so many steps, each drawn `times` in a row; one action in `pull` of a
    /// thousand is 0 in any case.
    fn counts(seed: u64, pull: u64, times: i64) -> Vec<i64> {
        let mut counts = vec![0; 10];
        for n in 0..STEPS / times {
            let place = Place {
                seed,
                episode: 0,
                step: n as u32,
            };
            let pulled = below(1000, place, "pulled") < pull;
            let action = if pulled {
                0
            } else {
                below(10, place, "action")
            };
            counts[action as usize] += times;
        }
        counts
    }

    fn trial(number: u64, seeds: usize, pull: u64, times: i64) -> Verdict {
        let run = |which: u64, pull| {
            let seeds = (0..seeds as u64).map(|seed| (number * 2 + which) * 1000 + seed);
            seeds
                .map(|seed| counts(seed, pull, times))
                .collect::<Vec<_>>()
        };
        difference(&run(0, 0), &run(1, pull)).verdict
    }

    fn told_apart(seeds: usize, pull: u64, times: i64, trials: u64) -> u64 {
        let trials = 0..trials;
        trials
            .filter(|n| trial(*n, seeds, pull, times) == Verdict::ToldApart)
            .count() as u64
    }

    /// Runs of one law are told apart in less than 2.5 of 100 cases, whether their steps are independent
    /// or come in tens; a shift of a tenth of all choices is found.
    #[test]
    fn chance_is_not_taken_for_a_difference() {
        assert!(told_apart(MIN_SEEDS, 0, 1, 40) <= 2);
        assert!(told_apart(MIN_SEEDS, 0, 10, 40) <= 2);
        assert!(told_apart(MIN_SEEDS, 100, 1, 20) >= 17);
    }

    #[test]
    fn known_differences() {
        let same = vec![vec![10, 20]; MIN_SEEDS];
        let none = difference(&same, &same);
        let zero = Decimal::default();
        assert_eq!(none.verdict, Verdict::NotToldApart);
        assert_eq!(
            [none.estimate, none.low, none.high, none.total_variation],
            [zero; 4]
        );

        // Every seed moves 6 of 30 choices: the shares differ by 0.2 and -0.2.
        let moved = vec![vec![16, 14]; MIN_SEEDS];
        let found = difference(&same, &moved);
        assert_eq!(found.verdict, Verdict::ToldApart);
        let expected = "0.08".parse().unwrap();
        assert_eq!([found.estimate, found.low, found.high], [expected; 3]);
        assert_eq!(found.total_variation, "0.2".parse().unwrap());
        assert_eq!(found, difference(&moved, &same));

        // Seed n moves n of 30 choices: the 250th resamples from both ends, computed apart from this code.
        let more: Vec<_> = (1..=8).map(|n| vec![10 + n, 20 - n]).collect();
        let found = difference(&same, &more);
        assert_eq!(found.low, "0.018311".parse().unwrap());
        assert_eq!(found.high, "0.075657".parse().unwrap());

        // Half of the seeds move one way, half the other: nothing on the whole.
        let mut both = moved.clone();
        both[..MIN_SEEDS / 2].fill(vec![4, 26]);
        let found = difference(&same, &both);
        assert!(found.estimate < zero && found.low < zero && found.high > zero);
        assert_eq!(
            (found.total_variation, found.verdict),
            (zero, Verdict::NotToldApart)
        );

        let few = difference(&same[1..], &moved[1..]);
        assert_eq!((few.verdict, few.low), (Verdict::TooFewSeeds, expected));
        assert_eq!(difference(&[], &[]).verdict, Verdict::TooFewSeeds);
    }
}
