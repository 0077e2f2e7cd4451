//! The answers that came under another `system_fingerprint` than the calibration's first one (Q6).

use super::finding::CycleId;
use super::replayer::Replayer;
use super::run_ledger::RecordedCall;
use super::run_replay::ChangedFingerprint;
use crate::log::{Cycle, ProviderFacts};

/// Takes note of the calls of the calibration that were answered under another fingerprint than the first.
pub(super) fn note_calibration_fingerprints(replayer: &mut Replayer<'_>, calls: usize) {
    let calls = replayer.ledger.calls.iter().take(calls);
    let others = calls.filter_map(|call| compare_fingerprint(replayer, call, false));
    let others: Vec<ChangedFingerprint> = others.collect();
    replayer.replay.changed_fingerprints.extend(others);
}

/// Takes note of the sentinels that were answered under another fingerprint, each in its place among the cycles.
pub(super) fn note_sentinel_fingerprints(replayer: &mut Replayer<'_>) {
    let calls = replayer.ledger.sentinels.iter().map(|it| &it.call);
    let others = calls.filter_map(|call| compare_fingerprint(replayer, call, true));
    let others: Vec<ChangedFingerprint> = others.collect();
    let changed = &mut replayer.replay.changed_fingerprints;
    changed.extend(others);
    changed.sort_by_key(|it| it.ledger_seq);
}

/// The call, where it was answered under another fingerprint.
fn compare_fingerprint(
    replayer: &Replayer<'_>,
    call: &RecordedCall,
    sentinel: bool,
) -> Option<ChangedFingerprint> {
    let ProviderFacts {
        system_fingerprint, ..
    } = call.facts.as_ref()?;
    (*system_fingerprint != replayer.fingerprint).then(|| ChangedFingerprint {
        ledger_seq: call.seq,
        cycle: None,
        sentinel,
        system_fingerprint: system_fingerprint.clone(),
    })
}

/// Takes note of a cycle that was answered under another fingerprint than the calibration.
pub(super) fn note_fingerprint(replayer: &mut Replayer<'_>, logged: &Cycle) {
    if let Some(ledger_seq) = logged.ledger_seq
        && logged.system_fingerprint != replayer.fingerprint
    {
        replayer
            .replay
            .changed_fingerprints
            .push(ChangedFingerprint {
                ledger_seq,
                cycle: Some(CycleId::of(logged)),
                sentinel: false,
                system_fingerprint: logged.system_fingerprint.clone(),
            });
    }
}

/// Adds a note that names every answer with another fingerprint.
pub(super) fn report_fingerprints(replayer: &mut Replayer<'_>) {
    let changed = &replayer.replay.changed_fingerprints;
    if !changed.is_empty() {
        let note = describe_changes(replayer.fingerprint.as_deref(), changed);
        replayer.replay.notes.push(note);
    }
}

/// Names every answer with another fingerprint than `first`, the calibration's.
#[must_use]
pub fn describe_changes(first: Option<&str>, changed: &[ChangedFingerprint]) -> String {
    let name = |fingerprint: Option<&str>| match fingerprint {
        Some(name) => format!("{name:?}"),
        None => "none".to_owned(),
    };
    let calls = changed.iter().map(|it| {
        let call = match it.cycle {
            Some(cycle) => format!("cycle {}", cycle.number),
            None if it.sentinel => format!("the sentinel's record {}", it.ledger_seq),
            None => format!("the calibration's record {}", it.ledger_seq),
        };
        format!("{call} ({})", name(it.system_fingerprint.as_deref()))
    });
    format!(
        "another system_fingerprint than the calibration's, {}, in {}: the server was changed while the session ran",
        name(first),
        calls.collect::<Vec<_>>().join(", ")
    )
}
