//! A head of the ledger that somebody else holds, compared with the ledger in the same pass as everything else.
//!
//! How such a head is written and signed the ledger does not know: whoever has one gives the audit a [`HeldHead`].

use axilog::ledger::Entry;

use super::checks::check;
use super::report::{AuditCheck, HELD_HEAD};
use crate::verify::VerificationReport;

pub use super::report::CheckResult;

/// A head of a ledger that was noted outside of it, and is compared with the records of the ledger.
pub trait HeldHead {
    /// Begins a pass over the records: they come from the first one on, also where some came before.
    fn begin_pass(&mut self);

    /// Takes the next good record.
    fn take_record(&mut self, entry: &Entry<'_>);

    /// Compares the head with the records of the last pass. Gives the result, and in words what was found.
    fn compare(&self, verification: &VerificationReport) -> (CheckResult, String);
}

/// The check of a held head.
pub(super) fn check_held_head(
    head: &dyn HeldHead,
    verification: &VerificationReport,
) -> AuditCheck {
    let (result, finding) = head.compare(verification);
    check(HELD_HEAD, result, finding)
}
