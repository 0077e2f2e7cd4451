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
    // One prompt for all of them: any other is told.
    let mut prompts = calls.iter().map(|call| call.input_hash);
    let other = prompts.find(|hash| *hash != logged.input_hash);
    Calibration {
        verdict,
        input_hash: other.unwrap_or(logged.input_hash),
        canonicalized_hash: first.filter(|_| verdict == CalibrationVerdict::Steady),
        ledger_seqs: calls.iter().map(|call| call.seq).collect(),
        tokens: logged.tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::evidence::observation::Params;

    #[test]
    fn another_prompt_is_told_in_whichever_call() {
        let call = |seq, prompt: u8| Observed {
            seq,
            oracle: "llm".to_owned(),
            model: "m".to_owned(),
            completion: Completion::Complete,
            failure: None,
            input_hash: [prompt; 32],
            output: "{}".to_owned(),
            params: Params::NULL,
        };
        let logged = again(
            &Calibration {
                verdict: CalibrationVerdict::Steady,
                input_hash: [1; 32],
                canonicalized_hash: None,
                ledger_seqs: Vec::new(),
                tokens: 9,
            },
            &[call(4, 1), call(5, 1), call(6, 1)],
        );
        assert_eq!(logged.verdict, CalibrationVerdict::Steady);
        for prompts in [[2, 1, 1], [1, 2, 1], [1, 1, 2]] {
            let [first, second, third] = prompts;
            let calls = [call(4, first), call(5, second), call(6, third)];
            let told = Calibration {
                input_hash: [2; 32],
                ..logged.clone()
            };
            assert_eq!(again(&logged, &calls), told);
        }
    }
}
