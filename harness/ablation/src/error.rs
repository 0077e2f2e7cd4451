//! What can go wrong around a run; what goes wrong in one is [`super::invalid`].

use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_oracle::OracleError;
use axilog_oracle::tokens::TokenError;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum AblationError {
    /// No tokens.
    #[error(transparent)]
    Tokens(#[from] TokenError),

    /// A calibration with too little behind it.
    #[error("calibration takes at least 3 different seeds; {0} were given")]
    FewSeeds(usize),

    /// A seed that stands twice.
    #[error("the seed {0} is given twice")]
    SeedTwice(u64),

    /// Nothing to run.
    #[error("a run takes at least one seed and one episode")]
    NothingToRun,

    /// An episode too short for a precedent to be written, read and told apart from the last one.
    #[error("{environment} has episodes of {steps} steps; expected at least 3")]
    ShortEpisodes {
        /// The environment.
        environment: String,
        /// How long they are.
        steps: u32,
    },

    /// A file that is not what it should be.
    #[error("{path}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },

    /// A calibration that was made for something else.
    #[error(
        "{path}: was made with the {what} {found:?}, and this is {wanted:?}; calibrate again with `axilog ablation calibrate`",
        path = path.display()
    )]
    OtherCalibration {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What the file has.
        found: String,
        /// What would be run.
        wanted: String,
    },

    /// A model that has to be named.
    #[error("the oracle {0} needs a model: name it with --model, exactly as its server does")]
    NoModel(String),

    /// Lengths that are not known.
    #[error(
        "the lengths of the prompt's segments come from a calibration: make one with `axilog ablation calibrate` and name it with --calibration"
    )]
    NoCalibration,

    /// Runs that cannot be held against each other.
    #[error("{path}: {reason}", path = path.display())]
    NotComparable {
        /// The run.
        path: PathBuf,
        /// Why not.
        reason: String,
    },

    /// Something that is there already.
    #[error("{path}: already holds a run, which is never overwritten; name another directory", path = .0.display())]
    Exists(PathBuf),

    /// Ctrl-C.
    #[error("stopped by Ctrl-C {0}")]
    Interrupted(String),

    /// An oracle that gave no answer.
    #[error("the oracle gave no answer {0}")]
    NoAnswer(String),

    /// A file cannot be read or written.
    #[error(transparent)]
    Access(#[from] FileError),

    /// The ledger refused.
    #[error(transparent)]
    Ledger(LedgerError),

    /// The oracle cannot be asked.
    #[error(transparent)]
    Oracle(OracleError),
}

/// Keeps the error of a file as one, whichever layer met it.
impl From<LedgerError> for AblationError {
    fn from(error: LedgerError) -> AblationError {
        match error {
            LedgerError::File(error) => AblationError::Access(error),
            error => AblationError::Ledger(error),
        }
    }
}

/// Keeps the error of a file or a ledger as one, whichever layer met it.
impl From<OracleError> for AblationError {
    fn from(error: OracleError) -> AblationError {
        match error {
            OracleError::File(error) => AblationError::Access(error),
            OracleError::Ledger(error) => AblationError::Ledger(error),
            error => AblationError::Oracle(error),
        }
    }
}
