//! The errors of asking an oracle. Where the crate returns one before the call, nothing is recorded.

use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};

/// The reason why an oracle cannot be asked, or its reply not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// The name is not that of a kind of oracle.
    #[error(
        "there is no oracle {0:?}; --oracle takes openai, anthropic, scripted:FILE or recorded:LEDGER"
    )]
    UnknownKind(String),

    /// The base URL cannot be used.
    #[error("{url}: {reason}; expected something like https://api.openai.com/v1")]
    InvalidBaseUrl {
        /// The URL; a placeholder where it may hold a secret.
        url: String,
        /// The reason.
        reason: &'static str,
    },

    /// The server needs a key and there is none.
    #[error("{variable} is not set; the key is read from there and from nowhere else")]
    MissingApiKey {
        /// The environment variable that the key is read from.
        variable: &'static str,
    },

    /// The variable, or another text, does not hold an API key.
    #[error(
        "{variable} does not hold an API key: expected 8 or more printable ASCII characters without spaces"
    )]
    InvalidApiKey {
        /// The environment variable; `the text` for a key from elsewhere.
        variable: &'static str,
    },

    /// The question holds the API key, which no file may hold.
    #[error(
        "the question holds the API key, in {place}; take it out of there: nothing was recorded or sent"
    )]
    QuestionHoldsApiKey {
        /// The part of the question.
        place: &'static str,
    },

    /// The server's interface has no place for a part of the question.
    #[error("{server} takes no {part}; {advice}")]
    Unsupported {
        /// The server.
        server: &'static str,
        /// The part of the question.
        part: &'static str,
        /// What to do.
        advice: &'static str,
    },

    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    ClientSetup(String),

    /// A line of a script is not valid.
    #[error("{path}:{line}: {reason}", path = path.display())]
    InvalidScript {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The place in the line, what was found and what was expected.
        reason: String,
    },

    /// The script has no answer to the question.
    #[error(
        "{path}: no answer for call {call}: no line's `contains` or `every` fits, and there is no line without them",
        path = path.display()
    )]
    NoAnswer {
        /// The file.
        path: PathBuf,
        /// The number of the call, from 1.
        call: u64,
    },

    /// The ledger holds no answer to the question.
    #[error(
        "{path}: holds no answer to the input {input_hash}; {nearest}",
        path = path.display()
    )]
    NotRecorded {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the input, in hexadecimal.
        input_hash: String,
        /// The most similar input in the ledger, and the differences.
        nearest: String,
    },

    /// The ledger holds fewer answers to the question than were asked for.
    #[error(
        "{path}: the input {input_hash} was asked {recorded} times there, and all of its answers are used",
        path = path.display()
    )]
    AnswersExhausted {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the input, in hexadecimal.
        input_hash: String,
        /// The number of answers.
        recorded: usize,
    },

    /// The ledger does not hold the whole answer.
    #[error(
        "{path}: record {ledger_seq} holds the answer to the input {input_hash} only in part (TRUNCATED)",
        path = path.display()
    )]
    TruncatedAnswer {
        /// The ledger.
        path: PathBuf,
        /// SHA-256 of the input, in hexadecimal.
        input_hash: String,
        /// The sequence number of the record.
        ledger_seq: u64,
    },

    /// The file that an oracle answers from cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// The ledger refused an operation.
    #[error(transparent)]
    Ledger(LedgerError),
}

/// Keeps a file's error a file's error, whichever crate met it.
impl From<LedgerError> for OracleError {
    fn from(error: LedgerError) -> OracleError {
        match error {
            LedgerError::File(error) => OracleError::File(error),
            error => OracleError::Ledger(error),
        }
    }
}
