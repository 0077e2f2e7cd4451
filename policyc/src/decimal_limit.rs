//! A limit in decimal as a raw Q16.16 value, rounded as an answer's number is:
//! half to even (formats.md section 4, "Extracting the value"). An answer that
//! is exactly the limit is thus exactly the limit. Determinism class D1;
//! integers only.

/// The most digits before the point, and after it.
const MAX_DIGITS: usize = 18;

/// Reads `70`, `-0.5` or `+0.25`.
///
/// # Errors
/// What a limit must be.
pub(crate) fn parse(text: &str) -> Result<i32, &'static str> {
    const FORM: &str = "a decimal number such as \"70\" or \"-0.5\", without an exponent";
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    let (whole, part) = match digits.split_once('.') {
        Some((_, "")) => return Err(FORM),
        Some(parts) => parts,
        None => (digits, ""),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(part) {
        return Err(FORM);
    }
    if whole.len() > MAX_DIGITS || part.len() > MAX_DIGITS {
        return Err("at most 18 digits before the point and 18 after it");
    }
    let raw = round(whole, part)
        .and_then(|raw| i64::try_from(raw).ok())
        .map(|raw| if negative { raw.saturating_neg() } else { raw })
        .and_then(|raw| i32::try_from(raw).ok())
        // The smallest raw value means that there is none.
        .filter(|raw| *raw != i32::MIN);
    raw.ok_or("a limit from -32767.9999847412109375 to 32767.9999847412109375")
}

/// `whole.part` times 65536, rounded half to even; `None` where it is out of
/// reach.
fn round(whole: &str, part: &str) -> Option<u128> {
    let scale = 10u128.checked_pow(u32::try_from(part.len()).ok()?)?;
    let digits: u128 = format!("{whole}{part}").parse().ok()?;
    let scaled = digits.checked_mul(65536)?;
    let (quotient, rest) = (scaled.checked_div(scale)?, scaled.checked_rem(scale)?);
    let twice = rest.checked_mul(2)?;
    let up = twice > scale || (twice == scale && quotient.checked_rem(2)? == 1);
    quotient.checked_add(u128::from(up))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn limits_round_as_answers_do() {
        for (text, raw) in [
            ("70", 4_587_520),
            ("-0.5", -32768),
            ("+0.25", 16384),
            ("0.1", 6554),
            ("-0.1", -6554),
            ("0.00000762939453125", 0),
            ("0.00002288818359375", 2),
            ("32767.9999847412109375", i32::MAX),
            ("-32767.9999847412109375", -i32::MAX),
            ("000.50", 32768),
        ] {
            assert_eq!(parse(text), Ok(raw), "{text}");
        }
        for text in [
            "",
            "-",
            ".5",
            "5.",
            "1e3",
            "0x10",
            "1_000",
            " 1",
            "1 ",
            "٣",
            "32768",
            "-32768",
            "1.0000000000000000000",
            "1000000000000000000000",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
