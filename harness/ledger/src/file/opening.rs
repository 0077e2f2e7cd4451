//! How a ledger file is opened, created and locked.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::LedgerFile;
use super::lock_holder::LockHolder;
use super::storage::FileStorage;
use super::volume::{FileSystem, parent_dir};
use crate::error::{FileError, LedgerError};

impl LedgerFile {
    /// Opens the ledger at `path`, or creates an empty one where there is none.
    ///
    /// # Errors
    /// [`FileError::Io`], [`FileError::NotARegularFile`], [`LedgerError::Locked`].
    pub fn open_or_create(path: &Path) -> Result<LedgerFile, LedgerError> {
        let created = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path);
        match created {
            Ok(file) => LedgerFile::lock(path, file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => LedgerFile::open(path),
            Err(error) => Err(FileError::from_io(path, "create the ledger")(error).into()),
        }
    }

    /// Opens the ledger at `path`, which must exist.
    ///
    /// # Errors
    /// As [`LedgerFile::open_or_create`].
    pub fn open(path: &Path) -> Result<LedgerFile, LedgerError> {
        let metadata =
            std::fs::metadata(path).map_err(FileError::from_io(path, "open the ledger"))?;
        if !metadata.is_file() {
            return Err(FileError::NotARegularFile(path.to_owned()).into());
        }
        let file = OpenOptions::new().read(true).write(true).open(path);
        LedgerFile::lock(
            path,
            file.map_err(FileError::from_io(path, "open the ledger"))?,
        )
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
        let holder = LockHolder::announce(path);
        let storage = Box::new(FileStorage::new(file));
        let mut ledger = LedgerFile::with_storage(path, storage, Arc::new(FileSystem))?;
        ledger.holder = holder;
        if ledger.is_empty() {
            // The process that created the file may have ended before its name was durable.
            let synced = ledger.volume.sync_dir(parent_dir(path));
            synced.map_err(FileError::from_io(path, "create the ledger"))?;
        }
        Ok(ledger)
    }
}
