//! The ledger of the statements, read as far as it is good.

use std::collections::BTreeSet;
use std::io;

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::Completion;
use axilog::hash::Hash;
use axilog_ledger::encoding::unescape;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::regular_file;
use axilog_ledger::replay::{ReplayReport, replay_ledger};
use axilog_ledger::rules::ExpectedRules;
use axilog_ledger::verify::LedgerExpectations;

use crate::error::X0lError;
use crate::log::RunDirectory;
use crate::replay::noted_head::NotedHead;

/// An observation of a review.
pub(super) struct ReviewRecord {
    pub(super) seq: u64,
    pub(super) oracle: String,
    pub(super) complete: bool,
    pub(super) text: String,
}

impl ReviewRecord {
    /// Whether the session that writes the ledger recorded it by itself: the reset and the time.
    pub(super) fn is_control(&self) -> bool {
        [CONTROL_ORACLE, TIME_ORACLE].contains(&self.oracle.as_str())
    }
}

/// The ledger of a review, as far as it is good.
pub(super) struct ReviewLedger {
    pub(super) replayed: ReplayReport,
    pub(super) records: Vec<ReviewRecord>,
    pub(super) named: BTreeSet<Hash>,
    /// The chain value of each record.
    pub(super) heads: Vec<Hash>,
}

/// Reads the ledger of a review, looking for `noted` in it; `None` where there is no ledger.
pub(super) fn read_ledger(
    run: &RunDirectory,
    noted: &mut NotedHead,
) -> Result<Option<Result<ReviewLedger, LedgerError>>, X0lError> {
    let path = run.review();
    let file = match regular_file::open_for_reading(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::from_io(&path, "open the review")(error).into()),
    };
    let mut records = Vec::new();
    let mut named = BTreeSet::new();
    let mut heads = Vec::new();
    let replayed = replay_ledger(
        file,
        &path,
        ExpectedRules::default(),
        &LedgerExpectations::default(),
        &mut |record| {
            noted.look_at(&record.entry);
            heads.push(record.entry.chain);
            if let Some(view) = record.observation {
                named.insert(view.input_hash);
                records.push(ReviewRecord {
                    seq: view.ledger_seq,
                    oracle: unescape(view.oracle_id),
                    complete: view.completion == Completion::Complete,
                    text: unescape(view.output),
                });
            }
        },
    );
    Ok(Some(replayed.map(|replayed| ReviewLedger {
        replayed,
        records,
        named,
        heads,
    })))
}

/// Whether the review holds a statement already.
pub(super) fn has_statement(run: &RunDirectory) -> Result<bool, X0lError> {
    let ledger = read_ledger(run, &mut NotedHead::new(None))?.transpose()?;
    Ok(ledger.is_some_and(|ledger| !ledger.records.iter().all(ReviewRecord::is_control)))
}
