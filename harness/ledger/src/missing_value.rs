//! Why an answer has no value for a policy, in words.
//!
//! formats.md §4, Extracting the value. The core says only that there is none; what it looked for is looked for
//! again here, with the reader of serde_json, which keeps numbers as the answer writes them.

use std::collections::BTreeMap;

use axilog::json::number::decimal_to_q16;
use axilog_policyc::{decimal, selector_path};
use serde_json::Value;
use serde_json::value::RawValue;

/// The most significant digits of a number, and the largest magnitude of its exponent as written.
const MAX_DIGITS: usize = 18;
const MAX_EXPONENT: u32 = 18;

/// Says why `answer` has no value for `selector`.
#[must_use]
pub fn explain(answer: &[u8], selector: &str) -> String {
    // A value that is kept as written may have lone surrogates in its texts; a `Value` has none. It holds doubles, so
    // that the answer's numbers are left out of it: one beyond the doubles is JSON all the same.
    let read = serde_json::from_slice::<&RawValue>(answer);
    let whole = match read
        .and_then(|whole| serde_json::from_slice::<Value>(&mask_numbers(answer)).map(|_| whole))
    {
        Ok(value) => value,
        Err(error) => return format!("the answer is not JSON: {error}"),
    };
    if describe(whole) != OBJECT {
        return format!("the answer is {}, not one JSON object", describe(whole));
    }
    let path = selector_path(selector);
    let steps: Vec<String> = match path.strip_prefix('/') {
        Some(steps) => steps.split('/').map(unescape).collect(),
        None => vec![path.to_owned()],
    };
    let Some((last, before)) = steps.split_last() else {
        return "the path is empty".to_owned();
    };
    let mut place = whole;
    let mut walked = String::new();
    for step in before {
        let Some(next) = enter(place, step) else {
            return format!("{} has no \"{step}\"", name_place(&walked));
        };
        walked = format!("{walked}/{step}");
        place = next;
    }
    let raw = format!("{last}_q16");
    let raw_value = enter(place, &raw).filter(|_| describe(place) == OBJECT);
    match (describe(place), enter(place, last), raw_value) {
        (OBJECT, Some(_), Some(_)) => {
            format!("{} has both \"{last}\" and \"{raw}\"", name_place(&walked))
        }
        (OBJECT | ARRAY, None, None) => format!("{} has no \"{last}\"", name_place(&walked)),
        (_, Some(value), None) => match describe(value) {
            NUMBER if decimal_to_q16(value.get().as_bytes()).is_some() => {
                "the answer has a member twice, or nests deeper than 32".to_owned()
            }
            NUMBER => format!(
                "\"{last}\" is {value}, {}",
                describe_unfit_number(value.get())
            ),
            other => format!("\"{last}\" is {other}, not a number"),
        },
        (_, None, Some(value)) => match describe(value) {
            NUMBER => format!("\"{raw}\" is {value}, which is no raw Q16.16 value"),
            other => format!("\"{raw}\" is {other}, not an integer"),
        },
        (other, ..) => format!("{} is {other}", name_place(&walked)),
    }
}

/// Why a number token has no Q16.16 value, by the rules of formats.md §4 and the decimal that the token writes.
fn describe_unfit_number(token: &str) -> String {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let magnitude = exponent.trim_start_matches(['+', '-', '0']);
    if magnitude.len() > 2 || magnitude.parse().unwrap_or(0) > MAX_EXPONENT {
        return format!("whose exponent is beyond \u{b1}{MAX_EXPONENT}");
    }
    let digits = mantissa.chars().filter(char::is_ascii_digit);
    let significant = digits.skip_while(|&digit| digit == '0').count();
    if significant > MAX_DIGITS {
        return format!("which has {significant} digits, and a number may have {MAX_DIGITS}");
    }
    format!(
        "beyond the range of Q16.16, which ends at \u{b1}{}",
        decimal(i32::MAX)
    )
}

/// The same JSON with 0 for each number.
fn mask_numbers(json: &[u8]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(json.len());
    let (mut is_text, mut is_escaped, mut is_number) = (false, false, false);
    for &byte in json {
        let continues = is_number && matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        is_number = !is_text && (continues || matches!(byte, b'0'..=b'9' | b'-'));
        if continues {
            continue;
        }
        masked.push(if is_number { b'0' } else { byte });
        is_text ^= byte == b'"' && !is_escaped;
        is_escaped = is_text && byte == b'\\' && !is_escaped;
    }
    masked
}

/// A member of an object, or an element of an array by an index without leading zeros.
fn enter<'v>(place: &'v RawValue, step: &str) -> Option<&'v RawValue> {
    match describe(place) {
        OBJECT => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(place.get()).ok()?;
            members.get(step).copied()
        }
        ARRAY if step == "0" || !step.starts_with(['0', '+']) => {
            let elements: Vec<&RawValue> = serde_json::from_str(place.get()).ok()?;
            elements.get(step.parse::<usize>().ok()?).copied()
        }
        _ => None,
    }
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn name_place(walked: &str) -> String {
    match walked {
        "" => "the answer".to_owned(),
        walked => format!("\"{walked}\""),
    }
}

const ARRAY: &str = "an array";
const NUMBER: &str = "a number";
const OBJECT: &str = "an object";

fn describe(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'"') => "a string",
        Some(b'[') => ARRAY,
        Some(b'{') => OBJECT,
        _ => NUMBER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a number that the core takes nothing is said, and of one that it refuses the rule that it breaks.
    #[test]
    fn the_reason_is_the_rule_that_the_core_applies() {
        for (token, reason) in [
            ("1e-19", "exponent is beyond \u{b1}18"),
            ("1E+0019", "exponent is beyond \u{b1}18"),
            ("1e400", "exponent is beyond \u{b1}18"),
            ("0e400", "exponent is beyond \u{b1}18"),
            ("123456789012345678901", "has 21 digits"),
            ("-0.1234567890123456789", "has 19 digits"),
            ("1.000000000000000000", "has 19 digits"),
            ("40000", "the range of Q16.16"),
            ("-1e18", "the range of Q16.16"),
            ("32768", "ends at \u{b1}32767.9999847412109375"),
        ] {
            assert_eq!(decimal_to_q16(token.as_bytes()), None, "{token}");
            let told = describe_unfit_number(token);
            assert!(told.contains(reason), "{token}: {told}");
            let answer = format!(r#"{{"v":{token},"far":1e400}}"#);
            let told = explain(answer.as_bytes(), "v");
            assert!(told.starts_with(&format!("\"v\" is {token}, ")), "{told}");
        }
        for token in [
            "1e-18",
            "1e-0018",
            "0.00",
            "123456789012345678e-18",
            "32767.99999",
        ] {
            assert!(decimal_to_q16(token.as_bytes()).is_some(), "{token}");
        }
    }

    #[test]
    fn only_numbers_are_masked() {
        for (json, masked) in [
            (r#"{"a":-1.5e+3,"b":[0,12]}"#, r#"{"a":0,"b":[0,0]}"#),
            (r#""1\"2" "#, r#""1\"2" "#),
            (r#"["\\",7,"\ud800"]"#, r#"["\\",0,"\ud800"]"#),
        ] {
            assert_eq!(mask_numbers(json.as_bytes()), masked.as_bytes());
        }
        assert!(explain(br#"{"v":"\ud800","n":1}"#, "v").contains("not JSON"));
    }
}
