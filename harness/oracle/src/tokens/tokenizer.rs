//! The trait of all tokenizers.

use std::fmt;

use super::error::TokenError;

/// A tokenizer, which splits text into a model's tokens. Under one id and version, equal texts give equal
/// tokens.
pub trait Tokenizer: fmt::Debug + Send + Sync {
    /// The name of the vocabulary, like `o200k_base`.
    fn id(&self) -> &str;

    /// The version of the vocabulary and the code. Runs record it beside the id.
    fn version(&self) -> &str;

    /// The bytes of the file that describes the tokenizer; `None` for a vocabulary that is built in. A run keeps a
    /// copy of them, so that it can be replayed where the file is gone: [`open_recorded_tokenizer`] opens the copy.
    ///
    /// [`open_recorded_tokenizer`]: super::open_recorded_tokenizer
    fn file_bytes(&self) -> Option<&[u8]> {
        None
    }

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
