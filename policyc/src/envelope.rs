//! The certified operational envelope: per selector, the interval of values
//! that no enabled policy breaches (formats.md section 4, "Policy files").
//! Determinism class D1; integers only.

use core::fmt;

use crate::message;
use crate::policy::{ComparisonOperator, PolicyEntry};
use crate::selector::{self, COUNT, ELAPSED};

/// The interval of values that a selector's enabled policies permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The selector.
    pub selector: String,
    /// The smallest permitted value, raw Q16.16.
    pub min: i32,
    /// The largest permitted value, raw Q16.16. Below `min` where nothing is
    /// permitted, which a set read by `parse` or `parse_lenient` never has.
    pub max: i32,
}

impl fmt::Display for Interval {
    /// `value: -2147483647 … 4587520 (-32767.9999847412109375 … 70)`, with
    /// escapes for the characters of a selector that do not print.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let selector = message::show(&self.selector);
        write!(f, "{selector}: {}", self.describe_values())
    }
}

impl Interval {
    /// `-2147483647 … 4587520 (-32767.9999847412109375 … 70)`
    pub(crate) fn describe_values(&self) -> String {
        let Self { min, max, .. } = self;
        if min > max {
            return "nothing".into();
        }
        let (low, high) = (decimal(*min), decimal(*max));
        format!("{min} … {max} ({low} … {high})")
    }
}

/// A raw Q16.16 value in decimal, exactly: at most 16 decimals, none of them
/// a trailing zero.
pub fn decimal(raw: i32) -> String {
    /// 10^16 / 2^16: what one raw unit is in units of the 16th decimal.
    const UNIT: u64 = 152_587_890_625;
    let sign = if raw < 0 { "-" } else { "" };
    let magnitude = raw.unsigned_abs();
    let whole = magnitude >> 16;
    let part = u64::from(magnitude & 0xFFFF).saturating_mul(UNIT);
    if part == 0 {
        return format!("{sign}{whole}");
    }
    let digits = format!("{part:016}");
    format!("{sign}{whole}.{}", digits.trim_end_matches('0'))
}

/// The shortest decimal that is read as this raw Q16.16 value, for people: `-0.2` where [`decimal`] gives
/// `-0.1999969482421875`. Two values have two of them.
#[must_use]
pub fn shortest_decimal(raw: i32) -> String {
    let magnitude = u64::from(raw.unsigned_abs());
    let sign = if raw < 0 { "-" } else { "" };
    let mut scale = 1_u64;
    for digits in 0..5 {
        let scaled = magnitude.saturating_mul(scale);
        let nearest = scaled.saturating_add(1 << 15) >> 16;
        // It is read as this value where it lies within half a unit of it.
        if (nearest << 16).abs_diff(scaled).saturating_mul(2) < scale {
            return format_scaled(sign, nearest, scale, digits);
        }
        scale = scale.saturating_mul(10);
    }
    // 10^-5 is less than a unit.
    let scaled = magnitude.saturating_mul(scale);
    format_scaled(sign, scaled.saturating_add(1 << 15) >> 16, scale, 5)
}

fn format_scaled(sign: &str, number: u64, scale: u64, digits: usize) -> String {
    let whole = number.checked_div(scale).unwrap_or_default();
    match digits {
        0 => format!("{sign}{whole}"),
        _ => {
            let part = number.checked_rem(scale).unwrap_or_default();
            format!("{sign}{whole}.{part:0digits$}")
        }
    }
}

/// The values that a selector can have at all, both ends included: −2147483648 is
/// 'no value', time does not run backwards, and a number of elements is whole.
pub(crate) fn domain(selector: &str) -> (i64, i64) {
    let last_step = selector.rsplit_once('/').map(|(_, step)| step);
    match last_step {
        Some(COUNT) => (0, 32_767 << 16),
        None if selector == ELAPSED => (0, i64::from(i32::MAX)),
        _ => (-2_147_483_647, i64::from(i32::MAX)),
    }
}

/// The values of its selector that do not breach `policy`, both ends
/// included; the first is above the second where every value breaches.
pub(crate) fn permitted(policy: &PolicyEntry) -> (i64, i64) {
    let (min, max) = domain(&policy.selector);
    let threshold = i64::from(policy.threshold);
    match policy.comparison {
        ComparisonOperator::Gt => (min, max.min(threshold)),
        ComparisonOperator::Lt => (min.max(threshold), max),
        ComparisonOperator::Ge => (min, max.min(threshold.saturating_sub(1))),
        ComparisonOperator::Le => (min.max(threshold.saturating_add(1)), max),
    }
}

/// One interval per selector that has an enabled policy, in selector order.
pub(crate) fn envelope(policies: &[PolicyEntry]) -> Vec<Interval> {
    let enabled = policies.iter().filter(|policy| policy.enabled);
    selector::group(enabled.map(|policy| (policy.selector.as_str(), permitted(policy))))
        .into_iter()
        .map(|(selector, intervals)| {
            let (low, high) = intervals
                .into_iter()
                .fold(domain(selector), |(min, max), (low, high)| {
                    (low.max(min), high.min(max))
                });
            // Where nothing is permitted an end may lie outside `i32`.
            let (min, max) = match (i32::try_from(low), i32::try_from(high)) {
                (Ok(min), Ok(max)) if min <= max => (min, max),
                _ => (i32::MAX, i32::MIN),
            };
            Interval {
                selector: selector.into(),
                min,
                max,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{decimal, shortest_decimal};

    #[cfg(feature = "source")]
    #[test]
    fn the_shortest_decimal_is_read_as_the_value() {
        use crate::decimal_limit::parse;
        for (raw, expected) in [
            (0, "0"),
            (-13_107, "-0.2"),
            (4_587_520, "70"),
            (4_587_521, "70.00002"),
            (1, "0.00002"),
            (-1, "-0.00002"),
            (i32::MAX, "32767.99998"),
            (-i32::MAX, "-32767.99998"),
        ] {
            assert_eq!(shortest_decimal(raw), expected, "{raw}");
        }
        let all = (-70_000..70_000).chain((1..16_000).map(|n| n * 131_071));
        for raw in all {
            let shortest = shortest_decimal(raw);
            assert_eq!(parse(&shortest), Ok(raw), "{shortest}");
            // With a digit less it would be another value.
            if let Some((whole, part)) = shortest.split_once('.') {
                assert!(!part.ends_with('0') && part.len() <= 5, "{shortest}");
                assert_ne!(
                    parse(&format!("{whole}.{}0", &part[..part.len() - 1])),
                    Ok(raw)
                );
            }
        }
    }

    #[test]
    fn decimals_are_exact() {
        for (raw, expected) in [
            (0, "0"),
            (65536, "1"),
            (-65536, "-1"),
            (32768, "0.5"),
            (-32768, "-0.5"),
            (1, "0.0000152587890625"),
            (-1, "-0.0000152587890625"),
            (4_587_520, "70"),
            (655_360, "10"),
            (i32::MAX, "32767.9999847412109375"),
            (-i32::MAX, "-32767.9999847412109375"),
            (i32::MIN, "-32768"),
        ] {
            assert_eq!(decimal(raw), expected);
        }
    }
}
