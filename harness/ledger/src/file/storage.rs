//! The storage of a ledger file: the operations that the ledger needs of it, and their implementation on a
//! real file.
//!
//! formats.md §6. Tests put a failing disk behind the same trait, so that they test the code that runs.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The bytes of one file.
///
/// A crash of the machine may keep or lose any part of what was written or cut off since the last
/// [`Storage::sync`].
pub trait Storage: fmt::Debug + Send {
    /// The number of bytes.
    ///
    /// # Errors
    /// The system's error; so in every method below.
    fn len(&self) -> io::Result<u64>;

    /// Whether the file is empty.
    ///
    /// # Errors
    /// As [`Storage::len`].
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|len| len == 0)
    }

    /// Reads from the byte `at` on and gives how many bytes it read, 0 only at the end. It may read fewer bytes
    /// than `into` has room for.
    ///
    /// # Errors
    /// The system's error.
    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes from the byte `at` on and gives how many bytes it wrote, which may be fewer than all.
    ///
    /// # Errors
    /// The system's error; some of the bytes may be written nevertheless.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Cuts off everything behind the first `len` bytes.
    ///
    /// # Errors
    /// The system's error.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Makes all bytes durable.
    ///
    /// # Errors
    /// The system's error; everything since the last sync is uncertain then.
    fn sync(&mut self) -> io::Result<()>;
}

/// Writes all of `bytes` from the byte `at` on.
///
/// # Errors
/// The system's error; some of the bytes may be written nevertheless.
pub fn write_all_at(storage: &mut dyn Storage, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match storage.write_at(at, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                at = at.saturating_add(written as u64);
                bytes = bytes.get(written..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A file on the host's file system.
#[derive(Debug)]
pub struct FileStorage {
    file: File,
}

impl FileStorage {
    /// Wraps a file that is open for reading and writing.
    #[must_use]
    pub fn new(file: File) -> FileStorage {
        FileStorage { file }
    }
}

impl Drop for FileStorage {
    fn drop(&mut self) {
        // A child process that another thread is starting may still have the file open, and the lock with
        // it, so closing is not enough.
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
}

/// Appends `suffix` to the file name of `path`.
#[must_use]
pub fn append_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
