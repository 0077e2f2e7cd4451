//! What can go wrong around a run; what goes wrong in one is [`super::invalid`].

use std::path::PathBuf;

use crate::tokens::TokenError;

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
}

impl AblationError {
    /// The exit code that says so: 1 the verdict is no, 2 wrong usage, 3 could not run.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            AblationError::NotComparable { .. } => 1,
            AblationError::Tokens(TokenError::Uncountable { .. })
            | AblationError::File { .. }
            | AblationError::Exists(_)
            | AblationError::Interrupted(_)
            | AblationError::NoAnswer(_) => 3,
            AblationError::Tokens(_)
            | AblationError::FewSeeds(_)
            | AblationError::SeedTwice(_)
            | AblationError::NothingToRun
            | AblationError::ShortEpisodes { .. }
            | AblationError::OtherCalibration { .. }
            | AblationError::NoModel(_)
            | AblationError::NoCalibration => 2,
        }
    }
}
