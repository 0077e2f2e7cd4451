//! The decision of a step as JSON, and what opening a ledger moved aside.

use std::borrow::Cow;
use std::path::Path;

use axilog::admission::AdmissionOutcome;
use axilog::agent::state::{InputClass, Violation};
use axilog::hash::Hash;
use axilog_policyc::decimal;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::decision::{PolicyJudgement, RunningValueDecision, StepDecision};
use crate::decision_reasons::list_reasons;
use crate::file::{LeftBehind, TornLine};

/// The decision of a step of the ledger `path`; `docs/cli.md` describes its fields.
#[must_use]
pub fn decision_json(path: &Path, decision: &StepDecision) -> Value {
    // Neither a map with other keys than texts nor a number without JSON is in it.
    serde_json::to_value(DecisionObject::new(path, decision)).unwrap_or_default()
}

/// The decision as [`decision_json`] has it, as text: without a tree of values, for callers that make it at each step.
#[must_use]
pub fn decision_json_text(path: &Path, decision: &StepDecision) -> String {
    serde_json::to_string(&DecisionObject::new(path, decision)).unwrap_or_default()
}

/// The members in the order of their names, which is that of objects made member by member.
#[derive(Serialize)]
struct DecisionObject<'a> {
    admitted: &'static str,
    completion_state: &'static str,
    entries: u64,
    failure_type: Option<&'static str>,
    fault_count: u32,
    #[serde(serialize_with = "write_hex")]
    head: &'a Hash,
    health: &'static str,
    input_class: Option<&'static str>,
    #[serde(serialize_with = "write_hex")]
    input_hash: &'a Hash,
    lacks_policy: bool,
    ledger: Cow<'a, str>,
    ledger_seq: u64,
    may_act: bool,
    model_id: &'a str,
    next_state: Option<&'static str>,
    #[serde(serialize_with = "write_hex")]
    obs_hash: &'a Hash,
    oracle_id: &'a str,
    output_size: u64,
    permitted: bool,
    policies: Vec<JudgementObject<'a>>,
    prev_state: Option<&'static str>,
    running_values: Vec<RunningValueObject<'a>>,
    schema_violation: Option<String>,
    violation: Option<&'static str>,
    why: Vec<String>,
}

#[derive(Serialize)]
struct RunningValueObject<'a> {
    answer: &'a str,
    ledger_seq: u64,
    next_state: Option<&'static str>,
    #[serde(serialize_with = "write_hex")]
    obs_hash: &'a Hash,
    oracle_id: &'a str,
    permitted: bool,
    policies: Vec<JudgementObject<'a>>,
    violation: Option<&'static str>,
}

#[derive(Serialize)]
struct JudgementObject<'a> {
    actual: Option<i32>,
    actual_decimal: Option<String>,
    comparison: &'static str,
    policy_id: &'a str,
    result: &'static str,
    selector: &'a str,
    threshold: i32,
    threshold_decimal: String,
}

impl<'a> DecisionObject<'a> {
    fn new(path: &'a Path, decision: &'a StepDecision) -> DecisionObject<'a> {
        let observation = &decision.observation;
        let transition = decision.transition.as_ref();
        DecisionObject {
            admitted: match decision.admission {
                AdmissionOutcome::AsGiven => "AS_GIVEN",
                AdmissionOutcome::Cut => "CUT",
                AdmissionOutcome::Invalid => "INVALID",
            },
            completion_state: observation.completion.as_str(),
            entries: decision.entries,
            failure_type: observation.failure.map(|failure| failure.as_str()),
            fault_count: decision.fault_count,
            head: &decision.head,
            health: decision.health.as_str(),
            input_class: transition.map(|t| t.input_class.map_or("UNKNOWN", InputClass::as_str)),
            input_hash: &observation.input_hash,
            lacks_policy: decision.lacks_policy,
            ledger: path.to_string_lossy(),
            ledger_seq: observation.ledger_seq,
            may_act: decision.may_act,
            model_id: &observation.model_id,
            next_state: transition.map(|t| t.next_state.as_str()),
            obs_hash: &observation.obs_hash,
            oracle_id: &observation.oracle_id,
            output_size: observation.output_size,
            permitted: decision.is_permitted,
            policies: list_judgements(decision),
            prev_state: transition.map(|t| t.prev_state.as_str()),
            running_values: decision
                .running_values
                .iter()
                .map(RunningValueObject::new)
                .collect(),
            schema_violation: decision.schema_violation.as_ref().map(ToString::to_string),
            violation: transition.and_then(|t| t.violation).map(Violation::as_str),
            why: list_reasons(decision),
        }
    }
}

impl<'a> RunningValueObject<'a> {
    fn new(value: &'a RunningValueDecision) -> RunningValueObject<'a> {
        let RunningValueDecision { answer, decision } = value;
        let transition = decision.transition.as_ref();
        RunningValueObject {
            answer,
            ledger_seq: decision.observation.ledger_seq,
            next_state: transition.map(|t| t.next_state.as_str()),
            obs_hash: &decision.observation.obs_hash,
            oracle_id: &decision.observation.oracle_id,
            permitted: decision.is_permitted,
            policies: list_judgements(decision),
            violation: transition.and_then(|t| t.violation).map(Violation::as_str),
        }
    }
}

fn list_judgements(decision: &StepDecision) -> Vec<JudgementObject<'_>> {
    let judgements = decision.judgements.iter();
    judgements.map(JudgementObject::new).collect()
}

impl<'a> JudgementObject<'a> {
    fn new(judgement: &'a PolicyJudgement) -> JudgementObject<'a> {
        JudgementObject {
            actual: judgement.actual,
            actual_decimal: judgement.actual.map(decimal),
            comparison: judgement.comparison.as_str(),
            policy_id: &judgement.policy_id,
            result: judgement.result.as_str(),
            selector: &judgement.selector,
            threshold: judgement.threshold,
            threshold_decimal: decimal(judgement.threshold),
        }
    }
}

fn write_hex<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
    let digits = axilog::hash::hex(hash);
    serializer.serialize_str(str::from_utf8(&digits).unwrap_or_default())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::session::Session;

    #[test]
    fn the_text_is_that_of_the_object() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.jsonl");
        let rules = RuleSet::without_policies().unwrap();
        let (_, decisions) = Session::create(&path, rules, 1).unwrap();
        for decision in &decisions {
            let object = decision_json(&path, decision);
            assert_eq!(decision_json_text(&path, decision), object.to_string());
            assert_eq!(object.as_object().unwrap().len(), 25);
        }
    }
}
