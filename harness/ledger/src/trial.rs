//! A decision without a ledger: what an ENABLED agent would decide on one answer.
//!
//! SRS-004 §12, §17. Nothing is kept. Determinism: D2.

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, MAX_RECORD_BYTES, Params};
use axilog::fault::{Error, Faults};
use axilog::ledger::DiscardingSink;

use crate::decision::{StepDecision, StepRecorder};
use crate::rules::RuleSet;

/// Decides on `output`, an answer of `oracle_id`, as an agent would that was just reset and knows the time.
///
/// # Errors
/// [`Error::Schema`] where no observation can have this oracle id.
pub fn decide_answer(
    output: &[u8],
    oracle_id: &str,
    rules: &RuleSet,
) -> Result<StepDecision, Error> {
    let mut agent = Agent::new();
    let mut work = vec![0; MAX_RECORD_BYTES];
    let mut faults = Faults::NONE;
    let core = rules.rules();
    agent.observe_control(
        InputClass::ResetRequest,
        &core,
        &mut work,
        &mut DiscardingSink,
        &mut faults,
    )?;
    agent.observe_time(1, &core, &mut work, &mut DiscardingSink, &mut faults)?;
    let answer = Answer {
        completion: Completion::Complete,
        failure: None,
        input: b"",
        input_kind: InputKind::Text,
        ledger_seq: 0,
        model_id: b"trial",
        oracle_id: oracle_id.as_bytes(),
        output,
        params: Params::NULL,
    };
    let mut recorder = StepRecorder::default();
    let observed = agent.observe(&answer, &core, &mut work, &mut recorder, &mut faults)?;
    recorder
        .take_decision(&observed, rules, &agent)
        .ok_or(Error::Schema)
}
