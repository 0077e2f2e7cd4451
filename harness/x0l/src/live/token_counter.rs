//! The counting of tokens: by the oracle, in the `usage` of each answer, or on this machine (Q11, Q35; C1).

use axilog_oracle::tokens::{Tiktoken, TokenError, Tokenizer, open_tokenizer};
use axilog_oracle::{ModelAnswer, TokenUsage};

use super::calibrate::MAX_TOKENS;
use super::error::LiveError;
use crate::budget::{PromptTokens, check_usage};
use crate::log::TokenSource;
use crate::template::CyclePrompt;

/// The reason of a session that ended since an answer came without its tokens.
const NO_USAGE: &str = "the oracle does not say what its answers cost (usage); count tokens on this machine with --count-tokens";

/// The source of token counts.
#[derive(Debug)]
pub enum TokenCounter {
    /// The oracle counts: the counts are the `usage` of its answers.
    Api,
    /// This machine counts, whatever the oracle reports.
    Local(Box<dyn Tokenizer>),
}

fn settings_error(error: TokenError) -> LiveError {
    LiveError::Settings(error.to_string())
}

impl TokenCounter {
    /// A counter on this machine, with the tokenizer that `tokenizer` names as [`open_tokenizer`] takes it, or
    /// without a name with the model's own.
    ///
    /// # Errors
    /// [`LiveError::Settings`] where there is no such tokenizer, or none is known for the model.
    pub fn local(tokenizer: Option<&str>, model: &str) -> Result<TokenCounter, LiveError> {
        let tokenizer = match tokenizer {
            Some(name) => open_tokenizer(name),
            None => Tiktoken::for_model(model)
                .map(|tokenizer| Box::new(tokenizer) as Box<dyn Tokenizer>),
        };
        tokenizer.map(TokenCounter::Local).map_err(settings_error)
    }

    /// The source as the metadata name it.
    #[must_use]
    pub fn source(&self) -> TokenSource {
        match self {
            TokenCounter::Api => TokenSource::API,
            TokenCounter::Local(tokenizer) => TokenSource::Local {
                tokenizer: tokenizer.id().to_owned(),
                version: tokenizer.version().to_owned(),
            },
        }
    }

    /// Counts the tokens of a prompt, or bounds them where only the oracle can count.
    ///
    /// # Errors
    /// [`LiveError::Settings`] where the tokenizer fails.
    pub fn count_prompt(&self, prompt: &CyclePrompt) -> Result<PromptTokens, LiveError> {
        match self {
            TokenCounter::Api => Ok(PromptTokens::estimate(prompt)),
            TokenCounter::Local(tokenizer) => {
                let chat = [
                    ("system", prompt.system.as_str()),
                    ("user", prompt.user.as_str()),
                ];
                let counted = tokenizer.count_chat(&chat).map_err(settings_error)?;
                Ok(PromptTokens::exact(counted))
            }
        }
    }

    /// Counts the tokens of a prompt and its answer. The inner error says in words why the oracle's count cannot
    /// be used: it is missing, or impossible ([`check_usage`]).
    ///
    /// # Errors
    /// As [`TokenCounter::count_prompt`].
    pub fn count_usage(
        &self,
        prompt: &CyclePrompt,
        answer: &ModelAnswer,
    ) -> Result<Result<TokenUsage, String>, LiveError> {
        match self {
            TokenCounter::Api => Ok(match answer.usage {
                None => Err(NO_USAGE.to_owned()),
                Some(usage) => {
                    let tokens = PromptTokens::estimate(prompt);
                    let most = u64::from(MAX_TOKENS.unsigned_abs());
                    check_usage(tokens, &answer.text, usage, most).map(|()| usage)
                }
            }),
            TokenCounter::Local(tokenizer) => Ok(Ok(TokenUsage {
                prompt_tokens: self.count_prompt(prompt)?.at_most,
                completion_tokens: tokenizer.count(&answer.text).map_err(settings_error)?,
            })),
        }
    }
}
