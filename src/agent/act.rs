//! Acting on an observation that is in the ledger: a step's records, one by one, and then its state.
//!
//! formats.md §5 (rules 4 to 7); SRS-004 §19 (SHALL-016, SHALL-032). Determinism: D2.

use super::machine::Agent;
use super::state::{Health, InputClass, Violation};
use super::step::{Step, StepRecord, count_faults, enters_init};
use super::stimulus::{Input, Stimulus};
use crate::evidence::transition::TransitionRecord;
use crate::evidence::view::ObservationView;
use crate::fault::{Error, Faults};
use crate::ledger::LedgerSink;
use crate::policy::{Evaluation, Registry, Rules};
use crate::sink::shared;

impl Agent {
    /// Acts on one input whose observation is already in the ledger (formats.md §5, rules 0 to 7).
    /// Returns `None` where nothing was evaluated.
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

    /// Acts on an observation that was read and verified already, as [`Agent::step`] does.
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

    /// Completes a step whose first records are already in the ledger.
    pub fn complete(
        &mut self,
        mut step: Step,
        registry: &dyn Registry,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Evaluation {
        self.take_step(&mut step, registry, sink, faults)
    }

    /// Commits the records of `step` that are still to come, and moves.
    fn take_step(
        &mut self,
        step: &mut Step,
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

    /// Applies rules 4 to 7.
    pub(super) fn act(
        &mut self,
        stimulus: &Stimulus<'_>,
        ledger_seq: u64,
        rules: &Rules<'_>,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Evaluation {
        let mut step = Step::undecided(self, stimulus, ledger_seq);
        step.decide(self, rules, stimulus);
        self.take_step(&mut step, rules.registry, sink, faults)
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
