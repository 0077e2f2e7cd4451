//! The ledger file: created once, written by one process at a time, a whole step at once.
//!
//! formats.md §6. A step is acknowledged when it is synced; one that cannot be written whole is
//! taken back. What an interruption can leave behind all the same, a torn line or a step without
//! its last records, the next opening refuses or completes.

pub mod blobs;
pub mod reader;
pub mod verify;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog::json::writer::Sink;
use axilog::ledger::genesis_entry;
use axilog::ledger_line;

use crate::error::Error;

/// A ledger file open for writing, locked against other writers for as long as it lives.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    file: File,
    len: u64,
}

impl LedgerFile {
    /// Opens the ledger at `path`, or creates an empty one where there is none.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::NotAFile`], [`Error::Busy`].
    pub fn open_or_create(path: &Path) -> Result<LedgerFile, Error> {
        let created = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path);
        match created {
            Ok(file) => {
                let ledger = LedgerFile::locked(path, file)?;
                let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
                sync_dir(dir.unwrap_or(Path::new(".")))
                    .map_err(Error::io(path, "create the ledger"))?;
                Ok(ledger)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => LedgerFile::open(path),
            Err(error) => Err(Error::io(path, "create the ledger")(error)),
        }
    }

    /// Opens the ledger at `path`, which must exist.
    ///
    /// # Errors
    /// As [`LedgerFile::open_or_create`].
    pub fn open(path: &Path) -> Result<LedgerFile, Error> {
        let metadata = std::fs::metadata(path).map_err(Error::io(path, "open the ledger"))?;
        if !metadata.is_file() {
            return Err(Error::NotAFile(path.to_owned()));
        }
        let file = OpenOptions::new().read(true).write(true).open(path);
        LedgerFile::locked(path, file.map_err(Error::io(path, "open the ledger"))?)
    }

    fn locked(path: &Path, file: File) -> Result<LedgerFile, Error> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy(path.to_owned())),
            Err(TryLockError::Error(error)) => {
                return Err(Error::io(path, "lock the ledger")(error));
            }
        }
        let metadata = file
            .metadata()
            .map_err(Error::io(path, "open the ledger"))?;
        Ok(LedgerFile {
            path: path.to_owned(),
            len: metadata.len(),
            file,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes from the first.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn bytes(&self) -> Result<impl Read + Seek, Error> {
        let mut file = &self.file;
        file.rewind().map_err(Error::io(&self.path, "read"))?;
        Ok(file)
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it counts as new: empty, or the genesis only.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn is_new(&self) -> Result<bool, Error> {
        let genesis = genesis_line();
        if self.len != genesis.len() as u64 {
            return Ok(self.is_empty());
        }
        let mut found = Vec::new();
        self.bytes()?
            .read_to_end(&mut found)
            .map_err(Error::io(&self.path, "read"))?;
        Ok(found == genesis)
    }

    /// Adds whole lines and syncs them. Where that fails, what was written of them is taken back.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn append(&mut self, lines: &[u8]) -> Result<(), Error> {
        let mut file = &self.file;
        let written = file
            .seek(SeekFrom::Start(self.len))
            .and_then(|_| file.write_all(lines))
            .and_then(|()| file.sync_data());
        if let Err(error) = written {
            // Where this fails too, the next opening finds a torn line or completes the step.
            let _ = self.file.set_len(self.len);
            return Err(Error::io(&self.path, "append (nothing was recorded)")(
                error,
            ));
        }
        self.len = self.len.saturating_add(lines.len() as u64);
        Ok(())
    }
}

/// The first line of every ledger file.
#[must_use]
pub fn genesis_line() -> Vec<u8> {
    let mut line = LineBytes::default();
    ledger_line::write(&genesis_entry(), &mut line);
    line.0
}

/// A sink that keeps what is written.
#[derive(Clone, Debug, Default)]
pub struct LineBytes(pub Vec<u8>);

impl Sink for LineBytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// A digest as text.
#[must_use]
pub fn hex(hash: &Hash) -> String {
    axilog::hash::hex(hash)
        .iter()
        .copied()
        .map(char::from)
        .collect()
}

/// Makes names in `dir` durable, on systems where a directory can be synced.
fn sync_dir(dir: &Path) -> io::Result<()> {
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
