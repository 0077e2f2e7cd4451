//! How a ledger file is opened, created and locked.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::LedgerFile;
use super::lock_holder::LockHolder;
use super::regular_file;
use super::storage::{FileStorage, Storage};
use super::volume::{FileSystem, parent_dir};
use crate::error::{FileError, LedgerError};
use crate::ledger_input::Compression;

impl LedgerFile {
    /// Opens the ledger at `path`, or creates an empty one where there is none.
    ///
    /// # Errors
    /// [`FileError::Io`], [`FileError::NotARegularFile`], [`FileError::SymbolicLink`], [`FileError::Compressed`],
    /// [`FileError::Displaced`] where the file was replaced while it was being opened, [`LedgerError::Locked`].
    pub fn open_or_create(path: &Path) -> Result<LedgerFile, LedgerError> {
        match regular_file::create_new(path) {
            Ok(file) => LedgerFile::lock(path, file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => LedgerFile::open(path),
            Err(error) => Err(FileError::from_io(path, "create the ledger")(error).into()),
        }
    }

    /// Opens the ledger at `path`, which must exist. The last part of the path must be the file's own name:
    /// a symbolic link there is refused. Links to directories on the way are followed.
    ///
    /// # Errors
    /// As [`LedgerFile::open_or_create`].
    pub fn open(path: &Path) -> Result<LedgerFile, LedgerError> {
        let failed = || FileError::from_io(path, "open the ledger");
        let metadata = std::fs::symlink_metadata(path).map_err(failed())?;
        if metadata.is_symlink() {
            return Err(FileError::SymbolicLink {
                path: path.to_owned(),
                target: std::fs::read_link(path).map_err(failed())?,
            }
            .into());
        }
        if !metadata.is_file() {
            return Err(FileError::NotARegularFile(path.to_owned()).into());
        }
        let file = regular_file::open_for_appending(path).map_err(failed())?;
        if Compression::of_file(&file).map_err(failed())?.is_some() {
            return Err(FileError::Compressed(path.to_owned()).into());
        }
        LedgerFile::lock(path, file)
    }

    fn lock(path: &Path, file: File) -> Result<LedgerFile, LedgerError> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LedgerError::Locked {
                    path: path.to_owned(),
                    holder: LockHolder::read_process_id(path),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(FileError::from_io(path, "lock the ledger")(error).into());
            }
        }
        let failed = || FileError::from_io(path, "open the ledger");
        let storage = FileStorage::new(path, file).map_err(failed())?;
        // The file may have been replaced before it was locked, and the new one may be locked by another
        // writer.
        let len = storage.len().map_err(failed())?;
        storage
            .check_place(len)
            .map_err(FileError::displaced(path))?;
        let holder = LockHolder::announce(path);
        let mut ledger = LedgerFile::with_storage(path, Box::new(storage), Arc::new(FileSystem))?;
        ledger.holder = holder;
        if ledger.is_empty() {
            // The process that created the file may have ended before its name was durable.
            let synced = ledger.volume.sync_dir(parent_dir(path));
            synced.map_err(FileError::from_io(path, "create the ledger"))?;
        }
        Ok(ledger)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Between the opening of a file and its lock another program may exchange it.
    #[test]
    fn a_file_that_was_replaced_before_its_lock_is_no_ledger_to_write() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.jsonl");
        std::fs::write(&path, "").unwrap();
        let opened = regular_file::open_for_appending(&path).unwrap();
        // The name leads to another file, which another writer has locked.
        std::fs::write(dir.path().join("new"), "").unwrap();
        std::fs::rename(dir.path().join("new"), &path).unwrap();
        let other = LedgerFile::open(&path).unwrap();
        let refused = LedgerFile::lock(&path, opened).unwrap_err();
        assert!(
            matches!(&refused, LedgerError::File(FileError::Displaced { .. })),
            "{refused}"
        );
        assert_eq!(
            LockHolder::read_process_id(&path),
            Some(std::process::id()),
            "the other writer's announcement stays"
        );
        drop(other);

        let opened = regular_file::open_for_appending(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let refused = LedgerFile::lock(&path, opened).unwrap_err();
        assert!(refused.to_string().contains("found no file"), "{refused}");
    }
}
