//! Whether another process has a ledger open for writing, and which.
//!
//! What is being written is neither whole nor damaged: a reader that finds the writer can say so.

use std::fs::TryLockError;
use std::io;
use std::path::Path;

use super::lock_holder::LockHolder;
use super::regular_file;
use crate::error::FileError;

/// A process that has a ledger open for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerWriter {
    /// Its id, where the ledger's `FILE.lock` names it.
    pub process_id: Option<u32>,
}

/// Finds the process that has the ledger at `path` open for writing; `None` where there is none, or no ledger. A
/// `FILE.lock` that a process left behind counts for nothing: what counts is the lock on the ledger.
///
/// A writer locks an empty ledger and announces itself before it writes. So an empty ledger that nobody has
/// announced is not looked at: this process could take the lock from a writer that is about to begin.
///
/// # Errors
/// [`FileError::Io`], also where the path names anything but a regular file.
pub fn find_writer(path: &Path) -> Result<Option<LedgerWriter>, FileError> {
    let failed = || FileError::from_io(path, "open the ledger");
    let file = match regular_file::open_for_reading(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed()(error)),
    };
    let process_id = LockHolder::read_process_id(path);
    let is_empty = file.metadata().map_err(failed())?.len() == 0;
    if is_empty && process_id.is_none() {
        return Ok(None);
    }
    // Shared, so that several readers may look at one moment.
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(LedgerWriter { process_id })),
        Err(TryLockError::Error(error)) => Err(FileError::from_io(path, "look at the lock")(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::LedgerFile;

    #[test]
    fn a_writer_is_found_for_as_long_as_it_has_the_ledger_open() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.jsonl");
        assert_eq!(find_writer(&path).unwrap(), None);
        let ledger = LedgerFile::open_or_create(&path).unwrap();
        let here = LedgerWriter {
            process_id: Some(std::process::id()),
        };
        assert_eq!(find_writer(&path).unwrap(), Some(here));
        assert_eq!(
            find_writer(&path).unwrap(),
            Some(here),
            "looking takes no lock"
        );
        drop(ledger);
        assert_eq!(find_writer(&path).unwrap(), None);
    }

    #[test]
    fn a_lock_file_that_was_left_behind_is_no_writer_and_a_lost_one_hides_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        let lock = dir.path().join("ledger.jsonl.lock");
        std::fs::write(&lock, "axilog 1\n").unwrap();
        assert_eq!(find_writer(&path).unwrap(), None);

        let ledger = LedgerFile::open(&path).unwrap();
        std::fs::remove_file(&lock).unwrap();
        let unknown = LedgerWriter { process_id: None };
        assert_eq!(find_writer(&path).unwrap(), Some(unknown));
        drop(ledger);
    }
}
