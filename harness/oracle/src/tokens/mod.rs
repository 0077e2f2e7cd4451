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
//! | `named_tokenizer.rs` | the tokenizer that somebody names |
//! | `model_tokenizer.rs` | which tokenizer is a model's own |
//! | `recorded_tokenizer.rs` | the tokenizer of an earlier run, by its digest |
//! | `version_digest.rs` | the digest of a tokenizer's file, in its version |
//! | `vocabularies.rs` | the names of their vocabularies |
//! | `tokenizer_json.rs` | a `tokenizer.json` as Hugging Face publishes them; with the feature `tokenizer-json` |
//! | `server.rs` | the tokenizer of a server; with the feature `asking` |
//! | `error.rs` | the errors |

mod error;
mod model_tokenizer;
mod named_tokenizer;
mod recorded_tokenizer;
#[cfg(feature = "asking")]
mod server;
mod tiktoken;
mod tokenizer;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
mod version_digest;
mod vocabularies;

pub use error::TokenError;
pub use model_tokenizer::{check_model_tokenizer, open_model_tokenizer};
pub use named_tokenizer::open_tokenizer;
pub use recorded_tokenizer::open_recorded_tokenizer;
#[cfg(feature = "asking")]
pub use server::ServerTokenizer;
pub use tiktoken::Tiktoken;
pub use tokenizer::Tokenizer;
#[cfg(feature = "tokenizer-json")]
pub use tokenizer_json::TokenizerJson;
pub use version_digest::digest_in_version;
