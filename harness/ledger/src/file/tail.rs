//! The end of a ledger file: what is written, how much of it is durable, and the thread that makes
//! it durable in time.
//!
//! A failed sync is never tried again: the system may then call durable what it has dropped.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::batch::Batch;
use super::durability::{Checkpoint, Durability};
use super::storage::{Storage, write_all_at};
use crate::error::{FileError, LedgerError};

/// A storage and what is known of it.
#[derive(Debug)]
pub(super) struct Tail {
    storage: Box<dyn Storage>,
    len: u64,
    written: Checkpoint,
    durable: Checkpoint,
    /// Something is written that is not synced.
    pending: bool,
    /// When it must be.
    due: Option<Instant>,
    /// Why nothing more is written.
    failed: Option<Arc<io::Error>>,
    closing: bool,
}

impl Tail {
    pub(super) fn new(storage: Box<dyn Storage>) -> io::Result<Tail> {
        Ok(Tail {
            len: storage.len()?,
            storage,
            written: Checkpoint::default(),
            durable: Checkpoint::default(),
            pending: false,
            due: None,
            failed: None,
            closing: false,
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn durable(&self) -> Checkpoint {
        self.durable
    }

    /// Refuses where something is not certain that should be.
    pub(super) fn check(&self, path: &Path) -> Result<(), LedgerError> {
        match &self.failed {
            None => Ok(()),
            Some(source) => Err(LedgerError::NotDurable {
                path: path.to_owned(),
                durable: self.durable,
                source: source.clone(),
            }),
        }
    }

    /// Cuts off everything behind `len` bytes, durably.
    pub(super) fn cut(&mut self, len: u64) -> io::Result<()> {
        self.storage.set_len(len)?;
        self.storage.sync()?;
        self.len = len;
        Ok(())
    }

    /// Makes what was found in the file durable; it ends at `end`.
    pub(super) fn adopt(&mut self, end: Checkpoint, path: &Path) -> Result<(), LedgerError> {
        self.written = end;
        self.pending = true;
        self.sync(path)
    }

    /// Makes everything durable that is written.
    pub(super) fn sync(&mut self, path: &Path) -> Result<(), LedgerError> {
        self.sync_pending();
        self.check(path)
    }

    fn sync_pending(&mut self) {
        self.due = None;
        if !self.pending || self.failed.is_some() {
            return;
        }
        match self.storage.sync() {
            Ok(()) => self.all_durable(),
            Err(error) => self.failed = Some(Arc::new(error)),
        }
    }

    fn all_durable(&mut self) {
        self.durable = self.written;
        self.pending = false;
        self.due = None;
    }

    /// Writes a batch and syncs it as `durability` says. Where it cannot be written, or not synced
    /// at once where it should be, it is taken back.
    pub(super) fn append(
        &mut self,
        batch: &Batch,
        durability: Durability,
        path: &Path,
    ) -> Result<(), LedgerError> {
        self.check(path)?;
        if let Err(error) = self.write(batch.lines(), durability) {
            return Err(self.take_back(error, path));
        }
        self.len = self.len.saturating_add(batch.lines().len() as u64);
        self.written = batch.end();
        let Durability::Interval { records, within } = durability else {
            self.all_durable();
            return Ok(());
        };
        self.pending = true;
        let pending = self.written.entries.saturating_sub(self.durable.entries);
        if pending >= records.get() {
            return self.sync(path);
        }
        if self.due.is_none() {
            self.due = Instant::now().checked_add(within);
        }
        Ok(())
    }

    fn write(&mut self, lines: &[u8], durability: Durability) -> io::Result<()> {
        match durability {
            Durability::Record => {
                let mut at = self.len;
                for line in lines.split_inclusive(|&b| b == b'\n') {
                    write_all_at(&mut *self.storage, at, line)?;
                    self.storage.sync()?;
                    at = at.saturating_add(line.len() as u64);
                }
                Ok(())
            }
            Durability::Step => {
                write_all_at(&mut *self.storage, self.len, lines)?;
                self.storage.sync()
            }
            Durability::Interval { .. } => write_all_at(&mut *self.storage, self.len, lines),
        }
    }

    fn take_back(&mut self, error: io::Error, path: &Path) -> LedgerError {
        let action = match self.cut(self.len) {
            Ok(()) => {
                self.all_durable();
                "append (nothing was recorded)"
            }
            // The next opening finds a torn line, a step to complete, or the whole step.
            Err(cutting) => {
                self.failed = Some(Arc::new(cutting));
                "append (the next opening shows whether the step was recorded)"
            }
        };
        FileError::at(path, action)(error).into()
    }
}

/// A tail, for its writer, its readers and the thread that syncs it.
pub(super) struct Shared {
    tail: Mutex<Tail>,
    changed: Condvar,
}

impl Shared {
    pub(super) fn new(tail: Tail) -> Arc<Shared> {
        Arc::new(Shared {
            tail: Mutex::new(tail),
            changed: Condvar::new(),
        })
    }

    /// The tail. A thread that panicked with it has left nothing half done that `failed`, `len` and
    /// the checkpoints do not tell.
    pub(super) fn lock(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until_closing(&self) {
        let mut tail = self.lock();
        while !tail.closing {
            let now = Instant::now();
            tail = match tail.due {
                None => self
                    .changed
                    .wait(tail)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(due) if now < due => {
                    self.changed
                        .wait_timeout(tail, due.saturating_duration_since(now))
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                Some(_) => {
                    tail.sync_pending();
                    tail
                }
            };
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock().fmt(f)
    }
}

/// The thread that syncs a tail when it is due; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Syncer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    pub(super) fn start(shared: &Arc<Shared>) -> io::Result<Syncer> {
        shared.lock().closing = false;
        let of_thread = shared.clone();
        let thread = thread::Builder::new()
            .name("axilog-sync".to_owned())
            .spawn(move || of_thread.wait_until_closing())?;
        Ok(Syncer {
            shared: shared.clone(),
            thread: Some(thread),
        })
    }

    /// Tells the thread that something may have become due.
    pub(super) fn wake(&self) {
        self.shared.changed.notify_one();
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The bytes of a ledger file, as a stream.
#[derive(Debug)]
pub struct Stream<'s> {
    shared: &'s Shared,
    at: u64,
}

impl<'s> Stream<'s> {
    pub(super) fn new(shared: &'s Shared) -> Stream<'s> {
        Stream { shared, at: 0 }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.shared.lock().storage.read_at(self.at, into)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.shared.lock().storage.len()?.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
