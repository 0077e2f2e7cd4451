//! The ledger file: created once, written by one process at a time, a whole step at once.
//!
//! formats.md §6. A step is acknowledged when it is synced, unless another [`Durability`] is chosen;
//! one that cannot be written whole is taken back. What an interruption can leave behind all the
//! same, the next opening for writing puts right: a torn line is moved aside, a step without its last
//! records is completed.
//!
//! | to | there is |
//! |---|---|
//! | create or open a ledger for writing | [`LedgerFile::open_or_create`], [`LedgerFile::open`] |
//! | append what an agent commits | [`Batch`], the core's sink, and [`LedgerFile::append`] |
//! | say when it is durable | [`Durability`], [`LedgerFile::sync`], [`LedgerFile::durable`] |
//! | read it line by line | [`Lines`](reader::Lines) |
//! | verify and replay it | [`check`](verify::check), [`replay`](replay::replay) |
//!
//! A [`Session`](crate::session::Session) does all of it, and the agent's part: replay on opening,
//! steps, the seal.

pub mod batch;
pub mod blobs;
pub mod durability;
mod examine;
pub mod holder;
pub mod reader;
pub mod replay;
pub mod storage;
mod tail;
pub mod verify;
pub mod volume;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog::hash::Hash;
use axilog::json::writer::Sink;
use axilog::ledger::genesis_entry;
use axilog::ledger_line;

use crate::error::{FileError, LedgerError};
use batch::Batch;
use durability::{Checkpoint, Durability};
use holder::Holder;
use reader::MAX_LINE_BYTES;
use storage::{FileStorage, Storage};
use tail::{Shared, Syncer, Tail};
use volume::{FileSystem, Volume, dir_of, keep_torn};

pub use tail::Stream;

/// A ledger file open for writing, locked against other writers for as long as it lives.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    durability: Durability,
    syncer: Option<Syncer>,
    // Dropped before the storage, whose end gives the lock back.
    holder: Option<Holder>,
    shared: Arc<Shared>,
    volume: Arc<dyn Volume>,
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
    /// [`FileError::Io`], [`FileError::NotAFile`], [`LedgerError::Busy`].
    pub fn open_or_create(path: &Path) -> Result<LedgerFile, LedgerError> {
        let created = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path);
        match created {
            Ok(file) => LedgerFile::locked(path, file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => LedgerFile::open(path),
            Err(error) => Err(FileError::at(path, "create the ledger")(error).into()),
        }
    }

    /// Opens the ledger at `path`, which must exist.
    ///
    /// # Errors
    /// As [`LedgerFile::open_or_create`].
    pub fn open(path: &Path) -> Result<LedgerFile, LedgerError> {
        let metadata = std::fs::metadata(path).map_err(FileError::at(path, "open the ledger"))?;
        if !metadata.is_file() {
            return Err(FileError::NotAFile(path.to_owned()).into());
        }
        let file = OpenOptions::new().read(true).write(true).open(path);
        LedgerFile::locked(path, file.map_err(FileError::at(path, "open the ledger"))?)
    }

    fn locked(path: &Path, file: File) -> Result<LedgerFile, LedgerError> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LedgerError::Busy {
                    path: path.to_owned(),
                    holder: Holder::of(path),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(FileError::at(path, "lock the ledger")(error).into());
            }
        }
        let holder = Holder::announce(path);
        let storage = Box::new(FileStorage::new(file));
        let mut ledger = LedgerFile::over(path, storage, Arc::new(FileSystem))?;
        ledger.holder = holder;
        if ledger.is_empty() {
            // Whoever created it may have been interrupted before its name was durable.
            let named = ledger.volume.sync_dir(dir_of(path));
            named.map_err(FileError::at(path, "create the ledger"))?;
        }
        Ok(ledger)
    }

    /// The ledger on `storage`, which nobody else writes, with what belongs beside `path` on
    /// `volume`.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn over(
        path: &Path,
        storage: Box<dyn Storage>,
        volume: Arc<dyn Volume>,
    ) -> Result<LedgerFile, LedgerError> {
        let tail = Tail::new(storage).map_err(FileError::at(path, "open the ledger"))?;
        Ok(LedgerFile {
            path: path.to_owned(),
            durability: Durability::default(),
            syncer: None,
            holder: None,
            shared: Shared::new(tail),
            volume,
            torn: None,
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
        Stream::new(&self.shared)
    }

    /// What its blobs and torn lines are on.
    #[must_use]
    pub fn volume(&self) -> &Arc<dyn Volume> {
        &self.volume
    }

    fn len(&self) -> u64 {
        self.shared.lock().len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it counts as new: empty, or the genesis only, whole or torn.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn is_new(&self) -> Result<bool, LedgerError> {
        let genesis = genesis_line();
        if self.len() > genesis.len() as u64 {
            return Ok(false);
        }
        let mut found = Vec::new();
        self.bytes()
            .read_to_end(&mut found)
            .map_err(FileError::at(&self.path, "read"))?;
        Ok(genesis.starts_with(&found))
    }

    /// Makes a new ledger empty, or leaves it with its genesis; a torn one is moved aside.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn begin(&mut self) -> Result<(), LedgerError> {
        if self.is_empty() || self.len() == genesis_line().len() as u64 {
            return Ok(());
        }
        self.set_torn_aside(0)
    }

    /// Moves everything from the byte `offset` on, an incomplete last line, to `FILE.torn-N`: it
    /// is durable there before it is cut off here.
    ///
    /// # Errors
    /// [`FileError::Io`]. The ledger still holds the bytes, unless the cut itself failed; then
    /// `FILE.torn-N` holds them.
    pub fn set_torn_aside(&mut self, offset: u64) -> Result<(), LedgerError> {
        let mut torn = Vec::new();
        let mut bytes = self.bytes();
        bytes
            .seek(SeekFrom::Start(offset))
            .and_then(|_| bytes.take(MAX_LINE_BYTES as u64).read_to_end(&mut torn))
            .map_err(FileError::at(&self.path, "read"))?;
        let path = keep_torn(&*self.volume, &self.path, &torn)
            .map_err(FileError::at(&self.path, "move the torn line aside"))?;
        let cut = self.shared.lock().cut(offset);
        cut.map_err(FileError::at(&self.path, "cut off the torn line"))?;
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

    /// Chooses when it is synced, from the next append on. What is not durable yet is synced first.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`]; [`FileError::Io`] where the thread for [`Durability::Interval`] cannot be
    /// started: then it is [`Durability::Step`].
    pub fn set_durability(&mut self, durability: Durability) -> Result<(), LedgerError> {
        self.sync()?;
        self.syncer = None;
        self.durability = Durability::Step;
        if matches!(durability, Durability::Interval { .. }) {
            let started = Syncer::start(&self.shared);
            let started =
                started.map_err(FileError::at(&self.path, "start the thread that syncs"))?;
            self.syncer = Some(started);
        }
        self.durability = durability;
        Ok(())
    }

    /// When it is synced.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// Adds the records of a step and makes them durable as it was chosen. Where that fails, what
    /// was written of them is taken back.
    ///
    /// # Errors
    /// [`FileError::Io`], which says whether it was taken back for certain; [`LedgerError::NotDurable`] where
    /// what was appended before could not be synced, or with [`Durability::Interval`] this batch.
    pub fn append(&mut self, batch: &Batch) -> Result<(), LedgerError> {
        let appended = self
            .shared
            .lock()
            .append(batch, self.durability, &self.path);
        if let Some(syncer) = &self.syncer {
            syncer.wake();
        }
        appended
    }

    /// Makes what was found in the file durable, whoever left it there; the caller has found that it
    /// ends at `end`.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`].
    pub fn adopt(&mut self, end: Checkpoint) -> Result<(), LedgerError> {
        self.shared.lock().adopt(end, &self.path)
    }

    /// Makes everything durable that was appended, and says how far that is.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`].
    pub fn sync(&mut self) -> Result<Checkpoint, LedgerError> {
        let mut tail = self.shared.lock();
        tail.sync(&self.path).map(|()| tail.durable())
    }

    /// How far it is known to be durable.
    #[must_use]
    pub fn durable(&self) -> Checkpoint {
        self.shared.lock().durable()
    }

    /// Whether more may be appended.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`] where a sync has failed since.
    pub fn check(&self) -> Result<(), LedgerError> {
        self.shared.lock().check(&self.path)
    }
}

impl Drop for LedgerFile {
    fn drop(&mut self) {
        // Whoever wants to know whether it worked calls `sync` before.
        let _ = self.sync();
        self.syncer = None;
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
