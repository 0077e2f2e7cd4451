//! How a run ended, and each of its conditions (Q17, Q22, Q40, Q51, Q57, Q58).

use serde_json::{Value, json};

use super::Condition;
use crate::fields::{FromJson, Wrong, one_of, whole};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How.
    pub status: Status,
    /// Why, in words, where there is more to say.
    pub reason: Option<String>,
    /// What became of each condition, in the order of [`Frozen::conditions`](super::Frozen::conditions).
    pub conditions: Vec<ConditionOutcome>,
    /// Cycles of all conditions.
    pub cycles: u64,
    /// Tokens of all cycles that were asked; the calibration's are not among them.
    pub tokens_spent: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Every condition has run.
    Complete,
    /// A person stopped it.
    Interrupted,
    /// A call failed for good; the session is void (Q40, Q51).
    TransportFailureAbort,
    /// The next cycle might have exceeded B2 (Q58).
    SessionBudgetExhausted,
    /// The calibration found drift; the session is void (Q22).
    ModelDriftDetected,
    /// The kernel's EXIT; the session is void.
    IntegrityRisk,
    /// Something else went wrong; the session is void.
    Aborted,
}

/// What became of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionOutcome {
    /// Which.
    pub id: Condition,
    /// Cycles run.
    pub cycles: u64,
    /// How it ended.
    pub status: ConditionStatus,
}

/// How a condition ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionStatus {
    /// With its last cycle.
    Complete,
    /// After 25 refusals in a row (Q17, Q57).
    AutoAbort,
    /// With the session, or it never began.
    NotFinished,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 7] = [
        Status::Complete,
        Status::Interrupted,
        Status::TransportFailureAbort,
        Status::SessionBudgetExhausted,
        Status::ModelDriftDetected,
        Status::IntegrityRisk,
        Status::Aborted,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Complete => "COMPLETE",
            Status::Interrupted => "INTERRUPTED",
            Status::TransportFailureAbort => "TRANSPORT_FAILURE_ABORT",
            Status::SessionBudgetExhausted => "SESSION_BUDGET_EXHAUSTED",
            Status::ModelDriftDetected => "MODEL_DRIFT_DETECTED",
            Status::IntegrityRisk => "INTEGRITY_RISK",
            Status::Aborted => "ABORTED",
        }
    }

    /// Whether the session counts for nothing.
    #[must_use]
    pub fn voids(self) -> bool {
        match self {
            Status::Complete | Status::Interrupted | Status::SessionBudgetExhausted => false,
            Status::TransportFailureAbort
            | Status::ModelDriftDetected
            | Status::IntegrityRisk
            | Status::Aborted => true,
        }
    }
}

impl ConditionStatus {
    /// Every status.
    pub const ALL: [ConditionStatus; 3] = [
        ConditionStatus::Complete,
        ConditionStatus::AutoAbort,
        ConditionStatus::NotFinished,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ConditionStatus::Complete => "COMPLETE",
            ConditionStatus::AutoAbort => "AUTO_ABORT_25_REFUSE",
            ConditionStatus::NotFinished => "NOT_FINISHED",
        }
    }
}

impl Outcome {
    /// Its fields; `voided` says what [`Status::voids`] says.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let conditions = self.conditions.iter().map(|condition| {
            json!({
                "id": condition.id.as_str(),
                "cycles": condition.cycles,
                "status": condition.status.as_str(),
            })
        });
        json!({
            "status": self.status.as_str(),
            "voided": self.status.voids(),
            "reason": self.reason,
            "conditions": conditions.collect::<Vec<_>>(),
            "cycles": self.cycles,
            "tokens_spent": self.tokens_spent,
        })
    }
}

impl FromJson for Outcome {
    fn from_json(value: &Value) -> Result<Outcome, Wrong> {
        whole(value, |fields| {
            let status: Status = fields.take("status")?;
            let voided = fields.value("voided")?;
            if voided != &Value::Bool(status.voids()) {
                return Err(Wrong::new(voided, status.voids().to_string()).within("voided"));
            }
            Ok(Outcome {
                status,
                reason: fields.take("reason")?,
                conditions: fields.take("conditions")?,
                cycles: fields.take("cycles")?,
                tokens_spent: fields.take("tokens_spent")?,
            })
        })
    }
}

impl FromJson for Status {
    fn from_json(value: &Value) -> Result<Status, Wrong> {
        one_of(value, &Status::ALL, Status::as_str)
    }
}

impl FromJson for ConditionOutcome {
    fn from_json(value: &Value) -> Result<ConditionOutcome, Wrong> {
        whole(value, |fields| {
            Ok(ConditionOutcome {
                id: fields.take("id")?,
                cycles: fields.take("cycles")?,
                status: fields.take("status")?,
            })
        })
    }
}

impl FromJson for ConditionStatus {
    fn from_json(value: &Value) -> Result<ConditionStatus, Wrong> {
        one_of(value, &ConditionStatus::ALL, ConditionStatus::as_str)
    }
}
