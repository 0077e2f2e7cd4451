//! The files of runs: written whole or not at all, and no run over another.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axilog_ablation::AblationError;
use axilog_ablation::replay::HEADER;
use axilog_ledger::error::FileError;
use axilog_ledger::file::volume::{FileSystem, Volume, dir_of, write_file};

use crate::error::CommandError;

/// Whether a run may go into this directory.
pub(super) fn check_free(dir: &Path) -> Result<(), AblationError> {
    match dir.join(HEADER).exists() {
        true => Err(AblationError::Exists(dir.to_owned())),
        false => Ok(()),
    }
}

/// Makes a directory, and those above it.
pub(super) fn make(dir: &Path) -> Result<(), CommandError> {
    Ok(fs::create_dir_all(dir).map_err(FileError::at(dir, "create the directory"))?)
}

/// Writes a file, which takes its name, durably, once it is whole.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let named = |()| {
        FileSystem
            .rename(&temporary, path)
            .inspect_err(|_| drop(FileSystem.remove(&temporary)))
            .and_then(|()| FileSystem.sync_dir(dir_of(path)))
    };
    Ok(write_file(&FileSystem, &temporary, text.as_bytes(), false)
        .and_then(named)
        .map_err(FileError::at(path, "write"))?)
}

/// The runs in `dirs`: each directory that holds one, or else those directly below it, the baseline
/// first and the others by name.
pub(super) fn runs(dirs: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut all = Vec::new();
    for dir in dirs {
        if dir.join(HEADER).is_file() {
            all.push(dir.clone());
            continue;
        }
        let entries = fs::read_dir(dir).and_then(|entries| {
            entries
                .map(|e| e.map(|e| e.path()))
                .collect::<io::Result<Vec<_>>>()
        });
        let mut below = entries.map_err(FileError::at(dir, "list"))?;
        below.retain(|path| path.join(HEADER).is_file());
        below.sort_by_key(|path| (!path.ends_with("baseline"), path.clone()));
        if below.is_empty() {
            return Err(AblationError::File {
                path: dir.clone(),
                reason: "holds no run; name what `axilog ablation run --out` was given".to_owned(),
            }
            .into());
        }
        all.append(&mut below);
    }
    Ok(all)
}
