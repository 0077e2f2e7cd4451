//! The precedent: what is kept of a justification, and where (Q5).
//!
//! Exactly five fields. Whatever else is known of a step is telemetry and in the run document only.

use axilog::hash::Hash;
use axilog_ledger::file::hex;
use serde_json::json;

use super::artifact::{Artifact, Collisions};
use super::canonical;
use super::environment::Ids;

/// The five fields of a precedent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrecedentRecord {
    /// What was allowed to be broken.
    pub authorized_violations: Ids,
    /// What had to be kept.
    pub required_preservations: Ids,
    /// Which for which.
    pub conflict_attribution: Collisions,
    /// SHA-256 of the artifact's canonical JSON.
    pub artifact_digest: Hash,
    /// The step of the episode that wrote it, from 0.
    pub step_index: u32,
}

impl PrecedentRecord {
    /// The precedent that `artifact` sets at a step.
    #[must_use]
    pub fn new(artifact: &Artifact, step_index: u32) -> PrecedentRecord {
        PrecedentRecord {
            authorized_violations: artifact.authorized_violations.clone(),
            required_preservations: artifact.required_preservations.clone(),
            conflict_attribution: artifact.conflict_attribution.clone(),
            artifact_digest: artifact.digest(),
            step_index,
        }
    }

    /// Its canonical JSON, as it is put into prompts.
    #[must_use]
    pub fn canonical(&self) -> String {
        canonical(&json!({
            "artifact_digest": hex(&self.artifact_digest),
            "authorized_violations": self.authorized_violations,
            "conflict_attribution": self.conflict_attribution,
            "required_preservations": self.required_preservations,
            "step_index": self.step_index,
        }))
    }
}

/// Where the last precedent is kept between steps.
pub trait Memory {
    /// Replaces it.
    fn write(&mut self, record: &PrecedentRecord);

    /// The last one written since the last reset.
    fn read(&self) -> Option<&PrecedentRecord>;

    /// Forgets it.
    fn reset(&mut self);
}

/// The normative state: one record and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NormativeStateV100(Option<PrecedentRecord>);

impl Memory for NormativeStateV100 {
    fn write(&mut self, record: &PrecedentRecord) {
        self.0 = Some(record.clone());
    }

    fn read(&self) -> Option<&PrecedentRecord> {
        self.0.as_ref()
    }

    fn reset(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids() -> impl Strategy<Value = Ids> {
        proptest::collection::btree_set("[a-z条é\"\\\\]{1,8}", 0..4)
    }

    fn record() -> impl Strategy<Value = PrecedentRecord> {
        let pairs = proptest::collection::btree_set(("[a-zü]{1,5}", "[a-zü]{1,5}"), 0..4);
        (ids(), ids(), pairs, any::<[u8; 32]>(), any::<u32>()).prop_map(|(a, r, c, d, s)| {
            PrecedentRecord {
                authorized_violations: a,
                required_preservations: r,
                conflict_attribution: c,
                artifact_digest: d,
                step_index: s,
            }
        })
    }

    proptest! {
        /// Canonical JSON of exactly the five fields, all of which can be read from it.
        #[test]
        fn a_record_is_its_five_fields(record in record()) {
            let text = record.canonical();
            prop_assert!(axilog::json::canonical::is_canonical_json(text.as_bytes()));
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(value, json!({
                "artifact_digest": hex(&record.artifact_digest),
                "authorized_violations": record.authorized_violations.iter().collect::<Vec<_>>(),
                "conflict_attribution": record.conflict_attribution.iter().map(|(k, b)| [k, b]).collect::<Vec<_>>(),
                "required_preservations": record.required_preservations.iter().collect::<Vec<_>>(),
                "step_index": record.step_index,
            }));
        }

        /// Different records have different texts.
        #[test]
        fn records_are_told_apart(one in record(), other in record()) {
            prop_assert_eq!(one.canonical() == other.canonical(), one == other);
        }

        /// The state is the last record since the last reset (`None` resets).
        #[test]
        fn the_state_is_the_last_record(series in proptest::collection::vec(proptest::option::of(record()), 0..8)) {
            let mut state = NormativeStateV100::default();
            prop_assert_eq!(state.read(), None);
            for item in &series {
                match item {
                    Some(record) => state.write(record),
                    None => state.reset(),
                }
                prop_assert_eq!(state.read(), item.as_ref());
            }
        }
    }
}
