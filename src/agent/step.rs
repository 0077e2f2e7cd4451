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
use super::stimulus::{OracleId, Stimulus};
use crate::evidence::observation::Failure;
use crate::evidence::policy::{PolicyRecord, PolicyResult};
use crate::evidence::transition::TransitionRecord;
use crate::fault::Faults;
use crate::hash::{GOLDEN_GENESIS, Tag};
use crate::json::extract::{MAX_POLICIES, NO_VALUE, Selectors};
use crate::policy::{Comparison, ELAPSED_SELECTOR, Evaluation, Registry, Rules, Selector};
use crate::q16;
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

/// The policies that judge the input of a step: bit i stands for the policy at index i.
#[derive(Clone, Copy)]
struct Scope(u64);

impl Scope {
    /// No policy: for control inputs, and for time that is refused.
    const NOTHING: Scope = Scope(0);

    /// The enabled policies on `elapsed`.
    fn of_time(registry: &dyn Registry) -> Scope {
        Scope::gather(registry, |selector| selector == ELAPSED_SELECTOR)
    }

    /// The enabled policies on the answers of `oracle`, and on those of every oracle; the latter only
    /// where no oracle is known.
    fn of_answer(registry: &dyn Registry, oracle: Option<OracleId<'_>>) -> Scope {
        Scope::gather(registry, |selector| {
            selector != ELAPSED_SELECTOR
                && Selector::split(selector)
                    .oracle
                    .is_none_or(|id| oracle.is_some_and(|oracle| oracle.is(id)))
        })
    }

    /// The enabled policies whose selector `applies`.
    fn gather(registry: &dyn Registry, applies: impl Fn(&str) -> bool) -> Scope {
        let mut scope = 0u64;
        for index in (0..registry.len().min(MAX_POLICIES)).rev() {
            let covered = registry
                .get(index)
                .is_some_and(|policy| policy.enabled && applies(policy.selector));
            scope = scope << 1 | u64::from(covered);
        }
        Scope(scope)
    }

    fn covers(self, index: usize) -> bool {
        index < MAX_POLICIES && self.0 >> (index & 63) & 1 == 1
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
    /// The step that [`Step::decide`] decides on `stimulus`, the observation `ledger_seq`. What making it
    /// takes is off the stack when it is decided.
    #[inline(never)]
    pub(crate) fn undecided(agent: &Agent, stimulus: &Stimulus<'_>, ledger_seq: u64) -> Step {
        Step {
            transition: TransitionRecord {
                fault_count: agent.fault_count,
                input_class: stimulus.class(),
                ledger_seq,
                next_state: agent.health,
                prev_state: agent.health,
                violation: None,
            },
            timestamp: None,
            scope: Scope::NOTHING,
            values: [NO_VALUE; MAX_POLICIES],
            stops_on_breach: false,
            breach: false,
            evaluated: 0,
            cursor: 0,
        }
    }

    /// Decides what `agent` does with `stimulus` under `rules`. A registry of more than
    /// [`MAX_POLICIES`], which its check refuses, permits nothing. The step is decided where it stands:
    /// it is too large for a second one on the stack beneath the search for values.
    #[inline(never)]
    pub(crate) fn decide(&mut self, agent: &Agent, rules: &Rules<'_>, stimulus: &Stimulus<'_>) {
        let class = stimulus.class();
        let prev = agent.health;
        let fault_count = count_faults(agent.fault_count, class);
        let (mut next, mut violation) = determine_next(prev, class);
        let too_many = rules.registry.len() > MAX_POLICIES;
        match *stimulus {
            Stimulus::Time(None) => {
                (next, violation) = (Health::Stopped, Some(Violation::ProtocolViolation));
            }
            Stimulus::Time(Some(timestamp)) if timestamp <= agent.last_timestamp => {
                (next, violation) = (Health::Stopped, Some(Violation::TimeRollback));
            }
            Stimulus::Time(Some(timestamp)) => {
                self.scope = Scope::of_time(rules.registry);
                self.values.fill(elapsed(agent.last_timestamp, timestamp));
                self.timestamp = Some(timestamp);
                self.breach = too_many;
            }
            Stimulus::Answer(None) => {
                self.scope = Scope::of_answer(rules.registry, None);
                self.breach = true;
            }
            Stimulus::Answer(Some(ref recorded)) => {
                let permit = rules.permit_truncated;
                self.scope = Scope::of_answer(rules.registry, Some(recorded.oracle));
                self.breach = too_many || !recorded.is_usable(permit);
                self.stops_on_breach =
                    rules.stop_on_invalid && recorded.failure == Some(Failure::InvalidOutput);
                let selectors = ScopedSelectors {
                    registry: rules.registry,
                    scope: self.scope,
                };
                recorded.extract_into(&mut self.values, &selectors, permit);
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
        let entered = enters_init(prev, next);
        self.transition.fault_count = if entered { 0 } else { fault_count };
        (self.transition.next_state, self.transition.violation) = (next, violation);
    }

    /// The next record to commit, or `None` when the step is complete.
    pub fn next<'r>(&mut self, registry: &'r dyn Registry) -> Option<StepRecord<'r>> {
        while self.cursor < registry.len() {
            let index = self.cursor;
            self.cursor = index.saturating_add(1);
            if !self.scope.covers(index) {
                continue;
            }
            let Some(policy) = registry.get(index) else {
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
    let units = i64::try_from(now.saturating_sub(last)).unwrap_or(i64::MAX);
    // A span beyond the greatest value is that value, and no fault of the step.
    let mut saturation = Faults::NONE;
    q16::from_int(units, &mut saturation)
}

/// The selectors of the policies in a scope.
struct ScopedSelectors<'r> {
    registry: &'r dyn Registry,
    scope: Scope,
}

impl Selectors for ScopedSelectors<'_> {
    fn count(&self) -> usize {
        self.registry.len()
    }

    fn path(&self, index: usize) -> Option<&str> {
        if !self.scope.covers(index) {
            return None;
        }
        let policy = self.registry.get(index)?;
        Some(Selector::split(policy.selector).path)
    }

    fn takes_least(&self, index: usize) -> bool {
        let comparison = self.registry.get(index).map(|policy| policy.comparison);
        matches!(comparison, Some(Comparison::Lt | Comparison::Le))
    }
}
