//! The values of the options that say how a model is to choose its words.

use axilog::json::number::decimal_to_q16;
use axilog::q16::ONE;

/// Parses a temperature into Q16.16.
pub(crate) fn parse_temperature(text: &str) -> Result<i32, String> {
    decimal_to_q16(text.as_bytes())
        .filter(|raw| *raw >= 0)
        .ok_or_else(|| "expected a decimal number from 0 to 32767, like 0.7".to_owned())
}

/// Parses the part of the probable words to draw from, into Q16.16.
pub(crate) fn parse_top_p(text: &str) -> Result<i32, String> {
    decimal_to_q16(text.as_bytes())
        .filter(|raw| (0..=ONE).contains(raw))
        .ok_or_else(|| "expected a decimal number from 0 to 1, like 0.9".to_owned())
}
