//! The tokenizer with which something was counted before, opened again.
//!
//! A run records the id and the version of its tokenizer. Of one that a file describes the version ends in the
//! file's digest, so that the file can lie anywhere, and no other file takes its place.

use std::path::Path;

use super::error::TokenError;
#[cfg(not(feature = "tokenizer-json"))]
use super::named_tokenizer::cannot_read;
use super::named_tokenizer::open_tokenizer;
use super::tokenizer::Tokenizer;
#[cfg(feature = "tokenizer-json")]
use super::tokenizer_json::TokenizerJson;
use super::version_digest::digest_in_version;

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
