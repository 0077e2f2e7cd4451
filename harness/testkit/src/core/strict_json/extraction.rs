//! The values that selectors find in a text, by the library and by a reference.

use axilog::json::escaped::EscapedText;
use axilog::json::extract::{MAX_POLICIES, NO_VALUE, Selectors, extract};
use axilog::json::number::{scaled_decimal_to_q16, scaled_integer_to_q16};

use super::Json;

pub struct Wanted<'s>(pub Vec<Option<&'s str>>);

impl Selectors for Wanted<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn path(&self, index: usize) -> Option<&str> {
        self.0[index]
    }
    /// Every other selector, so that one path listed twice shows both ends.
    fn takes_least(&self, index: usize) -> bool {
        index % 2 == 1
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

pub fn extracted_raw(output: &[u8], wanted: &Wanted<'_>) -> [i32; MAX_POLICIES] {
    let mut values = [7; MAX_POLICIES];
    extract(
        EscapedText::new(output),
        b"sixteen bytes!!!",
        wanted,
        &mut values,
    );
    values
}

pub fn extracted(text: &str, wanted: &Wanted<'_>) -> [i32; MAX_POLICIES] {
    let values = extracted_raw(record_form(text, true).as_bytes(), wanted);
    let long = extracted_raw(record_form(text, false).as_bytes(), wanted);
    assert_eq!(values, long, "{text}");
    values
}

/// What one step leads to: a member, or an element.
fn follow<'j>(json: &'j Json, step: &str) -> Option<&'j Json> {
    match json {
        Json::Object(members) => members.iter().find(|m| m.0 == step).map(|m| &m.1),
        Json::Array(items) => items
            .iter()
            .enumerate()
            .find(|(index, _)| index.to_string() == step)
            .map(|(_, item)| item),
        _ => None,
    }
}

/// formats.md §4 and decisions D38 and D39 word for word.
pub fn reference(text: &str, wanted: &Wanted<'_>) -> [i32; MAX_POLICIES] {
    let mut values = [NO_VALUE; MAX_POLICIES];
    let Some(json) = Json::parse(text).filter(|json| json.depth() <= 32) else {
        return values;
    };
    if !matches!(json, Json::Object(_)) {
        return values;
    }
    for (index, (value, path)) in values.iter_mut().zip(&wanted.0).enumerate() {
        let Some(path) = path else { continue };
        let steps: Vec<&str> = match path.strip_prefix('/') {
            Some(pointer) => pointer.split('/').collect(),
            None => vec![path],
        };
        let (steps, power) = match steps.split_last() {
            Some((last, before)) if last.starts_with("~e") => (before, last[2..].parse().unwrap()),
            _ => (steps.as_slice(), 0),
        };
        let found = find_values(&json, steps, power, 1);
        let ends = found.and_then(|all| match wanted.takes_least(index) {
            true => all.into_iter().min(),
            false => all.into_iter().max(),
        });
        *value = ends.unwrap_or(NO_VALUE);
    }
    values
}

/// The values, divided by 10^`power`, that `steps` lead to from `json`, which is the container number `depth` from
/// outside if it is one; `None` where one of them is none.
fn find_values(json: &Json, steps: &[&str], power: i8, depth: usize) -> Option<Vec<i32>> {
    let (step, behind) = steps.split_first()?;
    let name = step.replace("~1", "/").replace("~0", "~");
    match (*step, json) {
        ("~j", Json::String(text)) => {
            // The string is a container, too.
            let held = Json::parse(text).filter(|held| held.depth() + depth <= 32)?;
            match behind {
                [] => convert_natural(&held, power).map(|value| vec![value]),
                _ => find_values(&held, behind, power, depth + 1),
            }
        }
        ("~*", Json::Array(elements)) => {
            let found = elements.iter().map(|element| match behind {
                [] => convert_natural(element, power).map(|value| vec![value]),
                _ => find_values(element, behind, power, depth + 1),
            });
            let found = found.collect::<Option<Vec<_>>>()?.concat();
            (!found.is_empty()).then_some(found)
        }
        ("~#", Json::Array(elements)) => check_count(elements.len()),
        ("~#", Json::Object(members)) => check_count(members.len()),
        ("~*" | "~#" | "~j", _) => None,
        _ if !behind.is_empty() => find_values(follow(json, &name)?, behind, power, depth + 1),
        _ => {
            let raw = match json {
                Json::Object(_) => follow(json, &format!("{name}_q16")),
                _ => None,
            };
            let found = match (follow(json, &name), raw) {
                (Some(value), None) => convert_natural(value, power),
                (None, Some(Json::Number(text))) => scaled_integer_to_q16(text.as_bytes(), power),
                _ => None,
            };
            Some(vec![found?])
        }
    }
}

fn convert_natural(json: &Json, power: i8) -> Option<i32> {
    match json {
        Json::Number(text) => scaled_decimal_to_q16(text.as_bytes(), power),
        _ => None,
    }
}

fn check_count(number: usize) -> Option<Vec<i32>> {
    let units = i16::try_from(number).ok()?;
    Some(vec![i32::from(units) << 16])
}

/// The pointer to every value inside `json`, in its order.
pub fn pointers(json: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), json)];
    while let Some((pointer, json)) = open.pop() {
        let inside: Vec<(String, &Json)> = match json {
            Json::Object(members) => members
                .iter()
                .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value))
                .collect(),
            Json::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| (index.to_string(), item))
                .collect(),
            _ => Vec::new(),
        };
        for (step, value) in inside {
            let pointer = format!("{pointer}/{step}");
            found.push(pointer.clone());
            open.push((pointer, value));
        }
    }
    found
}

/// The pointers into the strings inside `json` that hold JSON, to what they hold and to every value inside of that.
pub fn embedded_pointers(json: &Json) -> Vec<String> {
    let mut found = Vec::new();
    for pointer in pointers(json) {
        let steps = pointer.split('/').skip(1);
        let mut names = steps.map(|step| step.replace("~1", "/").replace("~0", "~"));
        let place = names.try_fold(json, |place, name| follow(place, &name));
        if let Some(Json::String(text)) = place
            && let Some(held) = Json::parse(text)
        {
            let inside = pointers(&held);
            found.push(format!("{pointer}/~j"));
            found.extend(inside.iter().map(|inner| format!("{pointer}/~j{inner}")));
        }
    }
    found
}

/// The pointer with `~*` in place of the first `places` indices.
pub fn reach_every_element(pointer: &str, places: usize) -> String {
    let mut left = places;
    let steps = pointer.split('/').map(|step| {
        let is_index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if is_index && left > 0 {
            left -= 1;
            return "~*";
        }
        step
    });
    steps.collect::<Vec<_>>().join("/")
}

pub fn selectors() -> Wanted<'static> {
    Wanted(vec![
        Some("value"),
        None,
        Some("a"),
        Some("value"),
        Some(""),
        Some("é"),
        Some("😀"),
        Some("b"),
        Some("/a"),
        Some("/a/a"),
        Some("/a/0"),
        Some("/b/1/a"),
        Some("/a/b/value"),
        Some("/value/a/1"),
        Some("/~1"),
        Some("/a/~1"),
        Some("/"),
        Some("//"),
        Some("/\n/\u{e9}"),
        Some("/😀/0/0"),
        Some("/a/-"),
        Some("/a/00"),
        Some("/~#"),
        Some("/~#"),
        Some("/a/~#"),
        Some("/a/~*"),
        Some("/a/~*"),
        Some("/a/~*/a"),
        Some("/a/~*/a"),
        Some("/b/~*/0"),
        Some("/a/~*/~*"),
        Some("/a/~*/~*"),
        Some("/value/~*/~#"),
        Some("/value/~*/~#"),
        Some("/b/~*/~*/a"),
        Some("/a/~*/~*/~#"),
        Some("/a/~e3"),
        Some("/value/~e-3"),
        Some("/a/~*/~e1"),
        Some("/a/~j"),
        Some("/a/~j/a"),
        Some("/a/~j/~#"),
        Some("/value/~j/~*"),
        Some("/value/~*/~j/~e-1"),
        Some("/b/~*/~j/~*/a"),
        Some("/a/b/~j/value"),
        Some("/~j"),
        Some("/~j/a"),
    ])
}
