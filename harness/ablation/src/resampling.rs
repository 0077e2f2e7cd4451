//! Resampling intervals: how much an estimate varies when other seeds of the same kind are taken.
//!
//! The interval is the middle 95 % of an estimate over resamples of the seeds, each as many seeds as there
//! are, drawn with repetition. It is not a confidence interval: how often it holds the true value depends on
//! the law and the number of seeds, was simulated, and stands in `docs/ablation.md`. The draws are the same
//! each time. Determinism: D1.

use super::decimal::Decimal;
use super::draw::draw_digest;
use super::environment::Place;

/// How often the seeds are resampled for an interval.
pub const RESAMPLES: u32 = 9999;

/// An exact fraction.
#[derive(Clone, Copy, Debug)]
pub struct Fraction {
    /// The numerator.
    pub numerator: i128,
    /// The denominator, which is positive.
    pub denominator: i128,
}

impl Fraction {
    /// The fraction as a decimal.
    #[must_use]
    pub fn to_decimal(self) -> Decimal {
        Decimal::from_ratio(self.numerator, self.denominator)
    }
}

/// Resamples of a number of seeds.
#[derive(Clone, Debug)]
pub struct SeedResamples {
    seeds: usize,
    /// For each resample how often each seed stands in it.
    weights: Vec<Vec<i128>>,
}

impl SeedResamples {
    /// Draws [`RESAMPLES`] resamples of `seeds` seeds.
    #[must_use]
    pub fn draw(seeds: usize) -> SeedResamples {
        SeedResamples {
            seeds,
            weights: (0..RESAMPLES)
                .map(|number| draw_weights(seeds, number))
                .collect(),
        }
    }

    /// How many seeds each resample has.
    #[must_use]
    pub fn seeds(&self) -> usize {
        self.seeds
    }

    /// The ends of the middle 95 % of what `estimate` gives for the resamples: the 250th from both ends,
    /// fewer where it gives `None` for some. `estimate` takes how often each seed stands in the resample.
    pub fn find_interval(
        &self,
        estimate: impl Fn(&[i128]) -> Option<Fraction>,
    ) -> Option<[Fraction; 2]> {
        let mut estimates: Vec<Fraction> = self
            .weights
            .iter()
            .filter_map(|weights| estimate(weights))
            .collect();
        estimates.sort_by(|a, b| (a.numerator * b.denominator).cmp(&(b.numerator * a.denominator)));
        let tail = estimates.len() / 40;
        let low = estimates.get(tail)?;
        let high = estimates.iter().rev().nth(tail)?;
        Some([*low, *high])
    }
}

/// Draws a resample: how often each of `seeds` seeds stands in it. A digest gives four draws of 64 bits.
fn draw_weights(seeds: usize, number: u32) -> Vec<i128> {
    let mut weights = vec![0; seeds];
    let digests = (0..seeds.div_ceil(4)).map(|block| {
        let place = Place {
            seed: block as u64,
            episode: number,
            step: 0,
        };
        draw_digest(place, "resample")
    });
    let bytes: Vec<u8> = digests.flatten().collect();
    for drawn in bytes.chunks_exact(8).take(seeds) {
        let drawn = drawn
            .iter()
            .fold(0_u64, |n, byte| n << 8 | u64::from(*byte));
        let place = usize::try_from(drawn % seeds as u64).unwrap_or(0);
        if let Some(weight) = weights.get_mut(place) {
            *weight += 1;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resamples_have_all_seeds_equally_often() {
        for seeds in [1, 3, 8, 30] {
            let resamples = SeedResamples::draw(seeds).weights;
            assert!(
                resamples
                    .iter()
                    .all(|w| w.iter().sum::<i128>() == seeds as i128)
            );
            for seed in 0..seeds {
                let count: i128 = resamples.iter().map(|weights| weights[seed]).sum();
                assert!((9_500..10_500).contains(&count), "{seeds} {seed} {count}");
            }
        }
        assert_eq!(SeedResamples::draw(0).weights[0], Vec::<i128>::new());
    }

    #[test]
    fn intervals_leave_a_fortieth_out_at_each_end() {
        let resamples = SeedResamples {
            seeds: 1,
            weights: vec![vec![1]; 40],
        };
        let next = std::cell::Cell::new(0);
        let count_up = |_: &[i128]| {
            next.set(next.get() + 1);
            Some(Fraction {
                numerator: next.get(),
                denominator: 2,
            })
        };
        let [low, high] = resamples.find_interval(count_up).unwrap();
        assert_eq!((low.numerator, high.numerator), (2, 39));
        assert_eq!(low.to_decimal().to_string(), "1");
        assert!(resamples.find_interval(|_| None).is_none());
    }
}
