//! Wilson's interval of a rate, at 95 %: the rates of a longer session would lie in it nineteen times out of twenty.

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

    /// Beside the values that statsmodels' `proportion_confint(of, all, method="wilson")` gives.
    #[test]
    fn the_bounds_are_those_of_the_literature() {
        for (of, all, bounds) in [
            (0, 1, ["0.0000", "0.7935"]),
            (1, 1, ["0.2065", "1.0000"]),
            (0, 100, ["0.0000", "0.0370"]),
            (20, 100, ["0.1334", "0.2888"]),
            (71, 100, ["0.6146", "0.7899"]),
            (100, 100, ["0.9630", "1.0000"]),
        ] {
            let interval = RateInterval::of(Ratio { of, all }).unwrap();
            assert_eq!(interval.decimals(), bounds, "{of} of {all}");
        }
        assert_eq!(RateInterval::of(Ratio { of: 0, all: 0 }), None);
        assert_eq!(RateInterval::of(Ratio { of: 2, all: 1 }), None);
    }
}
