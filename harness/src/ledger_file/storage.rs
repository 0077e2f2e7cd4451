//! What a ledger file is stored on: the few operations it needs, and the real file behind them.
//!
//! formats.md §6. Tests put a failing disk behind the same trait, so that what is proved there is
//! proved of the code that runs.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes that outlive the process, and those that outlive the machine.
///
/// What is written or cut may be lost or kept, in part too, until [`Storage::sync`] returns.
pub trait Storage: fmt::Debug + Send {
    /// How many bytes there are.
    ///
    /// # Errors
    /// What the system gives; so everywhere below.
    fn len(&self) -> io::Result<u64>;

    /// Whether there are none.
    ///
    /// # Errors
    /// As [`Storage::len`].
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|len| len == 0)
    }

    /// Reads from the byte `at` on, as many bytes as it likes; 0 at the end only.
    ///
    /// # Errors
    /// What the system gives.
    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes from the byte `at` on, as many bytes as it likes, and says how many.
    ///
    /// # Errors
    /// What the system gives; some of the bytes may be written all the same.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Cuts off everything behind the first `len` bytes.
    ///
    /// # Errors
    /// What the system gives.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Makes everything so far durable.
    ///
    /// # Errors
    /// What the system gives; nothing since the last sync is certain then.
    fn sync(&mut self) -> io::Result<()>;

    /// Keeps `bytes` durably under a new name of their own, `FILE.torn-N`, and gives the name.
    ///
    /// # Errors
    /// What the system gives; no name is taken then.
    fn keep_torn(&mut self, bytes: &[u8]) -> io::Result<PathBuf>;
}

/// A ledger file on a file system.
#[derive(Debug)]
pub struct FileStorage {
    path: PathBuf,
    file: File,
}

impl FileStorage {
    /// The file that is open at `path`, for reading and writing.
    #[must_use]
    pub fn new(path: &Path, file: File) -> FileStorage {
        FileStorage {
            path: path.to_owned(),
            file,
        }
    }
}

impl Drop for FileStorage {
    fn drop(&mut self) {
        // A child that is being started elsewhere in the process may still have the file open, and
        // the lock with it, so closing is not enough.
        let _ = self.file.unlock();
    }
}

impl Storage for FileStorage {
    fn len(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(at))?;
        file.read(into)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write(bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn keep_torn(&mut self, bytes: &[u8]) -> io::Result<PathBuf> {
        let mut n = 1u64;
        loop {
            let path = beside(&self.path, &format!(".torn-{n}"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let kept = file
                        .write_all(bytes)
                        .and_then(|()| file.sync_all())
                        .and_then(|()| sync_dir_of(&path));
                    if kept.is_err() {
                        // A part of a copy is of no use; the ledger still holds the bytes.
                        let _ = fs::remove_file(&path);
                    }
                    return kept.map(|()| path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    n = n.saturating_add(1);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// `path` with `suffix` behind its name.
#[must_use]
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes the name of `path` durable.
///
/// # Errors
/// What the system gives.
pub fn sync_dir_of(path: &Path) -> io::Result<()> {
    sync_dir(path.parent().unwrap_or(Path::new("")))
}

/// Makes names in `dir` durable, on systems where a directory can be synced.
///
/// # Errors
/// What the system gives.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let dir = if dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            dir
        };
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}

/// The bytes of a storage, as a stream.
#[derive(Debug)]
pub struct Stream<'s> {
    storage: &'s dyn Storage,
    at: u64,
}

impl<'s> Stream<'s> {
    /// From the first byte.
    #[must_use]
    pub fn new(storage: &'s dyn Storage) -> Stream<'s> {
        Stream { storage, at: 0 }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.storage.read_at(self.at, into)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.storage.len()?.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
