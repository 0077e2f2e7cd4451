//! Why an answer has no value for a policy, in words.
//!
//! formats.md §4, Extracting the value. The core says only that there is none; what it looked for is looked for
//! again here, with the reader of serde_json, which keeps numbers as the answer writes them.

use std::collections::BTreeMap;

use axilog::json::number::decimal_to_q16;
use axilog_policyc::selector_path;
use serde_json::Value;
use serde_json::value::RawValue;

/// Says why `answer` has no value for `selector`.
pub(crate) fn explain(answer: &[u8], selector: &str) -> String {
    // A value that is kept as written may have lone surrogates in its texts; a `Value` has none.
    let whole: &RawValue = match serde_json::from_slice::<Value>(answer)
        .and_then(|_| serde_json::from_slice(answer))
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
            NUMBER => format!("\"{last}\" is {value}, beyond 18 digits or the range of Q16.16"),
            other => format!("\"{last}\" is {other}, not a number"),
        },
        (_, None, Some(value)) => match describe(value) {
            NUMBER => format!("\"{raw}\" is {value}, which is no raw Q16.16 value"),
            other => format!("\"{raw}\" is {other}, not an integer"),
        },
        (other, ..) => format!("{} is {other}", name_place(&walked)),
    }
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
