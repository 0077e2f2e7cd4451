//! The errors of the live harness. A difference in a run is not an error but a finding of its replay.

use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_oracle::OracleError;

use crate::live::error::LiveError;
use crate::log::error::LogError;

/// Why an operation of the live harness was not done.
#[derive(Debug, thiserror::Error)]
pub enum X0lError {
    /// The directory of a new run is not empty.
    #[error("{path}: is not empty, and a run needs a directory of its own; name another, or one that does not exist yet", path = .0.display())]
    NotEmpty(PathBuf),

    /// The directory holds no run.
    #[error("{path}: holds no run: there is none of session_metadata.json, ledger.jsonl and cycles.jsonl in it", path = .0.display())]
    NotARun(PathBuf),

    /// A reviewer judges a cycle that is no finding.
    #[error(
        "cycle {cycle} is no Type III refusal and no action on an injection, so there is nothing to say of it; those are {}",
        listed(places)
    )]
    NothingToReview {
        /// The cycle.
        cycle: u64,
        /// The cycles that are findings.
        places: Vec<u64>,
    },

    /// The run has no cycle of this number.
    #[error(
        "{path}: found no cycle {cycle}, expected {range}{so_far}; cycles are numbered through the session, as the report numbers them",
        path = path.display(),
        range = describe_range(*last),
        so_far = if *live { " so far, since the session is still going on" } else { "" },
    )]
    NoSuchCycle {
        /// The directory of the run.
        path: PathBuf,
        /// The number.
        cycle: u64,
        /// The last cycle that there is; 0 where there is none.
        last: u64,
        /// Whether the run is still being written.
        live: bool,
    },

    /// A reviewer judges a cycle of a run that has not ended.
    #[error("{path}: found no seal, expected one: judgements name the run by its last head, so a run can be judged once it has ended", path = .0.display())]
    NotSealed(PathBuf),

    /// A session cannot be run with the settings.
    #[error(transparent)]
    Live(#[from] LiveError),

    /// A file of a run holds something else than a run writes.
    #[error(transparent)]
    Log(#[from] LogError),

    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// The ledger of a run cannot be used.
    #[error(transparent)]
    Ledger(LedgerError),

    /// The oracle cannot be asked.
    #[error(transparent)]
    Oracle(OracleError),
}

/// Keeps the error of a file as one, whichever layer met it.
impl From<LedgerError> for X0lError {
    fn from(error: LedgerError) -> X0lError {
        match error {
            LedgerError::File(error) => X0lError::File(error),
            error => X0lError::Ledger(error),
        }
    }
}

/// Keeps the error of a file or a ledger as one, whichever layer met it.
impl From<OracleError> for X0lError {
    fn from(error: OracleError) -> X0lError {
        match error {
            OracleError::File(error) => X0lError::File(error),
            OracleError::Ledger(error) => X0lError::Ledger(error),
            error => X0lError::Oracle(error),
        }
    }
}

fn listed(numbers: &[u64]) -> String {
    match numbers {
        [] => "none".to_owned(),
        numbers => numbers
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn describe_range(last: u64) -> String {
    match last {
        0 => "none: the run has no cycle".to_owned(),
        1 => "1, the only one".to_owned(),
        last => format!("one from 1 to {last}"),
    }
}
