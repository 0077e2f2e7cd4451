//! The ledger file: created once, written by one process at a time, a whole step at once.
//!
//! formats.md §6. A step is acknowledged when it is synced; one that cannot be written whole is
//! taken back. What an interruption can leave behind all the same, the next opening for writing puts
//! right: a torn line is moved aside, a step without its last records is completed.

pub mod blobs;
mod examine;
pub mod holder;
pub mod reader;
pub mod replay;
pub mod storage;
pub mod verify;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog::json::writer::Sink;
use axilog::ledger::genesis_entry;
use axilog::ledger_line;

use crate::error::Error;
use holder::Holder;
use reader::MAX_LINE_BYTES;
use storage::{FileStorage, Storage, Stream};

/// A ledger file open for writing, locked against other writers for as long as it lives.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    // Dropped before the storage, whose end gives the lock back.
    holder: Option<Holder>,
    storage: Box<dyn Storage>,
    len: u64,
    torn: Option<Torn>,
}

/// An incomplete last line that was moved aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Where its bytes are now: `FILE.torn-N`.
    pub path: PathBuf,
    /// How many they are.
    pub bytes: u64,
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
            Ok(file) => LedgerFile::locked(path, file),
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
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Busy {
                    path: path.to_owned(),
                    holder: Holder::of(path),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(Error::io(path, "lock the ledger")(error));
            }
        }
        let holder = Holder::announce(path);
        let mut ledger = LedgerFile::over(path, Box::new(FileStorage::new(path, file)))?;
        ledger.holder = holder;
        if ledger.is_empty() {
            // Whoever created it may have been interrupted before its name was durable.
            storage::sync_dir_of(path).map_err(Error::io(path, "create the ledger"))?;
        }
        Ok(ledger)
    }

    /// The ledger on `storage`, which nobody else writes. `path` is for its blobs and messages.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn over(path: &Path, storage: Box<dyn Storage>) -> Result<LedgerFile, Error> {
        Ok(LedgerFile {
            path: path.to_owned(),
            len: storage.len().map_err(Error::io(path, "open the ledger"))?,
            storage,
            torn: None,
            holder: None,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes from the first.
    #[must_use]
    pub fn bytes(&self) -> Stream<'_> {
        Stream::new(&*self.storage)
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it counts as new: empty, or the genesis only, whole or torn.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn is_new(&self) -> Result<bool, Error> {
        let genesis = genesis_line();
        if self.len > genesis.len() as u64 {
            return Ok(false);
        }
        let mut found = Vec::new();
        self.bytes()
            .read_to_end(&mut found)
            .map_err(Error::io(&self.path, "read"))?;
        Ok(genesis.starts_with(&found))
    }

    /// Makes a new ledger empty, or leaves it with its genesis; a torn one is moved aside.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn begin(&mut self) -> Result<(), Error> {
        if self.is_empty() || self.len == genesis_line().len() as u64 {
            return Ok(());
        }
        self.set_torn_aside(0)
    }

    /// Moves everything from the byte `offset` on, an incomplete last line, to `FILE.torn-N`: it
    /// is durable there before it is cut off here.
    ///
    /// # Errors
    /// [`Error::Io`]. The ledger still holds the bytes, unless the cut itself failed; then
    /// `FILE.torn-N` holds them.
    pub fn set_torn_aside(&mut self, offset: u64) -> Result<(), Error> {
        let mut torn = Vec::new();
        let mut bytes = self.bytes();
        bytes
            .seek(SeekFrom::Start(offset))
            .and_then(|_| bytes.take(MAX_LINE_BYTES as u64).read_to_end(&mut torn))
            .map_err(Error::io(&self.path, "read"))?;
        let path = self
            .storage
            .keep_torn(&torn)
            .map_err(Error::io(&self.path, "move the torn line aside"))?;
        self.storage
            .set_len(offset)
            .and_then(|()| self.storage.sync())
            .map_err(Error::io(&self.path, "cut off the torn line"))?;
        self.len = offset;
        self.torn = Some(Torn {
            path,
            bytes: torn.len() as u64,
        });
        Ok(())
    }

    /// The torn line that was moved aside since it was opened.
    #[must_use]
    pub fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    /// Adds whole lines and syncs them. Where that fails, what was written of them is taken back.
    ///
    /// # Errors
    /// [`Error::Io`], which says whether it was taken back for certain.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), Error> {
        match self.write(lines).and_then(|()| self.storage.sync()) {
            Ok(()) => {
                self.len = self.len.saturating_add(lines.len() as u64);
                Ok(())
            }
            Err(error) => Err(self.take_back(error)),
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut at = self.len;
        while !bytes.is_empty() {
            match self.storage.write_at(at, bytes) {
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

    fn take_back(&mut self, error: io::Error) -> Error {
        let taken_back = self
            .storage
            .set_len(self.len)
            .and_then(|()| self.storage.sync());
        let action = match taken_back {
            Ok(()) => "append (nothing was recorded)",
            // The next opening finds a torn line, a step to complete, or the whole step.
            Err(_) => "append (the next opening shows whether the step was recorded)",
        };
        Error::io(&self.path, action)(error)
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
