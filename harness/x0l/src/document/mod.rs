//! Documents of a run: JSON in canonical form (RFC 8785), written and read through serde.
//!
//! [`read`] accepts exactly the bytes that [`to_text`] writes for some value: it reads a value, writes it again
//! and compares. A field that is missing, unknown, of another type or written in another way is a
//! [`DocumentError`], which says where it stands, what was found there and what was expected.
//!
//! | file | what it holds |
//! |---|---|
//! | `error.rs` | [`DocumentError`], and how an error of serde becomes one |
//! | `hash.rs` | hashes as fields of documents |
//! | `named.rs` | enums whose values have one name each |

mod error;
pub(crate) mod hash;
mod named;

use axilog::hash::{Hash, sha256};
use axilog::json::canonical::is_canonical_json;
use axilog_ledger::jcs;
use serde::de::{Deserialize, DeserializeOwned};
use serde::ser::Serialize;
use serde_json::Value;

pub use error::{DocumentError, excerpt};
pub(crate) use named::named_enum;

/// The JSON value of a document.
#[must_use]
pub fn to_value(document: &impl Serialize) -> Value {
    // A document is made of texts, integers and JSON values under names that are texts: it has one.
    serde_json::to_value(document).unwrap_or_default()
}

/// The canonical form of a document.
#[must_use]
pub fn to_text(document: &impl Serialize) -> String {
    // As in `to_value`.
    let json = serde_json::to_vec(document).unwrap_or_default();
    String::from_utf8(jcs::canonicalize(&json).unwrap_or_default()).unwrap_or_default()
}

/// The canonical form of a document, and a line feed.
#[must_use]
pub fn to_line(document: &impl Serialize) -> Vec<u8> {
    let mut line = to_text(document).into_bytes();
    line.push(b'\n');
    line
}

/// SHA-256 of the canonical form of a document.
#[must_use]
pub fn hash_document(document: &impl Serialize) -> Hash {
    sha256(to_text(document).as_bytes())
}

/// Reads a document from its canonical form.
///
/// # Errors
/// [`DocumentError`] for the first place where `bytes` are not what [`to_text`] writes.
pub fn read<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, DocumentError> {
    decode(&parse_canonical(bytes)?, bytes)
}

/// Reads a document from its JSON value.
///
/// # Errors
/// [`DocumentError`] for the first place where `value` is not what [`to_value`] gives.
pub fn from_value<T: Serialize + DeserializeOwned>(value: &Value) -> Result<T, DocumentError> {
    decode(value, to_text(value).as_bytes())
}

/// Reads a document from its JSON value, whose canonical form is given too.
fn decode<T: Serialize + DeserializeOwned>(
    value: &Value,
    canonical: &[u8],
) -> Result<T, DocumentError> {
    let read: T = serde_path_to_error::deserialize(value)
        .map_err(|error| DocumentError::from_serde(value, &error))?;
    // Serde takes an array for an object and nothing for null; a document has one form only.
    if to_text(&read).as_bytes() == canonical {
        Ok(read)
    } else {
        Err(DocumentError::first_difference(value, &to_value(&read)))
    }
}

/// Reads the JSON value whose canonical form is `bytes`.
///
/// # Errors
/// [`DocumentError`] where `bytes` are not JSON in canonical form.
pub fn parse_canonical(bytes: &[u8]) -> Result<Value, DocumentError> {
    let refused =
        |found: String| DocumentError::new(found, "a JSON value in canonical form (RFC 8785)");
    if !is_canonical_json(bytes) {
        return Err(refused(match jcs::canonicalize(bytes) {
            Ok(_) => "another form of one".to_owned(),
            Err(error) => format!("at byte {} something {}", error.offset, error.reason),
        }));
    }
    // 128 levels may be canonical, one more than serde_json reads by itself.
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader).map_err(|error| refused(error.to_string()))
}
