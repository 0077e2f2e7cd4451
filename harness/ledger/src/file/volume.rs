//! The files beside a ledger, its blobs and torn lines: the few operations they need, and the real
//! file system behind them.
//!
//! formats.md §6. As with [`Storage`], tests put a failing disk behind the same trait.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::storage::{FileStorage, Storage, beside, write_all_at};

/// Named files. A name that was made, changed or removed may be so or not after a crash until
/// [`Volume::sync_dir`] returns; bytes, until [`Storage::sync`] does.
pub trait Volume: fmt::Debug + Send + Sync {
    /// The bytes of a file.
    ///
    /// # Errors
    /// What the system gives; so everywhere below.
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read>>;

    /// Makes a directory and those above it that are missing.
    ///
    /// # Errors
    /// What the system gives.
    fn create_dir_all(&self, dir: &Path) -> io::Result<()>;

    /// Makes an empty file. One that has the name already is emptied, or where `new` is asked for
    /// refused with [`io::ErrorKind::AlreadyExists`].
    ///
    /// # Errors
    /// What the system gives.
    fn create(&self, path: &Path, new: bool) -> io::Result<Box<dyn Storage>>;

    /// Gives a file another name, in place of the file that has it.
    ///
    /// # Errors
    /// What the system gives; both names are as they were then.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// What the system gives.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a directory durable.
    ///
    /// # Errors
    /// What the system gives.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
}

/// The file system of the host.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Volume for FileSystem {
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(File::open(path)?))
    }

    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)
    }

    fn create(&self, path: &Path, new: bool) -> io::Result<Box<dyn Storage>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        if new {
            options.create_new(true);
        } else {
            options.create(true).truncate(true);
        }
        Ok(Box::new(FileStorage::new(options.open(path)?)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// On systems where a directory can be synced.
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        if cfg!(unix) {
            let here = dir.as_os_str().is_empty();
            File::open(if here { Path::new(".") } else { dir })?.sync_all()?;
        }
        Ok(())
    }
}

/// The directory that has the name of `path`.
#[must_use]
pub fn dir_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Writes a file and syncs its bytes; its name is not durable yet. One that cannot be written whole
/// is removed.
///
/// # Errors
/// What the system gives.
pub fn write_file(volume: &dyn Volume, path: &Path, bytes: &[u8], new: bool) -> io::Result<()> {
    let mut file = volume.create(path, new)?;
    let written = write_all_at(&mut *file, 0, bytes).and_then(|()| file.sync());
    if written.is_err() {
        let _ = volume.remove(path);
    }
    written
}

/// Keeps the torn line of `ledger` durably under a new name of its own, `FILE.torn-N`, and gives
/// the name.
///
/// # Errors
/// What the system gives; no name is taken then, unless it cannot be given back.
pub fn keep_torn(volume: &dyn Volume, ledger: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut n = 1u64;
    loop {
        let path = beside(ledger, &format!(".torn-{n}"));
        match write_file(volume, &path, bytes, true) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => n = n.saturating_add(1),
            Err(error) => return Err(error),
            Ok(()) => {
                let named = volume.sync_dir(dir_of(&path));
                if named.is_err() {
                    // The ledger still holds the bytes.
                    let _ = volume.remove(&path);
                }
                return named.map(|()| path);
            }
        }
    }
}
