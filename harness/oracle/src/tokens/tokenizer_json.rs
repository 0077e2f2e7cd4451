//! A `tokenizer.json`, as Hugging Face publishes the tokenizers of most other models.

use std::fmt;
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::input_file::read_input;

use super::error::TokenError;
use super::tokenizer::Tokenizer;

/// The version of the code that applies the file.
const VERSION: &str = "tokenizers 0.22.2";

/// The longest file that is read.
const MAX_BYTES: u64 = 256 << 20;

/// A tokenizer that a file describes.
pub struct TokenizerJson {
    path: String,
    version: String,
    tokenizer: tokenizers::Tokenizer,
}

impl TokenizerJson {
    /// Reads a file. The path becomes the id, and the file's digest a part of the version.
    ///
    /// # Errors
    /// [`TokenError::File`].
    pub fn read(path: &Path) -> Result<TokenizerJson, TokenError> {
        let file_error = |reason: String| TokenError::File {
            path: path.to_owned(),
            reason,
        };
        let bytes = read_input(path, "read", MAX_BYTES).map_err(|error| match error {
            FileError::Io { source, .. } => file_error(format!("cannot read: {source}")),
            FileError::TooLong { limit, .. } => file_error(format!("is longer than {limit} bytes")),
            error => file_error(error.to_string()),
        })?;
        let mut tokenizer = tokenizers::Tokenizer::from_bytes(&bytes)
            .map_err(|error| file_error(format!("is not a tokenizer.json: {error}")))?;
        // A file's settings for batches of training text would cut or pad the text.
        tokenizer
            .with_truncation(None)
            .map_err(|error| file_error(error.to_string()))?
            .with_padding(None);
        // Text that looks like a control token is split like any other.
        tokenizer.set_encode_special_tokens(true);
        Ok(TokenizerJson {
            path: path.to_string_lossy().into_owned(),
            version: format!("{VERSION}, sha256 {}", hex(&sha256(&bytes))),
            tokenizer,
        })
    }
}

impl Tokenizer for TokenizerJson {
    fn id(&self) -> &str {
        &self.path
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, TokenError> {
        match self.tokenizer.encode_fast(text, false) {
            Ok(encoding) => Ok(encoding.get_ids().to_vec()),
            Err(error) => Err(TokenError::Uncountable {
                bytes: text.len(),
                reason: error.to_string(),
            }),
        }
    }
}

impl fmt::Debug for TokenizerJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenizerJson({}, {})", self.path, self.version)
    }
}
