//! The seed-swap permutation test: how often a difference at least as large as the one found would come
//! about if it were all one which run is called which.
//!
//! Two runs have their seeds in pairs: under a seed both meet the same steps. Where both choose by one law
//! it does not matter which of the two profiles of a seed stands on which side, so every way of swapping
//! the two under some of the seeds was as likely as the one that was found. The p-value is the part of these
//! ways that give at least as large a difference. It is exact, whatever the law is and however few the seeds
//! are: nothing is assumed of steps within a seed. Determinism: D1.

use std::cmp::Ordering;

use super::decimal::Decimal;
use super::draw::draw_digest;
use super::environment::Place;

/// Up to so many seeds every way of swapping is tried; above, [`SAMPLED_SWAPS`] of them.
pub const MAX_EXACT_SEEDS: usize = 20;

/// How many ways of swapping are drawn where there are too many to try each.
pub const SAMPLED_SWAPS: u64 = 9999;

/// A test is passed where its p-value is at most one in so many: the level 0.05.
pub const LEVEL_ONE_IN: u64 = 20;

/// What each pair of seeds adds to a difference: a square matrix, symmetric, whose diagonal is not used.
///
/// The difference is the sum over all pairs of different seeds. If one seed of a pair is swapped, what the
/// pair adds changes its sign; if both are, it stays.
#[derive(Clone, Debug)]
pub struct PairContributions {
    rows: Vec<Vec<i128>>,
    /// By how much the sum may be wrong.
    error: i128,
}

impl PairContributions {
    /// The contributions of `seeds` seeds; `contribute` gives what a pair adds, wrong by at most `error`.
    #[must_use]
    pub fn new(
        seeds: usize,
        error: i128,
        contribute: impl Fn(usize, usize) -> i128,
    ) -> PairContributions {
        let mut rows = vec![vec![0; seeds]; seeds];
        for first in 0..seeds {
            for second in first + 1..seeds {
                let added = contribute(first, second);
                for (row, column) in [(first, second), (second, first)] {
                    if let Some(place) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
                        *place = added;
                    }
                }
            }
        }
        let pairs = seeds * seeds.saturating_sub(1) / 2;
        PairContributions {
            rows,
            error: error * pairs as i128,
        }
    }

    /// The contributions of seeds with one difference each: the sum grows with the square of the sum of all.
    #[must_use]
    pub fn of_differences(differences: &[i128]) -> PairContributions {
        let contribute =
            |first: usize, second: usize| match (differences.get(first), differences.get(second)) {
                (Some(a), Some(b)) => a * b,
                _ => 0,
            };
        PairContributions::new(differences.len(), 0, contribute)
    }

    /// How many seeds there are.
    #[must_use]
    pub fn seeds(&self) -> usize {
        self.rows.len()
    }

    /// The sum over all pairs in a resample in which each seed stands as often as its weight, and the
    /// number of those pairs. A seed is not paired with its own copy.
    #[must_use]
    pub fn sum_weighted(&self, weights: &[i128]) -> (i128, i128) {
        let (mut sum, mut pairs) = (0, 0);
        for (first, (row, weight)) in self.rows.iter().zip(weights).enumerate() {
            for (added, other) in row.iter().zip(weights).take(first) {
                sum += weight * other * added;
                pairs += weight * other;
            }
        }
        (sum, pairs)
    }

    /// Tests whether the sum is larger than swaps of the seeds would make it.
    #[must_use]
    pub fn test_by_swaps(&self) -> PValue {
        count_reaching_ways(self.seeds(), &mut SwappedSeeds::new(self))
    }
}

/// What follows from swapping seeds.
pub(crate) trait SeedSwaps {
    /// Swaps a seed, or takes its swap back.
    fn swap(&mut self, seed: usize);

    /// Whether the difference is at least as large as the one that was found.
    fn reaches_found(&self) -> bool;
}

/// Counts the ways of swapping that give at least as large a difference as was found: of all ways, or of drawn ones where
/// there are too many. `swaps` begins without any swap.
pub(crate) fn count_reaching_ways(seeds: usize, swaps: &mut impl SeedSwaps) -> PValue {
    if seeds <= MAX_EXACT_SEEDS {
        // Swapping every seed changes nothing, so one seed stays and half of all ways are left.
        let ways = 1_u64 << seeds.saturating_sub(1);
        let mut at_least = 1;
        for way in 1..ways {
            // Gray's order: the next way swaps one seed more or one less.
            swaps.swap(way.trailing_zeros() as usize + 1);
            at_least += u64::from(swaps.reaches_found());
        }
        return PValue { at_least, of: ways };
    }
    let reached = (0..SAMPLED_SWAPS).filter(|draw| {
        for seed in draw_swapped_seeds(seeds, *draw) {
            swaps.swap(seed);
        }
        swaps.reaches_found()
    });
    PValue {
        at_least: 1 + reached.count() as u64,
        of: 1 + SAMPLED_SWAPS,
    }
}

/// Draws which seeds to swap next: each with the chance of a half.
fn draw_swapped_seeds(seeds: usize, draw: u64) -> impl Iterator<Item = usize> {
    let digests = (0..seeds.div_ceil(256)).map(move |block| {
        let place = Place {
            seed: draw,
            episode: u32::try_from(block).unwrap_or(u32::MAX),
            step: 0,
        };
        draw_digest(place, "swap")
    });
    let bits = digests
        .flatten()
        .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
    let numbered = bits.take(seeds).enumerate();
    numbered.filter_map(|(seed, is_swapped)| is_swapped.then_some(seed))
}

/// The seeds with some of them swapped, and the sum that this gives.
struct SwappedSeeds<'a> {
    contributions: &'a PairContributions,
    /// For each seed 1, or -1 where it is swapped.
    signs: Vec<i128>,
    /// For each seed what its pairs would add if it were not swapped.
    added: Vec<i128>,
    sum: i128,
    /// The sum that was found.
    found: i128,
}

impl SwappedSeeds<'_> {
    fn new(contributions: &PairContributions) -> SwappedSeeds<'_> {
        let rows = contributions.rows.iter();
        let added: Vec<i128> = rows.map(|row| row.iter().sum()).collect();
        let sum = added.iter().sum::<i128>() / 2;
        SwappedSeeds {
            contributions,
            signs: vec![1; added.len()],
            sum,
            // Sums that are less than their error apart count as equal.
            found: sum - 2 * contributions.error,
            added,
        }
    }
}

impl SeedSwaps for SwappedSeeds<'_> {
    fn swap(&mut self, seed: usize) {
        let (Some(row), Some(sign), Some(added)) = (
            self.contributions.rows.get(seed),
            self.signs.get_mut(seed),
            self.added.get(seed),
        ) else {
            return;
        };
        self.sum -= 2 * *sign * added;
        for (added, own) in self.added.iter_mut().zip(row) {
            *added -= 2 * *sign * own;
        }
        *sign = -*sign;
    }

    fn reaches_found(&self) -> bool {
        self.sum >= self.found
    }
}

/// How many of the ways of swapping seeds that were tried give at least what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PValue {
    /// How many ways give at least what was found; the way that was found is one of them.
    pub at_least: u64,
    /// How many ways were tried.
    pub of: u64,
}

impl PValue {
    /// Whether the p-value is at most the level, one in [`LEVEL_ONE_IN`].
    #[must_use]
    pub fn is_below_level(self) -> bool {
        u128::from(self.at_least) * u128::from(LEVEL_ONE_IN) <= u128::from(self.of)
    }

    /// The p-value as a decimal.
    #[must_use]
    pub fn to_decimal(self) -> Decimal {
        Decimal::from_ratio(self.at_least.into(), self.of.into())
    }

    /// The smallest p-value that `seeds` seeds can give.
    #[must_use]
    pub fn smallest(seeds: usize) -> PValue {
        let of = if seeds <= MAX_EXACT_SEEDS {
            1 << seeds.saturating_sub(1)
        } else {
            1 + SAMPLED_SWAPS
        };
        PValue { at_least: 1, of }
    }

    /// The p-value times `times`, at most 1.
    #[must_use]
    pub fn multiply(self, times: u64) -> PValue {
        PValue {
            at_least: self.at_least.saturating_mul(times).min(self.of),
            of: self.of,
        }
    }

    /// The standard error of a p-value that comes from drawn ways: the root of p (1 - p) / ways. It is 0
    /// where every way was tried.
    #[must_use]
    pub fn standard_error(self) -> Decimal {
        if self.of != 1 + SAMPLED_SWAPS {
            return Decimal::default();
        }
        let (reached, of) = (i128::from(self.at_least), i128::from(self.of));
        // In millionths: 10^6 sqrt(reached (of - reached) / of^3).
        let millionths = (reached * (of - reached) * 1_000_000_000_000 / of.pow(3)).isqrt();
        Decimal::from_ratio(millionths, 1_000_000)
    }

    /// The p-value times `numerator / denominator`, at most 1.
    pub(crate) fn scale(self, numerator: u64, denominator: u64) -> PValue {
        let of = self.of.saturating_mul(denominator);
        PValue {
            at_least: self.at_least.saturating_mul(numerator).min(of),
            of,
        }
    }

    /// The larger of this p-value and `other`.
    #[must_use]
    pub fn max(self, other: PValue) -> PValue {
        match self.compare(other) {
            Ordering::Less => other,
            Ordering::Equal | Ordering::Greater => self,
        }
    }

    /// Whether the p-value is smaller than `other`, equal or larger.
    pub(crate) fn compare(self, other: PValue) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.at_least, other.of).cmp(&product(other.at_least, self.of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The p-value by trying all ways one by one, apart from the code above.
    fn try_every_way(seeds: usize, contribute: impl Fn(usize, usize) -> i128) -> PValue {
        let sum_of = |way: u64| -> i128 {
            let sign = |seed: usize| if way >> seed & 1 == 1 { -1 } else { 1 };
            let pairs = (0..seeds).flat_map(|s| (0..s).map(move |t| (t, s)));
            pairs
                .map(|(t, s)| sign(s) * sign(t) * contribute(t, s))
                .sum()
        };
        let ways = 1_u64 << seeds;
        let at_least = (0..ways).filter(|way| sum_of(*way) >= sum_of(0)).count() as u64;
        PValue {
            at_least: at_least / 2,
            of: ways / 2,
        }
    }

    /// Contributions that look random.
    fn contribute(number: u64) -> impl Fn(usize, usize) -> i128 {
        move |first, second| {
            let place = Place {
                seed: number,
                episode: first as u32,
                step: second as u32,
            };
            i128::from(draw_digest(place, "contribution")[0]) - 100
        }
    }

    #[test]
    fn exact_p_values_are_those_of_all_ways() {
        let mut distinct = std::collections::BTreeSet::new();
        for number in 0..20 {
            for seeds in [2, 3, 7, 10] {
                let added = PairContributions::new(seeds, 0, contribute(number));
                let found = added.test_by_swaps();
                assert_eq!(found, try_every_way(seeds, contribute(number)));
                distinct.insert(found.at_least);
            }
        }
        assert!(distinct.len() > 10, "{distinct:?}");
        // Too few seeds to swap anything.
        for seeds in [0, 1] {
            let found = PairContributions::new(seeds, 0, |_, _| 1).test_by_swaps();
            assert_eq!(found, PValue { at_least: 1, of: 1 });
            assert_eq!(found, PValue::smallest(seeds));
        }
        // Every seed the same way: only the way that was found gives as much.
        let found = PairContributions::new(8, 0, |_, _| 5).test_by_swaps();
        assert_eq!(found, PValue::smallest(8));
        assert_eq!(found.to_decimal().to_string(), "0.007812");
        // Sums that differ by less than they may be wrong count as equal.
        let alike = |error| {
            PairContributions::new(3, error, |s, _| if s == 0 { 0 } else { 3 }).test_by_swaps()
        };
        assert_eq!((alike(0).at_least, alike(2).at_least), (2, 4));
    }

    /// Above the bound the p-value of the drawn ways is the exact one, but for its own error.
    #[test]
    fn drawn_ways_agree_with_all_ways() {
        // A seed more that adds nothing leaves the exact p-value as it is.
        let limit = MAX_EXACT_SEEDS;
        for number in 0..3 {
            let inner = contribute(number);
            let padded = |s: usize, t: usize| if t < limit { inner(s, t) } else { 0 };
            let exact = PairContributions::new(limit, 0, padded).test_by_swaps();
            let drawn = PairContributions::new(limit + 1, 0, padded).test_by_swaps();
            assert_eq!((exact.of, drawn.of), (1 << 19, 1 + SAMPLED_SWAPS));
            assert_eq!(exact.standard_error(), Decimal::default());
            let part = |p: PValue| p.at_least as f64 / p.of as f64;
            let error = (part(exact) * (1.0 - part(exact)) / 10_000.0).sqrt();
            assert!((part(exact) - part(drawn)).abs() < 4.0 * error, "{number}");
            let named: f64 = drawn.standard_error().to_string().parse().unwrap();
            assert!((named - error).abs() < 0.0005, "{named} {error}");
        }
    }
}
