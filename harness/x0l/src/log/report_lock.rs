//! The lock of a run's review and report: whoever judges a run or writes its report holds it meanwhile, so that one
//! waits for the other.
//!
//! The file `report.lock` is there for as long as somebody holds it, or since a holder was killed.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use axilog_ledger::error::FileError;
use axilog_ledger::file::place::FileIdentity;
use axilog_ledger::file::regular_file;
use axilog_ledger::file::volume::{FileSystem, Volume};

use super::directory::RunDirectory;
use crate::error::X0lError;

/// The lock of a run's review and report, held until it is dropped.
#[derive(Debug)]
pub struct ReportLock {
    path: PathBuf,
    /// The file carries the lock, which ends as the file is closed.
    _file: File,
    is_exclusive: bool,
}

impl ReportLock {
    /// The name of the lock's file.
    pub const NAME: &str = "report.lock";

    /// Waits for the lock of `run`, and takes it.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn take(run: &RunDirectory) -> Result<ReportLock, X0lError> {
        let path = run.path().join(ReportLock::NAME);
        let failed = || FileError::from_io(&path, "lock the report");
        loop {
            let file = match regular_file::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match regular_file::open_for_appending(&path) {
                        // Its holder has let go of it meanwhile.
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        opened => opened.map_err(failed())?,
                    }
                }
                created => created.map_err(failed())?,
            };
            file.lock().map_err(failed())?;
            // The holder before removed the file, and perhaps somebody else holds a new one.
            let identity = FileIdentity::of(&file.metadata().map_err(failed())?);
            if identity.check(&path).is_ok() {
                return Ok(ReportLock {
                    path,
                    _file: file,
                    is_exclusive: true,
                });
            }
        }
    }

    /// Waits until nobody writes the report of `run`, and keeps others from writing it. Creates no file: where nobody
    /// writes the report there is nothing to hold, and `None` is given.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn share(run: &RunDirectory) -> Result<Option<ReportLock>, X0lError> {
        let path = run.path().join(ReportLock::NAME);
        let failed = || FileError::from_io(&path, "lock the report");
        let file = match regular_file::open_for_reading(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed())?,
        };
        file.lock_shared().map_err(failed())?;
        Ok(Some(ReportLock {
            path,
            _file: file,
            is_exclusive: false,
        }))
    }
}

impl Drop for ReportLock {
    /// Removes the file while the lock is held, so that nobody removes the file of the next holder.
    fn drop(&mut self) {
        if self.is_exclusive {
            // A file that cannot be removed is one that a killed process has left behind.
            let _ = FileSystem.remove(&self.path);
        }
    }
}
