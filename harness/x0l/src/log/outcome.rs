//! How a run ended, and each of its conditions (Q17, Q22, Q40, Q51, Q57, Q58).

use serde::{Deserialize, Serialize};

use super::Condition;
use crate::document::named_enum;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "OutcomeDocument", into = "OutcomeDocument")]
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

named_enum! {
    /// How a run ended.
    pub enum Status {
        /// Every condition has run.
        Complete = "COMPLETE",
        /// A person stopped it.
        Interrupted = "INTERRUPTED",
        /// A call failed for good; the session is void (Q40, Q51).
        TransportFailureAbort = "TRANSPORT_FAILURE_ABORT",
        /// The next cycle might have exceeded B2 (Q58).
        SessionBudgetExhausted = "SESSION_BUDGET_EXHAUSTED",
        /// The calibration found drift; the session is void (Q22).
        ModelDriftDetected = "MODEL_DRIFT_DETECTED",
        /// The kernel's EXIT; the session is void.
        IntegrityRisk = "INTEGRITY_RISK",
        /// Something else went wrong; the session is void.
        Aborted = "ABORTED",
    }
}

/// What became of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionOutcome {
    /// Which.
    pub id: Condition,
    /// Cycles run.
    pub cycles: u64,
    /// How it ended.
    pub status: ConditionStatus,
}

named_enum! {
    /// How a condition ended.
    pub enum ConditionStatus {
        /// With its last cycle.
        Complete = "COMPLETE",
        /// After 25 refusals in a row (Q17, Q57).
        AutoAbort = "AUTO_ABORT_25_REFUSE",
        /// With the session, or it never began.
        NotFinished = "NOT_FINISHED",
    }
}

impl Status {
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

/// [`Outcome`] as documents have it.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Outcome", deny_unknown_fields)]
struct OutcomeDocument {
    status: Status,
    /// What [`Status::voids`] says; for readers that do not know every status.
    voided: bool,
    reason: Option<String>,
    conditions: Vec<ConditionOutcome>,
    cycles: u64,
    tokens_spent: u64,
}

impl From<Outcome> for OutcomeDocument {
    fn from(outcome: Outcome) -> OutcomeDocument {
        OutcomeDocument {
            status: outcome.status,
            voided: outcome.status.voids(),
            reason: outcome.reason,
            conditions: outcome.conditions,
            cycles: outcome.cycles,
            tokens_spent: outcome.tokens_spent,
        }
    }
}

impl From<OutcomeDocument> for Outcome {
    /// Another `voided` than the status's is refused where the document is compared with what is written.
    fn from(document: OutcomeDocument) -> Outcome {
        Outcome {
            status: document.status,
            reason: document.reason,
            conditions: document.conditions,
            cycles: document.cycles,
            tokens_spent: document.tokens_spent,
        }
    }
}
