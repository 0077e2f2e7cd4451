//! Confidence intervals of shares of steps: the values that the seed-swap test does not reject.
//!
//! Under each seed a difference is counted among a number of steps. Where the counts scatter as far to one side of
//! the true share as to the other, the shares of all sets of seeds cut the line into pieces, and the true share
//! lies in each of them with the same chance (J. A. Hartigan, Using subsample values as typical values, 1969). So the
//! interval between the k-th of them from both ends holds it with the chance 1 - 2k / 2^N under N seeds, whatever else
//! the law is. Under so few seeds that no k above 0 gives 95 %, every share is possible. Determinism: D1.

use super::decimal::Decimal;
use super::draw::draw_digest;
use super::environment::Place;
use super::resampling::Fraction;
use super::swap_test::MAX_EXACT_SEEDS;

/// How many sets of seeds are drawn where there are too many to take each.
const SAMPLED_SETS: u64 = 9999;

/// The interval leaves out at most one in so many at each end: 2.5 %.
const LEFT_OUT_ONE_IN: u64 = 40;

/// A difference of counts under one seed, and the number of steps, above 0, in which it was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountedDifference {
    /// How much more often something happened; negative where it was less often.
    pub difference: i128,
    /// Of how many steps.
    pub steps: i128,
}

/// The ends of the 95 % confidence interval of the share that `seeds` differ by.
#[must_use]
pub fn find_confidence_interval(seeds: &[CountedDifference]) -> [Decimal; 2] {
    let mut shares = match seeds.len() <= MAX_EXACT_SEEDS {
        true => list_shares_of_all_sets(seeds),
        false => draw_shares_of_sets(seeds),
    };
    // The sets and the empty one, or those drawn and one: so many pieces has the line.
    let pieces = shares.len() as u64 + 1;
    let rank = usize::try_from(pieces / LEFT_OUT_ONE_IN).unwrap_or(0);
    let Some(place) = rank.checked_sub(1) else {
        return [-1, 1].map(|end| Decimal::from_millionths(end * 1_000_000));
    };
    let last = shares.len() - 1 - place;
    let compare = |a: &Fraction, b: &Fraction| {
        (a.numerator * b.denominator).cmp(&(b.numerator * a.denominator))
    };
    let low = shares.select_nth_unstable_by(place, compare).1.to_decimal();
    let high = shares.select_nth_unstable_by(last, compare).1.to_decimal();
    [low, high]
}

/// The share of each set of seeds but the empty one.
fn list_shares_of_all_sets(seeds: &[CountedDifference]) -> Vec<Fraction> {
    let mut sums = vec![CountedDifference::default()];
    for seed in seeds {
        let with_seed = sums.iter().map(|sum| add(*sum, *seed));
        let with_seed: Vec<CountedDifference> = with_seed.collect();
        sums.extend(with_seed);
    }
    sums.iter().skip(1).map(|sum| to_share(*sum)).collect()
}

/// The shares of [`SAMPLED_SETS`] drawn sets, each seed being in a set with the chance of a half.
fn draw_shares_of_sets(seeds: &[CountedDifference]) -> Vec<Fraction> {
    let draw_set = |set: u64| {
        let digests = (0..seeds.len().div_ceil(256)).flat_map(|block| {
            let place = Place {
                seed: set,
                episode: u32::try_from(block).unwrap_or(u32::MAX),
                step: 0,
            };
            draw_digest(place, "set")
        });
        let bits = digests.flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        let drawn = seeds.iter().zip(bits).filter(|(_, is_in)| *is_in);
        drawn.fold(CountedDifference::default(), |sum, (seed, _)| {
            add(sum, *seed)
        })
    };
    let sums = (0..SAMPLED_SETS).map(draw_set);
    sums.filter(|sum| sum.steps > 0).map(to_share).collect()
}

fn add(a: CountedDifference, b: CountedDifference) -> CountedDifference {
    CountedDifference {
        difference: a.difference + b.difference,
        steps: a.steps + b.steps,
    }
}

fn to_share(sum: CountedDifference) -> Fraction {
    Fraction {
        numerator: sum.difference,
        denominator: sum.steps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(differences: &[i128], steps: i128) -> [String; 2] {
        let seeds = differences.iter();
        let seeds: Vec<CountedDifference> = seeds
            .map(|difference| CountedDifference {
                difference: *difference,
                steps,
            })
            .collect();
        find_confidence_interval(&seeds).map(|end| end.to_string())
    }

    /// Of 64 pieces one is left out at each end: the smallest and the largest share of a seed are the ends.
    #[test]
    fn six_seeds_have_their_smallest_and_largest_share_as_ends() {
        assert_eq!(find(&[5, -3, 2, 4, 0, 7], 50), ["-0.06", "0.14"]);
        assert_eq!(find(&[5, -3, 2, 4, 0], 50), ["-1", "1"]);
        assert_eq!(find(&[], 50), ["-1", "1"]);
    }

    /// With 8 seeds 6 of 256 pieces are left out at each end. By hand: the sixth smallest of the means of
    /// 1, 2, 4, … 128 is that of 1, 2, 8 (11/3); before come 1, 1.5 (1, 2), 2, 7/3 (1, 2, 4), 2.5 (1, 4).
    #[test]
    fn eight_seeds_leave_six_means_out_at_each_end() {
        let powers: Vec<i128> = (0..8).map(|power| 1 << power).collect();
        // In order: 1, 1.5, 2, 2.333, 2.5, 3 (2, 4).
        assert_eq!(find(&powers, 1)[0], "3");
        let mirrored: Vec<i128> = powers.iter().map(|n| -n).collect();
        assert_eq!(find(&mirrored, 1)[1], "-3");
    }

    /// Above the bound the drawn sets give nearly the same ends: seeds that add nothing but width.
    #[test]
    fn drawn_sets_agree_with_all_sets() {
        let differences = |seeds: i128| -> Vec<i128> { (0..seeds).map(|n| n * 37 % 21).collect() };
        let exact = find(&differences(20), 50);
        let drawn = find(&differences(21), 50);
        for (exact, drawn) in exact.iter().zip(&drawn) {
            let [exact, drawn]: [f64; 2] = [exact, drawn].map(|end| end.parse().unwrap());
            assert!((exact - drawn).abs() < 0.02, "{exact} {drawn}");
        }
    }
}
