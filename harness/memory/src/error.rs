//! Why the memory did not do something: where, what was found, what was expected, what to do.

use std::path::{Path, PathBuf};

use super::id::Id;

/// Why something was not done. Nothing was appended where one is returned, unless it says so.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// SQLite, or the system beneath it, refused.
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What was tried, as in "cannot {action}".
        action: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },

    /// A file that the system does not give.
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried, as in "cannot {action}".
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },

    /// There is no database.
    #[error("{path}: there is no memory here; begin one with `axilog memory init {path}`", path = .0.display())]
    Missing(PathBuf),

    /// A new database was asked for where there is a file.
    #[error("{path}: already exists, and nothing is overwritten; name another file", path = .0.display())]
    Exists(PathBuf),

    /// A file that is something else.
    #[error("{path}: is no memory of axilog: {found}; name the file that `axilog memory init` made", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },

    /// A database that a later axilog wrote.
    #[error(
        "{path}: is of version {found}, and this axilog knows versions up to {known}; use an axilog that knows version {found}",
        path = path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version of this build.
        known: i64,
    },

    /// Tables that were derived from a part of the log only.
    #[error(
        "{path}: its tables are of {applied} entries, and the log has {head}; run `axilog memory rebuild {path}`",
        path = path.display()
    )]
    Behind {
        /// The database.
        path: PathBuf,
        /// The last entry that was applied.
        applied: u64,
        /// The last entry there is.
        head: u64,
    },

    /// The log is not what was appended.
    #[error("{path}: entry {seq} of the log: {reason}; restore the file from a copy", path = path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The first bad entry.
        seq: u64,
        /// What was found and what was expected.
        reason: String,
    },

    /// A JSON text outside the canonical profile (document, section 6).
    #[error("{what}: {reason}")]
    Profile {
        /// Which text.
        what: String,
        /// Where and why, in a sentence.
        reason: String,
    },

    /// An id that the log does not take (section 8).
    #[error(
        "{found:?} is no id of the event contract; expected one of {expected}; a new event takes a revision of the contract first"
    )]
    UnknownId {
        /// What was given.
        found: String,
        /// All there are.
        expected: String,
    },

    /// An event that only its own command appends.
    #[error("{id} is appended by `axilog memory {command}` alone, which keeps its chain whole")]
    OwnCommand {
        /// The event.
        id: &'static str,
        /// The subcommand.
        command: &'static str,
    },

    /// A body, a fact, a mask or a query whose parts are wrong.
    #[error("{what}: {field}: found {found}, expected {expected}")]
    Field {
        /// What has the field, like `EV-031`.
        what: String,
        /// The field.
        field: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },

    /// What the rules forbid in the present state.
    #[error("{what} is refused: {reason}; nothing was appended")]
    Refused {
        /// What was tried.
        what: String,
        /// Why, and what to do.
        reason: String,
    },

    /// A pin that is not what it should be (section 7).
    #[error(
        "the pin {name} is {stored} in the log and {found} here; if the change is meant, append a {entry} of {name} first"
    )]
    Pin {
        /// The pin.
        name: String,
        /// What would make it so: REVISION, or PIN where there is none yet.
        entry: Id,
        /// What the log says, revisions included.
        stored: String,
        /// What is so now.
        found: String,
    },

    /// A budget that not even an empty working set fits.
    #[error(
        "a budget of {given} tokens is {over} too few: the parts that are never cut are {needed}",
        over = needed.saturating_sub(*given)
    )]
    Budget {
        /// What the parts that are never cut take.
        needed: u64,
        /// What was given.
        given: u64,
    },

    /// An output in which a locked exact string stands.
    #[error(
        "the {what} holds {count} locked exact string(s), of {handles}; it is not given out",
        count = handles.len(), handles = handles.join(", ")
    )]
    Leak {
        /// Which output.
        what: &'static str,
        /// Whose strings they are.
        handles: Vec<String>,
    },
}

/// What functions of the memory give.
pub type Result<T> = std::result::Result<T, MemoryError>;

impl MemoryError {
    /// For `map_err` on calls to SQLite.
    pub(super) fn sqlite(
        path: &Path,
        action: &'static str,
    ) -> impl FnOnce(rusqlite::Error) -> MemoryError + use<> {
        let path = path.to_owned();
        move |source| MemoryError::Sqlite {
            path,
            action,
            source,
        }
    }

    pub(super) fn field(
        what: impl Into<String>,
        field: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> MemoryError {
        MemoryError::Field {
            what: what.into(),
            field: field.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    pub(super) fn refused(what: impl Into<String>, reason: impl Into<String>) -> MemoryError {
        MemoryError::Refused {
            what: what.into(),
            reason: reason.into(),
        }
    }
}
