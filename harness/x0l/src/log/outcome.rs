//! How a session ended, and each of its conditions (Q17, Q22, Q40, Q51, Q57, Q58).

use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::document::named_enum;

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "OutcomeDocument", into = "OutcomeDocument")]
pub struct SessionOutcome {
    /// The status at the end.
    pub status: SessionStatus,
    /// The reason in words; `None` where the status says all.
    pub reason: Option<String>,
    /// How each condition ended, in the order of
    /// [`FrozenSettings::conditions`](super::FrozenSettings::conditions).
    pub conditions: Vec<ConditionOutcome>,
    /// The number of cycles of all conditions.
    pub cycles: u64,
    /// The tokens of all cycles in which the model was asked, without those of the calibration.
    pub tokens_spent: u64,
}

named_enum! {
    /// How a run ended.
    pub enum SessionStatus {
        /// Every condition has run.
        Complete = "COMPLETE",
        /// A person stopped the session.
        Interrupted = "INTERRUPTED",
        /// A call failed for good; the session is void (Q40, Q51).
        TransportFailureAbort = "TRANSPORT_FAILURE_ABORT",
        /// The next cycle might have exceeded B2 (Q58).
        SessionBudgetExhausted = "SESSION_BUDGET_EXHAUSTED",
        /// The calibration found drift; the session is void (Q22).
        ModelDriftDetected = "MODEL_DRIFT_DETECTED",
        /// Another model answered than in the calibration, or the file of its weights was changed; the session is void
        /// (Q6).
        Invalid = "INVALID",
        /// The kernel's EXIT; the session is void.
        IntegrityRisk = "INTEGRITY_RISK",
        /// Something else went wrong; the session is void.
        Aborted = "ABORTED",
    }
}

/// How a condition ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionOutcome {
    /// The condition.
    pub id: Condition,
    /// The number of cycles that were run.
    pub cycles: u64,
    /// The status at the end.
    pub status: ConditionStatus,
}

named_enum! {
    /// How a condition ended.
    pub enum ConditionStatus {
        /// The condition ended with its last cycle.
        Complete = "COMPLETE",
        /// The condition ended after 25 refusals in a row (Q17, Q57).
        AutoAbort = "AUTO_ABORT_25_REFUSE",
        /// The session ended before the condition did.
        NotFinished = "NOT_FINISHED",
    }
}

impl SessionStatus {
    /// Whether the session is void.
    #[must_use]
    pub fn is_void(self) -> bool {
        match self {
            SessionStatus::Complete
            | SessionStatus::Interrupted
            | SessionStatus::SessionBudgetExhausted => false,
            SessionStatus::TransportFailureAbort
            | SessionStatus::ModelDriftDetected
            | SessionStatus::Invalid
            | SessionStatus::IntegrityRisk
            | SessionStatus::Aborted => true,
        }
    }
}

/// [`SessionOutcome`] as documents have it.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Outcome", deny_unknown_fields)]
struct OutcomeDocument {
    status: SessionStatus,
    /// Whether the session is void, for readers that do not know every status.
    voided: bool,
    reason: Option<String>,
    conditions: Vec<ConditionOutcome>,
    cycles: u64,
    tokens_spent: u64,
}

impl From<SessionOutcome> for OutcomeDocument {
    fn from(outcome: SessionOutcome) -> OutcomeDocument {
        OutcomeDocument {
            status: outcome.status,
            voided: outcome.status.is_void(),
            reason: outcome.reason,
            conditions: outcome.conditions,
            cycles: outcome.cycles,
            tokens_spent: outcome.tokens_spent,
        }
    }
}

impl From<OutcomeDocument> for SessionOutcome {
    /// Drops `voided`: a wrong one is found where the document is compared with what would be written.
    fn from(document: OutcomeDocument) -> SessionOutcome {
        SessionOutcome {
            status: document.status,
            reason: document.reason,
            conditions: document.conditions,
            cycles: document.cycles,
            tokens_spent: document.tokens_spent,
        }
    }
}
