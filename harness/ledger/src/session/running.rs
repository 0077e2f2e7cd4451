//! The running values of a ledger: recorded after each answer that counts, in the same write as the answer, and after an
//! interruption by the next opening. decisions.md D41.

use axilog::admission::Answer;
use axilog::evidence::observation::{Completion, Params};
use axilog::evidence::view::ObservationView;
use axilog::ledger::Entry;

use super::Session;
use super::own_records::{visit_record, visit_records};
use crate::decision::{RunningValueDecision, StepRecorder};
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::manifest::{FoundManifest, Manifest, find_manifest};
use crate::running_values::{DueValue, MODEL_ID, RunningValueFollower};

impl Session {
    /// Begins to follow the running values that a manifest declares.
    pub(super) fn follow_running_values(&mut self, manifest: &Manifest) {
        let values = manifest.running_values();
        self.running = (!values.is_empty()).then(|| RunningValueFollower::new(values));
    }

    /// Reads what the ledger holds of its running values, and records those that an interruption kept from being
    /// recorded.
    pub(super) fn resume_running_values(&mut self) -> Result<(), LedgerError> {
        let Some(hash) = self.rules.manifest() else {
            return Ok(());
        };
        // Without its manifest the ledger takes no answer.
        let store = BlobStore::of_ledger(self.path());
        let FoundManifest::Good(manifest) = find_manifest(&store, &hash)? else {
            return Ok(());
        };
        self.follow_running_values(&manifest);
        let Some(follower) = &mut self.running else {
            return Ok(());
        };
        let path = self.file.path();
        visit_records(self.file.bytes(), path, &mut |entry, observation| {
            follow_record(follower, entry, observation);
        })?;
        let mut recorder = StepRecorder::default();
        self.record_running_values(&mut recorder)?;
        let completed = recorder.batch.records();
        if completed > 0 {
            self.commit(&recorder)?;
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
                    follow_record(follower, entry, observation);
                });
            }
        }
    }
}

/// Has the running values follow a record. A fault in it is an audit's: the session goes on from what the ledger holds.
fn follow_record(
    follower: &mut RunningValueFollower,
    entry: &Entry<'_>,
    observation: Option<&ObservationView<'_>>,
) {
    let _ = follower.take(entry, observation);
}
