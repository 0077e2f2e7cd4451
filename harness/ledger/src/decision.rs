//! The decision of one step: the observation, the result of each policy, and the transition.
//!
//! A decision is read from the records as they are committed, so that what a caller shows is what the
//! ledger holds. SRS-004 §12.1.

use axilog::admission::AdmissionOutcome;
use axilog::agent::observe::ObservedAnswer;
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
use crate::schema::violation::SchemaViolation;

use crate::encoding::unescape;

/// The decision of one step, as the ledger holds it.
#[derive(Clone, Debug)]
pub struct StepDecision {
    /// The observation.
    pub observation: RecordedObservation,
    /// How admission treated the answer.
    pub admission: AdmissionOutcome,
    /// Whether a RAW record binds the answer's bytes, because the observation does not hold them.
    pub binds_raw_answer: bool,
    /// How the answer violates the declared schema of the oracle's answers, where it was refused for that.
    pub schema_violation: Option<SchemaViolation>,
    /// The result of each policy, in the order of their ids.
    pub judgements: Vec<PolicyJudgement>,
    /// The transition; `None` where the agent was STOPPED before and made none.
    pub transition: Option<TransitionRecord>,
    /// Whether the agent acted and nothing breached.
    pub is_permitted: bool,
    /// Whether the answer may be acted on: an oracle's, permitted, and the agent is ENABLED after it. Decision D32.
    /// Where the session [requires](crate::session::Session::require_policy) a policy, one must have judged it.
    pub may_act: bool,
    /// Whether the session requires a policy and none judged the answer.
    pub lacks_policy: bool,
    /// The agent's state after the step.
    pub health: Health,
    /// The number of faults since the last reset.
    pub fault_count: u32,
    /// The number of records in the ledger after the step, genesis included.
    pub entries: u64,
    /// The chain value after the step.
    pub head: Hash,
    /// What was decided on the running values after the answer, up to the first that was refused. The answer is
    /// permitted, and may be acted on, only where each of them is; the state and the end of the ledger are those after
    /// the last of them.
    pub running_values: Vec<RunningValueDecision>,
}

/// What was decided on a running value after an answer.
#[derive(Clone, Debug)]
pub struct RunningValueDecision {
    /// The running value as it was recorded, `{"value":N}`, or `{"value":null}` where the answer has no such number.
    pub answer: String,
    /// The decision on it.
    pub decision: StepDecision,
}

impl StepDecision {
    /// Whether the caller may go on with its inputs: no policy was breached and the agent is not STOPPED.
    /// Whether it may act on an answer, `may_act` tells.
    #[must_use]
    pub fn may_continue(&self) -> bool {
        self.is_permitted && self.health != Health::Stopped
    }

    /// The policies that judged the answer, and those that judged the running values after it.
    pub fn list_judgements(&self) -> impl Iterator<Item = &PolicyJudgement> {
        let of_values = self.running_values.iter();
        let of_values = of_values.flat_map(|value| &value.decision.judgements);
        self.judgements.iter().chain(of_values)
    }

    /// Adds what was decided on the running values after the answer.
    pub(crate) fn add_running_values(&mut self, running_values: Vec<RunningValueDecision>) {
        for RunningValueDecision { decision, .. } in &running_values {
            self.is_permitted &= decision.is_permitted;
            self.may_act &= decision.may_act;
            self.health = decision.health;
            self.fault_count = decision.fault_count;
            self.entries = decision.entries;
            self.head = decision.head;
        }
        self.running_values = running_values;
    }
}

/// The fields of a recorded observation that are shown to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedObservation {
    /// The observation's `ledger_seq`.
    pub ledger_seq: u64,
    /// The id of the oracle.
    pub oracle_id: String,
    /// The id of the oracle's model.
    pub model_id: String,
    /// Whether the answer is complete.
    pub completion: Completion,
    /// The oracle's failure, where it failed.
    pub failure: Option<Failure>,
    /// The length of the whole answer in bytes.
    pub output_size: u64,
    /// SHA-256 of the canonical input.
    pub input_hash: Hash,
    /// The record's `obs_hash`.
    pub obs_hash: Hash,
}

/// The result of one policy, with the policy's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyJudgement {
    /// The policy's id.
    pub policy_id: String,
    /// The selector of the value that the policy compares.
    pub selector: String,
    /// The comparison with the threshold that is a breach.
    pub comparison: Comparison,
    /// The threshold, raw Q16.16.
    pub threshold: i32,
    /// The value, raw Q16.16; `None` where the answer had none.
    pub actual: Option<i32>,
    /// The result.
    pub result: PolicyResult,
}

/// A ledger sink that collects the records of a step and reads the decision from them.
#[derive(Default)]
pub struct StepRecorder {
    /// The records in order, in the form in which the file holds them.
    pub batch: Batch,
    observation: Option<RecordedObservation>,
    policies: Vec<(String, i32, i32, PolicyResult)>,
    transition: Option<TransitionRecord>,
}

impl StepRecorder {
    /// Creates a recorder whose first record is the genesis.
    #[must_use]
    pub fn with_genesis() -> StepRecorder {
        StepRecorder {
            batch: Batch::with_genesis(),
            ..StepRecorder::default()
        }
    }

    /// Gives the decision of the step that was recorded since the last call; `None` without an observation.
    pub fn take_decision(
        &mut self,
        observed: &ObservedAnswer,
        rules: &RuleSet,
        agent: &axilog::agent::Agent,
    ) -> Option<StepDecision> {
        let policies = std::mem::take(&mut self.policies);
        let complete = |(id, actual, threshold, result): (String, i32, i32, PolicyResult)| {
            let policy = rules.policy(&id);
            PolicyJudgement {
                selector: policy.map_or("", |p| p.selector).to_owned(),
                comparison: policy.map_or(Comparison::Unknown, |p| p.comparison),
                policy_id: id,
                threshold,
                actual: (actual != NO_VALUE).then_some(actual),
                result,
            }
        };
        Some(StepDecision {
            observation: self.observation.take()?,
            admission: observed.admitted,
            binds_raw_answer: observed.binds_raw_answer,
            schema_violation: None,
            judgements: policies.into_iter().map(complete).collect(),
            transition: self.transition.take(),
            is_permitted: observed.evaluation.is_some_and(|e| !e.breach),
            may_act: observed.may_act,
            lacks_policy: false,
            health: agent.health,
            fault_count: agent.fault_count,
            entries: agent.ledger.sequence.saturating_add(1),
            head: agent.ledger.head,
            running_values: Vec::new(),
        })
    }
}

impl LedgerSink for StepRecorder {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        self.batch.append(entry)?;
        match entry.tag {
            Tag::Obs => {
                let view = ObservationView::parse(entry.payload).map_err(|_| SinkFailed)?;
                self.observation = Some(RecordedObservation::new(&view));
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

impl RecordedObservation {
    fn new(view: &ObservationView<'_>) -> RecordedObservation {
        RecordedObservation {
            ledger_seq: view.ledger_seq,
            oracle_id: unescape(view.oracle_id),
            model_id: unescape(view.model_id),
            completion: view.completion,
            failure: view.failure,
            output_size: view.output_size,
            input_hash: view.input_hash,
            obs_hash: view.obs_hash,
        }
    }
}
