//! The justification artifact: an action that an oracle proposes, and why it may be done.

use std::collections::BTreeSet;

use axilog::hash::{Hash, sha256};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::environment::{Effects, IdSet};
use super::json_document::to_canonical_json;

/// Pairs of constraints: the one that is kept, and the one that is broken for it.
pub type Collisions = BTreeSet<(String, String)>;

/// An action and its justification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// The proposed action.
    pub action: String,
    /// The constraints that may be broken for the action.
    pub authorized_violations: IdSet,
    /// The constraints that must be kept.
    pub required_preservations: IdSet,
    /// For which preservation which violation is authorized.
    pub conflict_attribution: Collisions,
    /// What the oracle expects the action to keep and to break.
    #[serde(deserialize_with = "effects_from_object")]
    pub predicted_effects: Effects,
}

impl Artifact {
    /// The artifact as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> String {
        to_canonical_json(self)
    }

    /// SHA-256 of the artifact's canonical JSON: the `artifact_digest`.
    #[must_use]
    pub fn digest(&self) -> Hash {
        sha256(self.canonical().as_bytes())
    }
}

/// Reads effects from an object only: serde would take an array of two lists for the two members.
fn effects_from_object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Effects, D::Error> {
    let members = Map::<String, Value>::deserialize(deserializer)?;
    Effects::deserialize(Value::Object(members)).map_err(serde::de::Error::custom)
}
