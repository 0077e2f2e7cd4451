//! The observations of one exchange: what the provider says of itself, and then each answer with its tool calls.

use axilog::evidence::observation::{Failure, Params};
use axilog_ledger::decision::StepDecision;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::shared::{SharedSession, SharedSessionError};
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::tool_calls::ToolCall;

use crate::answer::RecordedAnswer;
use crate::facts::Facts;
use crate::oracles::{FACTS_ORACLE, READER_MODEL};

/// What a call's records are to hold.
#[derive(Debug)]
pub struct Reply {
    /// What the provider says of itself.
    pub facts: Facts,
    /// The response's body, or what came of it; `None` where the facts stand for themselves, with the question.
    pub response: Option<CanonicalInput>,
    /// The answers, in their order.
    pub answers: Vec<RecordedAnswer>,
    /// The oracle's failure, where it gave no answer.
    pub failure: Option<Failure>,
}

impl Reply {
    /// Of a call that nobody answered.
    #[must_use]
    pub fn without_answer(facts: Facts) -> Reply {
        Reply {
            facts,
            response: None,
            answers: Vec::new(),
            failure: None,
        }
    }
}

/// What was recorded of a call.
#[derive(Debug, Default)]
pub struct RecordedCall {
    /// The last decision; `None` where nothing was recorded.
    pub last: Option<StepDecision>,
    /// The ledger's time.
    pub time: u64,
    /// The decisions on answers, failures and tool calls.
    pub decisions: Vec<StepDecision>,
    /// A tool call that the ledger does not take, and why.
    pub refused_tool: Option<(String, LedgerError)>,
}

/// Records a reply to `call` in one turn: the facts, where the ledger takes them, then each answer and after it its tool
/// calls. It returns when all are durable.
///
/// # Errors
/// [`SharedSessionError`] where the ledger does not take the call, or cannot be written.
pub fn record_call(
    session: &SharedSession,
    takes_facts: bool,
    call: &OracleCall,
    reply: &Reply,
) -> Result<RecordedCall, SharedSessionError> {
    let of_reader = |oracle_id: String, model_id: &str, input: &CanonicalInput| OracleCall {
        oracle_id,
        model_id: model_id.to_owned(),
        params: Params::NULL,
        input: input.clone(),
    };
    let about = reply.response.as_ref().unwrap_or(&call.input);
    let facts_call = of_reader(FACTS_ORACLE.to_owned(), READER_MODEL, about);
    let facts = reply.facts.to_canonical();
    if takes_facts {
        // Outside the turn, so that others need not wait for it.
        session.keep_question(&facts_call)?;
    }
    session.step(|session| {
        let mut recorded = RecordedCall {
            time: session.agent().last_timestamp,
            ..RecordedCall::default()
        };
        if takes_facts {
            recorded.last = Some(session.observe(&facts_call, OracleReply::Answer(&facts))?);
        }
        if let Some(failure) = reply.failure {
            recorded.add(session.observe(call, OracleReply::Failure(failure))?);
        }
        for answer in &reply.answers {
            recorded.add(session.observe(call, OracleReply::Answer(&answer.text))?);
            for tool_call in &answer.tool_calls {
                let call = of_reader(tool_call.oracle_id(), READER_MODEL, &call.input);
                recorded.add_tool_call(session, &call, tool_call)?;
            }
        }
        Ok(recorded)
    })
}

impl RecordedCall {
    /// Whether there are answers, and everything in them was recorded and may be acted on.
    #[must_use]
    pub fn may_act(&self) -> bool {
        !self.decisions.is_empty() && self.find_refused().is_none() && self.refused_tool.is_none()
    }

    /// The first decision on an answer, failure or tool call that may not be acted on.
    #[must_use]
    pub fn find_refused(&self) -> Option<&StepDecision> {
        self.decisions.iter().find(|decision| !decision.may_act)
    }

    fn add(&mut self, decision: StepDecision) {
        self.decisions.push(decision.clone());
        self.last = Some(decision);
    }

    fn add_tool_call(
        &mut self,
        session: &mut Session,
        call: &OracleCall,
        tool_call: &ToolCall,
    ) -> Result<(), LedgerError> {
        match session.check_question(call) {
            Ok(()) => {
                self.add(session.observe(call, OracleReply::Answer(&tool_call.arguments))?);
                Ok(())
            }
            Err(
                error @ (LedgerError::UndeclaredOracle { .. }
                | LedgerError::UnjudgedOracle { .. }
                | LedgerError::InvalidIdentity { .. }
                | LedgerError::ModelMismatch { .. }
                | LedgerError::QuestionViolatesSchema { .. }),
            ) => {
                self.refused_tool
                    .get_or_insert((tool_call.name.clone(), error));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
