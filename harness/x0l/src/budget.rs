//! B1, for a cycle, and B2, for a session, before a cycle is asked (Q11 to Q13, Q48b, Q58; C1, C3, C5, D5).
//!
//! What a prompt costs is known for certain only when the answer's `usage` is there, or where the
//! model's own tokenizer is on this machine. Else it is bounded: a token is at least one byte of UTF-8,
//! and no vocabulary known to us has one of more than `LONGEST_TOKEN` bytes. Determinism: D1.

use super::log::Frozen;
use super::template::Prompt;

/// The longest token that is reckoned with, in bytes.
const LONGEST_TOKEN: u64 = 128;

/// What servers put around two messages, at most, in tokens.
const FRAME: u64 = 32;

/// What a prompt may cost, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptTokens {
    /// So many are certain.
    pub at_least: u64,
    /// More are not possible.
    pub at_most: u64,
}

impl PromptTokens {
    /// What can be said without a tokenizer.
    #[must_use]
    pub fn of_bytes(prompt: &Prompt) -> PromptTokens {
        let bytes = (prompt.system.len() as u64).saturating_add(prompt.user.len() as u64);
        PromptTokens {
            at_least: bytes / LONGEST_TOKEN,
            at_most: bytes.saturating_add(FRAME),
        }
    }

    /// What a tokenizer has counted.
    #[must_use]
    pub fn counted(tokens: u64) -> PromptTokens {
        PromptTokens {
            at_least: tokens,
            at_most: tokens,
        }
    }
}

/// What a session may cost, and what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens per cycle, prompt and answer together.
    pub b1: u64,
    /// Tokens per session.
    pub b2: u64,
    /// The most tokens of an answer.
    pub max_tokens: u64,
    /// What the session has cost so far.
    pub spent: u64,
}

impl Budget {
    /// That of a session which has cost nothing yet.
    #[must_use]
    pub fn of(frozen: &Frozen) -> Budget {
        Budget {
            b1: frozen.b1,
            b2: frozen.b2,
            max_tokens: frozen.max_tokens,
            spent: 0,
        }
    }

    /// Whether a prompt alone breaks B1: it is not sent, and the kernel refuses the cycle.
    #[must_use]
    pub fn is_too_long(&self, prompt: PromptTokens) -> bool {
        prompt.at_least > self.b1
    }

    /// The most that a cycle with this prompt can cost.
    #[must_use]
    pub fn worst_case(&self, prompt: PromptTokens) -> u64 {
        prompt.at_most.saturating_add(self.max_tokens)
    }

    /// Whether a cycle with this prompt could take the session over B2: it is not executed.
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
        let exactly = PromptTokens::counted(100);
        assert!(!budget.is_too_long(exactly) && !budget.is_exhausted(exactly));
        let more = PromptTokens::counted(101);
        assert!(budget.is_too_long(more) && budget.is_exhausted(more));
        let huge = PromptTokens::counted(u64::MAX);
        assert!(budget.is_too_long(huge) && budget.is_exhausted(huge));
    }

    /// A prompt whose length may or may not break B1 is sent; one that may break B2 is not.
    #[test]
    fn bytes_bound_tokens_from_both_sides() {
        let prompt = Prompt {
            system: "é".repeat(500),
            user: "x".repeat(280),
        };
        let tokens = PromptTokens::of_bytes(&prompt);
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
                let counted = Tiktoken::named(name).unwrap().count_chat(&chat).unwrap();
                assert!(
                    (tokens.at_least..=tokens.at_most).contains(&counted),
                    "{name}"
                );
            }
        }
    }
}
