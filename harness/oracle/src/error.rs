//! Why an oracle cannot be asked at all: nothing came back, and nothing is recorded.

use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};

use super::key::VARIABLE;

/// What is wrong with an endpoint or what it answers from.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// No such kind of oracle.
    #[error("there is no oracle {0:?}; --oracle takes openai, scripted:FILE or recorded:LEDGER")]
    UnknownKind(String),

    /// A base URL that is not one.
    #[error("{url}: {reason}; expected something like https://api.openai.com/v1")]
    BaseUrl {
        /// As it was given, unless it may hold a secret.
        url: String,
        /// What is wrong.
        reason: &'static str,
    },

    /// No key.
    #[error("{VARIABLE} is not set; the key is read from there and from nowhere else")]
    NoKey,

    /// A key that is none.
    #[error(
        "{VARIABLE} does not hold an API key: expected 8 or more printable ASCII characters without spaces"
    )]
    BadKey,

    /// The client cannot be built.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),

    /// A script that is not one.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Script {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },

    /// A script without an answer to this question.
    #[error(
        "{path}: no answer for call {call}: no line's `contains` or `every` fits, and there is no line without them",
        path = path.display()
    )]
    NoAnswer {
        /// The file.
        path: PathBuf,
        /// Which call, from 1.
        call: u64,
    },

    /// A ledger that never saw this question.
    #[error(
        "{path}: holds no answer to the input {input_hash}; {nearest}",
        path = path.display()
    )]
    NotRecorded {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the input, in hexadecimal.
        input_hash: String,
        /// What comes nearest, and how it differs.
        nearest: String,
    },

    /// A ledger that saw this question less often.
    #[error(
        "{path}: the input {input_hash} was asked {recorded} times there, and all of its answers are used",
        path = path.display()
    )]
    UsedUp {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the input, in hexadecimal.
        input_hash: String,
        /// How often.
        recorded: usize,
    },

    /// A recorded answer that the ledger does not hold whole.
    #[error(
        "{path}: record {ledger_seq} holds the answer to the input {input_hash} only in part (TRUNCATED)",
        path = path.display()
    )]
    Partly {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the input, in hexadecimal.
        input_hash: String,
        /// Which record.
        ledger_seq: u64,
    },

    /// A file that an oracle answers from cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// The ledger refused.
    #[error(transparent)]
    Ledger(LedgerError),
}

/// Keeps the error of a file as one, whichever layer met it.
impl From<LedgerError> for OracleError {
    fn from(error: LedgerError) -> OracleError {
        match error {
            LedgerError::File(error) => OracleError::File(error),
            error => OracleError::Ledger(error),
        }
    }
}
