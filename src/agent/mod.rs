//! The agent: a small state machine that acts on committed evidence only.
//!
//! formats.md §5; SRS-004 §12 and §19 (SHALL-001, SHALL-004, SHALL-016, SHALL-031 to SHALL-033,
//! SHALL-038). Determinism: D2. [`Agent::observe`] is the whole pipeline of §12.1; [`Agent::step`]
//! is the part of it that follows the observation.

#![forbid(unsafe_code)]

pub mod observe;
pub mod state;
pub mod step;
pub mod stimulus;

use crate::evidence::transition::TransitionRecord;
use crate::evidence::view::ObservationView;
use crate::fault::{Error, Fault, Faults};
use crate::hash::GOLDEN_GENESIS;
use crate::json::writer::shared;
use crate::ledger::{Ledger, LedgerSink};
use crate::policy::{Evaluation, Registry, Rules};
use state::{Health, InputClass, Violation};
use step::{Step, StepRecord, count_faults, enters_init};
use stimulus::{Input, Stimulus};

/// The agent and the ledger it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its ledger.
    pub ledger: Ledger,
    /// Its state.
    pub health: Health,
    /// Faults counted since the last reset.
    pub fault_count: u32,
    /// The last accepted timestamp; 0 before the first.
    pub last_timestamp: u64,
    /// The sequence of the last observation that was acted on.
    pub last_seen_seq: u64,
    /// Whether the agent failed by itself, whatever its ledger says.
    pub failed: bool,
    /// Why the last input was refused, where no record could say so.
    pub violation: Option<Violation>,
}

impl Default for Agent {
    fn default() -> Agent {
        Agent::new()
    }
}

impl Agent {
    /// A new agent in UNINIT on a new ledger.
    #[must_use]
    pub fn new() -> Agent {
        Agent {
            ledger: Ledger::genesis(),
            health: Health::Uninit,
            fault_count: 0,
            last_timestamp: 0,
            last_seen_seq: 0,
            failed: false,
            violation: None,
        }
    }

    /// Compares the ledger's genesis with the golden one; a mismatch stops the agent.
    pub fn bind(&mut self, faults: &mut Faults) {
        if self.ledger.genesis != GOLDEN_GENESIS {
            self.health = Health::Stopped;
            self.violation = Some(Violation::GenesisMismatch);
            faults.set(Fault::Domain);
        }
    }

    /// Acts on one input whose observation is already in the ledger (formats.md §5, rules 0 to 7).
    /// `None` where nothing was evaluated.
    pub fn step(
        &mut self,
        input: &Input<'_>,
        rules: &Rules<'_>,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Option<Evaluation> {
        if !self.accepts(input.ledger_seq, faults) {
            return None;
        }
        let stimulus = Stimulus::read(input);
        Some(self.act(&stimulus, input.ledger_seq, rules, sink, faults))
    }

    /// As [`Agent::step`], of an observation that was read and verified already.
    pub fn step_on(
        &mut self,
        view: &ObservationView<'_>,
        rules: &Rules<'_>,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Option<Evaluation> {
        if !self.accepts(view.ledger_seq, faults) {
            return None;
        }
        let stimulus = Stimulus::of_view(view);
        Some(self.act(&stimulus, view.ledger_seq, rules, sink, faults))
    }

    /// Stops the agent for good, without a record.
    pub fn halt(&mut self) {
        self.health = Health::Stopped;
        self.failed = true;
    }

    /// Commits an `AX:TRANS:v1` from the present state to `next` with the violation in memory,
    /// which is then cleared, and applies the fault count. The state itself is left to the caller.
    ///
    /// # Errors
    /// [`Error::Ledger`] where the record cannot be committed; nothing but the violation, which is
    /// then COMMIT_FAILURE, has changed.
    pub fn commit_transition(
        &mut self,
        class: Option<InputClass>,
        ledger_seq: u64,
        next: Health,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<(), Error> {
        let counted = count_faults(self.fault_count, class);
        let transition = TransitionRecord {
            fault_count: if enters_init(self.health, next) {
                0
            } else {
                counted
            },
            input_class: class,
            ledger_seq,
            next_state: next,
            prev_state: self.health,
            violation: self.violation,
        };
        self.commit(&StepRecord::Transition(transition), sink, faults)?;
        self.fault_count = transition.fault_count;
        self.violation = None;
        Ok(())
    }

    /// Goes on with a step whose first records are already in the ledger, to its end.
    pub fn complete(
        &mut self,
        mut step: Step,
        registry: &dyn Registry,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Evaluation {
        while let Some(record) = step.next(registry) {
            if self.commit(&record, sink, faults).is_err() {
                self.halt();
                return Evaluation {
                    breach: true,
                    ..step.evaluation()
                };
            }
        }
        step.finish(self);
        step.evaluation()
    }

    /// Rules 0 to 3: whether the agent may act on observation `ledger_seq` at all.
    fn accepts(&mut self, ledger_seq: u64, faults: &mut Faults) -> bool {
        if faults.any() {
            self.halt();
        } else if self.health == Health::Stopped {
            faults.set(Fault::Protocol);
            self.violation = Some(Violation::Terminality);
        } else if self.ledger.failed || self.failed {
            self.health = Health::Stopped;
            faults.set(Fault::LedgerFail);
        } else if ledger_seq <= self.last_seen_seq {
            faults.set(Fault::Protocol);
            faults.set(Fault::Ordering);
            self.violation = Some(Violation::SequenceOrder);
            self.halt();
        } else {
            return true;
        }
        false
    }

    /// Rules 4 to 7.
    fn act(
        &mut self,
        stimulus: &Stimulus<'_>,
        ledger_seq: u64,
        rules: &Rules<'_>,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Evaluation {
        let step = Step::begin(self, rules, stimulus, ledger_seq);
        self.complete(step, rules.registry, sink, faults)
    }

    fn commit(
        &mut self,
        record: &StepRecord<'_>,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<(), Error> {
        let committed =
            self.ledger
                .record_written(record.tag(), |out| record.write(shared(out)), sink, faults);
        if committed.is_err() {
            self.violation = Some(Violation::CommitFailure);
        }
        committed
    }
}
