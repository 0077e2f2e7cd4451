//! The volume that holds the files beside a ledger, its blobs and torn lines: the operations that they need,
//! and their implementation on the host's file system.
//!
//! formats.md §6. As with [`Storage`], tests put a failing disk behind the same trait.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::storage::{FileStorage, Storage, append_suffix, write_all_at};

/// A set of named files.
///
/// A crash of the machine may undo the creation, renaming or removal of a name until [`Volume::sync_dir`]
/// has returned, and the writing of bytes until [`Storage::sync`] has.
pub trait Volume: fmt::Debug + Send + Sync {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// The system's error; so in every method below.
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read>>;

    /// Creates a directory and the missing ones above it.
    ///
    /// # Errors
    /// The system's error.
    fn create_dir_all(&self, dir: &Path) -> io::Result<()>;

    /// Creates an empty file. A file that has the name already is emptied; with `new` the call fails with
    /// [`io::ErrorKind::AlreadyExists`] instead.
    ///
    /// # Errors
    /// The system's error.
    fn create(&self, path: &Path, new: bool) -> io::Result<Box<dyn Storage>>;

    /// Renames a file and replaces the file that has the new name.
    ///
    /// # Errors
    /// The system's error; both names are unchanged then.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// The system's error.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a directory durable, which is what a rename or creation in it needs.
    ///
    /// # Errors
    /// The system's error.
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

    /// Does nothing on systems where a directory cannot be synced.
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        if cfg!(unix) {
            let is_current = dir.as_os_str().is_empty();
            File::open(if is_current { Path::new(".") } else { dir })?.sync_all()?;
        }
        Ok(())
    }
}

/// The directory that `path` is in; the empty path for the current one.
#[must_use]
pub fn parent_dir(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Writes a file and syncs its bytes, but not its name. A file that cannot be written whole is removed.
///
/// # Errors
/// The system's error.
pub fn write_file(volume: &dyn Volume, path: &Path, bytes: &[u8], new: bool) -> io::Result<()> {
    let mut file = volume.create(path, new)?;
    let written = write_all_at(&mut *file, 0, bytes).and_then(|()| file.sync());
    if written.is_err() {
        let _ = volume.remove(path);
    }
    written
}

/// Writes the torn line of `ledger` durably to a new file `FILE.torn-N` and gives its path.
///
/// # Errors
/// The system's error. The file is removed then, as far as the system allows.
pub fn store_torn_line(volume: &dyn Volume, ledger: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut n = 1u64;
    loop {
        let path = append_suffix(ledger, &format!(".torn-{n}"));
        match write_file(volume, &path, bytes, true) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => n = n.saturating_add(1),
            Err(error) => return Err(error),
            Ok(()) => {
                let synced = volume.sync_dir(parent_dir(&path));
                if synced.is_err() {
                    // The ledger still holds the bytes.
                    let _ = volume.remove(&path);
                }
                return synced.map(|()| path);
            }
        }
    }
}
