//! Counting the tokens of a text for a model.
//!
//! X-0L budgets (Q11, B1 and B2) and the constant prompt length of the ablation harness count in the
//! model's own tokens. Nothing is downloaded. A text never holds control tokens: `<|endoftext|>` in an answer
//! counts as a few ordinary tokens. Determinism: D1.
//!
//! | file | what it holds |
//! |---|---|
//! | `tokenizer.rs` | the trait [`Tokenizer`] |
//! | `tiktoken.rs` | the tokenizers of OpenAI's models |
//! | `model_tokenizer.rs` | which tokenizer is a model's own |
//! | `recorded_tokenizer.rs` | the tokenizer of an earlier run, by its digest |
//! | `vocabularies.rs` | the names of their vocabularies |
//! | `tokenizer_json.rs` | a `tokenizer.json` as Hugging Face publishes them; with the feature `tokenizer-json` |
//! | `server.rs` | the tokenizer of a server |
//! | `error.rs` | the errors |

mod error;
mod model_tokenizer;
mod recorded_tokenizer;
mod server;
mod tiktoken;
mod tokenizer;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
mod vocabularies;

use std::path::Path;

pub use error::TokenError;
pub use model_tokenizer::{check_model_tokenizer, open_model_tokenizer};
pub use recorded_tokenizer::{digest_in_version, open_recorded_tokenizer};
pub use server::ServerTokenizer;
pub use tiktoken::Tiktoken;
pub use tokenizer::Tokenizer;
#[cfg(feature = "tokenizer-json")]
pub use tokenizer_json::TokenizerJson;

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
fn cannot_read(path: &Path) -> TokenError {
    TokenError::File {
        path: path.to_owned(),
        reason: "this build reads no tokenizer.json; build axilog with \
                 `cargo build --release -p axilog-harness --features tokenizer-json`"
            .to_owned(),
    }
}
