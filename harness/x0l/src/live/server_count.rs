//! A session's use of the server's own tokenizer: a prompt that has more tokens than B1 by it is not sent, and what the
//! server reports as `usage` must not be less.

use axilog_oracle::tokens::ServerTokenizer;

use super::plan::SessionPlan;
use super::token_counter::TokenCounter;
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

    /// Counts the tokens of a prompt's two messages, without those that frame them. A message that the server does not
    /// count counts for nothing.
    pub(super) fn count(&mut self, prompt: &CyclePrompt) -> u64 {
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
        counted.saturating_add(self.tokenizer.count(&prompt.user).unwrap_or(0))
    }
}
