//! The precedent: the record of a justification that goes into the next prompt, and the memory that keeps
//! it (Q5).
//!
//! A record has exactly five fields. Whatever else is known of a step stands in the run document only.

use axilog::hash::Hash;
use serde::Serialize;

use super::artifact::{Artifact, Collisions};
use super::environment::IdSet;
use super::json_document::{serialize_hex, to_canonical_json};

/// The record of an artifact that compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrecedentRecord {
    /// The constraints that might be broken.
    pub authorized_violations: IdSet,
    /// The constraints that had to be kept.
    pub required_preservations: IdSet,
    /// For which preservation which violation was authorized.
    pub conflict_attribution: Collisions,
    /// SHA-256 of the artifact's canonical JSON.
    #[serde(serialize_with = "serialize_hex")]
    pub artifact_digest: Hash,
    /// The step of the episode that wrote the record, from 0.
    pub step_index: u32,
}

impl PrecedentRecord {
    /// A record that names nothing: the fields alone.
    pub const EMPTY: PrecedentRecord = PrecedentRecord {
        authorized_violations: IdSet::new(),
        required_preservations: IdSet::new(),
        conflict_attribution: Collisions::new(),
        artifact_digest: [0; 32],
        step_index: 0,
    };

    /// The record of `artifact` at a step.
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

    /// The record as it stands in prompts: canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> String {
        to_canonical_json(self)
    }
}

/// A memory that keeps a precedent between steps.
pub trait PrecedentMemory {
    /// Replaces the precedent.
    fn write(&mut self, record: &PrecedentRecord);

    /// Reads the record that was written last since the last reset.
    fn read(&self) -> Option<&PrecedentRecord>;

    /// Forgets the precedent.
    fn reset(&mut self);
}

/// The normative state: a memory of one record and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NormativeStateV100(Option<PrecedentRecord>);

impl PrecedentMemory for NormativeStateV100 {
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
    use axilog_ledger::encoding::hex;
    use proptest::prelude::*;
    use serde_json::json;

    fn ids() -> impl Strategy<Value = IdSet> {
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
        /// The text is canonical JSON of exactly the five fields.
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

        #[test]
        fn different_records_have_different_texts(one in record(), other in record()) {
            prop_assert_eq!(one.canonical() == other.canonical(), one == other);
        }

        /// The state is the last record since the last reset, for which `None` stands in the series.
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
