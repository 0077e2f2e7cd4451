//! The answers that came under another `system_fingerprint` than the calibration's first one (Q6).

use serde::Serialize;

use super::ledger::RecordedCall;
use super::{CycleId, Replayer};
use crate::log::{Cycle, ProviderFacts};

/// An answer under another fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFingerprint {
    /// The sequence of the call in the ledger.
    pub ledger_seq: u64,
    /// The cycle; `None` for a call of the calibration and for a sentinel.
    #[serde(flatten)]
    pub cycle: Option<CycleId>,
    /// Whether the call is one of a sentinel.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sentinel: bool,
    /// The fingerprint, as [`ProviderFacts`] has it.
    pub system_fingerprint: Option<String>,
}

impl Replayer<'_> {
    /// Takes note of the calls of the calibration that were answered under another fingerprint than the first.
    pub(super) fn note_calibration_fingerprints(&mut self, calls: usize) {
        let calls = self.ledger.calls.iter().take(calls);
        let others = calls.filter_map(|call| self.compare_fingerprint(call, false));
        let others: Vec<ChangedFingerprint> = others.collect();
        self.replay.changed_fingerprints.extend(others);
    }

    /// Takes note of the sentinels that were answered under another fingerprint, each in its place among the cycles.
    pub(super) fn note_sentinel_fingerprints(&mut self) {
        let calls = self.ledger.sentinels.iter().map(|it| &it.call);
        let others = calls.filter_map(|call| self.compare_fingerprint(call, true));
        let others: Vec<ChangedFingerprint> = others.collect();
        let changed = &mut self.replay.changed_fingerprints;
        changed.extend(others);
        changed.sort_by_key(|it| it.ledger_seq);
    }

    /// The call, where it was answered under another fingerprint.
    fn compare_fingerprint(
        &self,
        call: &RecordedCall,
        sentinel: bool,
    ) -> Option<ChangedFingerprint> {
        let ProviderFacts {
            system_fingerprint, ..
        } = call.facts.as_ref()?;
        (*system_fingerprint != self.fingerprint).then(|| ChangedFingerprint {
            ledger_seq: call.seq,
            cycle: None,
            sentinel,
            system_fingerprint: system_fingerprint.clone(),
        })
    }

    /// Takes note of a cycle that was answered under another fingerprint than the calibration.
    pub(super) fn note_fingerprint(&mut self, logged: &Cycle) {
        if let Some(ledger_seq) = logged.ledger_seq
            && logged.system_fingerprint != self.fingerprint
        {
            self.replay.changed_fingerprints.push(ChangedFingerprint {
                ledger_seq,
                cycle: Some(CycleId::of(logged)),
                sentinel: false,
                system_fingerprint: logged.system_fingerprint.clone(),
            });
        }
    }

    /// Adds a note that names every answer with another fingerprint.
    pub(super) fn report_fingerprints(&mut self) {
        let changed = &self.replay.changed_fingerprints;
        if !changed.is_empty() {
            let note = describe_changes(self.fingerprint.as_deref(), changed);
            self.replay.notes.push(note);
        }
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
