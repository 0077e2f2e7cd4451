//! A session: an agent bound to an open ledger file.
//!
//! Opening replays the ledger under the rules that it names, moves a torn last line and blobs that no record names
//! aside, and completes a step that was interrupted. Where the session before has saved its state, opening replays the
//! records after it only. Every later step is durable before its method returns, unless another
//! [`Durability`] is chosen. SRS-004 §7, §8 and §12; decisions D19, D24, D26.

mod call;
mod declarations;
mod declared;
mod derivations;
mod observation_index;
mod opening;
mod own_records;
mod recovery;
mod restored;
mod running;
mod running_limits;
mod saved_state;
mod saving;
pub mod shared;
mod statement;
mod steps;
mod tail;
pub mod tidy;

use std::collections::HashMap;
use std::path::Path;

use axilog::agent::Agent;
use axilog::evidence::observation::MAX_RECORD_BYTES;
use axilog_policyc::PolicySet;

use crate::decision::StepDecision;
use crate::durability::{Durability, LedgerPosition};
use crate::error::LedgerError;
use crate::file::blobs::BlobWriter;
use crate::file::durable_watch::DurableWatch;
use crate::file::{LedgerFile, LeftBehind, TornLine};
use crate::manifest::{MAX_MANIFEST_BYTES, Manifest};
use crate::rules::{RuleSet, load_builtin_policies};
use crate::running_values::RunningValueFollower;
use crate::schema::DeclaredSchemas;

use declared::{Declarations, check_oracle};
use observation_index::ObservationIndex;
use running_limits::check_running_value_limits;

pub use call::{OracleCall, OracleReply, check_identities};
pub use declared::read_declared_schemas;
pub use saved_state::Opening;

/// An agent and the ledger file that it writes. Dropping the session syncs the file, and saves the
/// [state](Session::save_state) of a long one.
pub struct Session {
    file: LedgerFile,
    blobs: BlobWriter,
    rules: RuleSet,
    agent: Agent,
    /// The model of each oracle in the ledger, by oracle id.
    models: HashMap<String, String>,
    /// What the ledger's manifest declares; `None` until it is needed.
    declared: Option<Declarations>,
    /// Whether a policy must have judged an answer that may be acted on.
    requires_policy: bool,
    /// The observations of the ledger; `None` until a derived input needs them.
    observations: Option<ObservationIndex>,
    /// The running values that the ledger declares; `None` where it declares none.
    running: Option<RunningValueFollower>,
    work: Vec<u8>,
    completed: u64,
    opening: Opening,
    /// The length of the ledger when its state was saved; 0 where it was not.
    saved_bytes: u64,
    /// Whether the state is saved while the session goes on.
    is_saving: bool,
}

impl Session {
    /// Begins a ledger at `path`. The file must be absent, empty, or hold the genesis only, whole or torn,
    /// or after it nothing but a torn line.
    /// Stores the configuration as a blob, then records a reset and the time, which makes the agent ENABLED.
    ///
    /// # Errors
    /// [`LedgerError::AlreadyExists`] where the file holds a ledger, [`LedgerError::Locked`], [`FileError::Io`](crate::error::FileError::Io).
    pub fn create(
        path: &Path,
        rules: RuleSet,
        time: u64,
    ) -> Result<(Session, [StepDecision; 2]), LedgerError> {
        Session::create_bound(path, rules, None, time)
    }

    /// Begins a ledger as [`Session::create`] does, and binds it to `manifest`, which is stored as a blob too.
    ///
    /// # Errors
    /// As [`Session::create`]; [`LedgerError::InvalidIdentity`] and [`LedgerError::ReservedOracleId`] for a declared
    /// oracle, [`LedgerError::UnjudgedOracle`] for one that no policy judges where the manifest requires one,
    /// [`LedgerError::RunningValueNotLimited`] for a running value without a policy of its own,
    /// [`LedgerError::SchemasUnusable`] for a manifest that is too long.
    pub fn create_with_manifest(
        path: &Path,
        rules: &RuleSet,
        manifest: &Manifest,
        time: u64,
    ) -> Result<(Session, [StepDecision; 2]), LedgerError> {
        check_manifest(path, manifest, rules)?;
        let rules = rules.with_manifest(Some(manifest.hash()));
        Session::create_bound(path, rules, Some(manifest), time)
    }

    /// Begins a ledger as [`Session::create`] does, and binds it to `manifest` and to `schemas`, whose hashes the
    /// manifest gets in place of its own. All are stored as blobs. From then on each question and each answer of
    /// these oracles is validated, by every session (SRS-004 §8.3 and §9.2).
    ///
    /// # Errors
    /// As [`Session::create_with_manifest`], for the oracles of the schemas too.
    pub fn create_with_schemas(
        path: &Path,
        rules: &RuleSet,
        manifest: &Manifest,
        schemas: &DeclaredSchemas,
        time: u64,
    ) -> Result<(Session, [StepDecision; 2]), LedgerError> {
        for oracle_id in schemas.oracle_ids() {
            check_identities(oracle_id, "m")?;
        }
        let manifest = manifest
            .with_schemas(schemas.to_named())
            .map_err(|error| unusable(path, error.to_string()))?;
        check_manifest(path, &manifest, rules)?;
        let file = LedgerFile::open_or_create(path)?;
        if !file.has_no_observation()? {
            return Err(LedgerError::AlreadyExists(path.to_owned()));
        }
        let blobs = BlobWriter::for_ledger(file.path(), file.volume().clone());
        for document in schemas.documents() {
            blobs.store(document)?;
        }
        let rules = rules.with_manifest(Some(manifest.hash()));
        Session::begin_in(file, rules, Some(&manifest), time)
    }

    fn create_bound(
        path: &Path,
        rules: RuleSet,
        manifest: Option<&Manifest>,
        time: u64,
    ) -> Result<(Session, [StepDecision; 2]), LedgerError> {
        let file = LedgerFile::open_or_create(path)?;
        if file.has_no_observation()? {
            Session::begin_in(file, rules, manifest, time)
        } else {
            Err(LedgerError::AlreadyExists(path.to_owned()))
        }
    }

    /// Opens the ledger at `path`. `policies`, where given, must be the ledger's own. Where the session before has
    /// [saved its state](Session::save_state), what it has verified is not verified again.
    ///
    /// # Errors
    /// [`LedgerError::NoObservations`] where the file holds no observation, [`LedgerError::Damaged`], [`LedgerError::Sealed`],
    /// [`LedgerError::ConfigurationMissing`], [`LedgerError::ConfigurationUnreadable`], [`LedgerError::Locked`],
    /// [`FileError::Io`](crate::error::FileError::Io).
    pub fn open(path: &Path, policies: Option<&PolicySet>) -> Result<Session, LedgerError> {
        let file = LedgerFile::open(path)?;
        if file.has_no_observation()? {
            return Err(LedgerError::NoObservations(path.to_owned()));
        }
        Session::resume(file, policies)
    }

    /// Opens the ledger at `path`, or begins it where the file is new. A new ledger gets `policies`, or else
    /// the built-in ones, and both switches of its rules off. A beginning that was interrupted is completed with `time`.
    ///
    /// # Errors
    /// As [`Session::open`] and [`Session::create`].
    pub fn open_or_create(
        path: &Path,
        policies: Option<&PolicySet>,
        time: u64,
    ) -> Result<(Session, Option<[StepDecision; 2]>), LedgerError> {
        Session::open_or_create_in(LedgerFile::open_or_create(path)?, policies, time)
    }

    /// Does the same as [`Session::open_or_create`] in a file that is open already.
    ///
    /// # Errors
    /// As [`Session::open_or_create`].
    pub fn open_or_create_in(
        file: LedgerFile,
        policies: Option<&PolicySet>,
        time: u64,
    ) -> Result<(Session, Option<[StepDecision; 2]>), LedgerError> {
        if !file.has_no_observation()? {
            let mut session = Session::resume(file, policies)?;
            session.complete_beginning(time)?;
            return Ok((session, None));
        }
        let policies = match policies {
            Some(policies) => policies.clone(),
            None => load_builtin_policies()?,
        };
        let rules = RuleSet::new(policies, false, false);
        let (session, decisions) = Session::begin_in(file, rules, None, time)?;
        Ok((session, Some(decisions)))
    }

    fn new(file: LedgerFile, rules: RuleSet, agent: Agent) -> Session {
        Session {
            blobs: BlobWriter::for_ledger(file.path(), file.volume().clone()),
            file,
            rules,
            agent,
            models: HashMap::new(),
            declared: None,
            requires_policy: false,
            observations: None,
            running: None,
            work: vec![0; MAX_RECORD_BYTES],
            completed: 0,
            opening: Opening::Begun,
            saved_bytes: 0,
            is_saving: true,
        }
    }

    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The rules that the agent runs under.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The path of the ledger.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// How the opening came to know what the ledger holds.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// The number of records that opening has added to complete an interrupted step.
    #[must_use]
    pub fn completed_records(&self) -> u64 {
        self.completed
    }

    /// The torn last line, where opening has moved one aside.
    #[must_use]
    pub fn torn_line(&self) -> Option<&TornLine> {
        self.file.torn_line()
    }

    /// The files among the blobs that no record names, where opening has moved any aside.
    #[must_use]
    pub fn left_behind(&self) -> Option<&LeftBehind> {
        self.file.left_behind()
    }

    /// Chooses when steps are synced, from the next one on. Earlier steps are synced first.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`]; [`FileError::Io`](crate::error::FileError::Io) where the thread for [`Durability::Interval`] cannot be
    /// started: the durability is [`Durability::Step`] then.
    pub fn set_durability(&mut self, durability: Durability) -> Result<(), LedgerError> {
        self.sync()?;
        self.file.set_durability(durability)
    }

    /// How far the ledger is known to be durable. A step is durable if its [`StepDecision::entries`] is not
    /// greater than the position's.
    #[must_use]
    pub fn durable_position(&self) -> LedgerPosition {
        self.file.durable_position()
    }

    /// Tells `watch` how far the ledger is durable, now and after each sync from now on. The session never waits for those who
    /// watch.
    pub fn report_durable_to(&mut self, watch: DurableWatch) {
        self.file.report_durable_to(watch);
    }

    /// Syncs every step and gives how far the ledger is durable then. Dropping a session syncs too, but
    /// reports no failure.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`], also from every later call: the session refuses further steps.
    pub fn sync(&mut self) -> Result<LedgerPosition, LedgerError> {
        let synced = self.file.sync();
        let durable = self.halt_on_error(synced)?;
        self.save_state_in_time();
        Ok(durable)
    }
}

/// Checks that a new ledger can be bound to a manifest: its length, and that each oracle that it declares may answer.
fn check_manifest(path: &Path, manifest: &Manifest, rules: &RuleSet) -> Result<(), LedgerError> {
    if manifest.to_canonical().len() as u64 > MAX_MANIFEST_BYTES {
        let reason = format!("the manifest would be longer than {MAX_MANIFEST_BYTES} bytes");
        return Err(unusable(path, reason));
    }
    for oracle_id in manifest.oracles().into_iter().flatten() {
        check_identities(oracle_id, "m")?;
        check_oracle(path, manifest, rules, oracle_id)?;
    }
    check_running_value_limits(path, manifest, rules)
}

fn unusable(path: &Path, reason: String) -> LedgerError {
    LedgerError::SchemasUnusable {
        path: path.to_owned(),
        reason,
    }
}
