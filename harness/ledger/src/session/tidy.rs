//! Putting a ledger right on request, as every opening for writing does.

use std::path::Path;

use axilog_policyc::PolicySet;

use super::Session;
use super::recovery::replay_and_move_torn_line;
use crate::error::LedgerError;
use crate::file::{LedgerFile, LeftBehind, TornLine};

/// What [`tidy_ledger`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TidiedLedger {
    /// The torn last line that was moved aside.
    pub torn_line: Option<TornLine>,
    /// The number of records that were added to complete an interrupted step.
    pub completed_records: u64,
    /// The files that were moved out of the blobs.
    pub left_behind: Option<LeftBehind>,
}

/// Does to the ledger at `path` what [`Session::open`] does to one that an interruption left, and nothing else: moves
/// a torn last line and the blobs that no record names aside, and completes an interrupted step. The ledger may be
/// sealed.
///
/// # Errors
/// As [`Session::open`], but for [`LedgerError::Sealed`].
pub fn tidy_ledger(path: &Path, policies: Option<&PolicySet>) -> Result<TidiedLedger, LedgerError> {
    let mut file = LedgerFile::open(path)?;
    if file.has_no_observation()? {
        return Err(LedgerError::NoObservations(path.to_owned()));
    }
    let mut replayed = replay_and_move_torn_line(&mut file, policies)?;
    if replayed.replay.ledger().sealed {
        replayed.move_left_behind_aside(&mut file)?;
        file.remove_state();
        return Ok(TidiedLedger {
            torn_line: None,
            completed_records: 0,
            left_behind: file.left_behind().cloned(),
        });
    }
    let session = Session::resume_replayed(file, replayed)?;
    Ok(TidiedLedger {
        torn_line: session.torn_line().cloned(),
        completed_records: session.completed_records(),
        left_behind: session.left_behind().cloned(),
    })
}
