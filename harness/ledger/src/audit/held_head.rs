//! A head of the ledger that was noted outside of it, compared with the ledger in the same pass as everything else.
//!
//! How such a head is written and signed the ledger does not know: whoever has one gives the audit a [`HeldHead`].

use axilog::ledger::Entry;

use crate::verify::VerificationReport;

pub use super::report::CheckResult;

/// A head of a ledger that was noted outside of it, and is compared with the records of the ledger.
pub trait HeldHead {
    /// The subject of the check, [`HELD_HEAD`](super::HELD_HEAD) or [`SAVED_TREE`](super::SAVED_TREE).
    fn subject(&self) -> &'static str;

    /// Begins a pass over the records: they come from the first one on, also where some came before.
    fn begin_pass(&mut self);

    /// Takes the next good record.
    fn take_record(&mut self, entry: &Entry<'_>);

    /// Compares the head with the records of the last pass. Gives the result, and in words what was found.
    fn compare(&self, verification: &VerificationReport) -> (CheckResult, String);
}
