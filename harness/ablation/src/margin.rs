//! The margin: the difference of a share of steps that is too small to matter, as its reader says.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::decimal::Decimal;

/// A share of steps above 0 and at most 1, with at most six digits after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin(Decimal);

impl Margin {
    /// Whether every difference between the ends of `interval` is smaller than the margin, in either direction.
    #[must_use]
    pub fn holds_interval(self, [low, high]: [Decimal; 2]) -> bool {
        low > -self.0 && high < self.0
    }
}

impl FromStr for Margin {
    type Err = String;

    fn from_str(text: &str) -> Result<Margin, String> {
        let refuse = || {
            format!(
                "{text:?} is no share of steps: expected more than 0 and at most 1, such as 0.05"
            )
        };
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str| {
            !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_digit())
        };
        if !is_number(whole) || !is_number(part) {
            return Err(refuse());
        }
        let millionths: i64 = format!("{whole}{part:0<6}").parse().map_err(|_| refuse())?;
        match millionths {
            1..=1_000_000 => Ok(Margin(Decimal::from_millionths(millionths))),
            _ => Err(refuse()),
        }
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Margin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Margin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Margin, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_held_where_both_ends_are_below_the_margin() {
        let margin: Margin = "0.05".parse().unwrap();
        let decimal = Decimal::from_millionths;
        let ends = |low, high| [decimal(low), decimal(high)];
        assert!(margin.holds_interval(ends(-49_999, 49_999)));
        assert!(!margin.holds_interval(ends(-50_000, 0)));
        assert!(!margin.holds_interval(ends(0, 50_000)));
        for (text, expected) in [("1", "1"), ("0.000001", "0.000001"), ("0.50", "0.5")] {
            assert_eq!(text.parse::<Margin>().unwrap().to_string(), expected);
        }
    }
}
