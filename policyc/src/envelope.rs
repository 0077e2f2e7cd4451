//! The certified operational envelope: per selector, the interval of values
//! that no enabled policy breaches (formats.md section 4, "Policy files").
//! Determinism class D1; integers only.

use core::fmt;

use crate::message;
use crate::policy::{Comparison, Policy};
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
pub(crate) fn permitted(policy: &Policy) -> (i64, i64) {
    let (min, max) = domain(&policy.selector);
    let threshold = i64::from(policy.threshold);
    match policy.comparison {
        Comparison::Gt => (min, max.min(threshold)),
        Comparison::Lt => (min.max(threshold), max),
        Comparison::Ge => (min, max.min(threshold.saturating_sub(1))),
        Comparison::Le => (min.max(threshold.saturating_add(1)), max),
    }
}

/// One interval per selector that has an enabled policy, in selector order.
pub(crate) fn envelope(policies: &[Policy]) -> Vec<Interval> {
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
    use super::decimal;

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
