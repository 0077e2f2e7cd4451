//! Who counts tokens: the oracle, in the `usage` of each answer, or this machine (Q11, Q35; C1).

use axilog_oracle::tokens::{Tiktoken, TokenError, Tokenizer};
use axilog_oracle::{Answer, Usage};

use super::LiveError;
use crate::budget::PromptTokens;
use crate::log::TokenSource;
use crate::template::Prompt;

/// Who counts tokens.
#[derive(Debug)]
pub enum Ruler {
    /// The oracle.
    Api,
    /// This machine, whatever the oracle says.
    Local(Tiktoken),
}

fn uncountable(error: TokenError) -> LiveError {
    LiveError::Settings(error.to_string())
}

impl Ruler {
    /// This machine, with the tokenizer of that name, or else the model's own.
    ///
    /// # Errors
    /// [`LiveError::Settings`] where there is none.
    pub fn local(tokenizer: Option<&str>, model: &str) -> Result<Ruler, LiveError> {
        let found = match tokenizer {
            Some(name) => Tiktoken::named(name),
            None => Tiktoken::for_model(model),
        };
        found.map(Ruler::Local).map_err(uncountable)
    }

    /// As the metadata names it.
    #[must_use]
    pub fn source(&self) -> TokenSource {
        match self {
            Ruler::Api => TokenSource::API,
            Ruler::Local(tokenizer) => TokenSource::Local {
                tokenizer: tokenizer.id().to_owned(),
                version: tokenizer.version().to_owned(),
            },
        }
    }

    /// What a prompt costs, as far as that is known before it is asked.
    ///
    /// # Errors
    /// [`LiveError::Settings`] where the tokenizer gives up.
    pub fn prompt(&self, prompt: &Prompt) -> Result<PromptTokens, LiveError> {
        match self {
            Ruler::Api => Ok(PromptTokens::estimate(prompt)),
            Ruler::Local(tokenizer) => {
                let chat = [
                    ("system", prompt.system.as_str()),
                    ("user", prompt.user.as_str()),
                ];
                let counted = tokenizer.count_chat(&chat).map_err(uncountable)?;
                Ok(PromptTokens::exact(counted))
            }
        }
    }

    /// What an answer to `prompt` has cost; `None` where nobody says.
    ///
    /// # Errors
    /// As [`Ruler::prompt`].
    pub fn usage(&self, prompt: &Prompt, answer: &Answer) -> Result<Option<Usage>, LiveError> {
        match self {
            Ruler::Api => {
                let _ = prompt;
                Ok(answer.usage)
            }
            Ruler::Local(tokenizer) => Ok(Some(Usage {
                prompt_tokens: self.prompt(prompt)?.at_most,
                completion_tokens: tokenizer.count(&answer.text).map_err(uncountable)?,
            })),
        }
    }
}
