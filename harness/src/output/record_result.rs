//! The object of a record: what it says, in members for programs.

use axilog::agent::state::Violation;
use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::json::extract::NO_VALUE;
use axilog::ledger::Entry;
use axilog_ledger::encoding::{hex, unescape};
use axilog_ledger::record_contents::RecordContents;
use axilog_policyc::decimal;
use serde::Serialize;

use super::record_contents::{input_class, policy_id};

/// A record of a ledger.
#[derive(Serialize)]
pub(crate) struct RecordResult {
    seq: u64,
    tag: &'static str,
    #[serde(flatten)]
    contents: ContentsResult,
}

/// What a record says.
#[derive(Serialize)]
#[serde(untagged)]
enum ContentsResult {
    Genesis {},
    Observation(Box<ObservationResult>),
    Policy(EvaluationResult),
    Transition(TransitionResult),
    RawAnswer {
        ledger_seq: u64,
        kind: &'static str,
        /// The bytes of the answer as it came.
        bytes: u64,
        sha256: String,
    },
    Seal {
        /// The number of records before the seal.
        entries: u64,
        head: String,
    },
}

#[derive(Serialize)]
struct ObservationResult {
    ledger_seq: u64,
    oracle_id: String,
    model_id: String,
    completion_state: &'static str,
    failure_type: Option<&'static str>,
    input_hash: String,
    obs_hash: String,
    output: String,
    /// The bytes of the whole answer.
    output_size: u64,
}

/// What a policy said of an observation. The numbers are raw Q16.16, and in decimal.
#[derive(Serialize)]
struct EvaluationResult {
    ledger_seq: u64,
    policy_id: String,
    result: &'static str,
    threshold: i32,
    threshold_decimal: String,
    actual: Option<i32>,
    actual_decimal: Option<String>,
}

#[derive(Serialize)]
struct TransitionResult {
    ledger_seq: u64,
    input_class: &'static str,
    prev_state: &'static str,
    next_state: &'static str,
    violation: Option<&'static str>,
    fault_count: u32,
}

impl RecordResult {
    pub(crate) fn new(entry: &Entry<'_>, contents: &RecordContents<'_>) -> RecordResult {
        RecordResult {
            seq: entry.sequence,
            tag: entry.tag.as_str(),
            contents: ContentsResult::new(contents),
        }
    }
}

impl ContentsResult {
    fn new(contents: &RecordContents<'_>) -> ContentsResult {
        match contents {
            RecordContents::Genesis => ContentsResult::Genesis {},
            RecordContents::Observation(view) => {
                ContentsResult::Observation(Box::new(ObservationResult::new(view)))
            }
            RecordContents::Policy(record) => ContentsResult::Policy(EvaluationResult::new(record)),
            RecordContents::Transition(record) => {
                ContentsResult::Transition(TransitionResult::new(record))
            }
            RecordContents::RawAnswer(raw) => ContentsResult::RawAnswer {
                ledger_seq: raw.ledger_seq,
                kind: "RAW",
                bytes: raw.bytes,
                sha256: hex(&raw.sha256),
            },
            RecordContents::Seal(seal) => ContentsResult::Seal {
                entries: seal.entries,
                head: hex(&seal.head),
            },
        }
    }
}

impl ObservationResult {
    fn new(view: &ObservationView<'_>) -> ObservationResult {
        ObservationResult {
            ledger_seq: view.ledger_seq,
            oracle_id: unescape(view.oracle_id),
            model_id: unescape(view.model_id),
            completion_state: view.completion.as_str(),
            failure_type: view.failure.map(|failure| failure.as_str()),
            input_hash: hex(&view.input_hash),
            obs_hash: hex(&view.obs_hash),
            output: unescape(view.output),
            output_size: view.output_size,
        }
    }
}

impl EvaluationResult {
    fn new(record: &PolicyRecord<'_>) -> EvaluationResult {
        let actual = (record.actual != NO_VALUE).then_some(record.actual);
        EvaluationResult {
            ledger_seq: record.ledger_seq,
            policy_id: policy_id(record),
            result: record.result.as_str(),
            threshold: record.threshold,
            threshold_decimal: decimal(record.threshold),
            actual,
            actual_decimal: actual.map(decimal),
        }
    }
}

impl TransitionResult {
    fn new(record: &TransitionRecord) -> TransitionResult {
        TransitionResult {
            ledger_seq: record.ledger_seq,
            input_class: input_class(record),
            prev_state: record.prev_state.as_str(),
            next_state: record.next_state.as_str(),
            violation: record.violation.map(Violation::as_str),
            fault_count: record.fault_count,
        }
    }
}
