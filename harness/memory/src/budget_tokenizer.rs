//! The tokenizer that counts a budget.

use std::fmt;

use axilog_oracle::tokens::{Tiktoken, Tokenizer};

use crate::error::{MemoryError, Result};

/// A tokenizer that counts budgets, by its vocabulary and version: one of OpenAI's vocabularies, which are built in, so that
/// it counts alike on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetTokenizer {
    id: String,
    version: String,
}

impl BudgetTokenizer {
    /// The tokenizer of a vocabulary: `o200k_base`, `cl100k_base` and others, as this build has it.
    ///
    /// # Errors
    /// [`MemoryError::Tokens`] where there is no such vocabulary.
    pub fn new(name: &str) -> Result<BudgetTokenizer> {
        let tokenizer = Tiktoken::for_name(name)?;
        Ok(BudgetTokenizer {
            id: tokenizer.id().to_owned(),
            version: tokenizer.version().to_owned(),
        })
    }

    /// The tokenizer of a record, which this build need not have.
    pub(crate) fn from_record(text: &str) -> Option<BudgetTokenizer> {
        let (id, version) = text.split_once(", ")?;
        Some(BudgetTokenizer {
            id: id.to_owned(),
            version: version.to_owned(),
        })
    }

    /// Opens the tokenizer, in its version.
    pub(crate) fn open(&self) -> Result<Tiktoken> {
        let found = BudgetTokenizer::new(&self.id)?;
        if *self != found {
            return Err(MemoryError::OtherTokenizer {
                expected: self.to_string(),
                found: found.to_string(),
            });
        }
        Ok(Tiktoken::for_name(&self.id)?)
    }
}

impl fmt::Display for BudgetTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.id, self.version)
    }
}
