//! The tokenizer that somebody names: a vocabulary, or a file.

use std::path::Path;

use super::error::TokenError;
use super::tiktoken::Tiktoken;
use super::tokenizer::Tokenizer;
#[cfg(feature = "tokenizer-json")]
use super::tokenizer_json::TokenizerJson;

/// Opens the tokenizer that `--tokenizer` names: a vocabulary of OpenAI's models by its name, or a
/// `tokenizer.json` by its path, which ends in `.json`.
///
/// # Errors
/// [`TokenError::UnknownTokenizer`], [`TokenError::File`].
pub fn open_tokenizer(name: &str) -> Result<Box<dyn Tokenizer>, TokenError> {
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "json") {
        return Ok(Box::new(Tiktoken::for_name(name)?));
    }
    #[cfg(feature = "tokenizer-json")]
    return Ok(Box::new(TokenizerJson::read(path)?));
    #[cfg(not(feature = "tokenizer-json"))]
    Err(cannot_read(path))
}

/// The error of a build without the feature `tokenizer-json`.
#[cfg(not(feature = "tokenizer-json"))]
pub(super) fn cannot_read(path: &Path) -> TokenError {
    TokenError::File {
        path: path.to_owned(),
        reason: "this build reads no tokenizer.json; build axilog with \
                 `cargo build --release -p axilog-harness --features tokenizer-json`"
            .to_owned(),
    }
}
