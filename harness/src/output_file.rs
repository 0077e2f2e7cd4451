//! The file that a result goes to: it is written whole or not at all, and never over the ledger.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use axilog_ledger::error::FileError;
use axilog_ledger::file::regular_file;

use crate::error::CommandError;

/// Lets `write` fill a file, which takes the place of `target` once it is whole. A link in that place is
/// replaced and not followed.
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
    replace_file(target, |file| write(file, target))
}

/// Writes `text` to a file, which takes the place of `target` once it is whole.
pub(crate) fn write_text(target: &Path, text: &str) -> Result<(), CommandError> {
    replace_file(target, |mut file| {
        Ok(file
            .write_all(text.as_bytes())
            .map_err(FileError::from_io(target, "write"))?)
    })
}

fn replace_file<T>(
    target: &Path,
    write: impl FnOnce(File) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let (temporary, file) =
        regular_file::create_temporary(target).map_err(FileError::from_io(target, "create"))?;
    write(file)
        .and_then(|written| {
            fs::rename(&temporary, target).map_err(FileError::from_io(target, "write"))?;
            Ok(written)
        })
        .inspect_err(|_| drop(fs::remove_file(&temporary)))
}
