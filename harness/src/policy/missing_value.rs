//! Why an answer has no value for a policy, in words.
//!
//! formats.md §4, Extracting the value. The core says only that there is none; what it looked for is looked for
//! again here, with the reader of serde_json.

use axilog_policyc::selector_path;
use serde_json::{Number, Value};

/// Says why `answer` has no value for `selector`.
pub(crate) fn explain(answer: &[u8], selector: &str) -> String {
    let whole: Value = match serde_json::from_slice(answer) {
        Ok(value) => value,
        Err(error) => return format!("the answer is not JSON: {error}"),
    };
    if !whole.is_object() {
        return format!("the answer is {}, not one JSON object", describe(&whole));
    }
    let path = selector_path(selector);
    let steps: Vec<String> = match path.strip_prefix('/') {
        Some(steps) => steps.split('/').map(unescape).collect(),
        None => vec![path.to_owned()],
    };
    let Some((last, before)) = steps.split_last() else {
        return "the path is empty".to_owned();
    };
    let mut place = &whole;
    let mut walked = String::new();
    for step in before {
        let Some(next) = enter(place, step) else {
            return format!("{} has no \"{step}\"", name_place(&walked));
        };
        walked = format!("{walked}/{step}");
        place = next;
    }
    let raw = format!("{last}_q16");
    let (value, raw_value) = (enter(place, last), place.get(&raw));
    match (place, value, raw_value) {
        (Value::Object(_), Some(_), Some(_)) => {
            format!("{} has both \"{last}\" and \"{raw}\"", name_place(&walked))
        }
        (Value::Object(_) | Value::Array(_), None, None) => {
            format!("{} has no \"{last}\"", name_place(&walked))
        }
        (_, Some(Value::Number(number)), None) if is_expressible(number) => {
            "the answer has a member twice, or nests deeper than 32".to_owned()
        }
        (_, Some(Value::Number(number)), None) => {
            format!("\"{last}\" is {number}, beyond 18 digits or the range of Q16.16")
        }
        (_, None, Some(Value::Number(number))) => {
            format!("\"{raw}\" is {number}, which is no raw Q16.16 value")
        }
        (_, Some(other), None) => format!("\"{last}\" is {}, not a number", describe(other)),
        (_, None, Some(other)) => format!("\"{raw}\" is {}, not an integer", describe(other)),
        (other, ..) => format!("{} is {}", name_place(&walked), describe(other)),
    }
}

/// Whether an answer's number can be a value at all.
fn is_expressible(number: &Number) -> bool {
    let text = number.to_string();
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    let significant = digits.trim_start_matches(['-', '0', '.']);
    let count = significant.bytes().filter(u8::is_ascii_digit).count();
    let in_range = number.as_f64().is_some_and(|value| value.abs() < 32768.0);
    count <= 18 && in_range
}

/// A member of an object, or an element of an array by an index without leading zeros.
fn enter<'v>(place: &'v Value, step: &str) -> Option<&'v Value> {
    match place {
        Value::Object(members) => members.get(step),
        Value::Array(elements) if step == "0" || !step.starts_with(['0', '+']) => {
            elements.get(step.parse::<usize>().ok()?)
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

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
