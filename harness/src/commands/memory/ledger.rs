//! `--ledger`: where a memory's log ends is recorded in an axilog ledger, and compared with it.

use std::path::Path;

use axilog_memory::{MemoryError, MemoryReader, MemoryStore, read_recorded_heads, record_head};

use crate::Failure;
use crate::now;

/// Compares the log with the heads that the ledger has. A memory that is to be written, or rebuilt, is opened for that:
/// its tables may be of an earlier version, or changed.
pub(super) fn compare(db: &Path, ledger: &Path, is_written: bool) -> Result<(), Failure> {
    let heads = read_recorded_heads(ledger)?;
    if heads.is_empty() {
        return Ok(());
    }
    if is_written {
        let store = MemoryStore::open_to_rebuild(db)?;
        return Ok(store.reader().assert_recorded_heads(ledger, &heads)?);
    }
    Ok(MemoryReader::open(db)?.assert_recorded_heads(ledger, &heads)?)
}

/// Refuses a ledger that has heads of another memory, where one is begun.
pub(super) fn refuse_used(ledger: &Path) -> Result<(), Failure> {
    match read_recorded_heads(ledger)?.last() {
        None => Ok(()),
        Some(head) => Err(MemoryError::Refused {
            what: "the new memory".to_owned(),
            reason: format!(
                "the ledger {} has the log of a memory up to {head}; name another ledger",
                ledger.display()
            ),
        }
        .into()),
    }
}

/// Records where the log ends, if the ledger does not have that yet.
pub(super) fn record(db: &Path, ledger: &Path) -> Result<(), Failure> {
    let head = MemoryReader::open(db)?.head()?;
    record_head(ledger, &head, now())?;
    Ok(())
}
