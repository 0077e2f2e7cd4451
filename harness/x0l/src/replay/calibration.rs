//! The calibration's verdict, from the answers in the ledger (Q22 to Q24; F1, F3).

use axilog::evidence::observation::{Completion, Failure};
use axilog::hash::Hash;
use axilog_oracle::canonicalizer::canonicalize;

use super::ledger::Observed;
use crate::calibration::{CALLS, common_form};
use crate::log::{CalibrationRecord, CalibrationVerdict};

/// The calibration as it follows from its calls, which should have had the input `asked`.
pub(super) fn again(
    logged: &CalibrationRecord,
    calls: &[Observed],
    asked: Hash,
) -> CalibrationRecord {
    let form = |call: &Observed| -> Option<Hash> {
        let complete = call.completion == Completion::Complete;
        let block = complete.then(|| canonicalize(&call.output).block.ok())?;
        Some(block?.hash)
    };
    let forms: Vec<Option<Hash>> = calls.iter().map(form).collect();
    let steady = common_form(&forms);
    // An answer that no record holds is drift, one that was no chat completion a failed call; the
    // ledger has both as INVALID_OUTPUT.
    let lost = match calls.last().and_then(|call| call.failure) {
        None => false,
        Some(Failure::InvalidOutput) => logged.verdict == CalibrationVerdict::TransportFailure,
        Some(_) => true,
    };
    let verdict = match calls.len() {
        _ if steady.is_some() => CalibrationVerdict::Steady,
        CALLS if !lost => CalibrationVerdict::Drift,
        _ => CalibrationVerdict::TransportFailure,
    };
    // One prompt for all of them: any other is told, be it the metadata's or a call's.
    let mut prompts = calls.iter().map(|call| call.input_hash);
    let other = prompts.find(|hash| *hash != asked && logged.input_hash == asked);
    CalibrationRecord {
        verdict,
        input_hash: other.unwrap_or(asked),
        canonicalized_hash: steady,
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
            &CalibrationRecord {
                verdict: CalibrationVerdict::Steady,
                input_hash: [1; 32],
                canonicalized_hash: None,
                ledger_seqs: Vec::new(),
                tokens: 9,
            },
            &[call(4, 1), call(5, 1), call(6, 1)],
            [1; 32],
        );
        assert_eq!(logged.verdict, CalibrationVerdict::Steady);
        for prompts in [[2, 1, 1], [1, 2, 1], [1, 1, 2]] {
            let [first, second, third] = prompts;
            let calls = [call(4, first), call(5, second), call(6, third)];
            let told = CalibrationRecord {
                input_hash: [2; 32],
                ..logged.clone()
            };
            assert_eq!(again(&logged, &calls, [1; 32]), told);
        }
        // A run may not have a prompt of its own either.
        let own = CalibrationRecord {
            input_hash: [2; 32],
            ..logged.clone()
        };
        let calls = [call(4, 2), call(5, 2), call(6, 2)];
        assert_eq!(again(&own, &calls, [1; 32]), logged);
    }
}
