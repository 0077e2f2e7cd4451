//! The token limits B1, of a cycle, and B2, of a session, checked before a call (Q11 to Q13, Q48b, Q58;
//! C1, C3, C5, D5).
//!
//! What a prompt costs is known for certain only when the answer's `usage` is there, or where the
//! model's own tokenizer is on this machine. Else it is bounded: a token is at least one byte of UTF-8,
//! and no vocabulary known to us has one of more than `LONGEST_TOKEN` bytes. Determinism: D1.

use super::log::FrozenSettings;
use super::template::CyclePrompt;

/// The length of the longest token of any known vocabulary, in bytes.
const LONGEST_TOKEN: u64 = 128;

/// The most tokens that servers add to two messages.
const FRAME: u64 = 32;

/// The bounds of what a prompt costs, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptTokens {
    /// The least number of tokens.
    pub at_least: u64,
    /// The greatest number of tokens.
    pub at_most: u64,
}

impl PromptTokens {
    /// Estimates the tokens of a prompt from its length, without a tokenizer.
    #[must_use]
    pub fn estimate(prompt: &CyclePrompt) -> PromptTokens {
        let bytes = (prompt.system.len() as u64).saturating_add(prompt.user.len() as u64);
        PromptTokens {
            at_least: bytes / LONGEST_TOKEN,
            at_most: bytes.saturating_add(FRAME),
        }
    }

    /// The tokens that a tokenizer has counted, as both bounds.
    #[must_use]
    pub fn exact(tokens: u64) -> PromptTokens {
        PromptTokens {
            at_least: tokens,
            at_most: tokens,
        }
    }
}

/// The token limits of a session, and what it has spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The limit B1: tokens per cycle, prompt and answer together.
    pub b1: u64,
    /// The limit B2: tokens per session.
    pub b2: u64,
    /// The most tokens of an answer.
    pub max_tokens: u64,
    /// The tokens spent so far.
    pub spent: u64,
}

impl Budget {
    /// The budget of a session that has spent nothing yet.
    #[must_use]
    pub fn new(frozen: &FrozenSettings) -> Budget {
        Budget {
            b1: frozen.b1,
            b2: frozen.b2,
            max_tokens: frozen.max_tokens,
            spent: 0,
        }
    }

    /// Whether a prompt alone exceeds B1. Such a prompt is not sent, and the kernel refuses the cycle.
    #[must_use]
    pub fn is_too_long(&self, prompt: PromptTokens) -> bool {
        prompt.at_least > self.b1
    }

    /// The most that a cycle with this prompt can cost.
    #[must_use]
    pub fn worst_case(&self, prompt: PromptTokens) -> u64 {
        prompt.at_most.saturating_add(self.max_tokens)
    }

    /// Whether a cycle with this prompt could exceed B2. Such a cycle is not executed.
    #[must_use]
    pub fn is_exhausted(&self, prompt: PromptTokens) -> bool {
        self.spent.saturating_add(self.worst_case(prompt)) > self.b2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_themselves_pass() {
        let budget = Budget {
            b1: 100,
            b2: 1000,
            max_tokens: 50,
            spent: 850,
        };
        let exactly = PromptTokens::exact(100);
        assert!(!budget.is_too_long(exactly) && !budget.is_exhausted(exactly));
        let more = PromptTokens::exact(101);
        assert!(budget.is_too_long(more) && budget.is_exhausted(more));
        let huge = PromptTokens::exact(u64::MAX);
        assert!(budget.is_too_long(huge) && budget.is_exhausted(huge));
    }

    /// A prompt whose length may or may not break B1 is sent; one that may break B2 is not.
    #[test]
    fn bytes_bound_tokens_from_both_sides() {
        let prompt = CyclePrompt {
            system: "é".repeat(500),
            user: "x".repeat(280),
        };
        let tokens = PromptTokens::estimate(&prompt);
        assert_eq!((tokens.at_least, tokens.at_most), (10, 1312));
        let budget = Budget {
            b1: 10,
            b2: 1361,
            max_tokens: 50,
            spent: 0,
        };
        assert!(!budget.is_too_long(tokens) && budget.is_exhausted(tokens));
        {
            use axilog_oracle::tokens::{Tiktoken, Tokenizer};
            let chat = [
                ("system", prompt.system.as_str()),
                ("user", prompt.user.as_str()),
            ];
            for name in ["cl100k_base", "o200k_base", "gpt2"] {
                let counted = Tiktoken::for_name(name).unwrap().count_chat(&chat).unwrap();
                assert!(
                    (tokens.at_least..=tokens.at_most).contains(&counted),
                    "{name}"
                );
            }
        }
    }
}
