//! A session: an agent bound to an open ledger file.
//!
//! Opening replays the ledger under the rules that it names, moves a torn last line aside and
//! completes a step that was interrupted; every step after that is durable before it is
//! acknowledged, unless another [`Durability`] is chosen. SRS-004 §7, §8 and §12; decisions D19,
//! D24, D26.

mod call;
mod opening;

use std::collections::HashMap;
use std::path::Path;

use axilog::admission::{Admitted, Answer};
use axilog::agent::Agent;
use axilog::agent::observe::Observed;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, MAX_RECORD_BYTES};
use axilog::fault::{Error as CoreError, Faults};
use axilog::policy::Rules;
use axilog_policyc::PolicySet;

use crate::decision::{Decision, Recorder};
use crate::error::LedgerError;
use crate::file::blobs::BlobWriter;
use crate::file::durability::{Checkpoint, Durability};
use crate::file::{LedgerFile, Torn};
use crate::rules::{RuleSet, builtin_policies};

pub use call::{Call, Reply, check_identities};

/// An agent and the ledger file that it writes.
pub struct Session {
    file: LedgerFile,
    blobs: BlobWriter,
    rules: RuleSet,
    agent: Agent,
    models: HashMap<String, String>,
    work: Vec<u8>,
    completed: u64,
}

impl Session {
    /// Begins a ledger at `path`, which must be new: absent, empty, or the genesis only, be it torn.
    /// Keeps the configuration, then records the reset and the time, so that the agent is ENABLED.
    ///
    /// # Errors
    /// [`LedgerError::Exists`] where there is a ledger, [`LedgerError::Busy`], [`FileError::Io`].
    pub fn begin(
        path: &Path,
        rules: RuleSet,
        time: u64,
    ) -> Result<(Session, [Decision; 2]), LedgerError> {
        let file = LedgerFile::open_or_create(path)?;
        if file.is_new()? {
            Session::begin_in(file, rules, time)
        } else {
            Err(LedgerError::Exists(path.to_owned()))
        }
    }

    /// Opens the ledger at `path`. Policies that the caller names must be the ledger's.
    ///
    /// # Errors
    /// [`LedgerError::NotBegun`] where the file is new, [`LedgerError::Damaged`], [`LedgerError::Sealed`],
    /// [`LedgerError::ConfigurationMissing`], [`LedgerError::ConfigurationUnreadable`], [`LedgerError::Busy`],
    /// [`FileError::Io`].
    pub fn open(path: &Path, policies: Option<&PolicySet>) -> Result<Session, LedgerError> {
        let file = LedgerFile::open(path)?;
        if file.is_new()? {
            return Err(LedgerError::NotBegun(path.to_owned()));
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
    ) -> Result<(Session, Option<[Decision; 2]>), LedgerError> {
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
    ) -> Result<(Session, Option<[Decision; 2]>), LedgerError> {
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

    fn new(file: LedgerFile, rules: RuleSet, agent: Agent) -> Session {
        Session {
            blobs: BlobWriter::beside(file.path(), file.volume().clone()),
            file,
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

    /// Chooses when steps are durable, from the next one on. What is not yet is made so first.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`]; [`FileError::Io`] where the thread for [`Durability::Interval`] cannot be
    /// started: then it is [`Durability::Step`].
    pub fn set_durability(&mut self, durability: Durability) -> Result<(), LedgerError> {
        self.sync()?;
        self.file.set_durability(durability)
    }

    /// How far the ledger is known to be durable: a step is where its
    /// [`Decision::entries`] is no more than this one's.
    #[must_use]
    pub fn durable(&self) -> Checkpoint {
        self.file.durable()
    }

    /// Makes every step durable, and says how far that is. Dropping a session does the same, but
    /// cannot say that it failed.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`], now and ever after: the session acts no more.
    pub fn sync(&mut self) -> Result<Checkpoint, LedgerError> {
        let synced = self.file.sync();
        self.or_halt(synced)
    }

    /// Whether this oracle with this model may be asked: its reply could be recorded. Decision D24.
    ///
    /// # Errors
    /// [`LedgerError::Sealed`], [`LedgerError::Reserved`], [`LedgerError::Identity`], [`LedgerError::Model`].
    pub fn check_call(&mut self, oracle_id: &str, model_id: &str) -> Result<(), LedgerError> {
        self.open_ended()?;
        check_identities(oracle_id, model_id)?;
        match self.models.get(oracle_id) {
            Some(recorded) if recorded != model_id => Err(LedgerError::Model {
                path: self.path().to_owned(),
                oracle: oracle_id.to_owned(),
                recorded: recorded.clone(),
                given: model_id.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Takes a reply all the way. The input and, where its record does not hold it whole, the answer are
    /// kept as blobs first.
    ///
    /// # Errors
    /// [`LedgerError::Reserved`], [`LedgerError::Identity`], [`LedgerError::Model`], [`LedgerError::Core`] and
    /// [`FileError::Io`]: nothing is recorded.
    pub fn observe(&mut self, call: &Call, reply: Reply<'_>) -> Result<Decision, LedgerError> {
        self.check_call(&call.oracle_id, &call.model_id)?;
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
        // What a record cannot hold, or not whole.
        if decision.admitted != Admitted::AsGiven {
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
    /// [`LedgerError::Rollback`], [`LedgerError::Core`], [`FileError::Io`].
    pub fn time(&mut self, timestamp: u64, force: bool) -> Result<Decision, LedgerError> {
        self.open_ended()?;
        if !force && timestamp <= self.agent.last_timestamp {
            return Err(LedgerError::Rollback {
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
    /// [`LedgerError::Core`], also for a class that is not a control class; [`FileError::Io`].
    pub fn control(&mut self, class: InputClass) -> Result<Decision, LedgerError> {
        self.open_ended()?;
        self.step(|agent, rules, work, sink, faults| {
            agent.observe_control(class, rules, work, sink, faults)
        })
    }

    /// Ends the ledger with a seal, durably; nothing may follow.
    ///
    /// # Errors
    /// [`LedgerError::Sealed`], [`LedgerError::Core`], [`FileError::Io`], [`LedgerError::NotDurable`].
    pub fn seal(&mut self) -> Result<(), LedgerError> {
        self.open_ended()?;
        let mut recorder = Recorder::default();
        let mut faults = Faults::NONE;
        let sealed = self.agent.ledger.seal(&mut recorder, &mut faults);
        sealed.map_err(|source| LedgerError::Core {
            path: self.file.path().to_owned(),
            source,
        })?;
        self.commit(&recorder)?;
        self.sync().map(|_| ())
    }

    fn open_ended(&mut self) -> Result<(), LedgerError> {
        if self.agent.ledger.sealed {
            return Err(LedgerError::Sealed(self.path().to_owned()));
        }
        // What failed behind the back of the last step ends the session before the next.
        let certain = self.file.check();
        self.or_halt(certain)
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
    ) -> Result<Decision, LedgerError> {
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
    ) -> Result<Decision, LedgerError> {
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
            .map_err(|source| LedgerError::Core {
                path: self.file.path().to_owned(),
                source,
            })
    }

    /// Puts what `recorder` holds into the file.
    fn commit(&mut self, recorder: &Recorder) -> Result<(), LedgerError> {
        let appended = self.file.append(&recorder.batch);
        self.or_halt(appended)
    }

    /// An agent that is ahead of its ledger acts no more.
    fn or_halt<T>(&mut self, written: Result<T, LedgerError>) -> Result<T, LedgerError> {
        if written.is_err() {
            self.agent.ledger.failed = true;
            self.agent.halt();
        }
        written
    }
}
