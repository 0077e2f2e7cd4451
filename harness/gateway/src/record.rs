//! The observations of one call: what the provider says of itself, and then each answer.

use axilog::evidence::observation::{Failure, Params};
use axilog_ledger::decision::StepDecision;
use axilog_ledger::session::shared::SharedSessionError;
use axilog_ledger::session::{OracleCall, OracleReply};

use crate::facts::{FACTS_MODEL, FACTS_ORACLE, Facts};
use crate::ledgers::OpenLedger;

/// What an answer's record is to hold.
pub(crate) enum Reply {
    /// An answer.
    Answer(Vec<u8>),
    /// The oracle's failure.
    Failure(Failure),
}

/// Records the facts, where the ledger takes them, and the replies to `call`, in one turn. It returns when all are
/// durable. Gives the decision of each, the facts' first.
pub(crate) fn record_call(
    ledger: &OpenLedger,
    call: &OracleCall,
    facts: &Facts,
    replies: &[Reply],
) -> Result<Vec<StepDecision>, SharedSessionError> {
    let facts_call = OracleCall {
        oracle_id: FACTS_ORACLE.to_owned(),
        model_id: FACTS_MODEL.to_owned(),
        params: Params::NULL,
        input: call.input.clone(),
    };
    let facts = facts.to_canonical();
    ledger.session.step(|session| {
        let mut decisions = Vec::new();
        if ledger.takes_facts {
            decisions.push(session.observe(&facts_call, OracleReply::Answer(&facts))?);
        }
        for reply in replies {
            let reply = match reply {
                Reply::Answer(bytes) => OracleReply::Answer(bytes),
                Reply::Failure(failure) => OracleReply::Failure(*failure),
            };
            decisions.push(session.observe(call, reply)?);
        }
        Ok(decisions)
    })
}
