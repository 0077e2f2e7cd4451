//! Which model answered, as its server says, in the ledger: observations of the oracle `llm.provider` (Q6; B1).
//!
//! The first answer of a session is followed by such an observation, and so is every later answer whose facts
//! differ from those of the answer before. What stands between two of them was answered under the first.

use axilog_ledger::decision::StepDecision;
use axilog_ledger::session::Session;
use axilog_oracle::{ModelAnswer, ProviderFacts};
use serde::{Deserialize, Serialize};

use super::witness::observe;
use crate::error::X0lError;

/// The id of the oracle.
pub const ORACLE: &str = "llm.provider";
/// The id of the oracle's model: the form of its documents.
const MODEL: &str = "X0L:PROVIDER:v1";

/// The facts as the ledger records them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatement {
    /// As in [`ProviderFacts`].
    pub answered_by: Option<String>,
    /// The sequence of the first call that was answered so.
    pub ledger_seq: u64,
    /// As in [`ProviderFacts`].
    pub system_fingerprint: Option<String>,
}

/// Follows who answers in a session, and records it.
#[derive(Debug, Default)]
pub struct ProviderWatch {
    /// The facts of the first answer, which are frozen.
    first: Option<ProviderFacts>,
    /// The facts of the last answer.
    last: Option<ProviderFacts>,
    /// The first answer that came from another model, in words.
    other_model: Option<String>,
}

impl ProviderWatch {
    /// The facts of the first answer, if there was one.
    #[must_use]
    pub fn frozen(&self) -> Option<&ProviderFacts> {
        self.first.as_ref()
    }

    /// Takes note of the answer to the call `ledger_seq`, and records its facts where they are new.
    ///
    /// # Errors
    /// As [`Session::observe`].
    pub fn take_answer(
        &mut self,
        session: &mut Session,
        ledger_seq: u64,
        answer: &ModelAnswer,
    ) -> Result<ProviderFacts, X0lError> {
        let facts = ProviderFacts::of(answer);
        if self.last.as_ref() != Some(&facts) {
            commit_facts(session, ledger_seq, &facts)?;
        }
        let first = self.first.get_or_insert_with(|| facts.clone());
        if first.answered_by != facts.answered_by {
            let (was, is) = (first.name_model(), facts.name_model());
            let reason = format!(
                "{is} answered the call in record {ledger_seq}, and {was} the first call; a session has one model (Q6)"
            );
            self.other_model.get_or_insert(reason);
        }
        self.last = Some(facts.clone());
        Ok(facts)
    }

    /// The first answer that came from another model than the first, in words, where there was one.
    #[must_use]
    pub fn describe_other_model(&self) -> Option<&str> {
        self.other_model.as_deref()
    }
}

/// Records the facts of the answer to the call `ledger_seq`.
///
/// # Errors
/// As [`Session::observe`].
pub fn commit_facts(
    session: &mut Session,
    ledger_seq: u64,
    facts: &ProviderFacts,
) -> Result<StepDecision, X0lError> {
    let statement = ProviderStatement {
        answered_by: facts.answered_by.clone(),
        ledger_seq,
        system_fingerprint: facts.system_fingerprint.clone(),
    };
    observe(session, (ORACLE, MODEL), &statement)
}
