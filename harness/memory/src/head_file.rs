//! The head of the log in a file beside the database: an older copy of the database, put in its place, does not have it.
//!
//! The file is written after each append, so it may lag where a process died, and is never ahead. A database without
//! the file is accepted, as a copy may be: whoever can write the one can remove the other. Against them a head is noted
//! elsewhere.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use axilog_ledger::error::FileError;
use rusqlite::Connection;

use crate::error::{MemoryError, Result};
use crate::log::LogHead;
use crate::log_head::assert_noted;

fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
}

/// The file beside a database.
fn head_file(database: &Path) -> PathBuf {
    beside(database, ".head")
}

/// Reads the head in the file, if there is one.
///
/// # Errors
/// [`MemoryError::Document`] for another text, [`MemoryError::File`].
pub(crate) fn read_head_file(database: &Path) -> Result<Option<LogHead>> {
    let path = head_file(database);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::from_io(&path, "read the head")(error).into()),
    };
    match text.trim_end().parse() {
        Ok(head) => Ok(Some(head)),
        Err(reason) => Err(MemoryError::document(
            path.display().to_string(),
            "line 1",
            reason,
        )),
    }
}

/// Asserts that the log has the head that was read from the file before the log was.
///
/// # Errors
/// [`MemoryError::Damaged`], [`MemoryError::Sqlite`].
pub(crate) fn assert_head_file(
    conn: &Connection,
    database: &Path,
    noted: Option<&LogHead>,
) -> Result<()> {
    match noted {
        None => Ok(()),
        Some(noted) => {
            let by = head_file(database).display().to_string();
            assert_noted(conn, database, noted, &by)
        }
    }
}

/// Writes the head into the file, as a whole: a reader finds the old head or the new one.
pub(crate) fn write_head_file(database: &Path, head: &LogHead) -> io::Result<()> {
    // Several threads and processes may have the database open; each renames a file of its own.
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let new = beside(database, &format!(".head-{}-{number}", std::process::id()));
    fs::write(&new, format!("{head}\n"))?;
    fs::rename(&new, head_file(database)).inspect_err(|_| drop(fs::remove_file(&new)))
}
