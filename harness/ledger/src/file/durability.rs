//! When what a ledger holds is made durable, and how far it is.
//!
//! A step that was written outlives the process; one that was synced outlives the machine.
//! docs/ledger.md, Durability.

use std::fmt;
use std::num::NonZeroU64;
use std::time::Duration;

use axilog::hash::Hash;

use super::hex;

/// When a ledger file is synced. Whatever is chosen, opening, sealing, closing and dropping sync,
/// and a step is written whole or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// After every record, before the next one is written. A step is acknowledged when it is
    /// durable; a crash in the midst of one leaves all its records but the one being written.
    Record,
    /// After every step. A step is acknowledged when it is durable; a crash in the midst of one may
    /// leave nothing of it.
    #[default]
    Step,
    /// After several steps. A step is acknowledged when it is written: the end of the process does
    /// not lose it, but a crash of the machine loses what is not durable yet. What is durable,
    /// [`Session::durable`](crate::session::Session::durable) says.
    Interval {
        /// Sync once this many records are not durable.
        records: NonZeroU64,
        /// Sync once a step has not been durable for so long. A thread of its own sees to it,
        /// whether or not another step comes.
        within: Duration,
    },
}

/// A place in a ledger: what `--expect-entries` and `--expect-head` take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// How many records there are up to it, genesis included: one more than the last one's sequence.
    /// 0 where nothing is known.
    pub entries: u64,
    /// The chain value of the last of them.
    pub head: Hash,
}

impl fmt::Display for Checkpoint {
    /// How far a ledger is durable, in words.
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
