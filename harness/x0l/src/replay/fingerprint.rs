//! The answers that came under another `system_fingerprint` than the calibration's first one (Q6).

use serde::Serialize;

use super::{CycleId, Replayer};
use crate::log::{Cycle, ProviderFacts};

/// An answer under another fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFingerprint {
    /// The sequence of the call in the ledger.
    pub ledger_seq: u64,
    /// The cycle; `None` for a call of the calibration.
    #[serde(flatten)]
    pub cycle: Option<CycleId>,
    /// The fingerprint, as [`ProviderFacts`] has it.
    pub system_fingerprint: Option<String>,
}

impl Replayer<'_> {
    /// Takes note of the calls of the calibration that were answered under another fingerprint than the first.
    pub(super) fn note_calibration_fingerprints(&mut self, calls: usize) {
        let calls = self.ledger.calls.iter().take(calls);
        let others = calls.filter_map(|call| {
            let ProviderFacts {
                system_fingerprint, ..
            } = call.facts.as_ref()?;
            (*system_fingerprint != self.fingerprint).then(|| ChangedFingerprint {
                ledger_seq: call.seq,
                cycle: None,
                system_fingerprint: system_fingerprint.clone(),
            })
        });
        self.replay.changed_fingerprints.extend(others);
    }

    /// Takes note of a cycle that was answered under another fingerprint than the calibration.
    pub(super) fn note_fingerprint(&mut self, logged: &Cycle) {
        if let Some(ledger_seq) = logged.ledger_seq
            && logged.system_fingerprint != self.fingerprint
        {
            self.replay.changed_fingerprints.push(ChangedFingerprint {
                ledger_seq,
                cycle: Some(CycleId::of(logged)),
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
