//! `host.h`: the decision of a step.

use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::policy::PolicyResult;
use axilog::ffi::agent::{ax_health_state_t, ax_violation_t, health_of, violation_of};
use axilog::ffi::oracle::{ax_completion_state_t, ax_failure_type_t};
use axilog_ledger::decision::StepDecision;

use crate::pointer::SizedStruct;

/// The decision of one step, as the ledger holds it.
#[repr(C)]
pub struct axh_decision_t {
    /// Bytes of this struct: sizeof (axh_decision_t), which the caller sets.
    pub size: usize,
    /// Number of the observation.
    pub ledger_seq: u64,
    /// Number of records in the ledger after the step, genesis included.
    pub entries: u64,
    /// Bytes of the whole answer.
    pub output_size: u64,
    /// Chain value after the step.
    pub head: [u8; 32],
    /// SHA-256 of the canonical question, whose blob has it as its name.
    pub input_hash: [u8; 32],
    /// Hash of the observation.
    pub obs_hash: [u8; 32],
    /// Number of policies that judged the answer and the running values after it.
    pub judged: u32,
    /// Number of those that were breached.
    pub breached: u32,
    /// Number of faults since the last reset.
    pub fault_count: u32,
    /// Whether the answer was received in full, in part or not at all.
    pub completion_state: ax_completion_state_t,
    /// The failure of the oracle; AX_FAILURE_NULL where it did not fail.
    pub failure_type: ax_failure_type_t,
    /// State of the agent after the step.
    pub health: ax_health_state_t,
    /// The rule that was violated; AX_VIOLATION_NONE for none.
    pub violation: ax_violation_t,
    /// 1 where the answer may be acted on: it is an oracle's, permitted, and the agent is ENABLED after it; else 0.
    pub may_act: u8,
    /// 1 where the agent made a transition and no policy was breached, else 0. Whether the program may act, may_act says.
    pub permitted: u8,
    /// 1 where the answer was refused because it violates its declared schema, else 0.
    pub violates_schema: u8,
}

// SAFETY: `repr(C)`, begins with its size; zero is a number, or the first value of its enum.
unsafe impl SizedStruct for axh_decision_t {}

impl axh_decision_t {
    pub(crate) fn of(decision: &StepDecision) -> axh_decision_t {
        let observation = &decision.observation;
        let breached = decision
            .list_judgements()
            .filter(|judgement| judgement.result == PolicyResult::Breach);
        let violation = decision.transition.as_ref().and_then(|t| t.violation);
        axh_decision_t {
            size: size_of::<axh_decision_t>(),
            ledger_seq: observation.ledger_seq,
            entries: decision.entries,
            output_size: observation.output_size,
            head: decision.head,
            input_hash: observation.input_hash,
            obs_hash: observation.obs_hash,
            judged: u32::try_from(decision.list_judgements().count()).unwrap_or(u32::MAX),
            breached: u32::try_from(breached.count()).unwrap_or(u32::MAX),
            fault_count: decision.fault_count,
            completion_state: completion_of(observation.completion),
            failure_type: failure_of(observation.failure),
            health: health_of(decision.health),
            violation: violation_of(violation),
            may_act: decision.may_act.into(),
            permitted: decision.is_permitted.into(),
            violates_schema: decision.schema_violation.is_some().into(),
        }
    }
}

pub(crate) fn completion_of(completion: Completion) -> ax_completion_state_t {
    match completion {
        Completion::Complete => ax_completion_state_t::AX_COMPLETION_COMPLETE,
        Completion::Truncated => ax_completion_state_t::AX_COMPLETION_TRUNCATED,
        Completion::Error => ax_completion_state_t::AX_COMPLETION_ERROR,
    }
}

pub(crate) fn failure_of(failure: Option<Failure>) -> ax_failure_type_t {
    match failure {
        None => ax_failure_type_t::AX_FAILURE_NULL,
        Some(Failure::Timeout) => ax_failure_type_t::AX_FAILURE_TIMEOUT,
        Some(Failure::InvalidOutput) => ax_failure_type_t::AX_FAILURE_INVALID_OUTPUT,
        Some(Failure::TransportError) => ax_failure_type_t::AX_FAILURE_TRANSPORT_ERROR,
    }
}
