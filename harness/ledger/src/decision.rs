//! What one step put into the ledger: the observation, what each policy said, the transition.
//!
//! Everything here is read from the records themselves as they are committed, so that what a
//! person is told is what the ledger says. SRS-004 §12.1.

use axilog::admission::Admitted;
use axilog::agent::observe::Observed;
use axilog::agent::state::Health;
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::policy::{PolicyRecord, PolicyResult};
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag};
use axilog::json::extract::NO_VALUE;
use axilog::ledger::{Entry, LedgerSink, SinkFailed};
use axilog::policy::Comparison;

use crate::file::batch::Batch;
use crate::rules::RuleSet;

/// One step, as the ledger holds it.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The observation.
    pub observation: Recorded,
    /// What admission did to the answer.
    pub admitted: Admitted,
    /// What each policy said, in the order of their ids.
    pub policies: Vec<Judgement>,
    /// What the agent did; `None` where it was STOPPED before and did nothing.
    pub transition: Option<TransitionRecord>,
    /// Whether the agent acted and nothing breached.
    pub permitted: bool,
    /// The agent's state afterwards.
    pub health: Health,
    /// Faults counted since the last reset.
    pub fault_count: u32,
    /// Records in the ledger afterwards, genesis included.
    pub entries: u64,
    /// The chain value afterwards.
    pub head: Hash,
}

impl Decision {
    /// Whether whoever asked may go on: nothing breached and the agent is not STOPPED.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.permitted && self.health != Health::Stopped
    }
}

/// The fields of an observation that matter to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its `ledger_seq`.
    pub ledger_seq: u64,
    /// Who answered.
    pub oracle_id: String,
    /// Which model answered.
    pub model_id: String,
    /// Whether the answer is whole.
    pub completion: Completion,
    /// How the oracle failed, if it did.
    pub failure: Option<Failure>,
    /// Bytes of the whole answer.
    pub output_size: u64,
    /// SHA-256 of the canonical input.
    pub input_hash: Hash,
    /// The record's own hash.
    pub obs_hash: Hash,
}

/// What one policy said, with what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Which policy.
    pub policy_id: String,
    /// What it looks at.
    pub selector: String,
    /// When it breaches.
    pub comparison: Comparison,
    /// The limit, raw Q16.16.
    pub threshold: i32,
    /// The value, raw Q16.16; `None` where the answer had none.
    pub actual: Option<i32>,
    /// What it said.
    pub result: PolicyResult,
}

/// A sink that keeps the records of a step and reads what they say.
#[derive(Default)]
pub struct Recorder {
    /// The records, in order, as they go into the file.
    pub batch: Batch,
    observation: Option<Recorded>,
    policies: Vec<(String, i32, i32, PolicyResult)>,
    transition: Option<TransitionRecord>,
}

impl Recorder {
    /// A recorder whose first line is the genesis.
    #[must_use]
    pub fn with_genesis() -> Recorder {
        Recorder {
            batch: Batch::with_genesis(),
            ..Recorder::default()
        }
    }

    /// What the step recorded since the last call, once its observation is there.
    pub fn decision(
        &mut self,
        observed: &Observed,
        rules: &RuleSet,
        agent: &axilog::agent::Agent,
    ) -> Option<Decision> {
        let policies = std::mem::take(&mut self.policies);
        let judge = |(id, actual, threshold, result): (String, i32, i32, PolicyResult)| {
            let policy = rules.policy(&id);
            Judgement {
                selector: policy.map_or("", |p| p.selector).to_owned(),
                comparison: policy.map_or(Comparison::Unknown, |p| p.comparison),
                policy_id: id,
                threshold,
                actual: (actual != NO_VALUE).then_some(actual),
                result,
            }
        };
        Some(Decision {
            observation: self.observation.take()?,
            admitted: observed.admitted,
            policies: policies.into_iter().map(judge).collect(),
            transition: self.transition.take(),
            permitted: observed.evaluation.is_some_and(|e| !e.breach),
            health: agent.health,
            fault_count: agent.fault_count,
            entries: agent.ledger.sequence.saturating_add(1),
            head: agent.ledger.head,
        })
    }
}

impl LedgerSink for Recorder {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        self.batch.append(entry)?;
        match entry.tag {
            Tag::Obs => {
                let view = ObservationView::parse(entry.payload).map_err(|_| SinkFailed)?;
                self.observation = Some(Recorded::new(&view));
            }
            Tag::Policy => {
                let record = PolicyRecord::parse(entry.payload).map_err(|_| SinkFailed)?;
                self.policies.push((
                    String::from_utf8_lossy(record.policy_id).into_owned(),
                    record.actual,
                    record.threshold,
                    record.result,
                ));
            }
            Tag::Trans => {
                let record = TransitionRecord::parse(entry.payload).map_err(|_| SinkFailed)?;
                self.transition = Some(record);
            }
            Tag::State | Tag::Proof => {}
        }
        Ok(())
    }
}

impl Recorded {
    fn new(view: &ObservationView<'_>) -> Recorded {
        Recorded {
            ledger_seq: view.ledger_seq,
            oracle_id: text(view.oracle_id),
            model_id: text(view.model_id),
            completion: view.completion,
            failure: view.failure,
            output_size: view.output_size,
            input_hash: view.input_hash,
            obs_hash: view.obs_hash,
        }
    }
}

/// The text of a string in a record.
#[must_use]
pub fn text(escaped: axilog::json::escaped::Escaped<'_>) -> String {
    let mut bytes = Vec::new();
    escaped.unescape(&mut |run| bytes.extend_from_slice(run));
    String::from_utf8_lossy(&bytes).into_owned()
}
