//! A `tokenizer.json`, as Hugging Face publishes the tokenizers of most other models.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::input_file::read_input;
use serde::de::IgnoredAny;
use tokenizers::ModelWrapper;

use super::error::TokenError;
use super::tokenizer::Tokenizer;
use super::version_digest::version_with_digest;

/// The version of the code that applies the file.
const VERSION: &str = "tokenizers 0.22.2";

/// The longest file that is read.
const MAX_BYTES: u64 = 256 << 20;

/// A tokenizer that a file describes.
pub struct TokenizerJson {
    id: String,
    version: String,
    bytes: Vec<u8>,
    tokenizer: tokenizers::Tokenizer,
}

impl TokenizerJson {
    /// Reads a file. The path becomes the id, and the file's digest a part of the version.
    ///
    /// # Errors
    /// [`TokenError::File`].
    pub fn read(path: &Path) -> Result<TokenizerJson, TokenError> {
        TokenizerJson::parse(path, path.to_string_lossy().into_owned(), read_file(path)?)
    }

    /// Reads the copy at `path` of the file that a run knows as `id`, and whose SHA-256 is `digest`, in hexadecimal.
    /// The tokenizer has the id and the version of the original.
    ///
    /// # Errors
    /// [`TokenError::OtherFile`] where the copy has another digest; [`TokenError::File`].
    pub fn read_copy(path: &Path, id: &str, digest: &str) -> Result<TokenizerJson, TokenError> {
        let bytes = read_file(path)?;
        let found = hex(&sha256(&bytes));
        if found != digest {
            return Err(TokenError::OtherFile {
                path: path.to_owned(),
                found,
                expected: digest.to_owned(),
            });
        }
        TokenizerJson::parse(path, id.to_owned(), bytes)
    }

    fn parse(path: &Path, id: String, bytes: Vec<u8>) -> Result<TokenizerJson, TokenError> {
        let file_error = |reason: String| TokenError::File {
            path: path.to_owned(),
            reason,
        };
        let mut tokenizer = tokenizers::Tokenizer::from_bytes(&bytes)
            .map_err(|error| file_error(describe_unreadable(&bytes, &error.to_string())))?;
        if let ModelWrapper::BPE(model) = tokenizer.get_model()
            && let Some(dropout) = model.dropout.filter(|dropout| *dropout > 0.0)
        {
            return Err(file_error(format!(
                "leaves out a part of {dropout} of its merges at random (model.dropout), so that equal texts have \
                 other tokens each time; take the file that the model's server uses, or set dropout to null"
            )));
        }
        // A file's settings for batches of training text would cut or pad the text.
        tokenizer
            .with_truncation(None)
            .map_err(|error| file_error(error.to_string()))?
            .with_padding(None);
        // Text that looks like a control token is split like any other.
        tokenizer.set_encode_special_tokens(true);
        Ok(TokenizerJson {
            id,
            version: version_with_digest(VERSION, &hex(&sha256(&bytes))),
            bytes,
            tokenizer,
        })
    }
}

/// Says why bytes are not a `tokenizer.json`. The error of the package is that of its parser, which puts the lack of a
/// member down to the place where it looked for the next one.
fn describe_unreadable(bytes: &[u8], error: &str) -> String {
    let members: BTreeMap<String, IgnoredAny> = match serde_json::from_slice(bytes) {
        Ok(members) => members,
        Err(error) if error.is_syntax() || error.is_eof() => {
            return format!("is not a tokenizer.json: not JSON: {error}");
        }
        Err(error) => return format!("is not a tokenizer.json: {error}"),
    };
    if members.contains_key("model") {
        return format!("is a tokenizer.json that cannot be used: {error}");
    }
    let names: Vec<&str> = members.keys().map(String::as_str).take(8).collect();
    format!(
        "is not a tokenizer.json: found an object with the members {names:?}, expected `model` among them; \
         tokenizer_config.json, vocab.json and tekken.json are other files"
    )
}

/// Reads the bytes of a file.
fn read_file(path: &Path) -> Result<Vec<u8>, TokenError> {
    let file_error = |reason: String| TokenError::File {
        path: path.to_owned(),
        reason,
    };
    read_input(path, "read", MAX_BYTES).map_err(|error| match error {
        FileError::Io { source, .. } => file_error(format!("cannot read: {source}")),
        FileError::TooLong { limit, .. } => file_error(format!("is longer than {limit} bytes")),
        error => file_error(error.to_string()),
    })
}

impl Tokenizer for TokenizerJson {
    fn id(&self) -> &str {
        &self.id
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn file_bytes(&self) -> Option<&[u8]> {
        Some(&self.bytes)
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
        write!(f, "TokenizerJson({}, {})", self.id, self.version)
    }
}
