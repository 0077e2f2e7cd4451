//! How many tokens a text is: estimated from its words, or counted by a real tokenizer (A2.2).

use super::BundleError;

/// Something that says how many tokens a text is.
pub trait TokenCount {
    /// How many tokens `text` is.
    ///
    /// # Errors
    /// Where it cannot say.
    fn count(&self, text: &str) -> Result<u64, BundleError>;

    /// What reports call it.
    fn name(&self) -> &str;
}

/// The estimate of A2.2: 1.3 tokens per word, rounded down. Words are what Unicode white space
/// separates.
#[derive(Clone, Copy, Debug)]
pub struct WordEstimate;

impl TokenCount for WordEstimate {
    fn count(&self, text: &str) -> Result<u64, BundleError> {
        let words = text.split_whitespace().count() as u64;
        Ok(words.saturating_mul(13) / 10)
    }

    fn name(&self) -> &str {
        "words"
    }
}

impl TokenCount for axilog_oracle::tokens::Tiktoken {
    fn count(&self, text: &str) -> Result<u64, BundleError> {
        Ok(axilog_oracle::tokens::Tokenizer::count(self, text)?)
    }

    fn name(&self) -> &str {
        axilog_oracle::tokens::Tokenizer::id(self)
    }
}
