//! The heads of a memory's log, recorded in an axilog ledger: whoever holds a head of the ledger, or witnesses it, holds
//! the log too.
//!
//! A head covers every entry before it, so the ledger has no word of what the memory holds.

use std::io;
use std::path::Path;

use axilog_ledger::encoding::unescape;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::reader::{LedgerReader, RecordFilter};
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::handle::Handle;
use crate::log::LogHead;
use crate::log_head::assert_noted;
use crate::reader::MemoryReader;

/// The oracle that says in a ledger where the log ends, and the form of what it says.
const ORACLE: &str = "axilog.memory";
const MODEL: &str = "AX:MEMORY:HEAD:v1";

/// What the ledger says of the log.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct HeadStatement {
    entries: u64,
    head: Handle,
}

/// Reads the heads of a memory's log that a ledger has, in their order; none where there is no ledger yet. The ledger is
/// verified on the way.
///
/// # Errors
/// [`LedgerError::Damaged`] for a ledger that was changed, [`LedgerError::InvalidInput`] where it says something else of
/// a memory; [`LedgerError::File`].
pub fn read_recorded_heads(ledger: &Path) -> std::result::Result<Vec<LogHead>, LedgerError> {
    let filter = RecordFilter {
        oracle: Some(ORACLE.to_owned()),
        ..RecordFilter::default()
    };
    let mut reader = match LedgerReader::open(ledger, filter) {
        Err(LedgerError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            return Ok(Vec::new());
        }
        opened => opened?,
    };
    let mut heads = Vec::new();
    while let Some(text) = reader.read_next(|record| match record.contents {
        RecordContents::Observation(view) => Some(unescape(view.output)),
        _ => None,
    })? {
        let Some(text) = text else { continue };
        let said: HeadStatement =
            serde_json::from_str(&text).map_err(|error| LedgerError::InvalidInput {
                path: ledger.to_owned(),
                reason: format!("{ORACLE} says {error}, expected a head of a memory's log"),
            })?;
        heads.push(LogHead {
            seq: said.entries,
            chain: Some(said.head.0),
        });
    }
    Ok(heads)
}

/// Records the head of a memory's log in a ledger, which is begun at the time `now` where there is none. Gives whether
/// the ledger lacked it.
///
/// # Errors
/// As [`read_recorded_heads`], and as [`Session::open`], [`Session::create`] and [`Session::observe`].
pub fn record_head(
    ledger: &Path,
    head: &LogHead,
    now: u64,
) -> std::result::Result<bool, LedgerError> {
    let heads = read_recorded_heads(ledger)?;
    let (Some(chain), false) = (head.chain, heads.last() == Some(head)) else {
        return Ok(false);
    };
    let mut session = match Session::open(ledger, None) {
        Err(LedgerError::NoObservations(_)) => begin(ledger, now)?,
        Err(LedgerError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            begin(ledger, now)?
        }
        opened => opened?,
    };
    let said = HeadStatement {
        entries: head.seq,
        head: Handle(chain),
    };
    let text = serde_json::to_string(&said).unwrap_or_default();
    session.record_statement(ORACLE, MODEL, &text)?;
    Ok(true)
}

fn begin(ledger: &Path, now: u64) -> std::result::Result<Session, LedgerError> {
    let (session, _) = Session::create(ledger, RuleSet::without_policies()?, now)?;
    Ok(session)
}

impl MemoryReader {
    /// Asserts that the log has every head that `ledger` has of it. The log may have gone on since.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`](crate::MemoryError::Damaged) at the first head that the log has another entry for or
    /// none; [`MemoryError::Sqlite`](crate::MemoryError::Sqlite).
    pub fn assert_recorded_heads(&self, ledger: &Path, heads: &[LogHead]) -> Result<()> {
        let by = format!("the ledger {}", ledger.display());
        heads
            .iter()
            .try_for_each(|head| assert_noted(&self.conn, &self.path, head, &by))
    }
}
