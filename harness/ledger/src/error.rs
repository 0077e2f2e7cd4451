//! What can go wrong with a ledger: where, what was found, what was expected, what to do.
//!
//! Bad evidence is a [`Fault`], which names a verdict of formats.md §6 and a position. A file that
//! cannot be used is a [`FileError`]. Everything else is a [`LedgerError`].

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog::replay::Verdict;

use crate::file::durability::Checkpoint;

/// Why a ledger is not good, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The verdict; never [`Verdict::Ok`].
    pub verdict: Verdict,
    /// The sequence of the first bad record, or of the first missing one.
    pub sequence: u64,
    /// Where that record's line begins, or the end of the file where it is missing; in bytes.
    pub offset: u64,
    /// What was found and what was expected, in a sentence.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
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

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused.
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried, as in "cannot {action}".
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },

    /// Something that is no regular file stands where one is needed.
    #[error("{path}: is not a regular file, which is needed here", path = .0.display())]
    NotAFile(PathBuf),

    /// More bytes than are read into memory.
    #[error(
        "{what} is longer than {limit} bytes, the most that is read; nothing was recorded{hint}"
    )]
    TooLong {
        /// What is.
        what: String,
        /// The limit in bytes.
        limit: u64,
        /// What to do, beginning with its own punctuation.
        hint: &'static str,
    },
}

impl FileError {
    /// The error of a call to the system about `path`, for `map_err`. `action` is what was tried, as in
    /// "cannot {action}".
    pub fn at(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        move |source| FileError::Io {
            path,
            action,
            source,
        }
    }
}

/// Why a ledger operation was not done. Nothing was recorded where one is returned, unless it says so.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file beside the ledger, or the ledger itself, cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// What was acknowledged as written could not be made durable. The session acts no more.
    #[error(
        "{path}: cannot sync the ledger: {source}; {durable}, and whatever was recorded behind may be lost; open it again to see what it holds",
        path = path.display()
    )]
    NotDurable {
        /// The ledger.
        path: PathBuf,
        /// How far it is known to be durable.
        durable: Checkpoint,
        /// What the system said.
        source: Arc<io::Error>,
    },

    /// Another process has the ledger open for writing.
    #[error(
        "{path}: another process{} is writing to this ledger; wait for it to end",
        holder.map(|id| format!(" (id {id})")).unwrap_or_default(),
        path = path.display()
    )]
    Busy {
        /// The ledger.
        path: PathBuf,
        /// Its process id, where it is known.
        holder: Option<u32>,
    },

    /// A new ledger was asked for where there is one.
    #[error(
        "{path}: already holds a ledger, which is never overwritten; name another file, or move this one away together with {path}.blobs",
        path = .0.display()
    )]
    Exists(PathBuf),

    /// There is no ledger, or one that holds no observation yet.
    #[error("{path}: holds no observations yet; begin it with `axilog init {path}`", path = .0.display())]
    NotBegun(PathBuf),

    /// The ledger is not good, so nothing may be added to it.
    #[error("{path}: {fault}", path = path.display())]
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// What is wrong.
        fault: Fault,
    },

    /// A sealed ledger accepts nothing more.
    #[error("{path}: is sealed, and nothing may follow a seal; begin a new ledger", path = .0.display())]
    Sealed(PathBuf),

    /// The rules that a ledger names are nowhere to be found.
    #[error(
        "{path}: its configuration {hash} is missing: no file {blob}, and the built-in policies are others; name the policies it was made under with --policies",
        path = path.display(), blob = blob.display()
    )]
    ConfigurationMissing {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the configuration, in hexadecimal.
        hash: String,
        /// Where its bytes should be.
        blob: PathBuf,
    },

    /// The bytes of a configuration are the right ones, but no policy file can express them.
    #[error(
        "{path}:{source}; this command cannot replay under such a configuration (an operator outside GT, LT, GE, LE always breaches); the library can",
        path = path.display()
    )]
    ConfigurationUnreadable {
        /// The blob.
        path: PathBuf,
        /// What is wrong with it, and where.
        source: axilog_policyc::Error,
    },

    /// A policy file is not one.
    #[error("{path}:{source}", path = path.display())]
    Policies {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        source: axilog_policyc::Error,
    },

    /// An input that has no canonical form: it may not be put to an oracle (SRS-004 §8.3).
    #[error("{path}: the input is not admissible: {reason}; nothing was recorded", path = path.display())]
    Input {
        /// The file it came from.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },

    /// An identity that no record may hold.
    #[error(
        "the {field} {value:?} is not admissible: expected 1 to 256 bytes of text in NFC without control characters"
    )]
    Identity {
        /// `oracle_id` or `model_id`.
        field: &'static str,
        /// What was given.
        value: String,
    },

    /// An oracle id that means something else.
    #[error("the oracle id {id} is reserved; use `axilog {command}`")]
    Reserved {
        /// The id.
        id: String,
        /// The subcommand to use.
        command: &'static str,
    },

    /// An oracle that had another model in this ledger (decision D24).
    #[error(
        "{path}: the oracle {oracle:?} has the model {recorded:?} in this ledger and cannot have {given:?} too; use another oracle id or another ledger; nothing was recorded",
        path = path.display()
    )]
    Model {
        /// The ledger.
        path: PathBuf,
        /// The oracle.
        oracle: String,
        /// Its model so far.
        recorded: String,
        /// The model named now.
        given: String,
    },

    /// A time that does not exceed the last one; recording it would stop the agent.
    #[error(
        "{path}: the time {given} is not after the last recorded one, {last}, and would stop the agent; nothing was recorded (--force records it all the same)",
        path = path.display()
    )]
    Rollback {
        /// The ledger.
        path: PathBuf,
        /// The last accepted timestamp.
        last: u64,
        /// The one given.
        given: u64,
    },

    /// The core refused.
    #[error("{path}: {source}", path = path.display())]
    Core {
        /// The ledger.
        path: PathBuf,
        /// Why.
        source: axilog::fault::Error,
    },
}
