//! The token limits B1, of a cycle, and B2, of a session, checked before a call (Q11 to Q13, Q48b, Q58;
//! C1, C3, C5, D5).
//!
//! What a prompt costs is known for certain only when the answer's `usage` is there, or where the
//! model's own tokenizer is on this machine. Else it is bounded. At the most, each byte of UTF-8 is a token. At
//! the least, each run of characters without white space is one, if a letter or digit is in it, and one more for
//! every `LONGEST_TOKEN` bytes that it is longer: no vocabulary known to us has a token that reaches over white
//! space from one word into the next, or one of more bytes. Determinism: D1.

use axilog_oracle::TokenUsage;

use super::condition::Condition;
use super::log::FrozenSettings;
use super::template::CyclePrompt;

/// The length of the longest token of any known vocabulary, in bytes.
const LONGEST_TOKEN: u64 = 128;

/// The most tokens that servers add to two messages: their frames, and what some templates say of their own.
const FRAME: u64 = 256;

/// The bytes of a token in prompts, in tenths. Over all prompts of the examples they are 36 to 38 under OpenAI's
/// vocabularies; fewer are assumed, so that the estimate is rather too high.
const TENTHS_OF_BYTES_PER_TOKEN: u64 = 35;

/// The bounds of what a prompt costs, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptTokens {
    /// The least number of tokens.
    pub at_least: u64,
    /// The number of tokens that is expected.
    pub expected: u64,
    /// The greatest number of tokens.
    pub at_most: u64,
}

impl PromptTokens {
    /// Estimates the tokens of a prompt from its text, without a tokenizer.
    #[must_use]
    pub fn estimate(prompt: &CyclePrompt) -> PromptTokens {
        let bytes = (prompt.system.len() as u64).saturating_add(prompt.user.len() as u64);
        let least = least_tokens(&prompt.system).saturating_add(least_tokens(&prompt.user));
        PromptTokens {
            at_least: least,
            expected: bytes
                .saturating_mul(10)
                .div_ceil(TENTHS_OF_BYTES_PER_TOKEN)
                .max(least),
            at_most: bytes.saturating_add(FRAME),
        }
    }

    /// The tokens that a tokenizer has counted, as all bounds.
    #[must_use]
    pub fn exact(tokens: u64) -> PromptTokens {
        PromptTokens {
            at_least: tokens,
            expected: tokens,
            at_most: tokens,
        }
    }
}

/// The least number of tokens that a text can have.
fn least_tokens(text: &str) -> u64 {
    let words = text.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphanumeric));
    words
        .map(|word| (word.len() as u64).div_ceil(LONGEST_TOKEN))
        .sum()
}

/// The tokens that an answer in a cycle of `condition` is expected to have on average, for the estimate of a
/// session: a proposal has about 100 to 150, a justification at length a thousand and more.
#[must_use]
pub fn expected_answer(condition: Condition) -> u64 {
    match condition {
        Condition::A | Condition::C => 192,
        Condition::B => 128,
        Condition::D => 1536,
        Condition::E => 512,
    }
}

/// Checks the tokens that an oracle reports against what is possible for the prompt and the answer (Q11).
///
/// # Errors
/// What is reported and what is possible, in words.
pub fn check_usage(
    prompt: PromptTokens,
    answer: &str,
    usage: TokenUsage,
    max_tokens: u64,
) -> Result<(), String> {
    let refuse = |what: &str, found: u64, least: u64, most: u64| {
        Err(format!(
            "the oracle reports {found} tokens for {what}, which has {least} to {most}: its usage cannot be trusted; count tokens on this machine with --count-tokens"
        ))
    };
    let PromptTokens {
        at_least, at_most, ..
    } = prompt;
    if !(at_least..=at_most).contains(&usage.prompt_tokens) {
        return refuse("the prompt", usage.prompt_tokens, at_least, at_most);
    }
    let least = least_tokens(answer).min(max_tokens);
    if !(least..=max_tokens).contains(&usage.completion_tokens) {
        return refuse("the answer", usage.completion_tokens, least, max_tokens);
    }
    Ok(())
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

/// The tokens that a server's own count of the messages' contents may have more than its `usage`: words at the
/// edge of a message may be split otherwise within the frame.
const COUNT_SLACK: u64 = 8;

/// The bounds of a prompt that the server's own tokenizer has counted, where the count puts it over B1 for sure; `None`
/// where it does not, and where the count is impossible.
#[must_use]
pub fn bound_by_count(estimate: PromptTokens, counted: u64, b1: u64) -> Option<PromptTokens> {
    let is_over = counted.saturating_sub(COUNT_SLACK) > b1 && counted <= estimate.at_most;
    is_over.then_some(PromptTokens {
        at_least: counted,
        ..estimate
    })
}

/// Checks the tokens that an oracle reports for a prompt against the count of the server's own tokenizer.
///
/// # Errors
/// What is reported and what was counted, in words.
pub fn check_against_count(reported: u64, counted: u64) -> Result<(), String> {
    if reported.saturating_add(COUNT_SLACK) >= counted {
        return Ok(());
    }
    Err(format!(
        "the oracle reports {reported} tokens for the prompt, and its own tokenizer counts {counted}: its usage cannot be trusted; count tokens on this machine with --count-tokens"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog_oracle::tokens::{Tiktoken, Tokenizer};

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
        assert_eq!((tokens.at_least, tokens.at_most), (8 + 3, 1280 + 256));
        let budget = Budget {
            b1: 11,
            b2: 1585,
            max_tokens: 50,
            spent: 0,
        };
        assert!(!budget.is_too_long(tokens) && budget.is_exhausted(tokens));
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

    /// Every vocabulary on this machine keeps to the bounds, and the estimate is close to what the examples take.
    #[test]
    fn vocabularies_keep_to_the_bounds() {
        use crate::kernel::{Constitution, KernelObservation};
        use crate::live::examples;
        let template = crate::template::Template::parse(crate::template::BASE).unwrap();
        let constitution = Constitution::parse(examples::CONSTITUTION).unwrap();
        let task = "Tell the operator that pump 1 reads 3.2 bar. It's \"idle\": see L-7/8.";
        let known = [
            KernelObservation::UserInput {
                text: task.to_owned(),
            },
            KernelObservation::Timestamp {
                time: 1_700_000_000,
            },
        ];
        let texts = [
            template.fill(&constitution, &known, task),
            CyclePrompt {
                system: "Ünïcödé naïve 日本語 テキスト  \t\n\n x\u{a0}y".to_owned(),
                user: format!(
                    "a{}b {} {}",
                    " ".repeat(300),
                    "_".repeat(300),
                    "ab".repeat(500)
                ),
            },
        ];
        for name in [
            "cl100k_base",
            "gpt2",
            "o200k_base",
            "o200k_harmony",
            "p50k_base",
            "r50k_base",
        ] {
            let tokenizer = Tiktoken::for_name(name).unwrap();
            for (index, prompt) in texts.iter().enumerate() {
                let bounds = PromptTokens::estimate(prompt);
                let counted = tokenizer.count(&prompt.system).unwrap()
                    + tokenizer.count(&prompt.user).unwrap();
                assert!(
                    (bounds.at_least..=bounds.at_most).contains(&counted),
                    "{name} {index}: {counted} {bounds:?}"
                );
                if index == 0 {
                    assert!(bounds.expected >= counted, "{name}: {counted} {bounds:?}");
                    assert!(
                        bounds.expected * 4 < counted * 5,
                        "{name}: {counted} {bounds:?}"
                    );
                    assert!(
                        bounds.at_least * 2 > counted,
                        "{name}: {counted} {bounds:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn impossible_usage_is_refused() {
        let prompt = CyclePrompt {
            system: "word ".repeat(800),
            user: "x".to_owned(),
        };
        let tokens = PromptTokens::estimate(&prompt);
        let check = |prompt_tokens, completion_tokens| {
            let usage = TokenUsage {
                prompt_tokens,
                completion_tokens,
            };
            check_usage(tokens, "Two words.", usage, 2048)
        };
        assert_eq!(check(801, 2), Ok(()));
        assert_eq!(check(4001 + 256, 2048), Ok(()));
        for (prompt, answer, reason) in [
            (0, 2, "reports 0 tokens for the prompt, which has 801 to"),
            (800, 2, "reports 800 tokens for the prompt"),
            (4258, 2, "reports 4258 tokens for the prompt"),
            (
                900,
                2049,
                "reports 2049 tokens for the answer, which has 2 to 2048",
            ),
            (900, 1, "reports 1 tokens for the answer"),
        ] {
            let error = check(prompt, answer).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
