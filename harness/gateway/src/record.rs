//! The observations of one call: what the provider says of itself, and then each answer with its tool calls.

use axilog::evidence::observation::{Failure, Params};
use axilog_ledger::decision::StepDecision;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::shared::SharedSessionError;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::tool_calls::ToolCall;

use crate::answer::Answer;
use crate::facts::{FACTS_MODEL, FACTS_ORACLE, Facts};
use crate::ledgers::OpenLedger;

/// The model of each tool's oracle: the gateway reads the call out of an answer, whichever model gave it.
const TOOL_MODEL: &str = FACTS_MODEL;

/// What a call's records are to hold.
pub(crate) struct Reply {
    /// What the provider says of itself.
    pub(crate) facts: Facts,
    /// The response's body, or what came of it; `None` where the facts stand for themselves, with the question.
    pub(crate) response: Option<CanonicalInput>,
    pub(crate) answers: Vec<Answer>,
    /// The oracle's failure, where it gave no answer.
    pub(crate) failure: Option<Failure>,
}

impl Reply {
    /// Of a call that nobody answered.
    pub(crate) fn without_answer(facts: Facts) -> Reply {
        Reply {
            facts,
            response: None,
            answers: Vec::new(),
            failure: None,
        }
    }
}

/// What was recorded of a call.
#[derive(Default)]
pub(crate) struct RecordedCall {
    pub(crate) last: Option<StepDecision>,
    /// The ledger's time.
    pub(crate) time: u64,
    /// The decisions on answers, failures and tool calls.
    pub(crate) decisions: Vec<StepDecision>,
    /// A tool call that the ledger does not take, and why.
    pub(crate) refused_tool: Option<(String, LedgerError)>,
}

/// Records a reply to `call` in one turn: the facts, where the ledger takes them, then each answer and behind it its tool
/// calls. It returns when all are durable.
pub(crate) fn record_call(
    ledger: &OpenLedger,
    call: &OracleCall,
    reply: &Reply,
) -> Result<RecordedCall, SharedSessionError> {
    let of_gateway = |oracle_id: String, model_id: &str, input: &CanonicalInput| OracleCall {
        oracle_id,
        model_id: model_id.to_owned(),
        params: Params::NULL,
        input: input.clone(),
    };
    let about = reply.response.as_ref().unwrap_or(&call.input);
    let facts_call = of_gateway(FACTS_ORACLE.to_owned(), FACTS_MODEL, about);
    let facts = reply.facts.to_canonical();
    if ledger.takes_facts {
        // Outside the turn, so that others need not wait for it.
        ledger.session.keep_question(&facts_call)?;
    }
    ledger.session.step(|session| {
        let mut recorded = RecordedCall {
            time: session.agent().last_timestamp,
            ..RecordedCall::default()
        };
        if ledger.takes_facts {
            recorded.last = Some(session.observe(&facts_call, OracleReply::Answer(&facts))?);
        }
        if let Some(failure) = reply.failure {
            recorded.add(session.observe(call, OracleReply::Failure(failure))?);
        }
        for answer in &reply.answers {
            recorded.add(session.observe(call, OracleReply::Answer(&answer.text))?);
            for tool_call in &answer.tool_calls {
                let call = of_gateway(tool_call.oracle_id(), TOOL_MODEL, &call.input);
                recorded.add_tool_call(session, &call, tool_call)?;
            }
        }
        Ok(recorded)
    })
}

impl RecordedCall {
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
