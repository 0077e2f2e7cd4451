//! The files of runs: each is written whole or not at all, and no run over another.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axilog_ablation::AblationError;
use axilog_ablation::replay::{HEADER_FILE, LEDGER_FILE};
use axilog_ledger::durability::LedgerPosition;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir, replace_file};
use axilog_ledger::input_file::{MAX_INPUT_BYTES, open_input, read_input};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

use crate::error::CommandError;

/// Checks that a directory holds no run yet.
pub(super) fn check_free(dir: &Path) -> Result<(), AblationError> {
    match dir.join(HEADER_FILE).exists() {
        true => Err(AblationError::RunExists(dir.to_owned())),
        false => Ok(()),
    }
}

/// Creates a directory, and those above it.
pub(super) fn create_dir(dir: &Path) -> Result<(), CommandError> {
    Ok(fs::create_dir_all(dir).map_err(FileError::from_io(dir, "create the directory"))?)
}

/// Writes a file durably under a temporary name, and renames it once it is whole.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), CommandError> {
    write_bytes(path, text.as_bytes())
}

/// As [`write_whole`], of bytes.
pub(super) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    Ok(replace_file(&FileSystem, path, bytes)
        .and_then(|()| FileSystem.sync_dir(parent_dir(path)))
        .map_err(FileError::from_io(path, "write"))?)
}

/// The longest file that is copied: a tokenizer.
const MAX_COPIED_BYTES: u64 = 256 << 20;

/// Copies a file durably, over one that is there.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<(), CommandError> {
    write_bytes(to, &read_input(from, "read", MAX_COPIED_BYTES)?)
}

/// Copies a directory with everything in it into another, which is created.
pub(super) fn copy_dir(from: &Path, to: &Path) -> Result<(), CommandError> {
    create_dir(to)?;
    let entries = fs::read_dir(from).map_err(FileError::from_io(from, "list"))?;
    for entry in entries {
        let entry = entry.map_err(FileError::from_io(from, "list"))?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            copy_dir(&from, &to)?;
            continue;
        }
        let bytes = read_input(&from, "read", MAX_INPUT_BYTES)?;
        fs::write(&to, bytes).map_err(FileError::from_io(&to, "write"))?;
    }
    Ok(())
}

/// The chain value of the last record of a run's ledger, in hexadecimal. The ledger is verified on the way.
pub(super) fn read_head(dir: &Path) -> Result<String, CommandError> {
    read_ledger_head(&dir.join(LEDGER_FILE))
}

/// The chain value of the last record of the ledger at `path`, as [`read_head`] gives it.
pub(super) fn read_ledger_head(path: &Path) -> Result<String, CommandError> {
    Ok(hex(&read_end(path)?.head))
}

/// Where the ledger at `path` ends. It is verified on the way.
pub(super) fn read_end(path: &Path) -> Result<LedgerPosition, CommandError> {
    let ledger = open_input(path, "open the ledger")?;
    let checked = verify_ledger(ledger, None, &LedgerExpectations::default(), &mut |_| {})
        .map_err(FileError::from_io(path, "read the ledger"))?;
    match checked.fault {
        Some(fault) => Err(LedgerError::Damaged {
            path: path.to_owned(),
            fault,
        }
        .into()),
        None => Ok(LedgerPosition {
            entries: checked.replay.entries(),
            head: checked.replay.ledger().head,
        }),
    }
}

/// Finds the runs in `dirs`: each directory that holds a run, or else the runs directly below it, the
/// baseline first and the others by name.
pub(super) fn find_runs(dirs: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut runs = Vec::new();
    for dir in dirs {
        if dir.join(HEADER_FILE).is_file() {
            runs.push(dir.clone());
            continue;
        }
        let entries = fs::read_dir(dir).and_then(|entries| {
            entries
                .map(|e| e.map(|e| e.path()))
                .collect::<io::Result<Vec<_>>>()
        });
        let mut below = entries.map_err(FileError::from_io(dir, "list"))?;
        below.retain(|path| path.join(HEADER_FILE).is_file());
        below.sort_by_key(|path| (!path.ends_with("baseline"), path.clone()));
        if below.is_empty() {
            return Err(AblationError::MissingRun(dir.clone()).into());
        }
        runs.append(&mut below);
    }
    Ok(runs)
}
