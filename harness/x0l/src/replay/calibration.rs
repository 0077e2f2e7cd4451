//! The calibration's verdict, recomputed from the answers in the ledger (Q22 to Q24; F1, F3).

use axilog::hash::Hash;
use axilog_ledger::file::blobs::BlobStore;
use axilog_oracle::canonicalizer::canonicalize;

use super::replayer::Replayer;
use super::run_ledger::RecordedCall;
use crate::calibration::{CALLS, common_form, prompt};
use crate::document::to_value;
use crate::log::{
    CalibrationRecord, CalibrationVerdict, RunDirectory, SessionMetadata, SessionOutcome,
    SessionStatus,
};

/// Compares the calibration with its answers, and gives the number of its calls in the ledger.
pub(super) fn check_calibration(replayer: &mut Replayer<'_>, metadata: &SessionMetadata) -> usize {
    let Some(logged) = &metadata.calibration else {
        let aborted = |outcome: &SessionOutcome| outcome.status == SessionStatus::Aborted;
        if !replayer.ledger.calls.is_empty() && !metadata.outcome.as_ref().is_none_or(aborted) {
            let found = "null, and calls in the ledger";
            replayer.add_finding(RunDirectory::METADATA, "calibration", found, "one");
        }
        return replayer.ledger.calls.len();
    };
    let count = logged.ledger_seqs.len();
    if replayer.ledger.intact {
        let calls = replayer
            .ledger
            .calls
            .get(..count)
            .unwrap_or(&replayer.ledger.calls);
        // Another version of axilog may have sent another prompt.
        let same_version = metadata.frozen.axilog == env!("CARGO_PKG_VERSION");
        let sent = prompt().input().ok().filter(|_| same_version);
        let blobs = BlobStore::of_ledger(&replayer.run.ledger());
        let prompt_hash = sent.map_or(logged.input_hash, |input| input.hash());
        let recomputed = recompute_calibration(logged, calls, prompt_hash, &blobs);
        let (found, expected) = (to_value(logged), to_value(&recomputed));
        replayer.compare(RunDirectory::METADATA, "calibration", &found, &expected);
    }
    count
}

/// Recomputes the calibration from its calls, each of which should have sent the prompt with the hash `prompt_hash`.
fn recompute_calibration(
    logged: &CalibrationRecord,
    calls: &[RecordedCall],
    prompt_hash: Hash,
    blobs: &BlobStore,
) -> CalibrationRecord {
    let canonical_hash = |call: &RecordedCall| -> Option<Hash> {
        let text = call.read_raw_text(blobs)?;
        Some(canonicalize(&text).block.ok()?.hash)
    };
    let hashes: Vec<Option<Hash>> = calls.iter().map(canonical_hash).collect();
    let common_form = common_form(&hashes);
    let failed = calls.last().is_some_and(|call| !call.is_answered());
    let facts = calls.first().and_then(|call| call.facts.clone());
    let facts = facts.unwrap_or_default();
    let verdict = match calls.len() {
        _ if common_form.is_some() => CalibrationVerdict::Steady,
        CALLS if !failed => CalibrationVerdict::Drift,
        _ => CalibrationVerdict::TransportFailure,
    };
    // Every call must have the one prompt: a different hash is reported, of the metadata or of a call.
    let mut prompts = calls.iter().map(|call| call.input_hash);
    let other = prompts.find(|hash| *hash != prompt_hash && logged.input_hash == prompt_hash);
    CalibrationRecord {
        verdict,
        input_hash: other.unwrap_or(prompt_hash),
        canonicalized_hash: common_form,
        answered_by: facts.answered_by,
        system_fingerprint: facts.system_fingerprint,
        ledger_seqs: calls.iter().map(|call| call.seq).collect(),
        tokens: logged.tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::ProviderFacts;
    use axilog::evidence::observation::{Completion, Params};
    use std::path::Path;

    #[test]
    fn a_different_prompt_is_reported_in_any_of_the_calls() {
        let call = |seq, prompt: u8| RecordedCall {
            seq,
            oracle: "llm".to_owned(),
            model: "m".to_owned(),
            completion: Completion::Complete,
            failure: None,
            input_hash: [prompt; 32],
            output: "{}".to_owned(),
            params: Params::NULL,
            raw: None,
            facts: Some(ProviderFacts {
                answered_by: Some("m-1".to_owned()),
                system_fingerprint: None,
            }),
        };
        let blobs = BlobStore::of_ledger(Path::new("no-ledger"));
        let logged = recompute_calibration(
            &CalibrationRecord {
                verdict: CalibrationVerdict::Steady,
                input_hash: [1; 32],
                canonicalized_hash: None,
                answered_by: None,
                system_fingerprint: None,
                ledger_seqs: Vec::new(),
                tokens: 9,
            },
            &[call(4, 1), call(5, 1), call(6, 1)],
            [1; 32],
            &blobs,
        );
        assert_eq!(logged.answered_by.as_deref(), Some("m-1"));
        assert_eq!(logged.verdict, CalibrationVerdict::Steady);
        for prompts in [[2, 1, 1], [1, 2, 1], [1, 1, 2]] {
            let [first, second, third] = prompts;
            let calls = [call(4, first), call(5, second), call(6, third)];
            let expected = CalibrationRecord {
                input_hash: [2; 32],
                ..logged.clone()
            };
            assert_eq!(
                recompute_calibration(&logged, &calls, [1; 32], &blobs),
                expected
            );
        }
        // Nor may the whole run have sent a prompt of its own.
        let own_prompt = CalibrationRecord {
            input_hash: [2; 32],
            ..logged.clone()
        };
        let calls = [call(4, 2), call(5, 2), call(6, 2)];
        assert_eq!(
            recompute_calibration(&own_prompt, &calls, [1; 32], &blobs),
            logged
        );
    }
}
