//! Where the log ends, kept a second time, so that a log whose end was cut off is found, and one with a hole.
//!
//! A trigger moves the kept head with each entry, in the transaction of the entry.

use std::path::Path;

use axilog_ledger::encoding::hex;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{MemoryError, Result};
use crate::log::{self, LogEntry, LogHead};

/// Reads the head that is kept beside the log.
fn read_kept_head(conn: &Connection) -> rusqlite::Result<LogHead> {
    conn.prepare_cached("SELECT seq, chain FROM head")?
        .query_row(params![], |row| {
            Ok(LogHead {
                seq: row.get(0)?,
                chain: row.get(1)?,
            })
        })
}

/// Compares the kept head with the log's end.
///
/// # Errors
/// [`MemoryError::Damaged`] at the first entry that is missing or should not be there.
fn compare_heads(path: &Path, kept: &LogHead, log: &LogHead) -> Result<()> {
    if kept == log {
        return Ok(());
    }
    let (seq, reason) = match kept.seq.cmp(&log.seq) {
        std::cmp::Ordering::Greater => (
            log.seq + 1,
            format!("it is missing: the kept head is that of entry {}", kept.seq),
        ),
        std::cmp::Ordering::Less => (
            kept.seq + 1,
            format!("the kept head is that of entry {}", kept.seq),
        ),
        std::cmp::Ordering::Equal => (
            log.seq,
            "its chain value is not that of the kept head".to_owned(),
        ),
    };
    let path = path.to_owned();
    Err(MemoryError::Damaged { path, seq, reason })
}

/// Checks that the log ends where the kept head says.
///
/// # Errors
/// [`MemoryError::Damaged`], [`MemoryError::Sqlite`].
pub(crate) fn check_end(conn: &Connection, path: &Path) -> Result<LogHead> {
    let read = || Ok((read_kept_head(conn)?, log::read_head(conn)?));
    let (kept, head) = read().map_err(MemoryError::sqlite(path, "read the log's head"))?;
    compare_heads(path, &kept, &head)?;
    Ok(head)
}

/// Checks that the log ends where the kept head says, and that no number is missing before it. SQLite counts the entries
/// by an index, whose pages are few: some ms for a million entries.
///
/// # Errors
/// [`MemoryError::Damaged`], [`MemoryError::Sqlite`].
pub(crate) fn check_numbers(conn: &Connection, path: &Path) -> Result<LogHead> {
    let failed = || MemoryError::sqlite(path, "count the entries of the log");
    let head = check_end(conn, path)?;
    let count: u64 = conn
        .prepare_cached("SELECT count(*) FROM log")
        .and_then(|mut count| count.query_row(params![], |row| row.get(0)))
        .map_err(failed())?;
    if count == head.seq {
        return Ok(head);
    }
    let first_missing = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM log WHERE seq = 1)
        UNION ALL
        SELECT seq + 1 FROM log AS entry
        WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.seq = entry.seq + 1) ORDER BY 1 LIMIT 1";
    let seq = conn
        .query_row(first_missing, params![], |row| row.get(0))
        .map_err(failed())?;
    Err(MemoryError::Damaged {
        path: path.to_owned(),
        seq,
        reason: format!("it is missing, and the last is {}", head.seq),
    })
}

/// Hands every entry to `visit`, in order, once its chain value is checked; then checks where the log ends.
///
/// # Errors
/// [`MemoryError::Damaged`]; errors of `visit`.
pub(crate) fn read_whole_log(
    conn: &Connection,
    path: &Path,
    visit: &mut dyn FnMut(LogEntry) -> Result<()>,
) -> Result<LogHead> {
    let head = log::for_each_entry(conn, path, visit)?;
    let kept = read_kept_head(conn).map_err(MemoryError::sqlite(path, "read the log's head"))?;
    compare_heads(path, &kept, &head)?;
    Ok(head)
}

/// Asserts that the log has a head that was noted `by` somebody. The log may go on after it.
///
/// # Errors
/// [`MemoryError::Damaged`] at the first entry that is missing or another one; [`MemoryError::Sqlite`].
pub(crate) fn assert_noted(
    conn: &Connection,
    path: &Path,
    noted: &LogHead,
    by: &str,
) -> Result<()> {
    let failed = || MemoryError::sqlite(path, "look for the noted head");
    let head = log::read_head(conn).map_err(failed())?;
    let chain = conn
        .prepare_cached("SELECT chain FROM log WHERE seq = ?1")
        .and_then(|mut find| find.query_row([noted.seq], |row| row.get(0)).optional())
        .map_err(failed())?;
    let (seq, reason) = match chain {
        found if found == noted.chain => return Ok(()),
        None => (
            noted.seq.min(head.seq + 1),
            format!("it is missing: {by} noted the head {noted}"),
        ),
        Some(found) => (
            noted.seq,
            format!(
                "its chain value is {}, and {by} noted the head {noted}",
                hex(&found)
            ),
        ),
    };
    let path = path.to_owned();
    Err(MemoryError::Damaged { path, seq, reason })
}
