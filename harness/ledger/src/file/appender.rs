//! Appending to a ledger file, and the record of how much of it is durable.
//!
//! A failed sync is never tried again: the system may then call durable what it has dropped. And nothing is
//! acknowledged unless the ledger's path leads to the file that holds it.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::batch::Batch;
use super::durable_watch::DurableWatch;
use super::place::Displacement;
use super::storage::{Storage, append_all};
use crate::durability::{Durability, LedgerPosition};
use crate::error::{FileError, LedgerError};

/// The writer of a ledger file, which knows how far the file is written and how far it is durable.
#[derive(Debug)]
pub(super) struct Appender {
    storage: Box<dyn Storage>,
    len: u64,
    written: LedgerPosition,
    durable: LedgerPosition,
    /// Whether records are written that are not synced.
    pending: bool,
    /// When the pending records must be synced at the latest.
    sync_due: Option<Instant>,
    /// The failure that ended writing.
    failure: Option<Failure>,
    /// Whether the thread that syncs is to end.
    pub(super) closing: bool,
    /// Who is told how far the file is durable.
    watch: Option<DurableWatch>,
}

/// When an append syncs a step whose durability is [`Durability::Step`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StepSync {
    /// Before it returns.
    #[default]
    Now,
    /// Never: its caller syncs several steps together, and acknowledges none of them before.
    Later,
}

/// The failure after which nothing is written any more.
#[derive(Debug)]
enum Failure {
    /// It is uncertain what of the file is durable.
    Uncertain(Arc<io::Error>),
    /// The ledger's path does not lead to what was written.
    Displaced(Displacement),
}

impl Appender {
    pub(super) fn new(storage: Box<dyn Storage>) -> io::Result<Appender> {
        Ok(Appender {
            len: storage.len()?,
            storage,
            written: LedgerPosition::default(),
            durable: LedgerPosition::default(),
            pending: false,
            sync_due: None,
            failure: None,
            closing: false,
            watch: None,
        })
    }

    /// Tells `watch` how far the file is durable, now and from now on.
    pub(super) fn report_to(&mut self, watch: DurableWatch) {
        watch.move_to(self.durable);
        self.watch = Some(watch);
    }

    pub(super) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn durable(&self) -> LedgerPosition {
        self.durable
    }

    pub(super) fn written(&self) -> LedgerPosition {
        self.written
    }

    /// Whether records are written that are not synced.
    pub(super) fn is_sync_pending(&self) -> bool {
        self.pending
    }

    pub(super) fn sync_due(&self) -> Option<Instant> {
        self.sync_due
    }

    /// Refuses to go on where an earlier failure has left the file's content or its place uncertain.
    pub(super) fn ensure_writable(&self, path: &Path) -> Result<(), LedgerError> {
        match &self.failure {
            None => Ok(()),
            Some(Failure::Uncertain(source)) => Err(LedgerError::NotDurable {
                path: path.to_owned(),
                durable: self.durable,
                source: source.clone(),
            }),
            Some(Failure::Displaced(displacement)) => {
                Err(FileError::displaced(path)(displacement.clone()).into())
            }
        }
    }

    /// Refuses to go on where the ledger's path does not lead to what was written.
    pub(super) fn ensure_in_place(&mut self, path: &Path) -> Result<(), LedgerError> {
        if let Err(displacement) = self.storage.check_place(self.len) {
            self.failure = Some(Failure::Displaced(displacement));
        }
        self.ensure_writable(path)
    }

    /// Cuts off everything after `len` bytes, durably.
    pub(super) fn truncate(&mut self, len: u64) -> io::Result<()> {
        if self.storage.len()? < len {
            // The file would get a hole.
            return Err(io::Error::other("another program has cut the file off"));
        }
        self.storage.set_len(len)?;
        self.storage.sync()?;
        self.len = len;
        Ok(())
    }

    /// Syncs the records that were in the file when it was opened; they end at `end`.
    pub(super) fn sync_recovered(
        &mut self,
        end: LedgerPosition,
        path: &Path,
    ) -> Result<(), LedgerError> {
        self.written = end;
        self.pending = true;
        self.sync(path)
    }

    /// Syncs everything that is written.
    pub(super) fn sync(&mut self, path: &Path) -> Result<(), LedgerError> {
        self.sync_pending();
        self.ensure_writable(path)
    }

    pub(super) fn sync_pending(&mut self) {
        self.sync_due = None;
        if self.failure.is_some() {
            return;
        }
        if self.pending
            && let Err(error) = self.storage.sync()
        {
            self.failure = Some(Failure::Uncertain(Arc::new(error)));
            return;
        }
        match self.storage.check_place(self.len) {
            Ok(()) => self.mark_durable(),
            Err(displacement) => self.failure = Some(Failure::Displaced(displacement)),
        }
    }

    fn mark_durable(&mut self) {
        self.durable = self.written;
        self.pending = false;
        self.sync_due = None;
        if let Some(watch) = &self.watch {
            watch.move_to(self.durable);
        }
    }

    /// Writes a batch, syncs it as `durability` says, and checks that the ledger's path leads to it. A batch
    /// that cannot be written, or not be synced where it should be at once, is rolled back.
    pub(super) fn append(
        &mut self,
        batch: &Batch,
        durability: Durability,
        step_sync: StepSync,
        path: &Path,
    ) -> Result<(), LedgerError> {
        self.ensure_writable(path)?;
        if let Err(error) = self.write(batch.lines(), durability, step_sync) {
            return Err(self.roll_back(error, path));
        }
        let len = self.len.saturating_add(batch.lines().len() as u64);
        if let Err(displacement) = self.storage.check_place(len) {
            return self.withdraw(displacement, len, path);
        }
        self.len = len;
        self.written = batch.end();
        let (records, within) = match (durability, step_sync) {
            (Durability::Interval { records, within }, _) => (records, within),
            (Durability::Step, StepSync::Later) => {
                self.pending = true;
                return Ok(());
            }
            (Durability::Step, StepSync::Now) | (Durability::Record, _) => {
                self.mark_durable();
                return Ok(());
            }
        };
        self.pending = true;
        let pending = self.written.entries.saturating_sub(self.durable.entries);
        if pending >= records.get() {
            return self.sync(path);
        }
        if self.sync_due.is_none() {
            self.sync_due = Instant::now().checked_add(within);
        }
        Ok(())
    }

    fn write(
        &mut self,
        lines: &[u8],
        durability: Durability,
        step_sync: StepSync,
    ) -> io::Result<()> {
        match (durability, step_sync) {
            (Durability::Record, _) => {
                for line in lines.split_inclusive(|&b| b == b'\n') {
                    append_all(&mut *self.storage, line)?;
                    self.storage.sync()?;
                }
                Ok(())
            }
            (Durability::Step, StepSync::Now) => {
                append_all(&mut *self.storage, lines)?;
                self.storage.sync()
            }
            (Durability::Step, StepSync::Later) | (Durability::Interval { .. }, _) => {
                append_all(&mut *self.storage, lines)
            }
        }
    }

    fn roll_back(&mut self, error: io::Error, path: &Path) -> LedgerError {
        let action = match self.truncate(self.len) {
            Ok(()) => {
                match self.storage.check_place(self.len) {
                    Ok(()) => self.mark_durable(),
                    Err(displacement) => self.failure = Some(Failure::Displaced(displacement)),
                }
                "append (nothing was recorded)"
            }
            // The next opening finds a torn line, a step to complete, or the whole step.
            Err(error) => {
                self.failure = Some(Failure::Uncertain(Arc::new(error)));
                "append (the next opening shows whether the step was recorded)"
            }
        };
        FileError::from_io(path, action)(error).into()
    }

    /// Takes a batch back that was written to a file which the ledger's path does not lead to any more. A file
    /// that something else has cut off or written to stays as it is: what it holds shows that it was.
    fn withdraw(
        &mut self,
        displacement: Displacement,
        len: u64,
        path: &Path,
    ) -> Result<(), LedgerError> {
        if self.storage.len().is_ok_and(|found| found == len) {
            let _ = self.truncate(self.len);
        }
        self.failure = Some(Failure::Displaced(displacement));
        self.ensure_writable(path)
    }
}

/// An appender that its writer, its readers and the thread that syncs it share.
pub(super) struct SharedAppender {
    appender: Mutex<Appender>,
    /// Notified when a sync may have become due, and when the thread is to end.
    pub(super) changed: Condvar,
}

impl SharedAppender {
    pub(super) fn new(appender: Appender) -> SharedAppender {
        SharedAppender {
            appender: Mutex::new(appender),
            changed: Condvar::new(),
        }
    }

    /// Locks the appender. A thread that panicked while it held the lock is no obstacle: `failure`, `len`
    /// and the positions describe whatever it left.
    pub(super) fn lock(&self) -> MutexGuard<'_, Appender> {
        self.appender.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SharedAppender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock().fmt(f)
    }
}
