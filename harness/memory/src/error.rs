//! What can go wrong with a memory: where, what was found, what was expected, what to do.

use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;

use crate::handle::Handle;
use crate::rule_ref::MemoryRule;

/// The rule by which texts with locked strings are refused.
const PRECISION: MemoryRule = MemoryRule::PrecisionTokens;

/// Why an operation on a memory failed. A failed operation appends nothing.
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

    /// The system refused a file.
    #[error(transparent)]
    File(#[from] FileError),

    /// The database does not exist.
    #[error("{path}: there is no memory here; begin one with `axilog memory init {path}`", path = .0.display())]
    Missing(PathBuf),

    /// A new database was asked for where a file exists.
    #[error("{path}: already exists, and nothing is overwritten; name another file", path = .0.display())]
    Exists(PathBuf),

    /// A file in which a memory was begun, and nothing of it was committed.
    #[error("{path}: its `axilog memory init` was interrupted, and there is nothing in it; run the `init` again, which completes it", path = .0.display())]
    Unfinished(PathBuf),

    /// A file that is no memory.
    #[error("{path}: is no memory of axilog: {found}; name the file that `axilog memory init` made", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What the file is.
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

    /// A database of an earlier axilog, whose log the rules of this one do not allow.
    #[error(
        "{path}: is of version {found}, and the rules of version {known} do not allow entry {seq} of its log: {reason}; read it with the axilog that wrote it, and append its facts to a new memory",
        path = path.display()
    )]
    Older {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version of this build.
        known: i64,
        /// The first entry that is not allowed.
        seq: u64,
        /// Why.
        reason: String,
    },

    /// A database that cannot be written, opened for writing.
    #[error(
        "{path}: cannot be written, and what is appended or shown to a model's side is recorded in it; make the file and its folder writable, or look at the memory without showing it (`working-set --unrecorded`, `pvib --unrecorded`)",
        path = .0.display()
    )]
    ReadOnly(PathBuf),

    /// Tables that were derived from only a part of the log.
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

    /// A table that was derived from the log, and does not agree with it any more.
    #[error(
        "{path}: the table {table} was changed past the memory: {reason}; run `axilog memory rebuild {path}`, which derives it from the log again",
        path = path.display()
    )]
    Altered {
        /// The database.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// Which row differs, by the entry that made it.
        reason: String,
    },

    /// A JSON text outside the canonical profile (document, section 6), or a document, a query or an
    /// argument of which a part is wrong.
    #[error("{what}: at {place}: {reason}")]
    Document {
        /// Which document, like `EV-031` or the name of a file.
        what: String,
        /// Where in it: a path like `$.scene_id`, or a byte.
        place: String,
        /// What was found and what was expected.
        reason: String,
    },

    /// An id that no entry of the log has (section 8).
    #[error(
        "{found:?} is no id of the event contract; expected one of {expected}; a new event takes a revision of the contract first"
    )]
    UnknownEntry {
        /// The text that was given.
        found: String,
        /// Every id there is.
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

    /// A handle that no fact and no detail has.
    #[error(
        "{path}: no fact and no detail has the handle {handle}; name one that `axilog memory fact` printed, or look for it in the log (`axilog memory show --log {path}`)",
        path = path.display()
    )]
    NoFact {
        /// The database.
        path: PathBuf,
        /// The handle.
        handle: Handle,
    },

    /// An operation that the rules forbid in the present state.
    #[error("{what} is refused: {reason}; nothing was appended")]
    Refused {
        /// What was tried.
        what: String,
        /// Why, and what to do.
        reason: String,
    },

    /// A pin whose value in the log differs from the value here (section 7).
    #[error(
        "the pin {name} is {stored} in the log and {found} here; if the change is meant, append a {entry} of {name} first"
    )]
    Pin {
        /// The pin.
        name: String,
        /// The entry that would change the pin: REVISION, or PIN where the log has none yet.
        entry: &'static str,
        /// The value in the log, revisions included.
        stored: String,
        /// The value here.
        found: String,
    },

    /// A pin of which nothing says what it is on this machine (section 7).
    #[error(
        "the pin {name} is {stored} in the log, and nothing says what it is here; give its value (--pin {name}=VALUE), or say that this machine has nothing of it (--absent-pin {name})"
    )]
    UnassertedPin {
        /// The pin.
        name: String,
        /// The value in the log, revisions included.
        stored: String,
    },

    /// A budget that is too small even for an empty working set.
    #[error(
        "a budget of {given} tokens is {over} too few: the parts that are never cut are {needed}",
        over = needed.saturating_sub(*given)
    )]
    Budget {
        /// How many tokens the parts take that are never cut.
        needed: u64,
        /// The budget that was given, in tokens.
        given: u64,
    },

    /// A tokenizer that is not there, or cannot split a text.
    #[error(transparent)]
    Tokens(#[from] axilog_oracle::tokens::TokenError),

    /// A tokenizer of another version than this build has.
    #[error(
        "this build has the tokenizer {found}, and {expected} is asked for; use a build of axilog with that version, or name the vocabulary anew"
    )]
    OtherTokenizer {
        /// The tokenizer that is asked for.
        expected: String,
        /// The tokenizer of this build.
        found: String,
    },

    /// A text that may guess at locked strings. The error is the same whether a guess was right or there were too
    /// many, and names no string.
    #[error(
        "the {what} is refused, as a whole: it may hold a locked exact string, or this scene had more guesses than it allows; begin another scene or session, or ask without a guess (rule {PRECISION})"
    )]
    Guess {
        /// Which text: a request, a narration or a request for a picture.
        what: &'static str,
    },

    /// An output in which a locked exact string stands.
    #[error(
        "the {what} holds {count} locked exact string(s), of {handles}; it is not given out (rule {PRECISION})",
        count = handles.len(), handles = handles.join(", ")
    )]
    Leak {
        /// Which output.
        what: &'static str,
        /// Whose strings they are.
        handles: Vec<String>,
    },
}

/// The result of an operation on a memory.
pub type Result<T> = std::result::Result<T, MemoryError>;

impl MemoryError {
    /// Makes the error of a call to SQLite, for `map_err`.
    pub(crate) fn sqlite(
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

    pub(crate) fn document(
        what: impl Into<String>,
        place: impl Into<String>,
        reason: impl Into<String>,
    ) -> MemoryError {
        MemoryError::Document {
            what: what.into(),
            place: place.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn refused(what: impl Into<String>, reason: impl Into<String>) -> MemoryError {
        MemoryError::Refused {
            what: what.into(),
            reason: reason.into(),
        }
    }
}
