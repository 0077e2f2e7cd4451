//! Wilson's interval of a rate, at 95 %: of twenty sessions with independent cycles, it holds in nineteen the rate that
//! a session without end would have.

use super::metrics::Ratio;

/// The square of the normal distribution's quantile for 95 %.
const Z_SQUARED: f64 = 3.841_458_820_694_124;

/// The bounds of a rate, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateInterval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl RateInterval {
    /// The interval of a rate; `None` where there were no trials, or the ratio is none of trials.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "cycles are far fewer than 2^52")]
    pub fn of(rate: Ratio) -> Option<RateInterval> {
        if rate.all == 0 || rate.of > rate.all {
            return None;
        }
        let (of, all) = (rate.of as f64, rate.all as f64);
        let middle = of + Z_SQUARED / 2.0;
        let half = (Z_SQUARED * (of * (all - of) / all + Z_SQUARED / 4.0)).sqrt();
        let bound = |sum: f64| (sum / (all + Z_SQUARED)).clamp(0.0, 1.0);
        Some(RateInterval {
            low: bound(middle - half),
            high: bound(middle + half),
        })
    }

    /// The bounds with four decimals.
    #[must_use]
    pub fn decimals(self) -> [String; 2] {
        [self.low, self.high].map(|bound| format!("{bound:.4}"))
    }

    /// The bounds in percent with two decimals.
    #[must_use]
    pub fn percent(self) -> String {
        format!("{:.2} to {:.2} %", self.low * 100.0, self.high * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first four are those of R. G. Newcombe, "Two-sided confidence intervals for the single proportion"
    /// (1998), table I, method 3; the others were computed by a second program.
    #[test]
    fn the_bounds_are_those_of_the_literature() {
        for (of, all, bounds) in [
            (81, 263, ["0.2553", "0.3662"]),
            (15, 148, ["0.0624", "0.1605"]),
            (0, 20, ["0.0000", "0.1611"]),
            (1, 29, ["0.0061", "0.1718"]),
            (0, 1, ["0.0000", "0.7935"]),
            (1, 1, ["0.2065", "1.0000"]),
            (20, 100, ["0.1334", "0.2888"]),
            (100, 100, ["0.9630", "1.0000"]),
        ] {
            let interval = RateInterval::of(Ratio { of, all }).unwrap();
            assert_eq!(interval.decimals(), bounds, "{of} of {all}");
        }
        assert_eq!(RateInterval::of(Ratio { of: 0, all: 0 }), None);
        assert_eq!(RateInterval::of(Ratio { of: 2, all: 1 }), None);
    }
}
