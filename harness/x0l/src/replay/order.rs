//! Which cycle comes when: conditions in their frozen order, each to its last cycle or to 25 refusals in
//! a row (Q17, Q57; D2, D4), and nothing behind an EXIT or a cycle that B2 did not allow (Q58; D5).

use crate::kernel::{DecisionKind, RejectionReason};
use crate::log::{
    Condition, ConditionOutcome, ConditionStatus, Cycle, FrozenCondition, FrozenSettings,
};

/// So many refusals in a row end a condition.
pub const MOST_REFUSALS: u64 = 25;

/// How far a run has come.
pub struct Order {
    conditions: Vec<Condition>,
    most: u64,
    at: usize,
    /// Of the condition at hand.
    cycles: u64,
    refusals: u64,
    /// Whether the session ended with the last cycle.
    stopped: bool,
    done: Vec<ConditionOutcome>,
}

impl Order {
    /// At the beginning.
    #[must_use]
    pub fn new(frozen: &FrozenSettings) -> Order {
        let id = |condition: &FrozenCondition| condition.id;
        Order {
            conditions: frozen.conditions.iter().map(id).collect(),
            most: frozen.cycles,
            at: 0,
            cycles: 0,
            refusals: 0,
            stopped: false,
            done: Vec::new(),
        }
    }

    fn status(&self) -> ConditionStatus {
        if self.stopped {
            ConditionStatus::NotFinished
        } else if self.refusals >= MOST_REFUSALS {
            ConditionStatus::AutoAbort
        } else if self.cycles >= self.most {
            ConditionStatus::Complete
        } else {
            ConditionStatus::NotFinished
        }
    }

    /// The condition of the next cycle and its number in that; `None` where none may follow.
    #[must_use]
    pub fn next(&self) -> Option<(Condition, u64)> {
        if self.stopped {
            return None;
        }
        let ended = self.status() != ConditionStatus::NotFinished;
        let condition = self.conditions.get(self.at + usize::from(ended))?;
        Some((*condition, if ended { 1 } else { self.cycles + 1 }))
    }

    /// Takes the next cycle as it is logged, be it another than [`Order::next`] says.
    pub fn take(&mut self, cycle: &Cycle) {
        self.reach(cycle.condition);
        self.cycles += 1;
        match cycle.decision.kind {
            DecisionKind::Refuse => self.refusals += 1,
            DecisionKind::Action => self.refusals = 0,
            DecisionKind::Exit => {}
        }
        self.stopped = cycle.decision.kind == DecisionKind::Exit
            || cycle.rejection_reason == Some(RejectionReason::BudgetExhaustedSession);
    }

    /// Counts a cycle that could not be read.
    pub fn skip(&mut self) {
        if let Some((condition, _)) = self.next() {
            self.reach(condition);
            self.cycles += 1;
        }
    }

    /// Goes on to `condition`, if that is still to come.
    fn reach(&mut self, condition: Condition) {
        let later = |order: &Order| {
            order
                .conditions
                .iter()
                .skip(order.at)
                .any(|id| *id == condition)
        };
        while self
            .conditions
            .get(self.at)
            .is_some_and(|id| *id != condition)
            && later(self)
        {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(id) = self.conditions.get(self.at) {
            self.done.push(ConditionOutcome {
                id: *id,
                cycles: self.cycles,
                status: self.status(),
            });
            self.at += 1;
            (self.cycles, self.refusals) = (0, 0);
        }
    }

    /// What became of every condition.
    #[must_use]
    pub fn end(mut self) -> Vec<ConditionOutcome> {
        while self.at < self.conditions.len() {
            self.close();
        }
        self.done
    }
}
