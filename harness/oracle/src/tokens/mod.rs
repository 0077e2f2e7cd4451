//! Counting the tokens of a text for a model.
//!
//! X-0L budgets (Q11, B1 and B2) and the constant prompt length of the ablation harness count in the
//! model's own tokens. Nothing is downloaded. A text never holds control tokens: `<|endoftext|>` in an answer
//! counts as a few ordinary tokens. Determinism: D1.
//!
//! | file | what it holds |
//! |---|---|
//! | `tiktoken.rs` | the vocabularies of OpenAI's models |
//! | `tokenizer_json.rs` | a `tokenizer.json` as Hugging Face publishes them; with the feature `tokenizer-json` |

mod tiktoken;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;

use std::fmt;
use std::path::{Path, PathBuf};

pub use tiktoken::Tiktoken;
#[cfg(feature = "tokenizer-json")]
pub use tokenizer_json::TokenizerJson;

/// A tokenizer, which splits text into a model's tokens. Under one id and version, equal texts give equal
/// tokens.
pub trait Tokenizer: fmt::Debug + Send + Sync {
    /// The name of the vocabulary, like `o200k_base`.
    fn id(&self) -> &str;

    /// The version of the vocabulary and the code. Runs record it beside the id.
    fn version(&self) -> &str;

    /// Splits `text` into tokens, none of which is a control token.
    ///
    /// # Errors
    /// [`TokenError::Uncountable`].
    fn encode(&self, text: &str) -> Result<Vec<u32>, TokenError>;

    /// Counts the tokens of `text`.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    fn count(&self, text: &str) -> Result<u64, TokenError> {
        self.encode(text).map(|tokens| tokens.len() as u64)
    }

    /// Counts the prompt tokens of a chat, whose messages are pairs of role and content. As OpenAI's chat models
    /// count, the frame of each message adds 3 tokens, and the opening of the answer 3. Other providers may
    /// count otherwise; the `usage` in the answer is decisive.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    fn count_chat(&self, messages: &[(&str, &str)]) -> Result<u64, TokenError> {
        let mut tokens = 3;
        for (role, content) in messages {
            tokens += 3 + self.count(role)? + self.count(content)?;
        }
        Ok(tokens)
    }
}

/// The reason why tokens cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The vocabulary of the model is not known.
    #[error(
        "the tokenizer of the model {0:?} is not known, and none is guessed; name it with --tokenizer ({names})",
        names = tiktoken::names()
    )]
    UnknownModel(String),

    /// The name is not that of a vocabulary.
    #[error("there is no tokenizer {0:?}; --tokenizer takes one of {names}, or the path of a tokenizer.json", names = tiktoken::names())]
    UnknownTokenizer(String),

    /// The file is no tokenizer, or this build reads no such files.
    #[error("{path}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason, and what to do.
        reason: String,
    },

    /// The tokenizer could not split the text.
    #[error("{bytes} bytes of text cannot be split into tokens: {reason}")]
    Uncountable {
        /// The length of the text in bytes.
        bytes: usize,
        /// The tokenizer's error.
        reason: String,
    },
}

/// Opens the tokenizer that `--tokenizer` names: a vocabulary of OpenAI's models by its name, or a
/// `tokenizer.json` by its path, which ends in `.json`.
///
/// # Errors
/// [`TokenError::UnknownTokenizer`], [`TokenError::File`].
pub fn open(name: &str) -> Result<Box<dyn Tokenizer>, TokenError> {
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "json") {
        return Ok(Box::new(Tiktoken::named(name)?));
    }
    #[cfg(feature = "tokenizer-json")]
    return Ok(Box::new(TokenizerJson::read(path)?));
    #[cfg(not(feature = "tokenizer-json"))]
    Err(TokenError::File {
        path: path.to_owned(),
        reason: "this build reads no tokenizer.json; build axilog with \
                 `cargo build --release -p axilog-harness --features tokenizer-json`"
            .to_owned(),
    })
}
