//! The volume that holds the files beside a ledger, its blobs and torn lines: the operations that they need,
//! and their implementation on the host's file system.
//!
//! formats.md §6. As with [`Storage`], tests put a failing disk behind the same trait.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::regular_file;
use super::stamp::FileStamp;
use super::storage::{FileStorage, Storage, append_all, append_suffix};

/// A set of named files.
///
/// A crash of the machine may undo the creation, renaming or removal of a name until [`Volume::sync_dir`]
/// has returned, and the writing of bytes until [`Storage::sync`] has.
pub trait Volume: fmt::Debug + Send + Sync {
    /// Opens a regular file for reading, by its own name and not through a link.
    ///
    /// # Errors
    /// The system's error; so in every method below.
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read>>;

    /// Lists what is in a directory, sorted by name. A link to a directory is no directory.
    ///
    /// # Errors
    /// The system's error.
    fn list(&self, dir: &Path) -> io::Result<Vec<DirectoryEntry>>;

    /// The stamp of what has a name; a link's own where it is one.
    ///
    /// # Errors
    /// The system's error.
    fn stamp(&self, path: &Path) -> io::Result<FileStamp>;

    /// Gives a file the rights that another has.
    ///
    /// # Errors
    /// The system's error.
    fn copy_rights(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Creates a directory in one that exists. A directory that has the name already is no error; a link to
    /// one is.
    ///
    /// # Errors
    /// The system's error.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;

    /// Creates an empty file.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where anything has the name.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Storage>>;

    /// Creates an empty file beside `target`, with a name that is free and unpredictable, and gives its path.
    ///
    /// # Errors
    /// The system's error.
    fn create_temporary(&self, target: &Path) -> io::Result<(PathBuf, Box<dyn Storage>)>;

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

/// A name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirectoryEntry {
    /// The path, with the directory's.
    pub path: PathBuf,
    /// Whether it is a directory itself, not a link to one.
    pub is_directory: bool,
}

/// The file system of the host.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Volume for FileSystem {
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(regular_file::open_for_reading(path)?))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<DirectoryEntry>> {
        if !fs::symlink_metadata(dir)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let describe = |entry: io::Result<fs::DirEntry>| {
            entry.and_then(|entry| {
                Ok(DirectoryEntry {
                    path: entry.path(),
                    is_directory: entry.file_type()?.is_dir(),
                })
            })
        };
        let mut entries: Vec<_> = fs::read_dir(dir)?
            .map(describe)
            .collect::<io::Result<_>>()?;
        entries.sort_unstable();
        Ok(entries)
    }

    fn stamp(&self, path: &Path) -> io::Result<FileStamp> {
        Ok(FileStamp::of(&fs::symlink_metadata(path)?))
    }

    fn copy_rights(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::set_permissions(to, fs::symlink_metadata(from)?.permissions())
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        match fs::create_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::symlink_metadata(dir)?.is_dir() {
                    return Ok(());
                }
                let found = dir.display();
                let reason = format!(
                    "{found} is a link or a file, expected a directory; move it away, and what it holds into a directory"
                );
                Err(io::Error::new(io::ErrorKind::NotADirectory, reason))
            }
            created => created,
        }
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Storage>> {
        let file = regular_file::create_new(path)?;
        Ok(Box::new(FileStorage::new(path, file)?))
    }

    fn create_temporary(&self, target: &Path) -> io::Result<(PathBuf, Box<dyn Storage>)> {
        let (path, file) = regular_file::create_temporary(target)?;
        let storage = FileStorage::new(&path, file)?;
        Ok((path, Box::new(storage)))
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

/// Writes a new file and syncs its bytes, but not its name. A file that cannot be written whole is removed.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] where anything has the name. The system's error.
pub fn write_file(volume: &dyn Volume, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = volume.create(path)?;
    fill_file(volume, path, file, bytes)
}

/// Writes a file in place of the one that has the name, if there is one, and syncs its bytes, but not its
/// name. It is written under a temporary name and renamed, so that the name leads to the old or the new bytes
/// as a whole, and nothing is written through a link that has the name.
///
/// # Errors
/// The system's error. The temporary file is removed then, as far as the system allows.
pub fn replace_file(volume: &dyn Volume, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (temporary, file) = volume.create_temporary(path)?;
    fill_file(volume, &temporary, file, bytes)?;
    let renamed = volume.rename(&temporary, path);
    if renamed.is_err() {
        let _ = volume.remove(&temporary);
    }
    renamed
}

fn fill_file(
    volume: &dyn Volume,
    path: &Path,
    mut file: Box<dyn Storage>,
    bytes: &[u8],
) -> io::Result<()> {
    let written = append_all(&mut *file, bytes).and_then(|()| file.sync());
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
        match write_file(volume, &path, bytes) {
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
