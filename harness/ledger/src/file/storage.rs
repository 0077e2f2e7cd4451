//! The storage of a ledger file: the operations that the ledger needs of it, and their implementation on a
//! real file.
//!
//! formats.md §6. Tests put a failing disk behind the same trait, so that they test the code that runs.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::place::{Displacement, FilePlace};

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

    /// Writes after the last byte and gives how many bytes it wrote, which may be fewer than all. Where
    /// something else has cut the file off, the bytes follow what is left, without a hole.
    ///
    /// # Errors
    /// The system's error; some of the bytes may be written nevertheless.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Cuts off everything after the first `len` bytes.
    ///
    /// # Errors
    /// The system's error.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Makes all bytes durable.
    ///
    /// # Errors
    /// The system's error; everything since the last sync is uncertain then.
    fn sync(&mut self) -> io::Result<()>;

    /// Checks that the name under which the file was opened still leads to it, and that it has `len` bytes.
    ///
    /// # Errors
    /// [`Displacement`].
    fn check_place(&self, len: u64) -> Result<(), Displacement>;
}

/// Writes all of `bytes` after the last byte.
///
/// # Errors
/// The system's error; some of the bytes may be written nevertheless.
pub fn append_all(storage: &mut dyn Storage, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match storage.append(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
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
    place: FilePlace,
}

impl FileStorage {
    /// Wraps a file that was opened under `path`, for reading and appending.
    ///
    /// # Errors
    /// The system's error.
    pub fn new(path: &Path, file: File) -> io::Result<FileStorage> {
        Ok(FileStorage {
            place: FilePlace::of(path, &file)?,
            file,
        })
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

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn check_place(&self, len: u64) -> Result<(), Displacement> {
        self.place.check(len)
    }
}

/// Appends `suffix` to the file name of `path`.
#[must_use]
pub fn append_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
