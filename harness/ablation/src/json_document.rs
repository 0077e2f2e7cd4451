//! JSON documents: canonical text out of typed values, and typed values out of files.

use std::path::Path;

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::jcs;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use super::error::AblationError;

/// Writes `value`, whose numbers are integers, as canonical JSON (RFC 8785).
#[must_use]
pub fn to_canonical_json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    let canonical = jcs::canonicalize(text.as_bytes()).unwrap_or_default();
    String::from_utf8(canonical).unwrap_or_default()
}

/// Reads the document `bytes`, which is the file at `path`. `kind` names the document with its article,
/// as in "not {kind}"; `hint` says what to do about a bad one.
///
/// # Errors
/// [`AblationError::Document`] with the member that is wrong, what it is and what it should be.
pub(crate) fn parse_document<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    kind: &str,
    hint: &str,
) -> Result<T, AblationError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        match error.path().iter().next() {
            Some(_) => format!("at `{}`: {}", error.path(), error.inner()),
            None => error.inner().to_string(),
        }
    });
    let whole = |value| {
        json.end()
            .map(|()| value)
            .map_err(|error| error.to_string())
    };
    parsed
        .and_then(whole)
        .map_err(|error| AblationError::Document {
            path: path.to_owned(),
            reason: format!("not {kind}: {error}; {hint}"),
        })
}

/// Writes `hash` in hexadecimal, for `#[serde(serialize_with)]`.
pub(crate) fn serialize_hex<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex(hash))
}
