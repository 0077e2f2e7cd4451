//! The agent: its state, its ledger, and whether it may act at all.
//!
//! formats.md §5 (rules 0 to 3, Lifecycle); SRS-004 §19 (SHALL-031, SHALL-033, SHALL-038).
//! Determinism: D2.

use super::state::{Health, Violation};
use crate::fault::{Fault, Faults};
use crate::hash::GOLDEN_GENESIS;
use crate::ledger::Ledger;

/// An agent and the ledger that it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The ledger of the agent.
    pub ledger: Ledger,
    /// The health of the agent.
    pub health: Health,
    /// The number of faults since the last reset.
    pub fault_count: u32,
    /// The last accepted timestamp; 0 before the first.
    pub last_timestamp: u64,
    /// The sequence of the last observation that the agent acted on.
    pub last_seen_seq: u64,
    /// Whether the agent failed by itself, whatever the state of its ledger.
    pub failed: bool,
    /// The rule for which the last input was refused without a record.
    pub violation: Option<Violation>,
}

impl Default for Agent {
    fn default() -> Agent {
        Agent::new()
    }
}

impl Agent {
    /// A new agent in UNINIT on a new ledger.
    #[must_use]
    pub fn new() -> Agent {
        Agent {
            ledger: Ledger::genesis(),
            health: Health::Uninit,
            fault_count: 0,
            last_timestamp: 0,
            last_seen_seq: 0,
            failed: false,
            violation: None,
        }
    }

    /// Compares the ledger's genesis with the golden one; a mismatch stops the agent.
    pub fn bind(&mut self, faults: &mut Faults) {
        if self.ledger.genesis != GOLDEN_GENESIS {
            self.health = Health::Stopped;
            self.violation = Some(Violation::GenesisMismatch);
            faults.set(Fault::Domain);
        }
    }

    /// Stops the agent for good, without a record.
    pub fn halt(&mut self) {
        self.health = Health::Stopped;
        self.failed = true;
    }

    /// Applies rules 0 to 3: whether the agent may act on observation `ledger_seq` at all.
    pub(super) fn accepts(&mut self, ledger_seq: u64, faults: &mut Faults) -> bool {
        if faults.any() {
            self.halt();
        } else if self.health == Health::Stopped {
            faults.set(Fault::Protocol);
            self.violation = Some(Violation::Terminality);
        } else if self.ledger.failed || self.failed {
            self.health = Health::Stopped;
            faults.set(Fault::LedgerFail);
        } else if ledger_seq <= self.last_seen_seq {
            faults.set(Fault::Protocol);
            faults.set(Fault::Ordering);
            self.violation = Some(Violation::SequenceOrder);
            self.halt();
        } else {
            return true;
        }
        false
    }
}
