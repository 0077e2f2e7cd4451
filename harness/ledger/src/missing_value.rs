//! Why an answer has no value for a policy, in words.
//!
//! formats.md §4, Extracting the value. The core says only that there is none; what it looked for is looked for
//! again here, with the reader of serde_json, which keeps numbers as the answer writes them.

use std::collections::BTreeMap;

use axilog::json::number::{scaled_decimal_to_q16, scaled_integer_to_q16};
use axilog_policyc::{COUNT, EVERY, decimal, selector_path, split_scale};
use serde_json::Value;
use serde_json::value::RawValue;

/// The most significant digits of a number, and the largest magnitude of its exponent as written.
const MAX_DIGITS: usize = 18;
const MAX_EXPONENT: u32 = 18;

/// The largest number of elements or members that is a value.
const MAX_COUNT: usize = 32_767;

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
    let (path, power) = split_scale(selector_path(selector));
    let steps: Vec<&str> = match path.strip_prefix('/') {
        Some(steps) => steps.split('/').collect(),
        None => vec![path],
    };
    find_obstacle(whole, "", &steps, power)
        .unwrap_or_else(|| "the answer has a member twice, or nests deeper than 32".to_owned())
}

/// What keeps `steps` from leading from `place`, to which `walked` led, to values that are divided by 10^`power`;
/// `None` if they do.
fn find_obstacle(place: &RawValue, walked: &str, steps: &[&str], power: i8) -> Option<String> {
    let (step, behind) = steps.split_first()?;
    match *step {
        EVERY => find_obstacle_in_elements(place, walked, behind, power),
        COUNT => find_obstacle_to_count(place, walked),
        step if behind.is_empty() => find_obstacle_to_value(place, walked, &unescape(step), power),
        step => {
            let step = unescape(step);
            match enter(place, &step) {
                Some(next) => find_obstacle(next, &format!("{walked}/{step}"), behind, power),
                None => Some(format!("{} has no \"{step}\"", name_place(walked))),
            }
        }
    }
}

/// What keeps one of the elements of `place` from having a value.
fn find_obstacle_in_elements(
    place: &RawValue,
    walked: &str,
    behind: &[&str],
    power: i8,
) -> Option<String> {
    let kind = describe(place);
    let Some(elements) = list_elements(place) else {
        return Some(format!("{} is {kind}, not an array", name_place(walked)));
    };
    if elements.is_empty() {
        return Some(format!("{} has no element", name_place(walked)));
    }
    elements.iter().enumerate().find_map(|(index, element)| {
        let place = format!("{walked}/{index}");
        match behind {
            [] => describe_unfit(&place, element, power),
            _ => find_obstacle(element, &place, behind, power),
        }
    })
}

fn find_obstacle_to_count(place: &RawValue, walked: &str) -> Option<String> {
    let (kind, name) = (describe(place), name_place(walked));
    let count = match (list_elements(place), list_members(place)) {
        (Some(elements), _) => elements.len(),
        (None, Some(members)) => members.len(),
        (None, None) => return Some(format!("{name} is {kind}, which has no elements to count")),
    };
    (count > MAX_COUNT)
        .then(|| format!("{name} has {count} elements, and at most {MAX_COUNT} count"))
}

/// What keeps the member or element `last` of `place` from being a value.
fn find_obstacle_to_value(place: &RawValue, walked: &str, last: &str, power: i8) -> Option<String> {
    let kind = describe(place);
    let name = |last: &str| match walked {
        "" => last.to_owned(),
        walked => format!("{walked}/{last}"),
    };
    let raw = format!("{last}_q16");
    let raw_value = enter(place, &raw).filter(|_| kind == OBJECT);
    match (kind, enter(place, last), raw_value) {
        (OBJECT, Some(_), Some(_)) => Some(format!(
            "{} has both \"{last}\" and \"{raw}\"",
            name_place(walked)
        )),
        (OBJECT | ARRAY, None, None) => Some(format!("{} has no \"{last}\"", name_place(walked))),
        (_, Some(value), None) => describe_unfit(&name(last), value, power),
        (_, None, Some(value))
            if scaled_integer_to_q16(value.get().as_bytes(), power).is_some() =>
        {
            None
        }
        (_, None, Some(value)) => Some(match describe(value) {
            NUMBER if scaled_integer_to_q16(value.get().as_bytes(), 0).is_some() => {
                format!("\"{}\" is {value}, {}", name(&raw), describe_range(power))
            }
            NUMBER => format!(
                "\"{}\" is {value}, which is no raw Q16.16 value",
                name(&raw)
            ),
            other => format!("\"{}\" is {other}, not an integer", name(&raw)),
        }),
        (other, ..) => Some(format!("{} is {other}", name_place(walked))),
    }
}

/// Why `value`, in natural units and called `name`, is unfit; `None` if it is not.
fn describe_unfit(name: &str, value: &RawValue, power: i8) -> Option<String> {
    match describe(value) {
        NUMBER if scaled_decimal_to_q16(value.get().as_bytes(), power).is_some() => None,
        NUMBER => {
            let why = describe_unfit_number(value.get(), power);
            Some(format!("\"{name}\" is {value}, {why}"))
        }
        other => Some(format!("\"{name}\" is {other}, not a number")),
    }
}

/// Why a number token has no Q16.16 value, by the rules of formats.md §4 and the decimal that the token writes.
fn describe_unfit_number(token: &str, power: i8) -> String {
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
    describe_range(power)
}

/// Says that a number which is divided by 10^`power` has no Q16.16 value because of its size.
fn describe_range(power: i8) -> String {
    let divided = match power {
        0 => String::new(),
        power => format!("divided by 10^{power} "),
    };
    format!(
        "{divided}beyond the range of Q16.16, which ends at \u{b1}{}",
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
        OBJECT => list_members(place)?.get(step).copied(),
        ARRAY if step == "0" || !step.starts_with(['0', '+']) => {
            let index: usize = step.parse().ok()?;
            list_elements(place)?.get(index).copied()
        }
        _ => None,
    }
}

fn list_members(place: &RawValue) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(place.get()).ok()
}

fn list_elements(place: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(place.get()).ok()
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
            assert_eq!(scaled_decimal_to_q16(token.as_bytes(), 0), None, "{token}");
            let told = describe_unfit_number(token, 0);
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
            assert!(
                scaled_decimal_to_q16(token.as_bytes(), 0).is_some(),
                "{token}"
            );
        }
    }

    #[test]
    fn the_element_that_has_no_value_is_named() {
        for (selector, answer, told) in [
            (
                "/a/~*",
                r#"{"a":[1,"2"]}"#,
                r#""/a/1" is a string, not a number"#,
            ),
            (
                "/a/~*",
                r#"{"a":[1,40000]}"#,
                r#""/a/1" is 40000, beyond the range"#,
            ),
            ("/a/~*", r#"{"a":[]}"#, r#""/a" has no element"#),
            (
                "/a/~*",
                r#"{"a":{"~*":1}}"#,
                r#""/a" is an object, not an array"#,
            ),
            (
                "/a/~*/x",
                r#"{"a":[{"x":1},{"y":1}]}"#,
                r#""/a/1" has no "x""#,
            ),
            ("/a/~*/x", r#"{"a":[{"x":1},7]}"#, r#""/a/1" is a number"#),
            (
                "/a/~*/x",
                r#"{"a":[{"x":1,"x_q16":1}]}"#,
                r#""/a/0" has both "x" and "x_q16""#,
            ),
            ("/a/~*/~*", r#"{"a":[[1],[]]}"#, r#""/a/1" has no element"#),
            (
                "/a/~*/~*",
                r#"{"a":[[1],[2,null]]}"#,
                r#""/a/1/1" is null, not a number"#,
            ),
            ("/~*", r#"{"a":1}"#, "the answer is an object, not an array"),
            (
                "/a/~#",
                r#"{"a":true}"#,
                r#""/a" is true or false, which has no elements to count"#,
            ),
            (
                "/a/~*/~#",
                r#"{"a":[[],{},0]}"#,
                r#""/a/2" is a number, which has no elements to count"#,
            ),
            ("/a/~#", r#"{"b":[]}"#, r#"the answer has no "a""#),
            (
                "/a/~*",
                r#"{"a":[1],"a":[1]}"#,
                "the answer has a member twice",
            ),
            ("/~#", r#"{"a":1,"a":2}"#, "the answer has a member twice"),
            (
                "/a/~e-5",
                r#"{"a":0.5}"#,
                r#""a" is 0.5, divided by 10^-5 beyond the range"#,
            ),
            (
                "/a/~e3",
                r#"{"a":40000,"a":1}"#,
                "the answer has a member twice",
            ),
            (
                "/a/~*/~e3",
                r#"{"a":[4e4,4e7]}"#,
                r#""/a/1" is 4e7, divided by 10^3 beyond the"#,
            ),
            (
                "/a/~e-9",
                r#"{"a_q16":65536}"#,
                r#""a_q16" is 65536, divided by 10^-9 beyond the range"#,
            ),
        ] {
            let found = explain(answer.as_bytes(), selector);
            assert!(found.starts_with(told), "{selector} in {answer}: {found}");
        }
        let long = format!(r#"{{"a":[0{}]}}"#, ",0".repeat(32_767));
        let found = explain(long.as_bytes(), "/a/~#");
        assert_eq!(found, r#""/a" has 32768 elements, and at most 32767 count"#);
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
