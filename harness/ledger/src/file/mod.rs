//! The ledger file: written by one process at a time, one whole step at once.
//!
//! formats.md §6. [`LedgerFile::append`] returns when the step is synced, unless another [`Durability`] is
//! chosen, and takes a step back that cannot be written whole. A crash can still leave part of a step in
//! the file. The next opening for writing repairs it: it moves a torn line aside and completes a step
//! whose last records are missing.
//!
//! Before anything is acknowledged the file behind the ledger's path is compared with the one that is open. A
//! ledger that was renamed, removed, replaced or cut off meanwhile ends the session.
//!
//! | task | item |
//! |---|---|
//! | create or open a ledger for writing | [`LedgerFile::open_or_create`], [`LedgerFile::open`] |
//! | append what an agent commits | [`Batch`], the core's sink, and [`LedgerFile::append`] |
//! | choose and query durability | [`Durability`], [`LedgerFile::sync`], [`LedgerFile::durable_position`] |
//! | read the lines of a ledger | [`LineReader`](lines::LineReader) |
//! | verify and replay a ledger | [`check`](crate::verify::verify_ledger), [`replay`](crate::replay::replay_ledger) |
//!
//! A [`Session`](crate::session::Session) combines the file with an agent: replay on opening, steps, the
//! seal.

mod appender;
pub mod batch;
pub mod beginning;
pub mod blobs;
pub mod durable_watch;
mod left_behind;
pub mod lines;
pub mod lock_holder;
mod opening;
pub mod place;
pub mod regular_file;
pub mod saved_file;
mod saved_frame;
pub mod stamp;
pub mod state_file;
pub mod storage;
mod stream;
mod sync_thread;
pub mod volume;
pub mod writer;

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog::ledger::genesis_entry;
use axilog::ledger_line;

use crate::durability::{Durability, LedgerPosition};
use crate::encoding::ByteBuffer;
use crate::error::{FileError, LedgerError};
pub(crate) use appender::StepSync;

use appender::{Appender, SharedAppender};
use batch::Batch;
use durable_watch::DurableWatch;
use lines::MAX_LINE_BYTES;
use lock_holder::LockHolder;
use storage::Storage;
use sync_thread::SyncThread;
use volume::{Volume, store_torn_line};

pub use stream::LedgerBytes;

/// A ledger file that is open for writing, locked against other writers for as long as the value lives.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    durability: Durability,
    step_sync: StepSync,
    sync_thread: Option<SyncThread>,
    // Dropped before the storage, whose end releases the lock.
    holder: Option<LockHolder>,
    appender: Arc<SharedAppender>,
    volume: Arc<dyn Volume>,
    torn: Option<TornLine>,
    left_behind: Option<LeftBehind>,
}

/// An incomplete last line that was moved out of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornLine {
    /// The file that holds the line's bytes now: `FILE.torn-N`.
    pub path: PathBuf,
    /// The number of bytes.
    pub bytes: u64,
}

/// Files that were moved out of a ledger's blobs, because no record names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftBehind {
    /// The directory that holds them now: `LEDGER.left-behind`.
    pub directory: PathBuf,
    /// The number of files.
    pub files: u64,
}

impl LedgerFile {
    /// Opens the ledger on `storage`, which nobody else may write. Blobs and torn lines go beside `path` on
    /// `volume`.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn with_storage(
        path: &Path,
        storage: Box<dyn Storage>,
        volume: Arc<dyn Volume>,
    ) -> Result<LedgerFile, LedgerError> {
        let appender =
            Appender::new(storage).map_err(FileError::from_io(path, "open the ledger"))?;
        Ok(LedgerFile {
            path: path.to_owned(),
            durability: Durability::default(),
            step_sync: StepSync::Now,
            sync_thread: None,
            holder: None,
            appender: Arc::new(SharedAppender::new(appender)),
            volume,
            torn: None,
            left_behind: None,
        })
    }

    /// The path of the ledger.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of the ledger, from the first one on.
    #[must_use]
    pub fn bytes(&self) -> LedgerBytes<'_> {
        LedgerBytes::new(&self.appender)
    }

    /// The volume that holds the ledger's blobs and torn lines.
    #[must_use]
    pub fn volume(&self) -> &Arc<dyn Volume> {
        &self.volume
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.appender.lock().len()
    }

    /// Whether the file is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the file holds no observation yet: it is empty, or holds the genesis only, whole or torn, or after the
    /// genesis nothing but a torn line.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn has_no_observation(&self) -> Result<bool, LedgerError> {
        let genesis = genesis_line();
        if self.len() > genesis.len().saturating_add(MAX_LINE_BYTES) as u64 {
            return Ok(false);
        }
        let mut bytes = Vec::new();
        self.bytes()
            .read_to_end(&mut bytes)
            .map_err(FileError::from_io(&self.path, "read"))?;
        Ok(match bytes.strip_prefix(genesis.as_slice()) {
            Some(behind) => !behind.contains(&b'\n'),
            None => genesis.starts_with(&bytes),
        })
    }

    /// Prepares a new ledger for its first step: afterwards the file is empty or holds the whole genesis. A
    /// torn genesis, or a torn line behind it, is moved aside.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn clear_torn_beginning(&mut self) -> Result<(), LedgerError> {
        let genesis = genesis_line().len() as u64;
        match self.len() {
            0 => Ok(()),
            len if len == genesis => Ok(()),
            len if len < genesis => self.move_torn_line_aside(0).map(|_| ()),
            _ => self.move_torn_line_aside(genesis).map(|_| ()),
        }
    }

    /// Moves the incomplete last line, which begins at the byte `offset`, to `FILE.torn-N`, and gives its bytes. They
    /// are durable there before they are cut off from the ledger.
    ///
    /// # Errors
    /// [`FileError::Io`]. The ledger still holds the bytes, unless the cut itself failed; then
    /// `FILE.torn-N` holds them. [`FileError::Displaced`] where the line is torn since something else has cut
    /// the file off meanwhile.
    pub fn move_torn_line_aside(&mut self, offset: u64) -> Result<Vec<u8>, LedgerError> {
        self.appender.lock().ensure_in_place(&self.path)?;
        let mut line = Vec::new();
        let mut bytes = self.bytes();
        bytes
            .seek(SeekFrom::Start(offset))
            .and_then(|_| bytes.take(MAX_LINE_BYTES as u64).read_to_end(&mut line))
            .map_err(FileError::from_io(&self.path, "read"))?;
        let path = store_torn_line(&*self.volume, &self.path, &line)
            .map_err(FileError::from_io(&self.path, "move the torn line aside"))?;
        let truncated = self.appender.lock().truncate(offset);
        truncated.map_err(FileError::from_io(&self.path, "cut off the torn line"))?;
        self.torn = Some(TornLine {
            path,
            bytes: line.len() as u64,
        });
        Ok(line)
    }

    /// The torn line that was moved aside since the file was opened.
    #[must_use]
    pub fn torn_line(&self) -> Option<&TornLine> {
        self.torn.as_ref()
    }

    /// The files that were moved out of the blobs since the ledger was opened.
    #[must_use]
    pub fn left_behind(&self) -> Option<&LeftBehind> {
        self.left_behind.as_ref()
    }

    /// Chooses when the file is synced, from the next append on. Records that are not durable yet are
    /// synced first.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`]; [`FileError::Io`] where the thread for [`Durability::Interval`] cannot be
    /// started: the durability is [`Durability::Step`] then.
    pub fn set_durability(&mut self, durability: Durability) -> Result<(), LedgerError> {
        self.sync()?;
        self.sync_thread = None;
        self.durability = Durability::Step;
        if matches!(durability, Durability::Interval { .. }) {
            let thread = SyncThread::start(&self.appender).map_err(FileError::from_io(
                &self.path,
                "start the thread that syncs",
            ))?;
            self.sync_thread = Some(thread);
        }
        self.durability = durability;
        Ok(())
    }

    /// The durability that was chosen.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// Appends the records of a step and syncs them as the chosen durability says. Where that fails, the
    /// part that was written is removed again.
    ///
    /// # Errors
    /// [`FileError::Io`], whose text says whether the removal is certain; [`FileError::Displaced`] where the
    /// ledger's path leads elsewhere now or the file has another length; [`LedgerError::NotDurable`] where an
    /// earlier append could not be synced, or with [`Durability::Interval`] this one.
    pub fn append(&mut self, batch: &Batch) -> Result<(), LedgerError> {
        let appended =
            self.appender
                .lock()
                .append(batch, self.durability, self.step_sync, &self.path);
        if let Some(thread) = &self.sync_thread {
            thread.wake();
        }
        appended
    }

    /// Syncs the records that were in the file when it was opened: the process that wrote them may have
    /// ended before its sync. `end` is where the caller's replay found the end of the ledger.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`].
    pub fn sync_recovered(&mut self, end: LedgerPosition) -> Result<(), LedgerError> {
        self.appender.lock().sync_recovered(end, &self.path)
    }

    /// Syncs everything that was appended, and gives how far the ledger is durable then.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`], [`FileError::Displaced`].
    pub fn sync(&mut self) -> Result<LedgerPosition, LedgerError> {
        let mut appender = self.appender.lock();
        appender.sync(&self.path).map(|()| appender.durable())
    }

    /// How far the ledger is known to be durable.
    #[must_use]
    pub fn durable_position(&self) -> LedgerPosition {
        self.appender.lock().durable()
    }

    /// Tells `watch` how far the ledger is durable, now and from now on.
    pub fn report_durable_to(&mut self, watch: DurableWatch) {
        self.appender.lock().report_to(watch);
    }

    /// How far the ledger is written, be it durable or not.
    pub(crate) fn written_position(&self) -> LedgerPosition {
        self.appender.lock().written()
    }

    /// Whether steps are written that wait for a sync.
    pub(crate) fn is_sync_pending(&self) -> bool {
        self.appender.lock().is_sync_pending()
    }

    /// Chooses when the next appends sync steps of [`Durability::Step`].
    pub(crate) fn set_step_sync(&mut self, step_sync: StepSync) {
        self.step_sync = step_sync;
    }

    /// Checks that records may still be appended.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`] where a sync has failed; [`FileError::Displaced`] where the file was found
    /// to be elsewhere.
    pub fn ensure_writable(&self) -> Result<(), LedgerError> {
        self.appender.lock().ensure_writable(&self.path)
    }
}

impl Drop for LedgerFile {
    fn drop(&mut self) {
        // A caller that needs to know whether this sync works calls `sync` before.
        let _ = self.sync();
        self.sync_thread = None;
    }
}

/// The first line of every ledger file.
#[must_use]
pub fn genesis_line() -> Vec<u8> {
    let mut line = ByteBuffer::default();
    ledger_line::write(&genesis_entry(), &mut line);
    line.0
}
