//! The consultation: one call of an oracle, and the record of it.

use axilog::evidence::observation::Completion;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::normalize_line_ends;
use axilog_ledger::session::{OracleCall, OracleReply, Session};

use crate::endpoint::Oracle;
use crate::error::OracleError;
use crate::exchange::Exchange;
use crate::question::Question;

/// One call of an oracle, recorded.
#[derive(Debug)]
pub struct Consultation {
    /// The decision that the ledger holds on the answer.
    pub decision: StepDecision,
    /// The answer or the fault, and every attempt.
    pub exchange: Exchange,
}

impl Consultation {
    /// The text of the answer as it came, if the ledger holds it as COMPLETE. Any other answer is no evidence,
    /// and nothing may act on it.
    #[must_use]
    pub fn admitted_text(&self) -> Option<&str> {
        let complete = self.decision.observation.completion == Completion::Complete;
        let answer = self.exchange.reply.as_ref().ok()?;
        complete.then_some(answer.text.as_str())
    }

    /// The admitted text as the ledger holds it, with the line ends LF. A replay has only this form.
    #[must_use]
    pub fn recorded_text(&self) -> Option<String> {
        self.admitted_text().map(normalize_line_ends)
    }
}

/// Asks `endpoint`, and records the reply as that of the oracle `oracle_id` before it returns it.
///
/// # Errors
/// Before the call: [`LedgerError::InvalidInput`] for a prompt that is not admissible, [`LedgerError::Sealed`],
/// [`LedgerError::ReservedOracleId`], [`LedgerError::InvalidIdentity`], [`LedgerError::ModelMismatch`],
/// [`LedgerError::QuestionViolatesSchema`], [`LedgerError::SchemasUnusable`], and those of
/// [`Oracle::check_question`]. From a script or ledger
/// without an answer: [`OracleError::NoAnswer`], [`OracleError::NotRecorded`], [`OracleError::AnswersExhausted`],
/// [`OracleError::TruncatedAnswer`]. Nothing is recorded in these cases. After the call: [`LedgerError::Core`] and
/// [`FileError::Io`](axilog_ledger::error::FileError::Io).
pub fn consult_oracle(
    session: &mut Session,
    endpoint: &mut Oracle,
    oracle_id: &str,
    question: &Question,
) -> Result<Consultation, OracleError> {
    endpoint.check_question(question)?;
    let call = prepare_call(oracle_id, question)?;
    session.check_question(&call)?;
    let exchange = endpoint.ask(question, &call.input)?;
    record_exchange(session, &call, exchange)
}

/// Records an exchange as that of the oracle of `call`, which was asked before.
///
/// # Errors
/// As [`Session::observe`].
pub fn record_exchange(
    session: &mut Session,
    call: &OracleCall,
    exchange: Exchange,
) -> Result<Consultation, OracleError> {
    let reply = match &exchange.reply {
        Ok(answer) => OracleReply::Answer(answer.text.as_bytes()),
        Err(fault) => OracleReply::Failure(fault.failure()),
    };
    let decision = session.observe(call, reply)?;
    Ok(Consultation { decision, exchange })
}

/// The call that a question to the oracle `oracle_id` is, as it is recorded.
///
/// # Errors
/// [`LedgerError::InvalidInput`] for a prompt that is not admissible.
pub fn prepare_call(oracle_id: &str, question: &Question) -> Result<OracleCall, LedgerError> {
    let input = question.to_canonical_input();
    Ok(OracleCall {
        oracle_id: oracle_id.to_owned(),
        model_id: question.model.clone(),
        params: question.params,
        input: input.map_err(|reason| LedgerError::InvalidInput {
            path: "the prompt".into(),
            reason,
        })?,
    })
}
