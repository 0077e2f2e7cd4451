//! The steps of a session: answers, the time, control inputs and the seal.

use axilog::admission::Answer;
use axilog::agent::Agent;
use axilog::agent::observe::ObservedAnswer;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::Completion;
use axilog::fault::{Error as CoreError, Faults};
use axilog::policy::Rules;

use super::Session;
use super::call::{OracleCall, OracleReply, check_identities};
use crate::decision::{StepDecision, StepRecorder};
use crate::error::LedgerError;

impl Session {
    /// Checks, before an oracle is called, that its reply could be recorded under these ids. Decision D24.
    /// [`Session::check_question`] checks the question too.
    ///
    /// # Errors
    /// [`LedgerError::Sealed`], [`LedgerError::ReservedOracleId`], [`LedgerError::InvalidIdentity`],
    /// [`LedgerError::UndeclaredOracle`], [`LedgerError::UnjudgedOracle`], [`LedgerError::ModelMismatch`];
    /// [`LedgerError::SchemasUnusable`] where what the ledger declares cannot be known.
    pub fn check_call(&mut self, oracle_id: &str, model_id: &str) -> Result<(), LedgerError> {
        self.ensure_open()?;
        check_identities(oracle_id, model_id)?;
        self.check_declared(oracle_id)?;
        match self.models.get(oracle_id) {
            Some(recorded) if recorded != model_id => Err(LedgerError::ModelMismatch {
                path: self.path().to_owned(),
                oracle: oracle_id.to_owned(),
                recorded: recorded.clone(),
                given: model_id.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Records a reply, evaluates the policies on it and records the transition. Before that it stores the
    /// input as a blob, and the answer too where the record does not hold it whole: the RAW record after the
    /// observation names that blob. An answer that violates the declared schema of the oracle's answers is recorded as
    /// ERROR / INVALID_OUTPUT; the decision says how it violates it.
    ///
    /// # Errors
    /// Those of [`Session::check_question`], [`LedgerError::Core`] and
    /// [`FileError::Io`](crate::error::FileError::Io); nothing is recorded then.
    /// [`FileError::Displaced`](crate::error::FileError::Displaced) where the ledger is no longer under its path,
    /// as with every step; the session refuses further steps then.
    pub fn observe(
        &mut self,
        call: &OracleCall,
        reply: OracleReply<'_>,
    ) -> Result<StepDecision, LedgerError> {
        self.check_question(call)?;
        let violation = match reply {
            OracleReply::Answer(bytes) | OracleReply::CutAnswer(bytes) => {
                self.find_violation(&call.oracle_id, bytes)?
            }
            OracleReply::Failure(_) => None,
        };
        let (completion, failure, output) = match reply {
            OracleReply::Answer(bytes) => (Completion::Complete, None, bytes),
            OracleReply::CutAnswer(bytes) => (Completion::Truncated, None, bytes),
            OracleReply::Failure(failure) => (Completion::Error, Some(failure), b"".as_slice()),
        };
        let answer = Answer {
            completion,
            failure,
            input: call.input.bytes(),
            input_kind: call.input.kind(),
            ledger_seq: 0,
            model_id: call.model_id.as_bytes(),
            oracle_id: call.oracle_id.as_bytes(),
            output,
            params: call.params,
        };
        let mut named = vec![self.blobs.store(call.input.bytes())?];
        let mut recorder = StepRecorder::default();
        let mut decision =
            self.run_step(
                &mut recorder,
                |agent, rules, work, sink, faults| match violation {
                    None => agent.observe(&answer, rules, work, sink, faults),
                    // The core knows no schema.
                    Some(_) => agent.observe_refused(&answer, rules, work, sink, faults),
                },
            )?;
        decision.schema_violation = violation;
        decision.lacks_policy = self.requires_policy && decision.judgements.is_empty();
        decision.may_act &= !decision.lacks_policy;
        if decision.binds_raw_answer {
            let stored = self.blobs.store(output);
            named.push(self.halt_on_error(stored)?);
        }
        let running_values = self.record_running_values(&mut recorder);
        decision.add_running_values(self.halt_on_error(running_values)?);
        let values = decision.running_values.iter();
        named.extend(values.map(|value| value.decision.observation.input_hash));
        self.commit(&recorder)?;
        self.blobs.mark_named(&named);
        self.note_observation(&decision);
        self.models
            .insert(call.oracle_id.clone(), call.model_id.clone());
        self.save_state_in_time();
        Ok(decision)
    }

    /// Observes the time. A time that is not after the last one would stop the agent; it is refused without
    /// `force`.
    ///
    /// # Errors
    /// [`LedgerError::TimeRollback`], [`LedgerError::Core`], [`FileError::Io`](crate::error::FileError::Io).
    pub fn observe_time(
        &mut self,
        timestamp: u64,
        force: bool,
    ) -> Result<StepDecision, LedgerError> {
        self.ensure_open()?;
        if !force && timestamp <= self.agent.last_timestamp {
            return Err(LedgerError::TimeRollback {
                path: self.path().to_owned(),
                last: self.agent.last_timestamp,
                given: timestamp,
            });
        }
        self.step(|agent, rules, work, sink, faults| {
            agent.observe_time(timestamp, rules, work, sink, faults)
        })
    }

    /// Observes a control input.
    ///
    /// # Errors
    /// [`LedgerError::Core`], also for a class that is not a control class; [`FileError::Io`](crate::error::FileError::Io).
    pub fn observe_control(&mut self, class: InputClass) -> Result<StepDecision, LedgerError> {
        self.ensure_open()?;
        if class == InputClass::ResetRequest {
            // A reset names the configuration, which a ledger without an earlier one lacks.
            self.blobs.store(self.rules.to_canonical().as_bytes())?;
        }
        self.step(|agent, rules, work, sink, faults| {
            agent.observe_control(class, rules, work, sink, faults)
        })
    }

    /// Ends the ledger with a seal, durably. No record may follow.
    ///
    /// # Errors
    /// [`LedgerError::Sealed`], [`LedgerError::Core`], [`FileError::Io`](crate::error::FileError::Io), [`LedgerError::NotDurable`].
    pub fn seal(&mut self) -> Result<(), LedgerError> {
        self.ensure_open()?;
        let mut recorder = StepRecorder::default();
        let mut faults = Faults::NONE;
        let sealed = self.agent.ledger.seal(&mut recorder, &mut faults);
        sealed.map_err(|source| LedgerError::Core {
            path: self.file.path().to_owned(),
            source,
        })?;
        self.commit(&recorder)?;
        self.sync()?;
        self.file.remove_state();
        Ok(())
    }

    /// Checks that the ledger takes further records.
    fn ensure_open(&mut self) -> Result<(), LedgerError> {
        if self.agent.ledger.sealed {
            return Err(LedgerError::Sealed(self.path().to_owned()));
        }
        // A sync that failed since the last step ends the session before the next one.
        let writable = self.file.ensure_writable();
        self.halt_on_error(writable)
    }

    /// Runs one step of the agent and appends its records to the file.
    fn step(
        &mut self,
        act: impl FnOnce(
            &mut Agent,
            &Rules<'_>,
            &mut [u8],
            &mut StepRecorder,
            &mut Faults,
        ) -> Result<ObservedAnswer, CoreError>,
    ) -> Result<StepDecision, LedgerError> {
        let mut recorder = StepRecorder::default();
        let decision = self.run_step(&mut recorder, act)?;
        self.follow_records(&recorder, 0);
        self.commit(&recorder)?;
        self.blobs.mark_named([&decision.observation.input_hash]);
        self.note_observation(&decision);
        self.save_state_in_time();
        Ok(decision)
    }

    /// Runs one step of the agent in memory and leaves its records in `recorder`.
    pub(super) fn run_step(
        &mut self,
        recorder: &mut StepRecorder,
        act: impl FnOnce(
            &mut Agent,
            &Rules<'_>,
            &mut [u8],
            &mut StepRecorder,
            &mut Faults,
        ) -> Result<ObservedAnswer, CoreError>,
    ) -> Result<StepDecision, LedgerError> {
        let mut faults = Faults::NONE;
        let observed = act(
            &mut self.agent,
            &self.rules.rules(),
            &mut self.work,
            recorder,
            &mut faults,
        );
        observed
            .and_then(|observed| {
                recorder
                    .take_decision(&observed, &self.rules, &self.agent)
                    .ok_or(CoreError::Ledger)
            })
            .map_err(|source| LedgerError::Core {
                path: self.file.path().to_owned(),
                source,
            })
    }

    /// Appends the records of `recorder` to the file.
    pub(super) fn commit(&mut self, recorder: &StepRecorder) -> Result<(), LedgerError> {
        let appended = self.file.append(&recorder.batch);
        self.halt_on_error(appended)
    }

    /// Halts the agent where a result is an error: the agent would be ahead of its ledger.
    pub(super) fn halt_on_error<T>(
        &mut self,
        result: Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        if result.is_err() {
            self.agent.ledger.failed = true;
            self.agent.halt();
        }
        result
    }
}
