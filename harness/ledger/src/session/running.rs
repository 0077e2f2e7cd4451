//! The running values of a ledger: recorded after each answer that counts, in the same write as the answer, and after an
//! interruption by the next opening. decisions.md D41.

use axilog::admission::Answer;
use axilog::evidence::observation::{Completion, Params};

use super::Session;
use super::declared::read_running_values;
use super::own_records::{visit_record, visit_records};
use crate::decision::{RunningValueDecision, StepRecorder};
use crate::error::LedgerError;
use crate::running_values::{DueValue, MODEL_ID, RunningValueFollower, RunningValues};

impl Session {
    /// Begins to follow running values.
    pub(super) fn follow_running_values(&mut self, values: &RunningValues) {
        self.running = (!values.is_empty()).then(|| RunningValueFollower::new(values));
    }

    /// Reads what the ledger holds of its running values, and records those that an interruption kept from being
    /// recorded.
    pub(super) fn resume_running_values(&mut self) -> Result<(), LedgerError> {
        let values = read_running_values(self.path(), &self.rules)?;
        self.follow_running_values(&values);
        if let Some(follower) = &mut self.running {
            visit_records(
                self.file.bytes(),
                self.file.path(),
                &mut |entry, observation| {
                    // A fault in it is an audit's: the session goes on from what the ledger holds.
                    let _ = follower.take(entry, observation);
                },
            )?;
        }
        self.record_missing_running_values()
    }

    /// Records the running values that an interruption kept from being recorded.
    pub(super) fn record_missing_running_values(&mut self) -> Result<(), LedgerError> {
        let mut recorder = StepRecorder::default();
        self.record_running_values(&mut recorder)?;
        let completed = recorder.batch.records();
        if completed > 0 {
            self.commit(&recorder)?;
            self.blobs.mark_all_named();
            self.sync()?;
            self.completed = self.completed.saturating_add(completed);
        }
        Ok(())
    }

    /// Runs the steps of the running values that are due after the records of `recorder`, and leaves their records in it
    /// too. Ends at the first that is refused.
    pub(super) fn record_running_values(
        &mut self,
        recorder: &mut StepRecorder,
    ) -> Result<Vec<RunningValueDecision>, LedgerError> {
        let mut decisions = Vec::new();
        let mut start = 0;
        loop {
            self.follow_records(recorder, start);
            start = recorder.batch.lines().len();
            let due = self
                .running
                .as_ref()
                .and_then(RunningValueFollower::due_value);
            let Some(due) = due else {
                return Ok(decisions);
            };
            decisions.push(self.record_running_value(recorder, due)?);
        }
    }

    fn record_running_value(
        &mut self,
        recorder: &mut StepRecorder,
        due: DueValue,
    ) -> Result<RunningValueDecision, LedgerError> {
        self.blobs.store(due.question.bytes())?;
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: due.question.bytes(),
            input_kind: due.question.kind(),
            ledger_seq: 0,
            model_id: MODEL_ID.as_bytes(),
            oracle_id: due.id.as_bytes(),
            output: due.answer.as_bytes(),
            params: Params::NULL,
        };
        let decision = self.run_step(recorder, |agent, rules, work, sink, faults| {
            agent.observe(&answer, rules, work, sink, faults)
        })?;
        self.models.insert(due.id, MODEL_ID.to_owned());
        Ok(RunningValueDecision {
            answer: due.answer,
            decision,
        })
    }

    /// Has the running values follow the records of `recorder` from the byte `start` on.
    pub(super) fn follow_records(&mut self, recorder: &StepRecorder, start: usize) {
        if let Some(follower) = &mut self.running {
            let lines = recorder.batch.lines().get(start..).unwrap_or_default();
            for line in lines.split_inclusive(|byte| *byte == b'\n') {
                visit_record(line, &mut |entry, observation| {
                    let _ = follower.take(entry, observation);
                });
            }
        }
    }
}
