//! Counting tokens: estimated from words, or by a model's tokenizer (A2.2).

use super::error::BundleError;

/// A counter of tokens.
pub trait PromptTokenCounter {
    /// Counts the tokens of `text`.
    ///
    /// # Errors
    /// [`BundleError::Tokens`] where the tokenizer gives up.
    fn count(&self, text: &str) -> Result<u64, BundleError>;

    /// The name of the counter in reports.
    fn name(&self) -> &str;
}

/// The estimate of A2.2: 1.3 tokens per word, rounded down. Words are what Unicode white space
/// separates.
#[derive(Clone, Copy, Debug)]
pub struct WordEstimate;

impl PromptTokenCounter for WordEstimate {
    fn count(&self, text: &str) -> Result<u64, BundleError> {
        let words = text.split_whitespace().count() as u64;
        Ok(words.saturating_mul(13) / 10)
    }

    fn name(&self) -> &str {
        "words"
    }
}
