//! Amounts as exact decimals with at most six fractional digits: no floats anywhere.
//!
//! Canonical numeric formatting of the resource vector (Q6). Determinism: D1.

use std::fmt;
use std::str::FromStr;

/// How many millionths make one.
const ONE: i128 = 1_000_000;

/// An amount, in millionths. Written without trailing zeros: `-0.5`, `37.25`, `12`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i128);

impl Decimal {
    /// So many millionths.
    #[must_use]
    pub fn millionths(n: i64) -> Decimal {
        Decimal(n.into())
    }

    /// `numerator / denominator`, the tie to the even millionth; 0 where the denominator is 0. Exact
    /// for numerators up to 10^31.
    #[must_use]
    pub fn ratio(numerator: i128, denominator: i128) -> Decimal {
        let scaled = numerator.saturating_mul(ONE);
        Decimal(half_even(scaled, denominator))
    }

    /// As millionths.
    #[must_use]
    pub fn as_millionths(self) -> i128 {
        self.0
    }
}

/// `numerator / denominator` as an integer, ties to even.
fn half_even(numerator: i128, denominator: i128) -> i128 {
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

/// Why a text is no decimal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no decimal: expected digits like -12.5, at most 18 before the point and 12 behind it"
)]
pub struct NoDecimal(String);

impl FromStr for Decimal {
    type Err = NoDecimal;

    /// Up to twelve fractional digits are read; the sixth is rounded half to even.
    fn from_str(text: &str) -> Result<Decimal, NoDecimal> {
        let refused = || NoDecimal(text.to_owned());
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = match digits.split_once('.') {
            Some((_, "")) => return Err(refused()),
            Some(parts) => parts,
            None => (digits, ""),
        };
        let plain = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || whole.len() > 18 || part.len() > 12 || !plain(whole) || !plain(part)
        {
            return Err(refused());
        }
        let scaled: i128 = format!("{whole}{part:0<12}")
            .parse()
            .map_err(|_| refused())?;
        let rounded = half_even(scaled, ONE);
        Ok(Decimal(if negative { -rounded } else { rounded }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_and_their_canonical_form() {
        for (given, expected) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("007.50", "7.5"),
            ("0.0000005", "0"),
            ("0.0000015", "0.000002"),
            ("0.0000025", "0.000002"),
            ("0.000002500001", "0.000003"),
            ("-1.2345675", "-1.234568"),
            ("999999999999999999.9999999", "1000000000000000000"),
        ] {
            assert_eq!(
                given.parse::<Decimal>().unwrap().to_string(),
                expected,
                "{given}"
            );
        }
        for bad in [
            "",
            "-",
            ".5",
            "1.",
            "1e3",
            "+1",
            "1,5",
            "0.1234567890123",
            " 1",
        ] {
            assert!(bad.parse::<Decimal>().is_err(), "{bad}");
        }
    }

    #[test]
    fn ratios() {
        for (numerator, denominator, expected) in [
            (1, 3, "0.333333"),
            (2, 3, "0.666667"),
            (-1, 3, "-0.333333"),
            (1, -3, "-0.333333"),
            (1, 2_000_000, "0"),
            (3, 2_000_000, "0.000002"),
            (-3, 2_000_000, "-0.000002"),
            (-1, 2_000_000, "0"),
            (5, 0, "0"),
        ] {
            let found = Decimal::ratio(numerator, denominator).to_string();
            assert_eq!(found, expected, "{numerator}/{denominator}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(n in any::<i64>()) {
            let written = Decimal::millionths(n).to_string();
            prop_assert_eq!(written.parse::<Decimal>().unwrap().as_millionths(), i128::from(n));
        }

        /// The nearest millionth, and never further than half of one.
        #[test]
        fn ratios_are_nearest(n in -1_000_000_000_i128..1_000_000_000, d in 1_i128..1_000_000) {
            let found = Decimal::ratio(n, d).as_millionths();
            prop_assert!((found * d - n * ONE).abs() * 2 <= d);
        }
    }
}
