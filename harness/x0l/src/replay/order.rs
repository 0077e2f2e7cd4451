//! The order of a session's cycles: conditions in their frozen order, each up to its last cycle or to 25
//! refusals in a row (Q17, Q57; D2, D4), and no cycle after an EXIT or after one that B2 did not allow
//! (Q58; D5).

use crate::kernel::{DecisionKind, RejectionReason};
use crate::log::{
    Condition, ConditionOutcome, ConditionStatus, Cycle, FrozenCondition, FrozenSettings,
};

/// The number of refusals in a row that ends a condition.
pub const MOST_REFUSALS: u64 = 25;

/// How far a session has come through its conditions.
pub struct CycleOrder {
    conditions: Vec<Condition>,
    cycles_per_condition: u64,
    /// The index of the current condition.
    current: usize,
    /// Cycles of the current condition so far.
    cycles: u64,
    /// Refusals in a row at the end of those.
    refusals: u64,
    /// Whether the last cycle ended the session.
    stopped: bool,
    outcomes: Vec<ConditionOutcome>,
}

impl CycleOrder {
    /// The beginning of a session.
    #[must_use]
    pub fn new(frozen: &FrozenSettings) -> CycleOrder {
        let id = |condition: &FrozenCondition| condition.id;
        CycleOrder {
            conditions: frozen.conditions.iter().map(id).collect(),
            cycles_per_condition: frozen.cycles,
            current: 0,
            cycles: 0,
            refusals: 0,
            stopped: false,
            outcomes: Vec::new(),
        }
    }

    /// The status of the current condition, if nothing followed.
    pub(crate) fn status(&self) -> ConditionStatus {
        if self.stopped {
            ConditionStatus::NotFinished
        } else if self.refusals >= MOST_REFUSALS {
            ConditionStatus::AutoAbort
        } else if self.cycles >= self.cycles_per_condition {
            ConditionStatus::Complete
        } else {
            ConditionStatus::NotFinished
        }
    }

    /// The next cycle's condition and its number in that; `None` where no further cycle may follow.
    #[must_use]
    pub fn next_cycle(&self) -> Option<(Condition, u64)> {
        if self.stopped {
            return None;
        }
        let ended = self.status() != ConditionStatus::NotFinished;
        let condition = self.conditions.get(self.current + usize::from(ended))?;
        Some((*condition, if ended { 1 } else { self.cycles + 1 }))
    }

    /// Counts a logged cycle, even if it is not the one that [`CycleOrder::next_cycle`] names.
    pub fn count_cycle(&mut self, cycle: &Cycle) {
        self.advance_to(cycle.condition);
        self.cycles += 1;
        match cycle.decision.kind {
            DecisionKind::Refuse => self.refusals += 1,
            DecisionKind::Action => self.refusals = 0,
            DecisionKind::Exit => {}
        }
        self.stopped = cycle.decision.kind == DecisionKind::Exit
            || cycle.rejection_reason == Some(RejectionReason::BudgetExhaustedSession);
    }

    /// Counts a cycle whose line could not be read.
    pub fn count_unreadable_cycle(&mut self) {
        if let Some((condition, _)) = self.next_cycle() {
            self.advance_to(condition);
            self.cycles += 1;
        }
    }

    /// Ends conditions until `condition` is the current one, unless the session is past it already.
    fn advance_to(&mut self, condition: Condition) {
        let mut ahead = self.conditions.iter().skip(self.current);
        for _ in 0..ahead.position(|id| *id == condition).unwrap_or_default() {
            self.end_condition();
        }
    }

    fn end_condition(&mut self) {
        if let Some(id) = self.conditions.get(self.current) {
            self.outcomes.push(ConditionOutcome {
                id: *id,
                cycles: self.cycles,
                status: self.status(),
            });
            self.current += 1;
            (self.cycles, self.refusals) = (0, 0);
        }
    }

    /// The outcome of every condition.
    #[must_use]
    pub fn into_outcomes(mut self) -> Vec<ConditionOutcome> {
        while self.current < self.conditions.len() {
            self.end_condition();
        }
        self.outcomes
    }
}
