//! The amounts in an environment's file: numbers with at most three digits after the point.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// The greatest amount, in whole units.
const MAX_UNITS: i64 = 1_000_000;

/// An amount in thousandths, of at least 0 and at most a million units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Thousandths(i64);

impl Thousandths {
    /// The number of thousandths.
    pub(crate) fn count(self) -> i64 {
        self.0
    }

    /// Reads a decimal number, as `4.125`; `None` where it is no amount.
    fn parse(text: &str) -> Option<Thousandths> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let has_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !has_digits(whole) || !has_digits(fraction) || fraction.len() > 3 {
            return None;
        }
        let whole: i64 = whole.parse().ok()?;
        let fraction: i64 = format!("{fraction:0<3}").parse().ok()?;
        let count = whole.checked_mul(1000)?.checked_add(fraction)?;
        (count <= MAX_UNITS * 1000).then_some(Thousandths(count))
    }
}

impl<'de> Deserialize<'de> for Thousandths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Thousandths, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

struct AmountVisitor;

impl AmountVisitor {
    fn read<E: Error>(text: &str) -> Result<Thousandths, E> {
        Thousandths::parse(text).ok_or_else(|| {
            E::custom(format!(
                "found {text}; expected a number from 0 to {MAX_UNITS} with at most three digits after the point"
            ))
        })
    }
}

impl Visitor<'_> for AmountVisitor {
    type Value = Thousandths;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Thousandths, E> {
        AmountVisitor::read(&number.to_string())
    }

    /// The shortest text of a float has the digits that the file has, unless these are more than any amount has.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Thousandths, E> {
        AmountVisitor::read(&number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Table {
        amount: Thousandths,
    }

    #[test]
    fn numbers_are_exact() {
        for (text, expected) in [
            ("0", 0),
            ("2", 2000),
            ("0.5", 500),
            ("4.125", 4125),
            ("0.001", 1),
            ("1e3", 1_000_000),
            ("999999.999", 999_999_999),
            ("1000000", 1_000_000_000),
        ] {
            let table: Table = toml::from_str(&format!("amount = {text}")).unwrap();
            assert_eq!(table.amount.count(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for (text, expected) in [
            ("-1", "found -1; expected a number from 0 to 1000000"),
            ("-0.5", "found -0.5; expected"),
            ("-0.0", "found -0; expected"),
            ("0.0005", "at most three digits after the point"),
            ("1000000.001", "expected a number from 0 to 1000000"),
            ("9223372036854775807", "expected a number from 0"),
            ("inf", "found inf; expected"),
            ("nan", "found NaN; expected"),
            ("'1'", "expected a number"),
            ("[1]", "expected a number"),
        ] {
            let error = toml::from_str::<Table>(&format!("amount = {text}")).unwrap_err();
            assert!(error.message().contains(expected), "{text}: {error}");
        }
    }
}
