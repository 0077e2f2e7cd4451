//! A session that several threads use at once: their steps queue, and share a sync.
//!
//! Each call is one step, and returns once its step is as durable as the session's [`Durability`] says. With
//! [`Durability::Step`] the calls that wait for a sync leave the next one to the last of them: what was written
//! meanwhile becomes durable together, and only then is any of it acknowledged. A call that nobody waits behind syncs
//! at once, as a session of one thread does. SRS-004 §7.2.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{OracleCall, OracleReply, Session};
use crate::decision::StepDecision;
use crate::durability::Durability;
use crate::error::LedgerError;
use crate::file::StepSync;
use crate::file::blobs::BlobWriter;

/// The most calls whose steps wait for one sync. Without a bound, callers that only ask could put it off for ever.
const MAX_GROUP: usize = 1024;

/// A session for several threads.
pub struct SharedSession {
    turns: Mutex<Turns>,
    /// Notified when a sync has ended, well or not, and when the last waiting call has left.
    settled: Condvar,
    /// The number of steps that wait for their turn, or have it.
    in_line: AtomicUsize,
    /// Shares what it remembers with the session's own.
    blobs: BlobWriter,
}

/// What the calls take turns at.
struct Turns {
    /// `None` once it is closed.
    session: Option<Session>,
    /// The number of calls since the last sync that have left it to a later one.
    group: usize,
    /// The number of calls that wait for a sync.
    waiting: usize,
}

/// Why a call was not done.
#[derive(Debug, thiserror::Error)]
pub enum SharedSessionError {
    /// The session refused the step, or the operating system did.
    #[error(transparent)]
    Ledger(#[from] LedgerError),

    /// The session was closed before; nothing was recorded.
    #[error("the ledger is closed; open it again; nothing was recorded")]
    Closed,

    /// An earlier call panicked in the middle of a step.
    #[error(
        "an earlier call panicked in the middle of a step; open the ledger again to see what it holds"
    )]
    Panicked,
}

impl SharedSession {
    /// Shares a session.
    #[must_use]
    pub fn new(session: Session) -> SharedSession {
        SharedSession {
            blobs: session.blobs.clone(),
            turns: Mutex::new(Turns {
                session: Some(session),
                group: 0,
                waiting: 0,
            }),
            settled: Condvar::new(),
            in_line: AtomicUsize::new(0),
        }
    }

    /// Records a reply as [`Session::observe`] does.
    ///
    /// # Errors
    /// Those of [`Session::observe`] and [`SharedSession::step`].
    pub fn observe(
        &self,
        call: &OracleCall,
        reply: OracleReply<'_>,
    ) -> Result<StepDecision, SharedSessionError> {
        if !self.blobs.remembers(call.input.bytes()) {
            self.keep_question(call)?;
        }
        self.step(|session| session.observe(call, reply))
    }

    /// Keeps the question of a call as a blob, durably, where the session would record a reply to it. A caller that keeps
    /// the question before it asks has it whatever becomes of the answer.
    ///
    /// # Errors
    /// Those of [`Session::check_question`]; [`FileError::Io`](crate::error::FileError::Io);
    /// [`SharedSessionError::Closed`], [`SharedSessionError::Panicked`].
    pub fn keep_question(&self, call: &OracleCall) -> Result<(), SharedSessionError> {
        // A question that is refused leaves no blob. One that is not is synced beside those of other threads, and not
        // while they wait for their turn.
        self.ask(|session| session.check_question(call))?;
        self.blobs.store(call.input.bytes())?;
        Ok(())
    }

    /// Runs a step of the session in turn, and returns when the step is as durable as the session's durability says.
    ///
    /// # Errors
    /// Those of `act`; [`LedgerError::NotDurable`] and [`FileError::Displaced`](crate::error::FileError::Displaced) where
    /// the sync failed that the step has waited for; [`SharedSessionError::Closed`], [`SharedSessionError::Panicked`].
    pub fn step<T>(
        &self,
        act: impl FnOnce(&mut Session) -> Result<T, LedgerError>,
    ) -> Result<T, SharedSessionError> {
        let mut place = PlaceInLine::take(self);
        let mut turns = self.lock()?;
        let Turns { session, group, .. } = &mut *turns;
        let session = session.as_mut().ok_or(SharedSessionError::Closed)?;
        let is_alone = self.in_line.load(Ordering::SeqCst) == 1;
        session
            .file
            .set_step_sync(match is_alone && !session.file.is_sync_pending() {
                true => StepSync::Now,
                false => StepSync::Later,
            });
        let result = act(session);
        session.file.set_step_sync(StepSync::Now);
        let behind = place.leave();
        if session.file.durability() != Durability::Step || !session.file.is_sync_pending() {
            *group = 0;
            self.settled.notify_all();
            return Ok(result?);
        }
        *group = group.saturating_add(1);
        if behind == 0 || *group >= MAX_GROUP || result.is_err() {
            *group = 0;
            let synced = session.sync();
            self.settled.notify_all();
            let value = result?;
            synced?;
            return Ok(value);
        }
        let end = session.file.written_checkpoint().entries;
        let value = result?;
        self.wait_until_durable(turns, end)?;
        Ok(value)
    }

    /// Calls `act` with the session, between two steps. It records nothing.
    ///
    /// # Errors
    /// Those of `act`; [`SharedSessionError::Closed`], [`SharedSessionError::Panicked`].
    pub fn ask<T>(
        &self,
        act: impl FnOnce(&mut Session) -> Result<T, LedgerError>,
    ) -> Result<T, SharedSessionError> {
        let mut turns = self.lock()?;
        let session = turns.session.as_mut().ok_or(SharedSessionError::Closed)?;
        Ok(act(session)?)
    }

    /// Syncs the session and closes it, once the calls before have returned. It is closed whatever the result.
    ///
    /// # Errors
    /// [`SharedSessionError::Closed`] where it was closed before; [`LedgerError::NotDurable`],
    /// [`FileError::Displaced`](crate::error::FileError::Displaced).
    pub fn close(&self) -> Result<(), SharedSessionError> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let session = turns.session.as_mut().ok_or(SharedSessionError::Closed)?;
        let synced = session.sync();
        self.settled.notify_all();
        while turns.waiting > 0 {
            turns = self
                .settled
                .wait(turns)
                .unwrap_or_else(PoisonError::into_inner);
        }
        turns.session = None;
        synced?;
        Ok(())
    }

    fn lock(&self) -> Result<MutexGuard<'_, Turns>, SharedSessionError> {
        self.turns.lock().map_err(|_| SharedSessionError::Panicked)
    }

    /// Waits until another call has synced the records before `end`.
    fn wait_until_durable(
        &self,
        mut turns: MutexGuard<'_, Turns>,
        end: u64,
    ) -> Result<(), SharedSessionError> {
        turns.waiting = turns.waiting.saturating_add(1);
        let result = loop {
            turns = match self.settled.wait(turns) {
                Ok(turns) => turns,
                Err(poisoned) => {
                    turns = poisoned.into_inner();
                    break Err(SharedSessionError::Panicked);
                }
            };
            // Closing waits for this call.
            let Some(session) = &turns.session else {
                break Err(SharedSessionError::Closed);
            };
            if session.file.durable_checkpoint().entries >= end {
                break Ok(());
            }
            if let Err(error) = session.file.ensure_writable() {
                break Err(error.into());
            }
        };
        turns.waiting = turns.waiting.saturating_sub(1);
        if turns.waiting == 0 {
            self.settled.notify_all();
        }
        result
    }
}

/// The place of a call among those that wait for their turn. It is left however the call ends.
struct PlaceInLine<'s> {
    shared: &'s SharedSession,
    has_left: bool,
}

impl PlaceInLine<'_> {
    fn take(shared: &SharedSession) -> PlaceInLine<'_> {
        shared.in_line.fetch_add(1, Ordering::SeqCst);
        PlaceInLine {
            shared,
            has_left: false,
        }
    }

    /// Leaves the line, and gives how many calls are in it still.
    fn leave(&mut self) -> usize {
        self.has_left = true;
        let before = self.shared.in_line.fetch_sub(1, Ordering::SeqCst);
        before.saturating_sub(1)
    }
}

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        if !self.has_left {
            self.leave();
        }
        if thread::panicking() {
            // Those that wait would wait for ever: the lock is poisoned, and nobody syncs any more.
            self.shared.settled.notify_all();
        }
    }
}
