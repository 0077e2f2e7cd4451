//! An error of this library: its status, its reason and its text. Emits no header.

use std::ffi::c_int;
use std::path::Path;

use axilog::agent::state::Health;
use axilog::fault::Error as CoreError;
use axilog_bundle::BundleError;
use axilog_exchange::JUDGES_FACTS;
use axilog_ledger::error::{FileError, LedgerError};

use crate::reason::{
    AXH_REASON_BINDING, AXH_REASON_BUNDLE, AXH_REASON_CONFIGURATION, AXH_REASON_DAMAGED,
    AXH_REASON_DECLARATIONS, AXH_REASON_DISPLACED, AXH_REASON_FAILED, AXH_REASON_GRAMMAR,
    AXH_REASON_IDENTITY, AXH_REASON_MODEL, AXH_REASON_NONE, AXH_REASON_ORACLE, AXH_REASON_POLICIES,
    AXH_REASON_QUESTION, AXH_REASON_SCHEMA, AXH_REASON_SEALED, AXH_REASON_SOURCE, AXH_REASON_STATE,
    AXH_REASON_TIME,
};
use crate::status::{
    AXH_ERR_ARGUMENT, AXH_ERR_DEFECT, AXH_ERR_EXISTS, AXH_ERR_FORKED, AXH_ERR_HANDLE, AXH_ERR_IO,
    AXH_ERR_LEDGER, AXH_ERR_LOCKED, AXH_ERR_REFUSED,
};

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostError {
    #[error("{0}; nothing was done")]
    Argument(String),

    #[error(
        "the handle is of no open {what}: found {found}, expected one that {given_by} gave and that is not closed; nothing was done",
        what = of.what, given_by = of.given_by
    )]
    Handle { of: HandleOf, found: &'static str },

    #[error("{path}: was opened by the process {process}, which this one was forked from; open it in this process; nothing was done", path = path.display())]
    Forked { path: Box<Path>, process: u32 },

    #[error("{path}: is not bound to the {what} that the options name; open it without them, or begin another ledger; nothing was recorded", path = path.display())]
    OtherBinding { path: Box<Path>, what: &'static str },

    #[error("{path}: {found}, expected the bytes that record {sequence} names by their SHA-256; put the file back as it was", path = path.display())]
    Blob {
        path: Box<Path>,
        sequence: u64,
        found: &'static str,
    },

    #[error("the request cannot be recorded: {0}")]
    Question(String),

    #[error("{path}: {JUDGES_FACTS}; nothing was recorded, and nothing may be asked", path = path.display())]
    JudgesFacts { path: Box<Path> },

    #[error("{path}: the agent is {health} and takes no question: {missing}; nothing was recorded, and nothing may be asked",
        path = path.display(), health = health.as_str(), missing = missing_steps(*health))]
    NotEnabled { path: Box<Path>, health: Health },

    #[error(transparent)]
    Ledger(#[from] LedgerError),

    #[error(transparent)]
    Bundle(#[from] BundleError),

    #[error("the results: {0}")]
    Results(String),

    #[error(
        "the library has a defect: {0}; close the ledger and open it again to see what it holds"
    )]
    Defect(String),
}

/// What a handle is of, in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandleOf {
    pub(crate) what: &'static str,
    /// The functions that give the handle.
    pub(crate) given_by: &'static str,
}

impl HostError {
    /// The status that the function returns.
    pub(crate) fn status(&self) -> c_int {
        match self {
            HostError::Argument(_) => AXH_ERR_ARGUMENT,
            HostError::Handle { .. } => AXH_ERR_HANDLE,
            HostError::Forked { .. } => AXH_ERR_FORKED,
            HostError::OtherBinding { .. }
            | HostError::Question(_)
            | HostError::JudgesFacts { .. }
            | HostError::NotEnabled { .. } => AXH_ERR_REFUSED,
            HostError::Blob { .. } => AXH_ERR_LEDGER,
            HostError::Ledger(error) => status_of_ledger(error),
            HostError::Bundle(BundleError::File(_)) => AXH_ERR_IO,
            HostError::Bundle(_) | HostError::Results(_) => AXH_ERR_ARGUMENT,
            HostError::Defect(_) => AXH_ERR_DEFECT,
        }
    }

    /// What the error is about, finer than its status.
    pub(crate) fn reason(&self) -> c_int {
        match self {
            HostError::OtherBinding { .. } => AXH_REASON_BINDING,
            HostError::Question(_) => AXH_REASON_QUESTION,
            HostError::JudgesFacts { .. } => AXH_REASON_POLICIES,
            HostError::NotEnabled { .. } => AXH_REASON_STATE,
            HostError::Ledger(error) => reason_of_ledger(error),
            HostError::Bundle(BundleError::Grammar { .. }) => AXH_REASON_GRAMMAR,
            HostError::Bundle(BundleError::File(_)) => AXH_REASON_NONE,
            HostError::Bundle(_) | HostError::Results(_) => AXH_REASON_BUNDLE,
            HostError::Argument(_)
            | HostError::Handle { .. }
            | HostError::Forked { .. }
            | HostError::Blob { .. }
            | HostError::Defect(_) => AXH_REASON_NONE,
        }
    }

    /// The operating system's number of its refusal; 0 where it refused nothing.
    pub(crate) fn os_error(&self) -> c_int {
        match self {
            HostError::Ledger(error) => os_error_of_ledger(error),
            HostError::Bundle(BundleError::File(error)) => os_error_of_file(error),
            _ => 0,
        }
    }
}

/// What an agent in this state needs to become ENABLED.
fn missing_steps(health: Health) -> &'static str {
    match health {
        Health::Alarm => {
            "look at what breached, then record a policy trigger (mitigate), a reset and the time"
        }
        Health::Degraded => "record a reset and the time",
        Health::Init => "record the time",
        _ => "this state is for good, begin another ledger",
    }
}

fn reason_of_ledger(error: &LedgerError) -> c_int {
    match error {
        LedgerError::InvalidInput { .. } => AXH_REASON_QUESTION,
        LedgerError::InvalidIdentity { .. }
        | LedgerError::ReservedOracleId { .. }
        | LedgerError::RunningValueId { .. } => AXH_REASON_IDENTITY,
        LedgerError::ModelMismatch { .. } => AXH_REASON_MODEL,
        LedgerError::UndeclaredOracle { .. } | LedgerError::UnjudgedOracle { .. } => {
            AXH_REASON_ORACLE
        }
        LedgerError::UnknownSource { .. }
        | LedgerError::SourceNoAnswer { .. }
        | LedgerError::SourceRefused { .. } => AXH_REASON_SOURCE,
        LedgerError::QuestionViolatesSchema { .. } => AXH_REASON_SCHEMA,
        LedgerError::TimeRollback { .. } => AXH_REASON_TIME,
        LedgerError::Sealed(_) => AXH_REASON_SEALED,
        LedgerError::Damaged { .. } => AXH_REASON_DAMAGED,
        LedgerError::NoObservations(_)
        | LedgerError::ConfigurationMissing { .. }
        | LedgerError::ConfigurationUnreadable { .. } => AXH_REASON_CONFIGURATION,
        LedgerError::SchemasUnusable { .. } => AXH_REASON_DECLARATIONS,
        LedgerError::File(FileError::Displaced { .. }) => AXH_REASON_DISPLACED,
        LedgerError::NotDurable { .. }
        | LedgerError::Core {
            source: CoreError::Ledger,
            ..
        } => AXH_REASON_FAILED,
        LedgerError::InvalidPolicies { .. } | LedgerError::RunningValueNotLimited { .. } => {
            AXH_REASON_POLICIES
        }
        LedgerError::File(_)
        | LedgerError::Locked { .. }
        | LedgerError::AlreadyExists(_)
        | LedgerError::Core { .. } => AXH_REASON_NONE,
    }
}

fn os_error_of_ledger(error: &LedgerError) -> c_int {
    match error {
        LedgerError::File(error) => os_error_of_file(error),
        LedgerError::NotDurable { source, .. } => source.raw_os_error().unwrap_or(0),
        _ => 0,
    }
}

fn os_error_of_file(error: &FileError) -> c_int {
    match error {
        FileError::Io { source, .. } => source.raw_os_error().unwrap_or(0),
        _ => 0,
    }
}

fn status_of_ledger(error: &LedgerError) -> c_int {
    match error {
        LedgerError::InvalidPolicies { .. }
        | LedgerError::RunningValueNotLimited { .. }
        | LedgerError::File(FileError::TooLong { .. }) => AXH_ERR_ARGUMENT,
        LedgerError::Sealed(_)
        | LedgerError::InvalidInput { .. }
        | LedgerError::InvalidIdentity { .. }
        | LedgerError::ReservedOracleId { .. }
        | LedgerError::RunningValueId { .. }
        | LedgerError::ModelMismatch { .. }
        | LedgerError::UndeclaredOracle { .. }
        | LedgerError::UnjudgedOracle { .. }
        | LedgerError::UnknownSource { .. }
        | LedgerError::SourceNoAnswer { .. }
        | LedgerError::SourceRefused { .. }
        | LedgerError::QuestionViolatesSchema { .. }
        | LedgerError::TimeRollback { .. } => AXH_ERR_REFUSED,
        LedgerError::AlreadyExists(_) => AXH_ERR_EXISTS,
        LedgerError::Locked { .. } => AXH_ERR_LOCKED,
        LedgerError::Damaged { .. }
        | LedgerError::NoObservations(_)
        | LedgerError::ConfigurationMissing { .. }
        | LedgerError::ConfigurationUnreadable { .. }
        | LedgerError::SchemasUnusable { .. } => AXH_ERR_LEDGER,
        LedgerError::File(_) | LedgerError::NotDurable { .. } => AXH_ERR_IO,
        // A step that failed before has halted the agent; anything else is about what was given.
        LedgerError::Core { source, .. } => match source {
            CoreError::Ledger => AXH_ERR_LEDGER,
            _ => AXH_ERR_REFUSED,
        },
    }
}
