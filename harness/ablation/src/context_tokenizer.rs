//! The tokens of a text in its place in a prompt.
//!
//! A text may have other tokens alone than after other text. Llama 2's tokenizer and its like put a space before
//! whatever they are given: alone, every part of a prompt would have that space, and in the prompt only the first part
//! has it. So a part is split after the marker that opens the prompt.

use std::sync::Arc;

use axilog_oracle::tokens::{TokenError, Tokenizer};

use super::prompt::HEAD;

/// A model's tokenizer, which splits texts as they stand in a prompt.
#[derive(Clone, Debug)]
pub struct ContextTokenizer {
    tokenizer: Arc<dyn Tokenizer>,
    head_tokens: Vec<u32>,
}

impl ContextTokenizer {
    /// Prepares a tokenizer for the texts of prompts.
    ///
    /// # Errors
    /// [`TokenError::Uncountable`].
    pub fn new(tokenizer: Arc<dyn Tokenizer>) -> Result<ContextTokenizer, TokenError> {
        let head_tokens = tokenizer.encode(HEAD)?;
        Ok(ContextTokenizer {
            tokenizer,
            head_tokens,
        })
    }

    /// The tokenizer, which splits texts as if nothing stood around them.
    #[must_use]
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        &*self.tokenizer
    }

    /// The tokens of [`HEAD`], with which a prompt begins.
    #[must_use]
    pub fn head_tokens(&self) -> &[u32] {
        &self.head_tokens
    }

    /// Splits `text` into the tokens that it has after [`HEAD`]. `None` where it has none of its own, because it
    /// changes the tokens of [`HEAD`].
    ///
    /// # Errors
    /// [`TokenError::Uncountable`].
    pub fn encode_behind_head(&self, text: &str) -> Result<Option<Vec<u32>>, TokenError> {
        let mut tokens = self.tokenizer.encode(&format!("{HEAD}{text}"))?;
        Ok(tokens
            .starts_with(&self.head_tokens)
            .then(|| tokens.split_off(self.head_tokens.len())))
    }
}
