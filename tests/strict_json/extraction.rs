//! The values that selectors find in a text, by the library and by a reference.

use axilog::json::escaped::EscapedText;
use axilog::json::extract::{MAX_POLICIES, NO_VALUE, Selectors, extract};
use axilog::json::number::{decimal_to_q16, integer_to_q16};

use super::Json;

pub struct Wanted(pub Vec<Option<&'static str>>);

impl Selectors for Wanted {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn selector(&self, index: usize) -> Option<&str> {
        self.0[index]
    }
}

/// The text as it stands in a record, in the short escapes or the long ones.
pub fn record_form(text: &str, short: bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{8}' if short => out.push_str("\\b"),
            '\t' if short => out.push_str("\\t"),
            '\n' if short => out.push_str("\\n"),
            '\u{c}' if short => out.push_str("\\f"),
            '\r' if short => out.push_str("\\r"),
            '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push(c),
        }
    }
    out
}

pub fn extracted_raw(output: &[u8], wanted: &Wanted) -> [i32; MAX_POLICIES] {
    let mut values = [7; MAX_POLICIES];
    extract(
        EscapedText::new(output),
        b"sixteen bytes!!!",
        wanted,
        &mut values,
    );
    values
}

pub fn extracted(text: &str, wanted: &Wanted) -> [i32; MAX_POLICIES] {
    let values = extracted_raw(record_form(text, true).as_bytes(), wanted);
    let long = extracted_raw(record_form(text, false).as_bytes(), wanted);
    assert_eq!(values, long, "{text}");
    values
}

/// formats.md §4 word for word.
pub fn reference(text: &str, wanted: &Wanted) -> [i32; MAX_POLICIES] {
    let mut values = [NO_VALUE; MAX_POLICIES];
    let Some(json) = Json::parse(text).filter(|json| json.depth() <= 32) else {
        return values;
    };
    let Json::Object(members) = json else {
        return values;
    };
    let member = |name: &str| {
        members
            .iter()
            .find(|(other, _)| other == name)
            .map(|m| &m.1)
    };
    for (value, selector) in values.iter_mut().zip(&wanted.0) {
        let Some(selector) = selector else { continue };
        let found = match (member(selector), member(&format!("{selector}_q16"))) {
            (Some(Json::Number(text)), None) => decimal_to_q16(text.as_bytes()),
            (None, Some(Json::Number(text))) => integer_to_q16(text.as_bytes()),
            _ => None,
        };
        *value = found.unwrap_or(NO_VALUE);
    }
    values
}

pub fn selectors() -> Wanted {
    Wanted(vec![
        Some("value"),
        None,
        Some("a"),
        Some("value"),
        Some(""),
        Some("é"),
        Some("😀"),
        Some("b"),
    ])
}
