//! How many tokens a text is for a model.
//!
//! X-0L budgets (Q11, B1 and B2) and the constant prompt length of the ablation harness count in the
//! model's own tokens. Nothing is fetched. Text is always taken as text: `<|endoftext|>` in an answer is
//! a few ordinary tokens and no control token. Determinism: D1.
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

/// Splits text into a model's tokens. Equal texts give equal tokens under one id and version.
pub trait Tokenizer: fmt::Debug + Send + Sync {
    /// The name of the vocabulary, like `o200k_base`.
    fn id(&self) -> &str;

    /// Which version of vocabulary and code this is; runs record it beside the id.
    fn version(&self) -> &str;

    /// The tokens of `text`, control tokens never among them.
    ///
    /// # Errors
    /// [`TokenError::Uncountable`].
    fn encode(&self, text: &str) -> Result<Vec<u32>, TokenError>;

    /// How many tokens `text` is.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    fn count(&self, text: &str) -> Result<u64, TokenError> {
        self.encode(text).map(|tokens| tokens.len() as u64)
    }

    /// How many prompt tokens a chat of these messages is, each a role and its content: 3 for the
    /// frame of each message, and 3 that open the answer, as OpenAI's chat models count. Another
    /// provider may frame otherwise; `usage` in the answer has the last word.
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

/// Why there is no count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// No vocabulary is known to be this model's.
    #[error(
        "the tokenizer of the model {0:?} is not known, and none is guessed; name it with --tokenizer ({names})",
        names = tiktoken::names()
    )]
    UnknownModel(String),

    /// No vocabulary has this name.
    #[error("there is no tokenizer {0:?}; --tokenizer takes one of {names}, or the path of a tokenizer.json", names = tiktoken::names())]
    UnknownTokenizer(String),

    /// A file that is no tokenizer, or a build that reads none.
    #[error("{path}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },

    /// The tokenizer gave up.
    #[error("{bytes} bytes of text cannot be split into tokens: {reason}")]
    Uncountable {
        /// How long the text is.
        bytes: usize,
        /// What the tokenizer said.
        reason: String,
    },
}

/// The tokenizer that `--tokenizer` names: a vocabulary of OpenAI's models by its name, or a
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
