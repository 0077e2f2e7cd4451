//! The calibration's verdict, from the answers in the ledger (Q22 to Q24; F1, F3).

use axilog::evidence::observation::{Completion, Failure};
use axilog::hash::Hash;

use super::ledger::Observed;
use crate::canonicalizer::canonicalize;
use crate::x0l::log::{Calibration, CalibrationVerdict};

/// How often the prompt is asked.
const CALLS: usize = 3;

/// The calibration as it follows from its calls.
pub(super) fn again(logged: &Calibration, calls: &[Observed]) -> Calibration {
    let form = |call: &Observed| -> Option<Hash> {
        let complete = call.completion == Completion::Complete;
        let block = complete.then(|| canonicalize(&call.output).block.ok())?;
        Some(block?.hash)
    };
    let forms: Vec<Option<Hash>> = calls.iter().map(form).collect();
    let first = forms.first().copied().flatten();
    let steady = first.is_some() && forms.iter().all(|form| *form == first);
    // An answer that no record holds is drift, one that was no chat completion a failed call; the
    // ledger has both as INVALID_OUTPUT.
    let lost = match calls.last().and_then(|call| call.failure) {
        None => false,
        Some(Failure::InvalidOutput) => logged.verdict == CalibrationVerdict::TransportFailure,
        Some(_) => true,
    };
    let verdict = match calls.len() {
        CALLS if steady => CalibrationVerdict::Steady,
        CALLS if !lost => CalibrationVerdict::Drift,
        _ => CalibrationVerdict::TransportFailure,
    };
    let input_hash = calls
        .first()
        .map_or(logged.input_hash, |call| call.input_hash);
    Calibration {
        verdict,
        input_hash,
        canonicalized_hash: first.filter(|_| verdict == CalibrationVerdict::Steady),
        ledger_seqs: calls.iter().map(|call| call.seq).collect(),
        tokens: logged.tokens,
    }
}
