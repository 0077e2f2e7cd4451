//! A session's use of the server's own tokenizer: what the server reports as `usage` must not be less.

use axilog_oracle::TokenUsage;
use axilog_oracle::tokens::ServerTokenizer;

use super::plan::SessionPlan;
use super::token_counter::TokenCounter;
use crate::budget::check_against_count;
use crate::template::CyclePrompt;

/// The tokenizer of the session's server, with the count of the system message.
#[derive(Debug)]
pub(super) struct ServerCount {
    tokenizer: ServerTokenizer,
    /// The system message that was counted last, and its tokens: it is the same in all cycles.
    system: Option<(String, u64)>,
}

impl ServerCount {
    /// Finds the tokenizer of the server that counts for the session, if there is such a server.
    pub(super) fn find(plan: &SessionPlan) -> Option<ServerCount> {
        let TokenCounter::Api = plan.settings.token_counter else {
            return None;
        };
        let base_url = plan.frozen.base_url.as_deref()?;
        let tokenizer = ServerTokenizer::find(base_url, &plan.settings.model)?;
        Some(ServerCount {
            tokenizer,
            system: None,
        })
    }

    /// Checks the prompt's tokens in the `usage` of an answer. A text that the server does not count is not checked,
    /// and neither is the answer: a model may split a text in another way than its tokenizer does.
    ///
    /// # Errors
    /// As [`check_against_count`].
    pub(super) fn check_usage(
        &mut self,
        prompt: &CyclePrompt,
        usage: TokenUsage,
    ) -> Result<(), String> {
        let system = self
            .system
            .take()
            .filter(|(text, _)| *text == prompt.system);
        let system = system.or_else(|| {
            let counted = self.tokenizer.count(&prompt.system)?;
            Some((prompt.system.clone(), counted))
        });
        self.system = system;
        let counted = self.system.as_ref().map_or(0, |(_, counted)| *counted);
        let counted = counted.saturating_add(self.tokenizer.count(&prompt.user).unwrap_or(0));
        check_against_count(usage.prompt_tokens, counted)
    }
}
