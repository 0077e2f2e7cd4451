//! The tokenizer with which something was counted before, opened again.
//!
//! A run records the id and the version of its tokenizer. Of one that a file describes the version ends in the
//! file's digest, so that the file can lie anywhere, and no other file takes its place.

use std::path::Path;

#[cfg(not(feature = "tokenizer-json"))]
use super::cannot_read;
use super::error::TokenError;
use super::open_tokenizer;
use super::tokenizer::Tokenizer;
#[cfg(feature = "tokenizer-json")]
use super::tokenizer_json::TokenizerJson;

/// What stands in a version before the digest of the file.
const DIGEST: &str = ", sha256 ";

/// The version of a tokenizer that a file with this digest describes and `code` applies.
#[cfg(feature = "tokenizer-json")]
pub(super) fn version_with_digest(code: &str, digest: &str) -> String {
    format!("{code}{DIGEST}{digest}")
}

/// Finds the SHA-256 of the file that describes a tokenizer of this version, in hexadecimal. `None` for a vocabulary
/// that is built in.
#[must_use]
pub fn digest_in_version(version: &str) -> Option<&str> {
    version.split_once(DIGEST).map(|(_, digest)| digest)
}

/// Opens the tokenizer that was recorded with this id and version. A vocabulary that is built in is opened by its id.
/// One that a file describes is read from the file `copy`, or without one from the path that is its id, and its digest
/// must be the recorded one; it has the id that was recorded, wherever the file lies.
///
/// Whether this build applies the file with the code of the recorded version is not checked: compare
/// [`Tokenizer::version`].
///
/// # Errors
/// [`TokenError::OtherFile`] where the file has another digest; as [`open_tokenizer`].
pub fn open_recorded_tokenizer(
    id: &str,
    version: &str,
    copy: Option<&Path>,
) -> Result<Box<dyn Tokenizer>, TokenError> {
    let Some(digest) = digest_in_version(version) else {
        return open_tokenizer(id);
    };
    let path = copy.unwrap_or(Path::new(id));
    #[cfg(feature = "tokenizer-json")]
    return Ok(Box::new(TokenizerJson::read_copy(path, id, digest)?));
    #[cfg(not(feature = "tokenizer-json"))]
    {
        let _ = digest;
        Err(cannot_read(path))
    }
}
