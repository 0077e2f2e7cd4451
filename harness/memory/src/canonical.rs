//! The canonical JSON profile (document, section 6): RFC 8785, integers only, UTF-8 in NFC.
//!
//! The memory stores and outputs nothing but bytes of this profile; every handle is the SHA-256 of
//! such bytes. Determinism: D1.

use std::collections::BTreeMap;

use axilog_ledger::jcs;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use unicode_normalization::is_nfc;

use crate::document::to_value;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;

/// The name of the profile, which is a pin.
pub(crate) const PROFILE: &str = "rfc8785-integers-nfc/1";

/// The name of the hash, which is a pin.
pub(crate) const HASH: &str = "sha256-lower-hex";

/// A JSON value within the profile, and its canonical bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalJson {
    value: Value,
    bytes: Vec<u8>,
}

impl CanonicalJson {
    /// Reads `text`; `what` names the text in errors.
    ///
    /// # Errors
    /// [`MemoryError::Document`] for a text that is no JSON, a member name that occurs twice, a number
    /// that is no integer from −2^63 to 2^64−1, and text that is not in NFC; with the path.
    pub fn parse(what: &str, text: &[u8]) -> Result<CanonicalJson> {
        let bytes = canonical_bytes(what, text)?;
        let value = read(text).map_err(|reason| MemoryError::document(what, "$", reason))?;
        Ok(CanonicalJson { value, bytes })
    }

    /// The canonical form of `value`.
    ///
    /// # Errors
    /// As [`CanonicalJson::parse`].
    pub fn from_value(what: &str, value: Value) -> Result<CanonicalJson> {
        let bytes = canonical_bytes(what, value.to_string().as_bytes())?;
        Ok(CanonicalJson { value, bytes })
    }

    /// The canonical form of a document.
    pub(crate) fn from_document(what: &str, document: &impl Serialize) -> Result<CanonicalJson> {
        CanonicalJson::from_value(what, to_value(what, document)?)
    }

    /// The JSON value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The canonical bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The canonical bytes as text.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// The SHA-256 of the canonical bytes.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle::of(&self.bytes)
    }
}

/// The texts in a value, including the names of members. Recurses as deep as the value is nested.
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, member)| std::iter::once(name.as_str()).chain(texts(member)))
            .collect(),
        _ => Vec::new(),
    }
}

/// The canonical form of a text within the profile.
fn canonical_bytes(what: &str, text: &[u8]) -> Result<Vec<u8>> {
    let bytes = jcs::canonicalize(text).map_err(|error| {
        MemoryError::document(what, format!("byte {}", error.offset), error.reason)
    })?;
    // The canonical form of 1.0 is 1: a float has to be found in the text as it came.
    let mut path = "$".to_owned();
    read(text)
        .and_then(|value| check_value(value, &mut path))
        .map_err(|reason| MemoryError::document(what, path, reason))?;
    Ok(bytes)
}

/// Checks a value and its parts; `path` ends at the part that is outside the profile. Recurses as deep as
/// the value is nested: it was canonicalized before, which refuses more than 128 levels.
fn check_value(value: &RawValue, path: &mut String) -> std::result::Result<(), String> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') if !is_integer(text) => Err(format!(
            "the number {text} is no integer from -2^63 to 2^64-1; scale it, or write it as text"
        )),
        Some(b'"') => {
            let text: String = read(text.as_bytes())?;
            if is_nfc(&text) {
                return Ok(());
            }
            Err(format!("the text {text:?} is not in NFC; normalise it"))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = read(text.as_bytes())?;
            items.into_iter().enumerate().try_for_each(|(index, item)| {
                check_part(path, &format!("[{index}]"), |path| check_value(item, path))
            })
        }
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = read(text.as_bytes())?;
            members.into_iter().try_for_each(|(name, member)| {
                check_part(path, &format!(".{name}"), |path| {
                    if !is_nfc(&name) {
                        return Err("the member name is not in NFC; normalise it".to_owned());
                    }
                    check_value(member, path)
                })
            })
        }
        _ => Ok(()),
    }
}

/// Whether a number is written as an integer of the profile.
fn is_integer(number: &str) -> bool {
    number != "-0" && (number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok())
}

fn read<'t, T: Deserialize<'t>>(text: &'t [u8]) -> std::result::Result<T, String> {
    serde_json::from_slice(text).map_err(|error| error.to_string())
}

fn check_part(
    path: &mut String,
    part: &str,
    work: impl FnOnce(&mut String) -> std::result::Result<(), String>,
) -> std::result::Result<(), String> {
    let length = path.len();
    path.push_str(part);
    work(path)?;
    path.truncate(length);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_outside_the_profile_is_refused_with_its_path() {
        for (text, expected) in [
            (r#"{"a":[1,{"b":1.5}]}"#, "at $.a[1].b: the number 1.5"),
            (r#"{"a":1.0}"#, "at $.a: the number 1.0"),
            (r#"[-0]"#, "at $[0]: the number -0"),
            (
                r#"[18446744073709551616]"#,
                "at $[0]: the number 18446744073709551616 is no integer",
            ),
            (
                r#"{"a":[{},{"b":1e2}]}"#,
                "at $.a[1].b: the number 1e2 is no integer",
            ),
            ("{\"a\":\"e\u{301}\"}", "at $.a: the text"),
            ("{\"e\u{301}\":1}", "the member name is not in NFC"),
            (r#"{"a":1,"a":2}"#, "occurs twice"),
            ("", "ends too early"),
        ] {
            let error = CanonicalJson::parse("f.json", text.as_bytes()).unwrap_err();
            let error = error.to_string();
            assert!(
                error.starts_with("f.json: ") && error.contains(expected),
                "{error}"
            );
        }
    }
}
