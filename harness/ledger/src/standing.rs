//! Whether an observation is an answer that may be acted on, and so may feed a question.
//!
//! SRS-004 §11.2 (SHALL-014): a refused answer is rejected, and what is rejected influences nothing. Decision D32 says
//! which answers may be acted on. Determinism: D1.

use axilog::agent::stimulus::is_reserved;
use axilog::evidence::transition::{Health, TransitionRecord};
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag};
use axilog::ledger::Entry;

use crate::running_values::is_running_value_id;

/// What a ledger decided on an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is an answer that may be acted on, and that a policy judged.
    MayAct,
    /// It is an answer that no policy judged, and that may be acted on where none is required.
    Unjudged,
    /// It is an answer that breached, be it that a policy refused it or that it was no usable answer.
    Breach,
    /// It is a permitted answer, and a running value after it was refused.
    OverLimit,
    /// It is a permitted answer after which the agent was in this state, and not ENABLED.
    NotEnabled(Health),
    /// It is an answer on which nothing was decided, since the agent was STOPPED or there was none.
    Undecided,
    /// It is the time or a control input, and no answer.
    NoAnswer,
}

impl Standing {
    /// The standing of an observation of `oracle_id`, after which this transition stands, if any. `is_judged` says
    /// whether any policy judged it.
    #[must_use]
    pub fn of(
        oracle_id: &[u8],
        transition: Option<&TransitionRecord>,
        is_judged: bool,
    ) -> Standing {
        match transition {
            _ if is_reserved(oracle_id) => Standing::NoAnswer,
            None => Standing::Undecided,
            Some(transition) if transition.violation.is_some() => Standing::Breach,
            Some(transition) => match transition.next_state {
                Health::Enabled if is_judged => Standing::MayAct,
                Health::Enabled => Standing::Unjudged,
                other => Standing::NotEnabled(other),
            },
        }
    }

    /// Why the observation may not be acted on, as the end of a sentence about it; `None` where it may.
    #[must_use]
    pub fn refusal(self) -> Option<String> {
        match self {
            Standing::MayAct | Standing::Unjudged => None,
            Standing::Breach => Some("it is a breach".to_owned()),
            Standing::NotEnabled(health) => Some(format!(
                "it was permitted, and the agent was in {} after it",
                health.as_str()
            )),
            Standing::OverLimit => {
                Some("it was permitted, and a running value after it was not".to_owned())
            }
            Standing::Undecided => Some("no decision was made on it".to_owned()),
            Standing::NoAnswer => {
                Some("it is the time or a control input, and no answer".to_owned())
            }
        }
    }
}

/// Reads the standing of each observation from the records of a ledger, in their order.
#[derive(Default)]
pub(crate) struct StandingReader {
    /// The last observation, until something is decided on it.
    last: Option<LastObservation>,
    /// Whether a policy judged it.
    is_judged: bool,
    /// The last answer of an oracle, its `obs_hash` and its sequence: running values after it may refuse it.
    answer: Option<(Hash, u64)>,
}

struct LastObservation {
    obs_hash: Hash,
    ledger_seq: u64,
    is_answer: bool,
    is_running_value: bool,
}

/// An observation and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObservationStanding {
    /// Its `obs_hash`.
    pub(crate) obs_hash: Hash,
    /// Its sequence.
    pub(crate) ledger_seq: u64,
    /// Its standing.
    pub(crate) standing: Standing,
}

impl StandingReader {
    /// Takes the next record, and tells what it says of an observation: of an observation itself, that nothing is decided
    /// on it yet, and of its transition, what is. The transition of a refused running value says something of the answer
    /// before it too.
    pub(crate) fn take(
        &mut self,
        entry: &Entry<'_>,
        observation: Option<&ObservationView<'_>>,
        tell: &mut dyn FnMut(ObservationStanding),
    ) {
        if let Some(view) = observation {
            self.is_judged = false;
            let oracle_id = view.oracle_id.bytes();
            let standing = Standing::of(oracle_id, None, false);
            let is_running_value = is_running_value(oracle_id);
            let (obs_hash, ledger_seq) = (view.obs_hash, view.ledger_seq);
            if !is_running_value {
                self.answer = Some((obs_hash, ledger_seq));
            }
            self.last = Some(LastObservation {
                obs_hash,
                ledger_seq,
                is_answer: standing != Standing::NoAnswer,
                is_running_value,
            });
            tell(ObservationStanding {
                obs_hash,
                ledger_seq,
                standing,
            });
            return;
        }
        self.is_judged |= entry.tag == Tag::Policy;
        if entry.tag != Tag::Trans {
            return;
        }
        let (Some(last), Ok(transition)) = (
            self.last.take().filter(|last| last.is_answer),
            TransitionRecord::parse(entry.payload),
        ) else {
            return;
        };
        let standing = Standing::of(b"", Some(&transition), self.is_judged);
        tell(ObservationStanding {
            obs_hash: last.obs_hash,
            ledger_seq: last.ledger_seq,
            standing,
        });
        if last.is_running_value
            && standing.refusal().is_some()
            && let Some((obs_hash, ledger_seq)) = self.answer
        {
            tell(ObservationStanding {
                obs_hash,
                ledger_seq,
                standing: Standing::OverLimit,
            });
        }
    }
}

/// Whether an oracle id, as a record has it, is a running value's; its characters are ASCII without escapes.
fn is_running_value(oracle_id: &[u8]) -> bool {
    str::from_utf8(oracle_id).is_ok_and(is_running_value_id)
}
