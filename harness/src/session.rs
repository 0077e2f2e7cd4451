//! A session: an agent bound to an open ledger file.
//!
//! Opening replays the ledger under the rules that it names, moves a torn last line aside and
//! completes a step that was interrupted; every step after that is on disk before it is acknowledged. SRS-004 §7, §8 and §12;
//! decisions D19, D24, D26.

use std::collections::HashMap;
use std::path::Path;

use axilog::admission::{Admitted, Answer};
use axilog::agent::Agent;
use axilog::agent::observe::Observed;
use axilog::agent::state::InputClass;
use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Completion, Failure, MAX_RECORD_BYTES, Params, is_valid_id};
use axilog::fault::{Error as CoreError, Faults};
use axilog::policy::Rules;
use axilog::replay::Verdict;
use axilog_policyc::PolicySet;

use crate::decision::{Decision, Recorder, text};
use crate::error::Error;
use crate::input::CanonicalInput;
use crate::ledger_file::blobs::Blobs;
use crate::ledger_file::replay::replay;
use crate::ledger_file::verify::Expected;
use crate::ledger_file::{LedgerFile, Torn};
use crate::rules::{RuleSet, builtin_policies};

/// Who is asked, and how.
#[derive(Clone, Debug)]
pub struct Call {
    /// Identity of the oracle.
    pub oracle_id: String,
    /// Versioned identity of its model.
    pub model_id: String,
    /// Sampling parameters.
    pub params: Params,
    /// What it is asked.
    pub input: CanonicalInput,
}

/// What came back.
#[derive(Clone, Copy, Debug)]
pub enum Reply<'a> {
    /// Bytes, whatever they are.
    Answer(&'a [u8]),
    /// Nothing.
    Failed(Failure),
}

/// An agent and the ledger file that it writes.
pub struct Session {
    file: LedgerFile,
    blobs: Blobs,
    rules: RuleSet,
    agent: Agent,
    models: HashMap<String, String>,
    work: Vec<u8>,
    completed: u64,
}

impl Session {
    /// Begins a ledger at `path`, which must be new: absent, empty, or the genesis only, be it torn.
    /// Keeps the
    /// configuration, then records the reset and the time, so that the agent is ENABLED.
    ///
    /// # Errors
    /// [`Error::Exists`] where there is a ledger, [`Error::Busy`], [`Error::Io`].
    pub fn begin(
        path: &Path,
        rules: RuleSet,
        time: u64,
    ) -> Result<(Session, [Decision; 2]), Error> {
        let file = LedgerFile::open_or_create(path)?;
        if file.is_new()? {
            Session::begin_in(file, rules, time)
        } else {
            Err(Error::Exists(path.to_owned()))
        }
    }

    /// Opens the ledger at `path`. Policies that the caller names must be the ledger's.
    ///
    /// # Errors
    /// [`Error::NotBegun`] where the file is new, [`Error::Damaged`], [`Error::Sealed`],
    /// [`Error::ConfigurationMissing`], [`Error::ConfigurationUnreadable`], [`Error::Busy`],
    /// [`Error::Io`].
    pub fn open(path: &Path, policies: Option<&PolicySet>) -> Result<Session, Error> {
        let file = LedgerFile::open(path)?;
        if file.is_new()? {
            return Err(Error::NotBegun(path.to_owned()));
        }
        Session::resume(file, policies)
    }

    /// Opens the ledger at `path`, or begins it where it is new: under `policies`, or else the
    /// built-in ones, without any permission beyond them.
    ///
    /// # Errors
    /// As [`Session::open`] and [`Session::begin`].
    pub fn open_or_begin(
        path: &Path,
        policies: Option<&PolicySet>,
        time: u64,
    ) -> Result<(Session, Option<[Decision; 2]>), Error> {
        Session::open_or_begin_in(LedgerFile::open_or_create(path)?, policies, time)
    }

    /// As [`Session::open_or_begin`], in a file that is open already.
    ///
    /// # Errors
    /// As [`Session::open_or_begin`].
    pub fn open_or_begin_in(
        file: LedgerFile,
        policies: Option<&PolicySet>,
        time: u64,
    ) -> Result<(Session, Option<[Decision; 2]>), Error> {
        if !file.is_new()? {
            return Session::resume(file, policies).map(|session| (session, None));
        }
        let policies = match policies {
            Some(policies) => policies.clone(),
            None => builtin_policies()?,
        };
        let rules = RuleSet::new(policies, false, false);
        let (session, decisions) = Session::begin_in(file, rules, time)?;
        Ok((session, Some(decisions)))
    }

    fn begin_in(
        mut file: LedgerFile,
        rules: RuleSet,
        time: u64,
    ) -> Result<(Session, [Decision; 2]), Error> {
        file.begin()?;
        let mut recorder = if file.is_empty() {
            Recorder::with_genesis()
        } else {
            Recorder::default()
        };
        let blobs = Blobs::beside(file.path());
        blobs.put(rules.canonical().as_bytes())?;
        let mut session = Session::new(file, blobs, rules, Agent::new());
        let reset = session.act(&mut recorder, |agent, rules, work, sink, faults| {
            agent.observe_control(InputClass::ResetRequest, rules, work, sink, faults)
        })?;
        let time = session.act(&mut recorder, |agent, rules, work, sink, faults| {
            agent.observe_time(time, rules, work, sink, faults)
        })?;
        session.commit(&recorder)?;
        Ok((session, [reset, time]))
    }

    fn resume(mut file: LedgerFile, policies: Option<&PolicySet>) -> Result<Session, Error> {
        let path = file.path().to_owned();
        let mut models = HashMap::new();
        let mut read = |file: &LedgerFile| {
            replay(
                file.bytes(),
                &path,
                policies,
                &Expected::default(),
                &mut |record| {
                    if let Some(view) = &record.observation {
                        models
                            .entry(text(view.oracle_id))
                            .or_insert_with(|| text(view.model_id));
                    }
                },
            )
        };
        let mut replayed = read(&file)?;
        // Nothing is written behind a seal, so what is torn there no interruption has left.
        if let Some(fault) = &replayed.checked.fault
            && fault.verdict == Verdict::Torn
            && fault.sequence > 0
            && !replayed.checked.replay.ledger().sealed
        {
            file.set_torn_aside(fault.offset)?;
            replayed = read(&file)?;
        }
        if let Some(fault) = replayed.checked.fault {
            return Err(Error::Damaged { path, fault });
        }
        let replayer = &replayed.checked.replay;
        if replayer.ledger().sealed {
            return Err(Error::Sealed(path));
        }
        let core = |source| Error::Core {
            path: path.clone(),
            source,
        };
        let (rules, _) = replayed.rules.ok_or_else(|| core(CoreError::Protocol))?;
        let (mut agent, _) = replayer.resume().map_err(core)?;
        let mut recorder = Recorder::default();
        let mut faults = Faults::NONE;
        replayer
            .complete(&mut agent, Some(&rules.rules()), &mut recorder, &mut faults)
            .map_err(core)?;
        let blobs = Blobs::beside(&path);
        let mut session = Session::new(file, blobs, rules, agent);
        session.models = models;
        session.completed = recorder.records;
        if recorder.records > 0 {
            session.commit(&recorder)?;
        }
        Ok(session)
    }

    fn new(file: LedgerFile, blobs: Blobs, rules: RuleSet, agent: Agent) -> Session {
        Session {
            file,
            blobs,
            rules,
            agent,
            models: HashMap::new(),
            work: vec![0; MAX_RECORD_BYTES],
            completed: 0,
        }
    }

    /// The agent as it is.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The rules it runs under.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Where the ledger is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// How many records of an interrupted step opening has added.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// The torn last line that opening has moved aside.
    #[must_use]
    pub fn torn(&self) -> Option<&Torn> {
        self.file.torn()
    }

    /// Takes a reply all the way. The input and, where it was not admitted, the answer are kept as
    /// blobs first.
    ///
    /// # Errors
    /// [`Error::Reserved`], [`Error::Identity`], [`Error::Model`], [`Error::Core`] and
    /// [`Error::Io`]: nothing is recorded.
    pub fn observe(&mut self, call: &Call, reply: Reply<'_>) -> Result<Decision, Error> {
        self.open_ended()?;
        check_identities(&call.oracle_id, &call.model_id)?;
        match self.models.get(&call.oracle_id) {
            Some(recorded) if *recorded != call.model_id => {
                return Err(Error::Model {
                    path: self.path().to_owned(),
                    oracle: call.oracle_id.clone(),
                    recorded: recorded.clone(),
                    given: call.model_id.clone(),
                });
            }
            _ => {}
        }
        let (completion, failure, output) = match reply {
            Reply::Answer(bytes) => (Completion::Complete, None, bytes),
            Reply::Failed(failure) => (Completion::Error, Some(failure), b"".as_slice()),
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
        self.blobs.put(call.input.bytes())?;
        let mut recorder = Recorder::default();
        let decision = self.act(&mut recorder, |agent, rules, work, sink, faults| {
            agent.observe(&answer, rules, work, sink, faults)
        })?;
        if decision.admitted == Admitted::Invalid {
            let kept = self.blobs.put(output);
            self.or_halt(kept)?;
        }
        self.commit(&recorder)?;
        self.models
            .insert(call.oracle_id.clone(), call.model_id.clone());
        Ok(decision)
    }

    /// Observes the time. One that does not exceed the last would stop the agent and is refused,
    /// unless `force` says otherwise.
    ///
    /// # Errors
    /// [`Error::Rollback`], [`Error::Core`], [`Error::Io`].
    pub fn time(&mut self, timestamp: u64, force: bool) -> Result<Decision, Error> {
        self.open_ended()?;
        if !force && timestamp <= self.agent.last_timestamp {
            return Err(Error::Rollback {
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
    /// [`Error::Core`], also for a class that is not a control class; [`Error::Io`].
    pub fn control(&mut self, class: InputClass) -> Result<Decision, Error> {
        self.open_ended()?;
        self.step(|agent, rules, work, sink, faults| {
            agent.observe_control(class, rules, work, sink, faults)
        })
    }

    /// Ends the ledger with a seal; nothing may follow.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Core`], [`Error::Io`].
    pub fn seal(&mut self) -> Result<(), Error> {
        self.open_ended()?;
        let mut recorder = Recorder::default();
        let mut faults = Faults::NONE;
        let sealed = self.agent.ledger.seal(&mut recorder, &mut faults);
        sealed.map_err(|source| Error::Core {
            path: self.file.path().to_owned(),
            source,
        })?;
        self.commit(&recorder)
    }

    fn open_ended(&self) -> Result<(), Error> {
        if self.agent.ledger.sealed {
            return Err(Error::Sealed(self.path().to_owned()));
        }
        Ok(())
    }

    fn step(
        &mut self,
        act: impl FnOnce(
            &mut Agent,
            &Rules<'_>,
            &mut [u8],
            &mut Recorder,
            &mut Faults,
        ) -> Result<Observed, CoreError>,
    ) -> Result<Decision, Error> {
        let mut recorder = Recorder::default();
        let decision = self.act(&mut recorder, act)?;
        self.commit(&recorder)?;
        Ok(decision)
    }

    /// Runs one step of the agent in memory; its records wait in `recorder`.
    fn act(
        &mut self,
        recorder: &mut Recorder,
        act: impl FnOnce(
            &mut Agent,
            &Rules<'_>,
            &mut [u8],
            &mut Recorder,
            &mut Faults,
        ) -> Result<Observed, CoreError>,
    ) -> Result<Decision, Error> {
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
                    .decision(&observed, &self.rules, &self.agent)
                    .ok_or(CoreError::Ledger)
            })
            .map_err(|source| Error::Core {
                path: self.file.path().to_owned(),
                source,
            })
    }

    /// Puts what `recorder` holds on disk.
    fn commit(&mut self, recorder: &Recorder) -> Result<(), Error> {
        let appended = self.file.append(&recorder.lines);
        self.or_halt(appended)
    }

    /// An agent that is ahead of its ledger acts no more.
    fn or_halt<T>(&mut self, written: Result<T, Error>) -> Result<T, Error> {
        if written.is_err() {
            self.agent.ledger.failed = true;
            self.agent.halt();
        }
        written
    }
}

/// Whether these may be recorded as an oracle's and its model's.
///
/// # Errors
/// [`Error::Reserved`] for the ids of time and control, [`Error::Identity`].
pub fn check_identities(oracle_id: &str, model_id: &str) -> Result<(), Error> {
    for (id, command) in [(TIME_ORACLE, "time"), (CONTROL_ORACLE, "control")] {
        if oracle_id == id {
            return Err(Error::Reserved {
                id: id.to_owned(),
                command,
            });
        }
    }
    for (field, value) in [("oracle_id", oracle_id), ("model_id", model_id)] {
        if !is_valid_id(value.as_bytes()) {
            return Err(Error::Identity {
                field,
                value: value.to_owned(),
            });
        }
    }
    Ok(())
}
