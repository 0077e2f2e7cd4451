//! The canonical JSON profile (document, section 6): RFC 8785, integers only, UTF-8 in NFC.
//!
//! Every artifact the memory keeps or gives out is bytes of this profile, and every id is the SHA-256
//! of such bytes. Determinism: D1.

use std::fmt;

use axilog::hash::{Hash, sha256, unhex};
use axilog_ledger::file::hex;
use axilog_ledger::jcs;
use serde_json::{Map, Value};
use unicode_normalization::is_nfc;

use super::error::{MemoryError, Result};

/// The name of the profile, which is a pin.
pub const PROFILE: &str = "rfc8785-integers-nfc/1";

/// The name of the hash, which is a pin.
pub const HASH: &str = "sha256-lower-hex";

/// The id of a fact, a detail, a compaction or an asset: the SHA-256 of canonical bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub Hash);

impl Handle {
    /// The handle of canonical bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Handle {
        Handle(sha256(bytes))
    }

    /// 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Handle> {
        unhex(text.as_bytes().try_into().ok()?).map(Handle)
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A value of the profile and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    value: Value,
    bytes: Vec<u8>,
}

impl Canonical {
    /// Reads `text`; `what` names it in errors.
    ///
    /// # Errors
    /// [`MemoryError::Profile`] for what is no JSON, a member name that occurs twice, a number that is
    /// no integer from −2^63 to 2^64−1, and text that is not in NFC; with the path.
    pub fn read(what: &str, text: &[u8]) -> Result<Canonical> {
        let bytes = form(what, text)?;
        // The canonical form of 1.0 is 1: a float has to be found in the text as it came.
        let value: Value = serde_json::from_slice(text).map_err(|error| MemoryError::Profile {
            what: what.to_owned(),
            reason: error.to_string(),
        })?;
        within(what, &value)?;
        Ok(Canonical { value, bytes })
    }

    /// The canonical form of `value`.
    ///
    /// # Errors
    /// As [`Canonical::read`].
    pub fn of(what: &str, value: Value) -> Result<Canonical> {
        within(what, &value)?;
        let bytes = form(what, value.to_string().as_bytes())?;
        Ok(Canonical { value, bytes })
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, which are UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// SHA-256 of the bytes.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle::of(&self.bytes)
    }
}

/// An object of these members.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.map(|(name, value)| (name.to_owned(), value));
    Value::Object(Map::from_iter(members))
}

/// The texts in a value, names of members too. Calls itself as deep as the value is nested.
pub(super) fn texts(value: &Value) -> Vec<&str> {
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

fn form(what: &str, text: &[u8]) -> Result<Vec<u8>> {
    jcs::canonical(text).map_err(|none| MemoryError::Profile {
        what: what.to_owned(),
        reason: format!("at byte {}: {}", none.at, none.reason),
    })
}

fn within(what: &str, value: &Value) -> Result<()> {
    let mut path = "$".to_owned();
    check(value, &mut path).map_err(|reason| MemoryError::Profile {
        what: what.to_owned(),
        reason: format!("at {path}: {reason}"),
    })
}

/// Leaves `path` where the fault is. Calls itself as deep as the value is nested; what comes from outside
/// had its canonical form made before, which takes 128 at most.
fn check(value: &Value, path: &mut String) -> std::result::Result<(), String> {
    match value {
        // Where another crate of the build has serde_json keep the digits, -0 counts as an integer.
        Value::Number(number)
            if !number.is_i64() && !number.is_u64() || number.to_string() == "-0" =>
        {
            Err(format!(
                "the number {number} is no integer from -2^63 to 2^64-1; scale it, or write it as text"
            ))
        }
        Value::String(text) if !is_nfc(text) => {
            Err(format!("the text {text:?} is not in NFC; normalise it"))
        }
        Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| {
            within_part(path, &format!("[{index}]"), |path| check(item, path))
        }),
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            within_part(path, &format!(".{name}"), |path| {
                if !is_nfc(name) {
                    return Err("the member name is not in NFC; normalise it".to_owned());
                }
                check(member, path)
            })
        }),
        _ => Ok(()),
    }
}

fn within_part(
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
    fn what_is_outside_the_profile_is_named_with_its_path() {
        for (given, told) in [
            (r#"{"a":[1,{"b":1.5}]}"#, "at $.a[1].b: the number 1.5"),
            (r#"{"a":1.0}"#, "at $.a: the number 1.0"),
            (r#"[-0]"#, "at $[0]: the number -0"),
            (r#"[18446744073709551616]"#, "at $[0]: the number"),
            ("{\"a\":\"e\u{301}\"}", "at $.a: the text"),
            ("{\"e\u{301}\":1}", "the member name is not in NFC"),
            (r#"{"a":1,"a":2}"#, "occurs twice"),
            ("", "ends too early"),
        ] {
            let error = Canonical::read("f.json", given.as_bytes()).unwrap_err();
            let error = error.to_string();
            assert!(
                error.starts_with("f.json: ") && error.contains(told),
                "{error}"
            );
        }
    }
}
