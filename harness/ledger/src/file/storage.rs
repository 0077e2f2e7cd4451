//! What a ledger file is stored on: the few operations it needs, and the real file behind them.
//!
//! formats.md §6. Tests put a failing disk behind the same trait, so that what is proved there is
//! proved of the code that runs.

use std::fmt;
use std::fs::File;
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
}

/// Writes all of `bytes` from the byte `at` on.
///
/// # Errors
/// What the system gives; some of the bytes may be written all the same.
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

/// A file on a file system.
#[derive(Debug)]
pub struct FileStorage {
    file: File,
}

impl FileStorage {
    /// The file, which is open for reading and writing.
    #[must_use]
    pub fn new(file: File) -> FileStorage {
        FileStorage { file }
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
}

/// `path` with `suffix` behind its name.
#[must_use]
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
