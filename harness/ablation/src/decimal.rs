//! Amounts as exact decimals with at most six fractional digits: no floats anywhere.
//!
//! Canonical numeric formatting of the resource vector (Q6). Determinism: D1.

use std::fmt;
use std::ops::Neg;

use serde::{Serialize, Serializer};

/// How many millionths make one.
const ONE: i128 = 1_000_000;

/// An amount in millionths. Its text and its JSON string have no trailing zeros: `-0.5`, `37.25`, `12`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i128);

impl Decimal {
    /// The amount of `n` millionths.
    #[must_use]
    pub fn from_millionths(n: i64) -> Decimal {
        Decimal(n.into())
    }

    /// The number of millionths.
    #[must_use]
    pub fn millionths(self) -> i128 {
        self.0
    }

    /// The nearest amount with three digits after the point, ties to even.
    #[must_use]
    pub fn round_to_thousandths(self) -> Decimal {
        Decimal(round_half_even(self.0, 1000) * 1000)
    }

    /// The quotient `numerator / denominator`, rounded to the nearest millionth, ties to even; 0 where the
    /// denominator is 0. The quotient is exact before rounding for numerators up to 10^31.
    #[must_use]
    pub fn from_ratio(numerator: i128, denominator: i128) -> Decimal {
        let scaled = numerator.saturating_mul(ONE);
        Decimal(round_half_even(scaled, denominator))
    }
}

/// Divides and rounds to the nearest integer, ties to even.
fn round_half_even(numerator: i128, denominator: i128) -> i128 {
    if denominator == 0 {
        return 0;
    }
    let (quotient, remainder) = (
        numerator.div_euclid(denominator),
        numerator.rem_euclid(denominator),
    );
    // Euclid's remainder is never negative, so a negative denominator turns the sense around.
    let up = if denominator < 0 { -1 } else { 1 };
    let twice = remainder.saturating_mul(2);
    match twice.cmp(&denominator.saturating_abs()) {
        std::cmp::Ordering::Less => quotient,
        std::cmp::Ordering::Greater => quotient + up,
        std::cmp::Ordering::Equal => quotient + up * (quotient & 1),
    }
}

impl Neg for Decimal {
    type Output = Decimal;

    fn neg(self) -> Decimal {
        Decimal(-self.0)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let one = ONE.unsigned_abs();
        let (whole, part) = (magnitude / one, magnitude % one);
        let sign = if self.0 < 0 { "-" } else { "" };
        if part == 0 {
            return write!(f, "{sign}{whole}");
        }
        let digits = format!("{part:06}");
        write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_have_no_trailing_zeros() {
        for (millionths, expected) in [
            (0, "0"),
            (7_500_000, "7.5"),
            (2, "0.000002"),
            (-1_234_568, "-1.234568"),
            (-500_000, "-0.5"),
            (12_000_000, "12"),
            (i64::MIN, "-9223372036854.775808"),
        ] {
            let decimal = Decimal::from_millionths(millionths);
            assert_eq!(decimal.to_string(), expected);
            assert_eq!(serde_json::to_value(decimal).unwrap(), expected);
        }
    }

    #[test]
    fn ratios_round_half_to_even() {
        for (numerator, denominator, expected) in [
            (1, 3, "0.333333"),
            (2, 3, "0.666667"),
            (-1, 3, "-0.333333"),
            (1, -3, "-0.333333"),
            (1, 2_000_000, "0"),
            (3, 2_000_000, "0.000002"),
            (-3, 2_000_000, "-0.000002"),
            (-1, 2_000_000, "0"),
            (-1_234_565, 10_000_000, "-0.123456"),
            (-12_345_675, 10_000_000, "-1.234568"),
            (2_500_001, 1_000_000_000_000, "0.000003"),
            (5, 0, "0"),
        ] {
            let found = Decimal::from_ratio(numerator, denominator).to_string();
            assert_eq!(found, expected, "{numerator}/{denominator}");
        }
    }

    #[test]
    fn thousandths_are_the_nearest() {
        for (millionths, expected) in [
            (-418_367, "-0.418"),
            (303_333, "0.303"),
            (1_500, "0.002"),
            (500, "0"),
            (-85, "0"),
            (999_999, "1"),
        ] {
            let rounded = Decimal::from_millionths(millionths).round_to_thousandths();
            assert_eq!(rounded.to_string(), expected);
        }
    }

    proptest! {
        /// The digits of a text, filled up to six after the point, are the millionths.
        #[test]
        fn texts_hold_every_millionth(n in any::<i64>()) {
            let text = Decimal::from_millionths(n).to_string();
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            prop_assert!(!fraction.ends_with('0'));
            prop_assert_eq!(format!("{whole}{fraction:0<6}").parse::<i64>().unwrap(), n);
        }

        /// The nearest millionth, and never further than half of one.
        #[test]
        fn ratios_are_the_nearest_millionth(n in -1_000_000_000_i128..1_000_000_000, d in 1_i128..1_000_000) {
            let found = Decimal::from_ratio(n, d).0;
            prop_assert!((found * d - n * ONE).abs() * 2 <= d);
        }
    }
}
