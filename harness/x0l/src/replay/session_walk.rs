//! What one cycle of a session hands to the next.

use super::order::CycleOrder;
use super::run_ledger::RecordedCall;
use crate::kernel::{KernelState, RejectionReason};
use crate::log::FrozenSettings;

/// What one cycle of a session hands to the next.
pub(super) struct SessionWalk<'l> {
    pub(super) order: CycleOrder,
    /// The calls in the ledger that no cycle has claimed yet.
    pub(super) calls: std::slice::Iter<'l, RecordedCall>,
    pub(super) state: KernelState,
    /// Tokens spent so far.
    pub(super) spent: u64,
    /// Whether a line could not be read.
    pub(super) lines_lost: bool,
    pub(super) last_rejection: Option<RejectionReason>,
    /// The lines that have no hash in the ledger.
    pub(super) unbound_lines: Vec<u64>,
    /// The sequence number of the last hash of a line.
    pub(super) last_bound: u64,
}

impl<'l> SessionWalk<'l> {
    pub(super) fn new(frozen: &FrozenSettings, calls: &'l [RecordedCall]) -> SessionWalk<'l> {
        SessionWalk {
            order: CycleOrder::new(frozen),
            calls: calls.iter(),
            state: KernelState::default(),
            spent: 0,
            lines_lost: false,
            last_rejection: None,
            unbound_lines: Vec::new(),
            last_bound: 0,
        }
    }
}
