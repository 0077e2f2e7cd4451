//! The errors of ledgers. Their texts name the place, what was found, what was expected and what to do.
//!
//! A bad record is a [`LedgerFault`], with a verdict of formats.md §6 and a position. A file that cannot be used is
//! a [`FileError`]. Every other error is a [`LedgerError`].

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog::replay::Verdict;

use crate::durability::LedgerPosition;
use crate::file::place::Displacement;
use crate::schema::violation::SchemaViolation;
use crate::visible_text::escape_identity;

/// The first fault of a ledger and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFault {
    /// The verdict; never [`Verdict::Ok`].
    pub verdict: Verdict,
    /// The sequence of the first bad record, or of the first missing one.
    pub sequence: u64,
    /// The offset in bytes at which that record's line begins; the end of the file for a missing record.
    pub offset: u64,
    /// The fault in words: what was found and what was expected.
    pub reason: String,
}

impl fmt::Display for LedgerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LedgerFault {
            verdict,
            sequence,
            offset,
            reason,
        } = self;
        write!(
            f,
            "{}: record {sequence} at byte {offset}: {reason}",
            verdict.as_str()
        )
    }
}

/// The reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused an operation.
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operation, as in "cannot {action}".
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },

    /// The path names a directory or device where a regular file is needed.
    #[error("{path}: is not a regular file, and one is needed here; name a regular file", path = .0.display())]
    NotARegularFile(PathBuf),

    /// A compressed ledger is named where one is written.
    #[error(
        "{path}: is compressed, and only a ledger that is not can be written; decompress it with `gzip -d` or `zstd -d`, and name the file that this makes",
        path = .0.display()
    )]
    Compressed(PathBuf),

    /// Standard input is named for two files of one process.
    #[error(
        "-: standard input was read already; found `-`, or a command that reads an answer from standard input, a second time, expected once; name a file in one place"
    )]
    StandardInputTwice,

    /// The path names a symbolic link where the file's own name is needed.
    #[error(
        "{path}: is a symbolic link to {target}; a ledger is written by its own name, so that no link can be turned to another file meanwhile; name the file that the link leads to",
        path = path.display(), target = target.display()
    )]
    SymbolicLink {
        /// The link.
        path: PathBuf,
        /// The path that the link holds.
        target: PathBuf,
    },

    /// The path does not lead to the file that was opened under it, or the file has another length than it was
    /// given. What was not acknowledged before is not recorded.
    #[error(
        "{path}: is not the file that was opened, so nothing more is recorded: {displacement}",
        path = path.display()
    )]
    Displaced {
        /// The file.
        path: PathBuf,
        /// The difference.
        displacement: Displacement,
    },

    /// The input is longer than the limit.
    #[error(
        "{what} is longer than {limit} bytes, the most that is read; nothing was recorded{hint}"
    )]
    TooLong {
        /// The input.
        what: String,
        /// The limit in bytes.
        limit: u64,
        /// The advice after the message, with its leading punctuation.
        hint: &'static str,
    },
}

impl FileError {
    /// Makes a [`FileError::Displaced`] about `path`, for `map_err`.
    pub fn displaced(path: &Path) -> impl FnOnce(Displacement) -> FileError {
        let path = path.to_owned();
        move |displacement| FileError::Displaced { path, displacement }
    }

    /// Makes a [`FileError::Io`] about `path` from a system's error, for `map_err`. `action` is the operation
    /// that failed, as in "cannot {action}".
    pub fn from_io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        move |source| FileError::Io {
            path,
            action,
            source,
        }
    }
}

/// The reason why a ledger operation was not done. Nothing was recorded then, unless the text says so.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file beside the ledger, or the ledger itself, cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// Records that were acknowledged as written could not be synced. The session refuses further steps.
    #[error(
        "{path}: cannot sync the ledger: {source}; {durable}, and every later record may be lost; open the ledger again to see what it holds",
        path = path.display()
    )]
    NotDurable {
        /// The ledger.
        path: PathBuf,
        /// How far the ledger is known to be durable.
        durable: LedgerPosition,
        /// The system's error.
        source: Arc<io::Error>,
    },

    /// Another process has the ledger open for writing.
    #[error(
        "{path}: another process{} is writing to this ledger; wait for it to end",
        holder.map(|id| format!(" (id {id})")).unwrap_or_default(),
        path = path.display()
    )]
    Locked {
        /// The ledger.
        path: PathBuf,
        /// The id of that process, where it is known.
        holder: Option<u32>,
    },

    /// The file for a new ledger holds one already.
    #[error(
        "{path}: already holds a ledger, which is never overwritten; name another file, or move this one away together with {path}.blobs",
        path = .0.display()
    )]
    AlreadyExists(PathBuf),

    /// The ledger holds no observation yet.
    #[error("{path}: holds no observations yet; begin it with `axilog init {path}`", path = .0.display())]
    NoObservations(PathBuf),

    /// The ledger has a fault, so nothing may be appended to it.
    #[error("{path}: {fault}", path = path.display())]
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// The fault.
        fault: LedgerFault,
    },

    /// The ledger is sealed, so nothing may be appended to it.
    #[error("{path}: is sealed, and nothing may follow a seal; begin a new ledger", path = .0.display())]
    Sealed(PathBuf),

    /// The configuration that the ledger names was not found.
    #[error(
        "{path}: its configuration {hash} is missing: there is no file {blob}, and the built-in policies do not give it by themselves; put the file back, or name the policies it was made under with --policies where no manifest belongs to it",
        path = path.display(), blob = blob.display()
    )]
    ConfigurationMissing {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the configuration, in hexadecimal.
        hash: String,
        /// The blob that should hold the configuration.
        blob: PathBuf,
    },

    /// The configuration has the right hash, but no policy file can express it.
    #[error(
        "{path}:{source}; this command cannot replay under such a configuration (an operator outside GT, LT, GE, LE always breaches); the library can",
        path = path.display()
    )]
    ConfigurationUnreadable {
        /// The blob.
        path: PathBuf,
        /// The error and its place.
        source: axilog_policyc::PolicyFileError,
    },

    /// A policy file is not valid.
    #[error("{path}:{source}", path = path.display())]
    InvalidPolicies {
        /// The file.
        path: PathBuf,
        /// The error and its place.
        source: axilog_policyc::PolicyFileError,
    },

    /// An input has no canonical form and may not be put to an oracle (SRS-004 §8.3).
    #[error("{path}: the input is not admissible: {reason}; nothing was recorded", path = path.display())]
    InvalidInput {
        /// The file that the input came from.
        path: PathBuf,
        /// What makes the input inadmissible, and where.
        reason: String,
    },

    /// An oracle id or model id that a session does not record: readers could take it for another one.
    #[error(
        "the {field} \"{start}\" is not admissible: {reason}; expected 1 to 256 visible ASCII characters (U+0021 to U+007E), like `planner-1`; give such an id; nothing was recorded",
        start = escape_identity(start)
    )]
    InvalidIdentity {
        /// `oracle_id` or `model_id`.
        field: &'static str,
        /// The beginning of the id that was given.
        start: String,
        /// What was found: the character and its place, or the length.
        reason: String,
    },

    /// An oracle id is reserved for the time or for control inputs.
    #[error("the oracle id {id} is reserved; use `axilog {command}`")]
    ReservedOracleId {
        /// The id.
        id: String,
        /// The subcommand that records such an observation.
        command: &'static str,
    },

    /// An oracle id is one that only the ledger gives, to what it computes itself.
    #[error(
        "the oracle id \"{id}\" is that of a running value, which the ledger computes and records itself; record the answers that it is computed from, or choose an id that does not begin with ax.sum., ax.count. or ax.change.; nothing was recorded",
        id = escape_identity(id)
    )]
    RunningValueId {
        /// The id.
        id: String,
    },

    /// A running value that no policy of its own limits, or one that another policy would refuse.
    #[error("{path}: the running value {id}: {reason}", path = path.display())]
    RunningValueNotLimited {
        /// The ledger.
        path: PathBuf,
        /// The oracle id of the running value.
        id: String,
        /// The reason, and what to do.
        reason: String,
    },

    /// The oracle has another model in this ledger (decision D24).
    #[error(
        "{path}: the oracle \"{oracle}\" has the model \"{recorded}\" in this ledger and cannot have \"{given}\" too; use another oracle id or another ledger; nothing was recorded",
        path = path.display(), oracle = escape_identity(oracle), recorded = escape_identity(recorded), given = escape_identity(given)
    )]
    ModelMismatch {
        /// The ledger.
        path: PathBuf,
        /// The oracle.
        oracle: String,
        /// The oracle's model in the ledger.
        recorded: String,
        /// The model of the refused call.
        given: String,
    },

    /// An answer of an oracle that the ledger's manifest does not declare.
    #[error(
        "{path}: the oracle \"{oracle}\" is not declared in this ledger, which takes answers of {declared} only; correct the id, or begin a ledger that declares it; nothing was recorded",
        path = path.display(), oracle = escape_identity(oracle)
    )]
    UndeclaredOracle {
        /// The ledger.
        path: PathBuf,
        /// The oracle.
        oracle: String,
        /// The first declared oracles.
        declared: String,
    },

    /// An answer of an oracle that no policy judges, in a ledger whose manifest requires one.
    #[error(
        "{path}: no policy judges the answers of the oracle \"{oracle}\", and this ledger requires one; correct the id, or begin a ledger with a policy for it; nothing was recorded",
        path = path.display(), oracle = escape_identity(oracle)
    )]
    UnjudgedOracle {
        /// The ledger.
        path: PathBuf,
        /// The oracle.
        oracle: String,
    },

    /// A question is said to be derived from what is no observation of the ledger (SRS-004 §10.1).
    #[error(
        "{path}: the question is derived from {source_name}, which is no observation of this ledger; name answers that it holds; nothing was recorded",
        path = path.display()
    )]
    UnknownSource {
        /// The ledger.
        path: PathBuf,
        /// What was named.
        source_name: String,
    },

    /// A question is said to be derived from the time or a control input.
    #[error(
        "{path}: the question is derived from observation {ledger_seq}, which is the time or a control input and no answer; name answers of oracles; nothing was recorded",
        path = path.display()
    )]
    SourceNoAnswer {
        /// The ledger.
        path: PathBuf,
        /// The observation.
        ledger_seq: u64,
    },

    /// A question is said to be derived from an answer that may not be acted on (SRS-004 §11.2), and does not say that
    /// it was so.
    #[error(
        "{path}: the question is derived from observation {ledger_seq}, which may not be acted on: {reason}; derive it from answers that may be acted on, or record that it was so: --even-refused, in the input the member \"even_refused\":true; nothing was recorded",
        path = path.display()
    )]
    SourceRefused {
        /// The ledger.
        path: PathBuf,
        /// The observation.
        ledger_seq: u64,
        /// Why it may not be acted on.
        reason: String,
    },

    /// A question violates the schema that the ledger's manifest declares (SRS-004 §8.3).
    #[error(
        "{path}: the question violates the input schema of the oracle \"{oracle}\": {violation}; nothing was recorded",
        path = path.display(), oracle = escape_identity(oracle)
    )]
    QuestionViolatesSchema {
        /// The ledger.
        path: PathBuf,
        /// The oracle.
        oracle: String,
        /// How the question violates the schema.
        violation: Box<SchemaViolation>,
    },

    /// The manifest or a schema that it names cannot be used, so that nothing can be validated.
    #[error("{path}: takes no answers: {reason}; nothing was recorded", path = path.display())]
    SchemasUnusable {
        /// The ledger.
        path: PathBuf,
        /// What was found.
        reason: String,
    },

    /// A time is not after the last one; recording it would stop the agent.
    #[error(
        "{path}: the time {given} is not after the last recorded one, {last}, and would stop the agent; nothing was recorded (--force records it all the same); where the last time is wrong, seal this ledger and go on in one that follows it (axilog init NEW --follows {path})",
        path = path.display()
    )]
    TimeRollback {
        /// The ledger.
        path: PathBuf,
        /// The last accepted timestamp.
        last: u64,
        /// The refused timestamp.
        given: u64,
    },

    /// The core refused a step.
    #[error("{path}: {source}", path = path.display())]
    Core {
        /// The ledger.
        path: PathBuf,
        /// The core's error.
        source: axilog::fault::Error,
    },
}
