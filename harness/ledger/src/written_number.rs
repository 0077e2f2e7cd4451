//! Numbers as they are written in JSON, and why one has no Q16.16 value (formats.md §4).

use axilog_policyc::decimal;

/// The most significant digits of a number, and the largest magnitude of its exponent as written.
const MAX_DIGITS: usize = 18;
const MAX_EXPONENT: u32 = 18;

/// A decimal × 10^`power` as its sign, its digits without zeros at either end, and the power of ten of the last one; the
/// same for every spelling of a number.
pub(crate) fn parse_decimal(token: &str, power: i8) -> (bool, String, i64) {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{integer}{fraction}");
    let significant = digits.trim_start_matches(['-', '0']);
    let trimmed = significant.trim_end_matches('0');
    if trimmed.is_empty() {
        return (false, String::new(), 0);
    }
    let zeros = significant.len().saturating_sub(trimmed.len()) as i64;
    let exponent = exponent.parse::<i64>().unwrap_or(0);
    let last = exponent
        .saturating_sub(fraction.len() as i64)
        .saturating_add(zeros)
        .saturating_add(power.into());
    (token.starts_with('-'), trimmed.to_owned(), last)
}

/// Why a number token has no Q16.16 value, by the rules of formats.md §4 and the decimal that the token writes.
pub(crate) fn describe_unfit_number(token: &str, power: i8) -> String {
    find_length_fault(token).unwrap_or_else(|| describe_range(power))
}

/// Why no policy takes a number token for a number, whatever its size: its exponent is too large, or it has too many
/// digits; `None` where it is neither.
pub(crate) fn find_length_fault(token: &str) -> Option<String> {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let magnitude = exponent.trim_start_matches(['+', '-', '0']);
    if magnitude.len() > 2 || magnitude.parse().unwrap_or(0) > MAX_EXPONENT {
        return Some(format!("whose exponent is beyond \u{b1}{MAX_EXPONENT}"));
    }
    let digits = mantissa.chars().filter(char::is_ascii_digit);
    let significant = digits.skip_while(|&digit| digit == '0').count();
    (significant > MAX_DIGITS)
        .then(|| format!("which has {significant} digits, and a number may have {MAX_DIGITS}"))
}

/// Says that a number which is divided by 10^`power` has no Q16.16 value because of its size.
pub(crate) fn describe_range(power: i8) -> String {
    let divided = match power {
        0 => String::new(),
        power => format!("divided by 10^{power} "),
    };
    format!(
        "{divided}beyond the range of Q16.16, which ends at \u{b1}{}",
        decimal(i32::MAX)
    )
}
