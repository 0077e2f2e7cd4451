//! When a session saves its state into `LEDGER.state`: at its end, and again after a good many bytes.

use super::Session;
use super::saved_state::{KnownLedger, SavedState};
use crate::durability::LedgerPosition;
use crate::error::{FileError, LedgerError};

/// The length from which on a ledger's state is saved. A shorter one is replayed in milliseconds.
const MIN_LEDGER_BYTES: u64 = 1 << 20;

/// The length of the records after which a session that goes on saves its state again.
const INTERVAL: u64 = 1 << 24;

impl Session {
    /// Saves into `LEDGER.state` what the next opening would otherwise learn from every record of the ledger. A session
    /// does so by itself at its end, and after each 16 MiB, where the ledger has at least 1 MiB; so a program need not.
    /// Gives whether it was saved: not where the ledger is sealed, where a record is not durable yet, where a question is
    /// kept that no record names yet, or where the state would be too long.
    ///
    /// # Errors
    /// [`FileError::Io`]. The session goes on as before, and the next opening replays the whole ledger.
    pub fn save_state(&mut self) -> Result<bool, LedgerError> {
        let agent = &self.agent;
        let end = LedgerPosition {
            entries: agent.ledger.sequence.saturating_add(1),
            head: agent.ledger.head,
        };
        let is_open = !agent.failed && !agent.ledger.failed && !agent.ledger.sealed;
        if !is_open || self.file.durable_position() != end {
            return Ok(false);
        }
        if self.blobs.has_unnamed() {
            return Ok(false);
        }
        let saved_values = self.running.as_ref().map(|follower| follower.save());
        let is_incomplete = matches!(saved_values, Some(None));
        if is_incomplete || !SavedState::has_room(&self.models) {
            return Ok(false);
        }
        let failed = || FileError::from_io(self.file.path(), "save the state");
        let state = SavedState::new(KnownLedger {
            agent,
            blobs: self.file.digest_blob_folders().map_err(failed())?,
            bytes: self.file.len(),
            configuration: self.rules.hash(),
            models: &self.models,
            running_values: saved_values.flatten(),
            stamp: self.file.stamp().map_err(failed())?,
        });
        // Once more: another thread may have kept a question meanwhile.
        if self.blobs.has_unnamed() {
            return Ok(false);
        }
        let json = state.to_json().map_err(|error| failed()(error.into()))?;
        self.file.write_state(&json)?;
        self.saved_bytes = self.file.len();
        Ok(true)
    }

    /// Saves the state where enough was recorded since it was saved last. One that cannot be saved is no reason to stop:
    /// it is tried once more, at the end of the session.
    pub(super) fn save_state_in_time(&mut self) {
        let len = self.file.len();
        let is_due = len.saturating_sub(self.saved_bytes) >= INTERVAL;
        if is_due && self.is_saving && self.save_state().is_err() {
            self.is_saving = false;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let len = self.file.len();
        // A step in which the program panicked may have changed a part of the session only.
        if len < MIN_LEDGER_BYTES || len == self.saved_bytes || std::thread::panicking() {
            return;
        }
        // A caller that needs to know whether this works calls `sync` and `save_state` before.
        if self.file.sync().is_ok() {
            let _ = self.save_state();
        }
    }
}
