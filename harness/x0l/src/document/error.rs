//! What is wrong in a document, and where.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;
use serde_path_to_error::Segment;

use super::to_text;

/// A place in a document that does not hold what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct DocumentError {
    /// The path from the outermost value, as in `decision.gates[0].code`; empty for that value itself.
    pub field: String,
    /// What stands there.
    pub found: String,
    /// What was expected there.
    pub expected: String,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "found {}, expected {}", self.found, self.expected)
    }
}

/// How many characters of a value an error quotes.
const EXCERPT: usize = 80;

/// The beginning of a value's canonical form, as an error quotes it.
#[must_use]
pub fn excerpt(value: &Value) -> String {
    let text = to_text(value);
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

const MISSING: &str = "nothing";
const MISSING_EXPECTED: &str = "this member";
const UNKNOWN_EXPECTED: &str = "no such member";

impl DocumentError {
    /// An error that concerns a document as a whole.
    pub(crate) fn new(found: impl Into<String>, expected: impl Into<String>) -> DocumentError {
        DocumentError {
            field: String::new(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// The error that serde met in `document`.
    pub(super) fn from_serde(
        document: &Value,
        error: &serde_path_to_error::Error<serde_json::Error>,
    ) -> DocumentError {
        let (mut field, mut found) = (String::new(), Some(document));
        for segment in error.path() {
            match segment {
                Segment::Seq { index } => {
                    field = format!("{field}[{index}]");
                    found = found.and_then(|value| value.get(index));
                }
                Segment::Map { key } => {
                    field = member(&field, key);
                    found = found.and_then(|value| value.get(key));
                }
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        let message = error.inner().to_string().replace('`', "");
        if let Some(name) = message.strip_prefix("missing field ") {
            return DocumentError {
                field: member(&field, name),
                ..DocumentError::new(MISSING, MISSING_EXPECTED)
            };
        }
        let (refused, expected) = message.rsplit_once(", expected ").unwrap_or(("", &message));
        // In an enum whose tag is a member the path of serde ends at the object.
        if let Some((name, value)) = found
            .and_then(|object| refused_member(object, refused))
            .filter(|(name, _)| !field.ends_with(name.as_str()))
        {
            field = member(&field, name);
            found = Some(value);
        }
        let expected = if refused.starts_with("unknown field ") {
            UNKNOWN_EXPECTED
        } else {
            expected_json(expected)
        };
        DocumentError {
            field,
            ..DocumentError::new(found.map_or(MISSING.to_owned(), excerpt), expected)
        }
    }

    /// The first place at which `found` is not `expected`; they are not equal.
    pub(super) fn first_difference(found: &Value, expected: &Value) -> DocumentError {
        difference("", found, expected)
            .unwrap_or_else(|| DocumentError::new(excerpt(found), excerpt(expected)))
    }
}

/// The member of `object` that serde refuses with these words, if one of them is meant.
fn refused_member<'v>(object: &'v Value, refused: &str) -> Option<(&'v String, &'v Value)> {
    let (_, words) = refused.split_once(' ')?;
    let is_refused = |(name, value): &(&String, &Value)| {
        let value = match value {
            Value::Null => "type: null".to_owned(),
            Value::Bool(value) => format!("type: boolean {value}"),
            Value::Number(value) if value.is_f64() => format!("type: floating point {value}"),
            Value::Number(value) => format!("integer {value}"),
            Value::String(value) if words == format!("variant {value}") => return true,
            Value::String(value) => format!("string {}", format!("{value:?}").replace('`', "")),
            Value::Array(_) => "type: sequence".to_owned(),
            Value::Object(_) => return false,
        };
        words.ends_with(&value) || words.strip_prefix("field ") == Some(name)
    };
    object.as_object()?.iter().find(is_refused)
}

fn member(object: &str, name: &str) -> String {
    let dot = if object.is_empty() { "" } else { "." };
    format!("{object}{dot}{name}")
}

/// What serde expected, in words of JSON.
fn expected_json(expected: &str) -> &str {
    match expected {
        "u64" => "an integer from 0 to 2^64-1",
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        "unit" => "null",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

fn difference(field: &str, found: &Value, expected: &Value) -> Option<DocumentError> {
    let at = |field: &str, found: String, expected: &str| {
        Some(DocumentError {
            field: field.to_owned(),
            ..DocumentError::new(found, expected)
        })
    };
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
            names.into_iter().find_map(|name| {
                let field = member(field, name);
                match (found.get(name), expected.get(name)) {
                    (Some(found), Some(expected)) => difference(&field, found, expected),
                    (Some(found), None) => at(&field, excerpt(found), UNKNOWN_EXPECTED),
                    (None, _) => at(&field, MISSING.to_owned(), MISSING_EXPECTED),
                }
            })
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => found
            .iter()
            .zip(expected)
            .enumerate()
            .find_map(|(n, (found, expected))| {
                difference(&format!("{field}[{n}]"), found, expected)
            }),
        // Numbers are equal where their canonical forms are.
        (found, expected) if to_text(found) == to_text(expected) => None,
        (found, Value::Object(_)) => at(field, excerpt(found), "an object"),
        (found, expected) => at(field, excerpt(found), &excerpt(expected)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_value;
    use super::*;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        numbers: Vec<u64>,
        inner: Inner,
        absent: Option<bool>,
    }

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        text: String,
    }

    #[test]
    fn an_error_names_the_place_what_was_found_and_what_was_expected() {
        let good = json!({ "numbers": [1, u64::MAX], "inner": { "text": "x" }, "absent": null });
        from_value::<Outer>(&good).unwrap();
        for (pointer, value, message) in [
            (
                "/numbers/1",
                json!("x"),
                "numbers[1]: found \"x\", expected an integer from 0 to 2^64-1",
            ),
            (
                "/inner/text",
                json!(null),
                "inner.text: found null, expected a text",
            ),
            // As the document writes it.
            (
                "/numbers/0",
                json!(1e19),
                "numbers[0]: found 10000000000000000000, expected an integer from 0 to 2^64-1",
            ),
            (
                "/inner",
                json!({}),
                "inner.text: found nothing, expected this member",
            ),
            (
                "/inner",
                json!({ "text": "x", "more": 1 }),
                "inner.more: found 1, expected no such member",
            ),
            // Serde takes these two; a document does not.
            (
                "/inner",
                json!(["x"]),
                "inner: found [\"x\"], expected an object",
            ),
            (
                "/absent",
                json!(0),
                "absent: found 0, expected true or false",
            ),
        ] {
            let mut wrong = good.clone();
            *wrong.pointer_mut(pointer).unwrap() = value;
            let error = from_value::<Outer>(&wrong).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        let without = json!({ "numbers": [], "inner": { "text": "x" } });
        let error = from_value::<Outer>(&without).unwrap_err();
        assert_eq!(
            error.to_string(),
            "absent: found nothing, expected this member"
        );
        let error = from_value::<Outer>(&json!([])).unwrap_err();
        assert_eq!(error.found, "[]");
    }

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
    enum Tagged {
        Count {
            label: String,
            number: u64,
            none: (),
        },
    }

    #[test]
    fn a_member_beside_a_tag_is_named_too() {
        let good = json!([{ "kind": "count", "label": "x", "number": 5, "none": null }]);
        from_value::<Vec<Tagged>>(&good).unwrap();
        for (name, value, message) in [
            (
                "number",
                json!("`6`"),
                "found \"`6`\", expected an integer from 0 to 2^64-1",
            ),
            (
                "number",
                json!(-6),
                "found -6, expected an integer from 0 to 2^64-1",
            ),
            (
                "number",
                json!(0.5),
                "found 0.5, expected an integer from 0 to 2^64-1",
            ),
            ("label", json!([1]), "found [1], expected a text"),
            ("label", json!(true), "found true, expected a text"),
            ("none", json!("n"), "found \"n\", expected null"),
            ("more", json!(7), "found 7, expected no such member"),
            ("kind", json!("sum"), "found \"sum\", expected count"),
        ] {
            let mut wrong = good.clone();
            wrong[0][name] = value;
            let error = from_value::<Vec<Tagged>>(&wrong).unwrap_err();
            assert_eq!(error.to_string(), format!("[0].{name}: {message}"));
        }
        let error = from_value::<Vec<Tagged>>(&json!([{ "kind": "count" }])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "[0].label: found nothing, expected this member"
        );
    }

    #[test]
    fn a_long_value_is_quoted_in_part() {
        let quoted = excerpt(&json!("é".repeat(200)));
        assert_eq!(quoted.chars().count(), EXCERPT + 3);
    }
}
