//! The file that a result goes to: it is written whole or not at all, and never over the ledger.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;

use crate::error::CommandError;

/// Lets `write` fill a file, which takes the place of `target` once it is whole.
pub(crate) fn write_whole<T>(
    ledger: &Path,
    target: &Path,
    write: impl FnOnce(File, &Path) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    if let (Ok(ledger), Ok(target)) = (fs::canonicalize(ledger), fs::canonicalize(target))
        && ledger == target
    {
        return Err(CommandError::OverLedger(target));
    }
    let mut temporary = target.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .map_err(FileError::from_io(&temporary, "create"))?;
    write(file, &temporary)
        .and_then(|written| {
            fs::rename(&temporary, target).map_err(FileError::from_io(target, "write"))?;
            Ok(written)
        })
        .inspect_err(|_| drop(fs::remove_file(&temporary)))
}
