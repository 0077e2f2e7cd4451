//! Sentinels: prompts with rich answers, which show whether a server still has the model that it had.
//!
//! A server is asked each sentinel twice before the first condition, between two conditions and after the last one, at
//! temperature 0. Where the two answers differ, the server is not steady, and other answers later show nothing. The calibration's answer is one that every obedient model gives; a story about a lighthouse is
//! another one from each model. The answers feed no cycle. Determinism: D1.

use axilog::evidence::observation::Params;
use axilog::hash::{Hash, sha256};
use axilog_oracle::Question;
use axilog_oracle::canonicalizer::normalize_text;

use super::template::CyclePrompt;

/// The oracle id of the sentinels in the ledger.
pub const ORACLE: &str = "llm.sentinel";

/// How often each sentinel is asked in a round, one time after the other.
pub const TIMES: usize = 2;

/// The most tokens of an answer: enough to tell models apart, and few enough for a slow server.
pub const MAX_TOKENS: i32 = 128;

const SYSTEM: &str = "You answer in plain text, without a preamble.";

const TASKS: [&str; 3] = [
    "Tell a story about the keeper of a lighthouse and a whale, in about eighty words.",
    "Name ten ships of your own invention, each with its home port, its captain and its cargo.",
    "Explain in about eighty words why the sky is blue at noon and red in the evening.",
];

/// The sentinels, in the order in which they are asked.
#[must_use]
pub fn prompts() -> [CyclePrompt; 3] {
    TASKS.map(|task| CyclePrompt {
        system: SYSTEM.to_owned(),
        user: task.to_owned(),
    })
}

/// Builds the question for a sentinel: temperature 0, no seed.
#[must_use]
pub fn build_question(model: &str, prompt: &CyclePrompt) -> Question {
    let params = Params {
        max_tokens: Some(MAX_TOKENS),
        temperature: Some(0),
        ..Params::NULL
    };
    Question::new(model, &prompt.system, &prompt.user, params)
}

/// What is compared of an answer: the SHA-256 of its text, but for line ends and outer white space (Q24).
#[must_use]
pub fn hash_answer(text: &str) -> Hash {
    sha256(normalize_text(text).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_outer_white_space_are_no_other_answer() {
        let hash = hash_answer("A keeper\nand a whale.");
        assert_eq!(hash_answer(" A keeper\r\nand a whale.\n"), hash);
        assert_ne!(hash_answer("A keeper\nand a whale!"), hash);
    }
}
