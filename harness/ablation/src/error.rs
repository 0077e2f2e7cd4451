//! What can go wrong in the ablation harness.

use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_oracle::OracleError;
use axilog_oracle::tokens::TokenError;

use super::invalid_comparison::InvalidComparison;
use super::invalid_run::InvalidRun;
use super::padding_meaning::MeaningfulPadding;

/// Why the ablation harness did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum AblationError {
    /// A file describes no environment.
    #[error("{path}: {reason}", path = path.display())]
    Environment {
        /// The file.
        path: PathBuf,
        /// Where it is wrong, what was found and what was expected.
        reason: String,
    },

    /// A run or its padding broke a rule of the experiment, so its results count for nothing.
    #[error(transparent)]
    Invalid(#[from] InvalidRun),

    /// The tokenizer is unknown, unreadable or cannot count a text.
    #[error(transparent)]
    Tokens(#[from] TokenError),

    /// The padding may mean something to a model.
    #[error(transparent)]
    Padding(#[from] MeaningfulPadding),

    /// A calibration was asked for with too few seeds.
    #[error("a calibration takes at least 3 different seeds; {0} were given")]
    TooFewSeeds(usize),

    /// A seed is named twice.
    #[error("the seed {0} is given twice; name each seed once")]
    DuplicateSeed(u64),

    /// A plan has no seed or no episode.
    #[error("a run takes at least one seed and one episode")]
    EmptyPlan,

    /// An episode is too short for a precedent to be written, read and told apart from the last one.
    #[error("{environment} has episodes of {steps} steps; expected at least 3")]
    EpisodeTooShort {
        /// The environment's id.
        environment: String,
        /// How many steps its episodes have.
        steps: u32,
    },

    /// A calibration, a header or a run document is malformed, changed, or of another version.
    #[error("{path}: {reason}", path = path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// What was found, what was expected, and what to do.
        reason: String,
    },

    /// A ledger answers other questions than the run asks.
    #[error("{path}: {reason}", path = path.display())]
    ForeignLedger {
        /// The ledger.
        path: PathBuf,
        /// The answer that was found and the question that was put.
        reason: String,
    },

    /// A prompt beside a ledger is missing, or was changed.
    #[error("{path}: {reason}; put the files back as they were written", path = path.display())]
    Prompts {
        /// The ledger.
        path: PathBuf,
        /// Which prompt, and what is wrong with it.
        reason: String,
    },

    /// A calibration was made for something else than what is to be run.
    #[error(
        "{path}: was made with the {property} {found:?}, and this is {expected:?}; calibrate again with `axilog ablation calibrate`",
        path = path.display()
    )]
    CalibrationMismatch {
        /// The calibration file.
        path: PathBuf,
        /// What differs.
        property: &'static str,
        /// What the file has.
        found: String,
        /// What would be run.
        expected: String,
    },

    /// The model is not named.
    #[error("the oracle {0} needs a model: name it with --model, exactly as its server does")]
    MissingModel(String),

    /// The calibration is not named.
    #[error(
        "the lengths of the prompt's segments come from a calibration: make one with `axilog ablation calibrate` and name it with --calibration"
    )]
    MissingCalibration,

    /// A run cannot be compared with the others.
    #[error("{path}: {reason}", path = path.display())]
    NotComparable {
        /// The run's document or directory.
        path: PathBuf,
        /// Why not.
        reason: String,
    },

    /// Two runs are of different environments, or two of one oracle differ in more than their variant.
    #[error(transparent)]
    InvalidComparison(#[from] InvalidComparison),

    /// A margin is named where the primary endpoint is no share of steps.
    #[error(
        "a margin is a share of steps, of which the primary endpoint must be one: declare agreement or disagreement with --primary before the runs, or leave --margin out. {0}"
    )]
    MarginOfNothing(String),

    /// A run is to be compared, and there is no other.
    #[error("{path}: is the only run, and there is nothing to compare it with; name the directories of two runs or more", path = .0.display())]
    NothingToCompare(PathBuf),

    /// A directory holds another comparison.
    #[error("{path}: is another comparison's, and is never overwritten; name another directory with --out", path = .0.display())]
    ComparisonExists(PathBuf),

    /// A directory that should hold runs holds none.
    #[error("{path}: holds no run; name the directory that `axilog ablation run --out` was given", path = .0.display())]
    MissingRun(PathBuf),

    /// A directory for a new run already holds one.
    #[error("{path}: already holds a run, which is never overwritten; name another directory, or go on with the run by --resume", path = .0.display())]
    RunExists(PathBuf),

    /// A run is to be begun or gone on with by itself, and is an arm of an experiment.
    #[error("{path}: is the plan of an experiment of the arms {arms}, which are run together and only once; go on with all of them by --resume and the options that they were begun with, or name another directory with --out", path = path.display())]
    ArmOfExperiment {
        /// The plan.
        path: PathBuf,
        /// The arms of the plan, with commas between.
        arms: String,
    },

    /// A run that was to go on was begun with other options.
    #[error("{path}: was begun with {member} = {found}, and the options now give {expected}; --resume takes the options that the run was begun with", path = path.display())]
    ResumedOtherwise {
        /// The header.
        path: PathBuf,
        /// The member of the header that differs.
        member: String,
        /// What the header has.
        found: String,
        /// What the options give.
        expected: String,
    },

    /// A run of an oracle that cannot go on was to go on.
    #[error(
        "the oracle {0} begins at its first answer again, so nothing can go on with it; run anew"
    )]
    OracleBeginsAnew(String),

    /// An answer that was asked ahead is not the answer to the question that the run puts.
    #[error(
        "the prompt {found} was asked ahead where the run puts {expected}, so nothing was recorded; this is a defect of axilog: report it, and go on by --resume with --parallel 1"
    )]
    AskedAheadOtherwise {
        /// SHA-256 of the prompt that was asked ahead, in hexadecimal.
        found: String,
        /// SHA-256 of the prompt that the run puts, in hexadecimal.
        expected: String,
    },

    /// A file to be written already exists.
    #[error("{path}: already exists and is never overwritten; name another file", path = .0.display())]
    FileExists(PathBuf),

    /// Ctrl-C stopped the work.
    #[error("stopped by Ctrl-C {0}")]
    Interrupted(String),

    /// The oracle gave no answer, after every attempt.
    #[error("the oracle gave no answer {0}")]
    NoAnswer(String),

    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),

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
            LedgerError::File(error) => AblationError::File(error),
            error => AblationError::Ledger(error),
        }
    }
}

/// Keeps the error of a file or a ledger as one, whichever layer met it.
impl From<OracleError> for AblationError {
    fn from(error: OracleError) -> AblationError {
        match error {
            OracleError::File(error) => AblationError::File(error),
            OracleError::Ledger(error) => AblationError::Ledger(error),
            error => AblationError::Oracle(error),
        }
    }
}
