//! A second implementation of extraction: short, slow and close to the wording of the rules.
//!
//! `serde_json` decides what JSON is. It keeps the last of equal names and does not say how a number was
//! written, so names and numbers are checked here.

use std::collections::BTreeSet;
use std::fmt;

use axilog_oracle::canonicalizer::Status;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value that obeys the rules, of which only the depth is kept.
struct StrictJson {
    depth: usize,
}

const LARGEST: u64 = (1 << 53) - 1;

impl<'de> Deserialize<'de> for StrictJson {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<StrictJson, D::Error> {
        reader.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = StrictJson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("strict JSON")
    }
    fn visit_unit<E>(self) -> Result<StrictJson, E> {
        Ok(StrictJson { depth: 0 })
    }
    fn visit_bool<E>(self, _: bool) -> Result<StrictJson, E> {
        Ok(StrictJson { depth: 0 })
    }
    fn visit_str<E>(self, _: &str) -> Result<StrictJson, E> {
        Ok(StrictJson { depth: 0 })
    }
    fn visit_u64<E>(self, _: u64) -> Result<StrictJson, E> {
        Ok(StrictJson { depth: 0 })
    }
    fn visit_i64<E>(self, _: i64) -> Result<StrictJson, E> {
        Ok(StrictJson { depth: 0 })
    }
    fn visit_f64<E>(self, _: f64) -> Result<StrictJson, E> {
        Ok(StrictJson { depth: 0 })
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<StrictJson, A::Error> {
        let mut depth = 0;
        while let Some(item) = items.next_element::<StrictJson>()? {
            depth = depth.max(item.depth);
        }
        check_depth(depth + 1)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<StrictJson, A::Error> {
        let (mut depth, mut names) = (0, BTreeSet::new());
        while let Some(name) = members.next_key::<String>()? {
            if !names.insert(name) {
                return Err(A::Error::custom("repeated"));
            }
            depth = depth.max(members.next_value::<StrictJson>()?.depth);
        }
        check_depth(depth + 1)
    }
}

/// Where in `text` the first number begins that the rules refuse. What stands before it is taken for JSON.
fn find_refused_number(text: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        match text.as_bytes()[at] {
            b'"' => at = find_string_end(text, at)?,
            b'-' | b'0'..=b'9' => {
                let number = &text[at..];
                let end = number.find(|c: char| !c.is_ascii_digit() && !"-+.eE".contains(c));
                let number = &number[..end.unwrap_or(number.len())];
                if !is_allowed_number(number) {
                    return Some(at);
                }
                at += number.len();
            }
            _ => at += 1,
        }
    }
    None
}

/// Where the string ends that begins at `start`.
fn find_string_end(text: &str, start: usize) -> Option<usize> {
    let mut at = start + 1;
    while *text.as_bytes().get(at)? != b'"' {
        at += if text.as_bytes()[at] == b'\\' { 2 } else { 1 };
    }
    Some(at + 1)
}

fn is_allowed_number(digits: &str) -> bool {
    if digits.contains(['.', 'e', 'E']) {
        // Canonical JSON writes numbers below 1e21 without an exponent.
        let large = |n: f64| n.abs() > LARGEST as f64 && n.abs() < 1e21;
        let mantissa = digits.split(['e', 'E']).next().unwrap();
        let zero = !mantissa.contains(|c: char| ('1'..='9').contains(&c));
        digits
            .parse()
            .is_ok_and(|n| f64::is_finite(n) && !large(n) && (n == 0.0) == zero)
    } else {
        let integer: Result<i128, _> = digits.parse();
        integer.is_ok_and(|n| n.unsigned_abs() <= u128::from(LARGEST))
    }
}

fn check_depth<E: Error>(depth: usize) -> Result<StrictJson, E> {
    if depth > 128 {
        return Err(E::custom("deep"));
    }
    Ok(StrictJson { depth })
}

/// Where the valid value ends that begins `text`.
fn find_value_end(text: &str) -> Option<usize> {
    let refused = find_refused_number(text).unwrap_or(text.len());
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<StrictJson>();
    values.next()?.ok()?;
    (values.byte_offset() <= refused).then_some(values.byte_offset())
}

/// The region from the bracket that begins `text` to its matching one, by JSON's rules for strings, or all of `text`
/// where there is none; and whether it closes.
fn read_array_region(text: &str) -> (&str, bool) {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        match text.as_bytes()[at] {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b'"' => match find_string_end(text, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => return (text, false),
            },
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return (&text[..at], true);
        }
    }
    (text, false)
}

fn is_placeholder_character(c: char) -> bool {
    c.is_alphanumeric() || c.is_whitespace() || "_.-".contains(c)
}

/// The one object of a normalised text.
pub fn extract(text: &str) -> Result<&str, Status> {
    let mut valid = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let begins_value = "{[".contains(c);
        at += match (c, begins_value.then(|| find_value_end(rest)).flatten()) {
            ('{', Some(end)) => {
                valid.push(&rest[..end]);
                end
            }
            ('{', None) => match rest.split_once('}') {
                Some((name, _)) if name[1..].chars().all(is_placeholder_character) => {
                    name.len() + 1
                }
                _ => return Err(Status::ParseError),
            },
            ('[', Some(end)) => end,
            ('[', None) => match read_array_region(rest) {
                (region, closes) if !region.contains(['{', '}']) => {
                    assert!(closes || region == rest);
                    region.len()
                }
                _ => return Err(Status::ParseError),
            },
            ('}' | ']', _) => return Err(Status::ParseError),
            _ => c.len_utf8(),
        };
    }
    match valid.as_slice() {
        [] => Err(Status::NoJson),
        [object] => Ok(object),
        _ => Err(Status::AmbiguousMultiBlock),
    }
}
