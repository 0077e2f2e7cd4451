//! One step of the agent as a sequence of records: policies first, then the transition.
//!
//! formats.md §5; SRS-004 §11 and §19 (SHALL-013 to SHALL-016, SHALL-031, SHALL-032).
//! Determinism: D2. A step is decided from the agent, the rules and the input alone and then hands
//! out its records one by one. The agent commits them, replay compares them, and an interrupted
//! step goes on where its records stop, all through the same [`Step`].

use super::machine::Agent;
use super::state::{
    FAULT_THRESHOLD_ALARM, FAULT_THRESHOLD_STOP, Health, InputClass, Violation, determine_next,
};
use super::stimulus::Stimulus;
use crate::evidence::observation::Failure;
use crate::evidence::policy::{PolicyRecord, PolicyResult};
use crate::evidence::transition::TransitionRecord;
use crate::hash::{GOLDEN_GENESIS, Tag};
use crate::json::extract::{MAX_POLICIES, NO_VALUE, Selectors};
use crate::policy::{ELAPSED_SELECTOR, Evaluation, Policy, Registry, Rules};
use crate::sink::Sink;

/// A record that a step commits.
#[derive(Clone, Copy)]
pub enum StepRecord<'r> {
    /// The decision of a policy.
    Policy(PolicyRecord<'r>),
    /// The transition of the agent.
    Transition(TransitionRecord),
}

impl StepRecord<'_> {
    /// The record's tag.
    #[must_use]
    pub fn tag(&self) -> Tag {
        match self {
            StepRecord::Policy(_) => Tag::Policy,
            StepRecord::Transition(_) => Tag::Trans,
        }
    }

    /// Writes the canonical record.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        match self {
            StepRecord::Policy(record) => record.write(out),
            StepRecord::Transition(record) => record.write(out),
        }
    }
}

/// The policies that look at the input of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// No policy: for control inputs, and for time that is refused.
    Nothing,
    /// The policies on `elapsed`.
    Time,
    /// Every other policy.
    Answer,
}

impl Scope {
    fn covers(self, policy: &Policy<'_>) -> bool {
        let on_time = policy.selector == ELAPSED_SELECTOR;
        policy.enabled
            && match self {
                Scope::Nothing => false,
                Scope::Time => on_time,
                Scope::Answer => !on_time,
            }
    }
}

/// A decided step.
#[derive(Clone)]
pub struct Step {
    transition: TransitionRecord,
    timestamp: Option<u64>,
    scope: Scope,
    values: [i32; MAX_POLICIES],
    stops_on_breach: bool,
    breach: bool,
    evaluated: u8,
    /// The policy to look at next; beyond the registry comes the transition, beyond that nothing.
    cursor: usize,
}

impl Step {
    /// Decides what `agent` does with `stimulus`, the observation `ledger_seq`, under `rules`.
    pub(crate) fn begin(
        agent: &Agent,
        rules: &Rules<'_>,
        stimulus: &Stimulus<'_>,
        ledger_seq: u64,
    ) -> Step {
        let class = stimulus.class();
        let prev = agent.health;
        let fault_count = count_faults(agent.fault_count, class);
        let (mut next, mut violation) = determine_next(prev, class);
        let mut step = Step {
            transition: TransitionRecord {
                fault_count,
                input_class: class,
                ledger_seq,
                next_state: next,
                prev_state: prev,
                violation,
            },
            timestamp: None,
            scope: Scope::Nothing,
            values: [NO_VALUE; MAX_POLICIES],
            stops_on_breach: false,
            breach: false,
            evaluated: 0,
            cursor: 0,
        };
        match *stimulus {
            Stimulus::Time(None) => {
                (next, violation) = (Health::Stopped, Some(Violation::ProtocolViolation));
            }
            Stimulus::Time(Some(timestamp)) if timestamp <= agent.last_timestamp => {
                (next, violation) = (Health::Stopped, Some(Violation::TimeRollback));
            }
            Stimulus::Time(Some(timestamp)) => {
                step.scope = Scope::Time;
                step.values.fill(elapsed(agent.last_timestamp, timestamp));
                step.timestamp = Some(timestamp);
            }
            Stimulus::Answer(None) => {
                step.scope = Scope::Answer;
                step.breach = true;
            }
            Stimulus::Answer(Some(recorded)) => {
                let permit = rules.permit_truncated;
                step.scope = Scope::Answer;
                step.breach = !recorded.is_usable(permit);
                step.stops_on_breach =
                    rules.stop_on_invalid && recorded.failure == Some(Failure::InvalidOutput);
                recorded.extract_into(&mut step.values, &AnswerSelectors(rules.registry), permit);
            }
            Stimulus::Control(Some(InputClass::FaultSignal)) if prev == Health::Enabled => {
                (next, violation) = match fault_count {
                    FAULT_THRESHOLD_STOP.. => {
                        (Health::Stopped, Some(Violation::FaultBudgetExceeded))
                    }
                    FAULT_THRESHOLD_ALARM.. => (Health::Alarm, None),
                    _ => (Health::Enabled, None),
                };
            }
            Stimulus::Control(Some(InputClass::ResetRequest))
                if prev == Health::Uninit && agent.ledger.genesis != GOLDEN_GENESIS =>
            {
                (next, violation) = (Health::Stopped, Some(Violation::GenesisMismatch));
            }
            Stimulus::Control(_) => {}
        }
        (step.transition.next_state, step.transition.violation) = (next, violation);
        if enters_init(prev, next) {
            step.transition.fault_count = 0;
        }
        step
    }

    /// The next record to commit, or `None` when the step is complete.
    pub fn next<'r>(&mut self, registry: &'r dyn Registry) -> Option<StepRecord<'r>> {
        while self.cursor < registry.len() {
            let index = self.cursor;
            self.cursor = index.saturating_add(1);
            let Some(policy) = registry.get(index).filter(|p| self.scope.covers(p)) else {
                continue;
            };
            let actual = self.values.get(index).copied().unwrap_or(NO_VALUE);
            let sequence = self.transition.ledger_seq;
            let record = policy.evaluate(actual, sequence, sequence);
            self.breach |= record.result == PolicyResult::Breach;
            self.evaluated = self.evaluated.saturating_add(1);
            return Some(StepRecord::Policy(record));
        }
        if self.cursor > registry.len() {
            return None;
        }
        self.cursor = self.cursor.saturating_add(1);
        if self.breach {
            let stops = self.stops_on_breach || self.transition.next_state == Health::Stopped;
            self.transition.next_state = if stops {
                Health::Stopped
            } else {
                Health::Alarm
            };
            self.transition.violation = Some(Violation::PolicyBreach);
        }
        Some(StepRecord::Transition(self.transition))
    }

    /// The decision of the policies so far.
    #[must_use]
    pub fn evaluation(&self) -> Evaluation {
        Evaluation {
            breach: self.breach,
            count: self.evaluated,
            ledger_seq: self.transition.ledger_seq,
        }
    }

    /// Moves `agent` to where the transition, now committed, takes it.
    pub(crate) fn finish(&self, agent: &mut Agent) {
        agent.health = self.transition.next_state;
        agent.fault_count = self.transition.fault_count;
        agent.last_seen_seq = self.transition.ledger_seq;
        agent.violation = None;
        if let Some(timestamp) = self.timestamp {
            agent.last_timestamp = timestamp;
        }
    }
}

/// The fault count after an input of `class` (formats.md §5, 5).
pub(crate) fn count_faults(count: u32, class: Option<InputClass>) -> u32 {
    if class == Some(InputClass::FaultSignal) {
        count.saturating_add(1)
    } else {
        count
    }
}

/// Whether a transition enters INIT, which sets the fault count to 0.
pub(crate) fn enters_init(prev: Health, next: Health) -> bool {
    next == Health::Init && prev != Health::Init
}

/// Time since the last accepted timestamp in Q16.16, saturated; 0 for the first.
fn elapsed(last: u64, now: u64) -> i32 {
    if last == 0 {
        return 0;
    }
    let units = i32::try_from(now.saturating_sub(last)).unwrap_or(i32::MAX);
    units.saturating_mul(crate::q16::ONE)
}

/// The selectors of the enabled policies that look at answers.
struct AnswerSelectors<'r>(&'r dyn Registry);

impl Selectors for AnswerSelectors<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn selector(&self, index: usize) -> Option<&str> {
        self.0
            .get(index)
            .filter(|p| Scope::Answer.covers(p))
            .map(|p| p.selector)
    }
}
