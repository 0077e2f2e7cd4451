//! The decision of a step as JSON, and what opening a ledger moved aside.

use std::path::Path;

use axilog::admission::AdmissionOutcome;
use axilog::agent::state::{InputClass, Violation};
use axilog_policyc::decimal;
use serde_json::{Value, json};

use crate::decision::{PolicyJudgement, StepDecision};
use crate::decision_reasons::list_reasons;
use crate::encoding::hex;
use crate::file::{LeftBehind, TornLine};

/// The decision of a step of the ledger `path`; `docs/cli.md` describes its fields.
#[must_use]
pub fn decision_json(path: &Path, decision: &StepDecision) -> Value {
    let observation = &decision.observation;
    let transition = decision.transition.as_ref();
    json!({
        "ledger": path.to_string_lossy(),
        "ledger_seq": observation.ledger_seq,
        "oracle_id": observation.oracle_id,
        "model_id": observation.model_id,
        "completion_state": observation.completion.as_str(),
        "failure_type": observation.failure.map(|f| f.as_str()),
        "output_size": observation.output_size,
        "input_hash": hex(&observation.input_hash),
        "obs_hash": hex(&observation.obs_hash),
        "admitted": match decision.admission {
            AdmissionOutcome::AsGiven => "AS_GIVEN",
            AdmissionOutcome::Cut => "CUT",
            AdmissionOutcome::Invalid => "INVALID",
        },
        "schema_violation": decision.schema_violation.as_ref().map(ToString::to_string),
        "policies": decision.judgements.iter().map(judgement_json).collect::<Vec<_>>(),
        "input_class": transition.map(|t| t.input_class.map_or("UNKNOWN", InputClass::as_str)),
        "prev_state": transition.map(|t| t.prev_state.as_str()),
        "next_state": transition.map(|t| t.next_state.as_str()),
        "violation": transition.and_then(|t| t.violation).map(Violation::as_str),
        "permitted": decision.is_permitted,
        "may_act": decision.may_act,
        "lacks_policy": decision.lacks_policy,
        "health": decision.health.as_str(),
        "fault_count": decision.fault_count,
        "why": list_reasons(decision),
        "entries": decision.entries,
        "head": hex(&decision.head),
    })
}

/// The torn line that opening a ledger moved aside, or null.
#[must_use]
pub fn torn_line_json(torn: Option<&TornLine>) -> Value {
    torn.map_or(
        Value::Null,
        |torn| json!({ "path": torn.path.to_string_lossy(), "bytes": torn.bytes }),
    )
}

/// The files that opening a ledger moved out of its blobs, or null.
#[must_use]
pub fn left_behind_json(left: Option<&LeftBehind>) -> Value {
    left.map_or(
        Value::Null,
        |left| json!({ "path": left.directory.to_string_lossy(), "files": left.files }),
    )
}

fn judgement_json(judgement: &PolicyJudgement) -> Value {
    json!({
        "policy_id": judgement.policy_id,
        "selector": judgement.selector,
        "comparison": judgement.comparison.as_str(),
        "threshold": judgement.threshold,
        "threshold_decimal": decimal(judgement.threshold),
        "actual": judgement.actual,
        "actual_decimal": judgement.actual.map(decimal),
        "result": judgement.result.as_str(),
    })
}
