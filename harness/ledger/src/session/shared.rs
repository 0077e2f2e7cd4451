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
        let end = session.file.written_position().entries;
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
            if session.file.durable_position().entries >= end {
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use axilog::admission::InputKind;
    use axilog::evidence::observation::Params;

    use super::*;
    use crate::input::CanonicalInput;

    /// How far the ledger is written and durable, at the beginning of a step.
    #[derive(Clone, Copy)]
    struct Progress {
        written: u64,
        durable: u64,
    }

    impl Progress {
        fn of(session: &Session) -> Progress {
            Progress {
                written: session.file.written_position().entries,
                durable: session.file.durable_position().entries,
            }
        }
    }

    /// Records one answer of each of `threads` threads, all of which are in line before the first has its turn.
    fn record_from_a_full_line(shared: &SharedSession, threads: usize) -> Vec<Progress> {
        let progress = Mutex::new(Vec::new());
        thread::scope(|scope| {
            let turns = shared.lock().unwrap();
            for number in 0..threads {
                let progress = &progress;
                scope.spawn(move || {
                    let call = OracleCall {
                        oracle_id: format!("oracle-{number}"),
                        model_id: "model-1".to_owned(),
                        params: Params::NULL,
                        input: CanonicalInput::new(b"a question", InputKind::Text).unwrap(),
                    };
                    let step = |session: &mut Session| {
                        progress.lock().unwrap().push(Progress::of(session));
                        session.observe(&call, OracleReply::Answer(b"{\"value\": 1}"))
                    };
                    let entries = shared.step(step).unwrap().entries;
                    let durable = shared.ask(|session| Ok(Progress::of(session).durable));
                    assert!(durable.unwrap() >= entries);
                });
            }
            while shared.in_line.load(Ordering::SeqCst) < threads {
                thread::yield_now();
            }
            drop(turns);
        });
        progress.into_inner().unwrap()
    }

    fn create_session(path: &Path) -> SharedSession {
        let (session, _) = Session::open_or_create(path, None, 1_700_000_000).unwrap();
        SharedSession::new(session)
    }

    #[test]
    fn steps_that_are_in_line_together_share_one_sync() {
        let folder = tempfile::tempdir().unwrap();
        let shared = create_session(&folder.path().join("shared.jsonl"));
        for threads in [64, 1, 2, 64] {
            let begun = shared.ask(|session| Ok(Progress::of(session))).unwrap();
            assert_eq!(begun.durable, begun.written);
            let steps = record_from_a_full_line(&shared, threads);
            assert_eq!(steps.len(), threads);
            // Nothing was synced before the last of them was written, so one sync served them all.
            assert!(steps.iter().all(|step| step.durable == begun.durable));
            assert!(steps.is_sorted_by(|one, next| one.written < next.written));
        }
    }

    #[test]
    fn steps_that_wait_for_a_sync_get_one_when_they_are_as_many_as_a_group() {
        let folder = tempfile::tempdir().unwrap();
        let shared = create_session(&folder.path().join("shared.jsonl"));
        let begun = shared.ask(|session| Ok(Progress::of(session))).unwrap();
        let mut syncs = vec![begun.durable];
        let steps = record_from_a_full_line(&shared, MAX_GROUP + 1);
        syncs.extend(steps.iter().map(|step| step.durable));
        syncs.dedup();
        // The steps stand in the order of their turns: the one after the group sees the whole group durable.
        let first_group = steps.get(MAX_GROUP).unwrap().written;
        assert_eq!(syncs, [begun.durable, first_group]);
    }
}
