//! What the gates said of a candidate, as the cycle records it.

use crate::kernel::{Candidate, GateFailure};
use crate::log::Cycle;

/// What the gates said of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// It passed every gate.
    Admitted,
    /// The first gate that it failed, and why.
    Refused(GateFailure),
    /// The kernel decided without looking at the candidates.
    NotJudged,
}

/// The verdict of the gates on a candidate of `cycle`.
#[must_use]
pub fn find_verdict(cycle: &Cycle, candidate: &Candidate) -> GateVerdict {
    let hash = candidate.hash();
    let verdicts = &cycle.decision.verdicts;
    let verdict = verdicts.iter().find(|verdict| verdict.bundle_hash == hash);
    match verdict.map(|verdict| verdict.failure) {
        Some(None) => GateVerdict::Admitted,
        Some(Some(failure)) => GateVerdict::Refused(failure),
        None => GateVerdict::NotJudged,
    }
}
