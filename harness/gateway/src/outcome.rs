//! How a call ended: what the client gets, and what was recorded.

use axilog::agent::state::Health;
use axilog::hash::Hash;
use axilog_ledger::decision::StepDecision;

use crate::provider::ProviderResponse;
use crate::refusal::Refusal;

/// How a call ended.
pub(crate) struct Outcome {
    pub(crate) result: Result<ProviderResponse, Refusal>,
    /// What was recorded last; `None` where nothing was.
    pub(crate) recorded: Option<Recorded>,
}

/// The last record of a call.
pub(crate) struct Recorded {
    pub(crate) ledger_seq: u64,
    pub(crate) head: Hash,
    pub(crate) health: Health,
    /// Whether each answer may be acted on; `None` where there was none.
    pub(crate) may_act: Option<bool>,
    /// Whether the records were there before the call.
    pub(crate) is_replayed: bool,
}

impl Recorded {
    /// What a call's last record says.
    pub(crate) fn of(last: &StepDecision, may_act: Option<bool>) -> Recorded {
        Recorded {
            ledger_seq: last.observation.ledger_seq,
            head: last.head,
            health: last.health,
            may_act,
            is_replayed: false,
        }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Outcome {
        Outcome {
            result: Err(refusal),
            recorded: None,
        }
    }
}
