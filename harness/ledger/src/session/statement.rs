//! Statements: what a program itself has to say of its run, beside the answers of its oracles.
//!
//! A statement is the answer of an oracle of the program's own, whose model names the statement's form. So it is
//! in the chain like any answer, in its place among them, and no file beside the ledger can contradict it unseen.

use axilog::admission::InputKind;
use axilog::evidence::observation::{Completion, Params};

use super::{OracleCall, OracleReply, Session};
use crate::decision::StepDecision;
use crate::error::LedgerError;
use crate::input::CanonicalInput;

impl Session {
    /// Records the JSON document `text` as the answer of the oracle `oracle_id` with the model `model_id`, to an
    /// empty question.
    ///
    /// # Errors
    /// [`LedgerError::InvalidInput`] where no record may hold the text as COMPLETE: it is longer than
    /// a record, or not in NFC, or no JSON that an answer may hold. As [`Session::observe`]. Nothing is
    /// recorded then, except where the text was too long.
    pub fn record_statement(
        &mut self,
        oracle_id: &str,
        model_id: &str,
        text: &str,
    ) -> Result<StepDecision, LedgerError> {
        let refused = |reason| LedgerError::InvalidInput {
            path: "what the ledger is to say of the run".into(),
            reason,
        };
        // What an answer may hold is what an input may hold; it is looked at before it is recorded.
        CanonicalInput::new(text.as_bytes(), InputKind::Json).map_err(refused)?;
        let call = OracleCall {
            oracle_id: oracle_id.to_owned(),
            model_id: model_id.to_owned(),
            params: Params::NULL,
            input: CanonicalInput::new(b"", InputKind::Text).map_err(refused)?,
        };
        let decision = self.observe(&call, OracleReply::Answer(text.as_bytes()))?;
        match decision.observation.completion {
            Completion::Complete => Ok(decision),
            _ => Err(refused(format!(
                "its {} bytes are more than a record holds",
                text.len()
            ))),
        }
    }
}
