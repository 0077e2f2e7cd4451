//! From a model's raw text to one JSON object, before anything parses it.
//!
//! X-0L, binding answers A1 to A7: line ends and outer white space are normalised, exactly one
//! top-level JSON object is found, and everything else is rejected with a reason. Nothing is guessed,
//! repaired or chosen, nothing inside the text is touched, and no object inside broken structure comes out.
//! Pure functions, no I/O, time linear in the text. Determinism: D1.
//!
//! | file | what it holds |
//! |---|---|
//! | `extract.rs` | where the objects are |
//! | `value.rs` | where the valid JSON value ends that begins at a place |
//! | `frozen.rs` | the two hashes by which a session pins this module |

mod extract;
mod frozen;
mod value;

use std::borrow::Cow;

use axilog::hash::{Hash, sha256};
use serde_json::Value;

use crate::jcs;

pub use frozen::{SELF_TEST_HASH, SOURCE_HASH, self_test_hash};

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It holds exactly one valid top-level JSON object.
    Ok,
    /// It holds no top-level JSON object, and nothing else that carries structure.
    NoJson,
    /// It holds more than one valid top-level JSON object.
    AmbiguousMultiBlock,
    /// Some of it carries structure and is not valid JSON, whatever else there is.
    ParseError,
}

impl Status {
    /// As it is written in logs and handed to the kernel.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "OK",
            Status::NoJson => "NO_JSON",
            Status::AmbiguousMultiBlock => "AMBIGUOUS_MULTI_BLOCK",
            Status::ParseError => "PARSE_ERROR",
        }
    }
}

/// The one object of an accepted text.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Exactly as it stands in the normalised text.
    pub text: String,
    /// Its canonical form (RFC 8785).
    pub canonical: String,
    /// SHA-256 of the canonical form: the `canonicalized_hash`.
    pub hash: Hash,
    /// The canonical form, parsed.
    pub value: Value,
}

/// A text, canonicalized.
#[derive(Clone, Debug, PartialEq)]
pub struct Canonicalized {
    /// SHA-256 of the raw UTF-8, before normalisation.
    pub raw_hash: Hash,
    /// The normalised text.
    pub text: String,
    /// The object, or why there is none.
    pub block: Result<Block, Status>,
}

impl Canonicalized {
    /// What became of the text.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.block {
            Ok(_) => Status::Ok,
            Err(status) => *status,
        }
    }
}

/// Canonicalizes a model's raw text.
#[must_use]
pub fn canonicalize(raw: &str) -> Canonicalized {
    let text = normalize_text(raw).into_owned();
    let block = extract_json_block(&text).and_then(block);
    Canonicalized {
        raw_hash: sha256(raw.as_bytes()),
        text,
        block,
    }
}

/// CRLF and CR become LF, and white space (as Unicode knows it) around the whole text is left out.
/// Inside the text nothing changes (Q59): no collapsing, no normalisation form.
#[must_use]
pub fn normalize_text(raw: &str) -> Cow<'_, str> {
    let trimmed = raw.trim();
    if trimmed.contains('\r') {
        Cow::Owned(trimmed.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// The one valid top-level JSON object in `text`, exactly as it stands there.
///
/// # Errors
/// The reason of the rejection, never [`Status::Ok`]: structure that is not valid JSON is a
/// [`Status::ParseError`] whatever else there is; then more than one object is
/// [`Status::AmbiguousMultiBlock`].
pub fn extract_json_block(text: &str) -> Result<&str, Status> {
    let objects = extract::find_objects(text).ok_or(Status::ParseError)?;
    match (objects.first, objects.count) {
        (None, _) => Err(Status::NoJson),
        (Some(object), 1) => Ok(object),
        (Some(_), _) => Err(Status::AmbiguousMultiBlock),
    }
}

fn block(text: &str) -> Result<Block, Status> {
    let canonical = jcs::canonical(text.as_bytes())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or(Status::ParseError)?;
    // Depth is at most 128 here, one more than serde_json reads by itself.
    let mut reader = serde_json::Deserializer::from_str(&canonical);
    reader.disable_recursion_limit();
    let value = reader
        .into_iter()
        .next()
        .and_then(Result::ok)
        .ok_or(Status::ParseError)?;
    Ok(Block {
        text: text.to_owned(),
        hash: sha256(canonical.as_bytes()),
        canonical,
        value,
    })
}
