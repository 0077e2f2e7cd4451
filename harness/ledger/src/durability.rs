//! Durability: when a ledger file is synced, and up to which record it is durable.
//!
//! A step that was written survives the end of the process; a step that was synced survives a crash of the
//! machine.
//! docs/ledger.md, Durability.

use std::fmt;
use std::num::NonZeroU64;
use std::time::Duration;

use axilog::hash::Hash;

use crate::encoding::hex;

/// When a ledger file is synced. With every choice, opening, sealing and dropping the file sync it too, and a
/// step is written whole or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Sync after every record, before the next one is written. A step is acknowledged when it is durable. A
    /// crash in the middle of a step leaves all its records but the one being written.
    Record,
    /// Sync after every step. A step is acknowledged when it is durable. A crash in the middle of a step may
    /// leave none of its records.
    #[default]
    Step,
    /// Sync after several steps. A step is acknowledged when it is written: it survives the end of the
    /// process, but a crash of the machine loses the steps that are not durable yet.
    /// [`Session::durable_position`](crate::session::Session::durable_position) gives how far the ledger is durable.
    Interval {
        /// Sync once this many records are not durable.
        records: NonZeroU64,
        /// Sync once a step has been waiting for so long. A thread of its own does it, whether or not
        /// another step comes.
        within: Duration,
    },
}

/// A place in a ledger, in the terms of `--expect-entries` and `--expect-head`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerPosition {
    /// The number of records before this place, genesis included: one more than the sequence of the last.
    /// 0 where no record is known.
    pub entries: u64,
    /// The chain value of the last of those records.
    pub head: Hash,
}

impl fmt::Display for LedgerPosition {
    /// Writes how far a ledger is durable, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entries.checked_sub(1) {
            None => f.write_str("no record is known to be durable"),
            Some(last) => write!(
                f,
                "the records up to sequence {last} (head {}) are durable",
                hex(&self.head)
            ),
        }
    }
}
