//! Counting what a working set takes of its budget.

use axilog_oracle::tokens::{Tiktoken, Tokenizer};
use serde::Serialize;

use crate::budget_tokenizer::BudgetTokenizer;
use crate::canonical::CanonicalJson;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::policy;

/// How many bytes a handle takes in an array: its digits, quotes and a comma.
const HANDLE_BYTES: u64 = 67;

/// Bytes that the first revision of the rule counts as one token.
const BYTES_PER_TOKEN: u64 = 4;

/// A rule that counts a budget.
#[derive(Debug)]
pub(crate) enum BudgetCounter {
    /// Four bytes are a token, as in memories from before the rule's second revision.
    FourBytes,
    /// A byte is a token: no tokenizer that splits bytes counts more.
    Bytes,
    /// The tokens of a vocabulary.
    Vocabulary(Tiktoken),
}

impl BudgetCounter {
    /// The counter of a memory that pins the rule `pinned`.
    pub(crate) fn new(
        pinned: Option<&str>,
        tokenizer: Option<&BudgetTokenizer>,
    ) -> Result<BudgetCounter> {
        let revisions = policy::budget_rule()?;
        let counts_tokens = policy::is_second(revisions, pinned);
        Ok(match tokenizer {
            Some(tokenizer) if counts_tokens => BudgetCounter::Vocabulary(tokenizer.open()?),
            None if counts_tokens => BudgetCounter::Bytes,
            None => BudgetCounter::FourBytes,
            Some(tokenizer) => {
                let (from, to) = (pinned.unwrap_or("not there"), revisions[1]);
                let reason = format!(
                    "this memory counts 4 bytes as a token (the pin {} is {from}); append a REVISION of it to {to} first",
                    policy::BUDGET
                );
                let what = format!("the tokenizer {tokenizer}");
                return Err(MemoryError::refused(what, reason));
            }
        })
    }

    /// Whether the counter is of the second revision of the rule.
    pub(crate) fn counts_tokens(&self) -> bool {
        !matches!(self, BudgetCounter::FourBytes)
    }

    /// What a budget of so many tokens holds, in the counter's units.
    pub(crate) fn limit(&self, budget: u64) -> u64 {
        match self {
            BudgetCounter::FourBytes => budget.saturating_mul(BYTES_PER_TOKEN),
            BudgetCounter::Bytes | BudgetCounter::Vocabulary(_) => budget,
        }
    }

    /// Measures a text, in the counter's units.
    pub(crate) fn measure(&self, text: &str) -> Result<u64> {
        match self {
            BudgetCounter::FourBytes | BudgetCounter::Bytes => Ok(text.len() as u64),
            BudgetCounter::Vocabulary(vocabulary) => Ok(vocabulary.count(text)?),
        }
    }

    /// The tokens of so many units.
    pub(crate) fn to_tokens(&self, units: u64) -> u64 {
        match self {
            BudgetCounter::FourBytes => units.div_ceil(BYTES_PER_TOKEN),
            BudgetCounter::Bytes | BudgetCounter::Vocabulary(_) => units,
        }
    }
}

/// How much is left of a budget.
pub(crate) struct Room<'a> {
    counter: &'a BudgetCounter,
    left: u64,
}

impl Room<'_> {
    pub(crate) fn new(counter: &BudgetCounter, left: u64) -> Room<'_> {
        Room { counter, left }
    }

    /// How much is left, in the counter's units.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// What an item takes that comes with these handles.
    pub(crate) fn measure<'a>(
        &self,
        item: &impl Serialize,
        handles: impl IntoIterator<Item = &'a Handle>,
    ) -> Result<u64> {
        let item = CanonicalJson::from_document("an item", item)?;
        let mut needed = match self.counter {
            BudgetCounter::Vocabulary(_) => self.counter.measure(&format!("{},", item.text()))?,
            _ => item.bytes().len() as u64 + 1,
        };
        for handle in handles {
            needed += self.measure_handle(*handle)?;
        }
        Ok(needed)
    }

    /// What a handle takes in an array.
    pub(crate) fn measure_handle(&self, handle: Handle) -> Result<u64> {
        match self.counter {
            BudgetCounter::Vocabulary(_) => self.counter.measure(&format!("\"{handle}\",")),
            _ => Ok(HANDLE_BYTES),
        }
    }

    /// Takes what an item needs; false where it does not fit.
    pub(crate) fn take(&mut self, needed: u64) -> bool {
        let left = self.left.checked_sub(needed);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}
