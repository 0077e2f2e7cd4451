//! Two JSON values compared, field by field.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::document::excerpt;

/// Calls `on_difference` with the path and both texts of every field in which `found` and `expected` differ.
pub(crate) fn compare_json(
    found: &Value,
    expected: &Value,
    path: &str,
    on_difference: &mut dyn FnMut(&str, String, String),
) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
            let excerpt = |value: Option<&Value>| value.map_or("nothing".to_owned(), excerpt);
            for name in names {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                match (found.get(name), expected.get(name)) {
                    (Some(found), Some(expected)) => {
                        compare_json(found, expected, &path, on_difference);
                    }
                    (found, expected) => on_difference(&path, excerpt(found), excerpt(expected)),
                }
            }
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
                compare_json(found, expected, &format!("{path}[{n}]"), on_difference);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            let count = |items: &[Value]| format!("{} items", items.len());
            on_difference(path, count(found), count(expected));
        }
        (Value::String(found), Value::String(expected)) if found != expected => {
            let texts = [(found, expected), (expected, found)];
            let [found, expected] = texts.map(|(text, other)| excerpt_from_difference(text, other));
            on_difference(path, found, expected);
        }
        (found, expected) if found != expected => {
            on_difference(path, excerpt(found), excerpt(expected));
        }
        _ => {}
    }
}

/// Shortens a text for a message: a long one starts shortly before the character in which it differs from `other`.
fn excerpt_from_difference(text: &str, other: &str) -> String {
    const BEFORE: usize = 20;
    let equal = text.chars().zip(other.chars());
    let equal = equal.take_while(|(a, b)| a == b).count();
    if equal <= 2 * BEFORE {
        return excerpt(&text.into());
    }
    let rest: String = text.chars().skip(equal - BEFORE).collect();
    format!(
        "...{} (unlike from character {})",
        excerpt(&rest.into()),
        equal + 1
    )
}
