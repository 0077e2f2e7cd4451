//! The formal assistant: it reads the artifact in an oracle's answer.
//!
//! The assistant is mechanical: it finds the one JSON object, checks its members, checks that every id
//! is known and every reference leads somewhere, and sorts sets. It adds nothing and infers nothing.
//! Determinism: D1.

use axilog_oracle::canonicalizer::{Status, canonicalize};
use serde::Deserialize;
use serde_json::Value;
use strum::IntoStaticStr;

use super::artifact::Artifact;
use super::environment::Environment;

/// Why the assistant rejects an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Rejection {
    /// The ledger does not hold the answer as COMPLETE.
    NotAdmitted,
    /// The answer holds no JSON object.
    NoJson,
    /// The answer holds more than one JSON object.
    AmbiguousMultiBlock,
    /// The JSON in the answer is malformed or never ends.
    ParseError,
    /// A member is missing, unknown, or of the wrong type.
    Schema,
    /// An id stands twice in a set.
    DuplicateId,
    /// The environment has no such action.
    UnknownAction,
    /// The environment has no such constraint.
    UnknownConstraint,
    /// The attribution names a constraint that is not preserved, or not authorized.
    UnresolvedReference,
}

impl Rejection {
    /// The code as run documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Reads the artifact in the answer `text`; its ids are those of `environment`.
///
/// # Errors
/// The first [`Rejection`] that applies, in the order of their declaration.
pub fn assist(text: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
    let block = canonicalize(text).block.map_err(|status| match status {
        Status::NoJson => Rejection::NoJson,
        Status::AmbiguousMultiBlock => Rejection::AmbiguousMultiBlock,
        Status::ParseError | Status::Ok => Rejection::ParseError,
    })?;
    let artifact = Artifact::deserialize(&block.value).map_err(|_| Rejection::Schema)?;
    let distinct = serde_json::to_value(&artifact).unwrap_or_default();
    if count_elements(&block.value) != count_elements(&distinct) {
        return Err(Rejection::DuplicateId);
    }
    if !environment.actions().contains(&artifact.action) {
        return Err(Rejection::UnknownAction);
    }
    if !constraint_ids(&artifact).all(|id| environment.constraints().contains(id)) {
        return Err(Rejection::UnknownConstraint);
    }
    let is_resolved = |(kept, broken): &(String, String)| {
        artifact.required_preservations.contains(kept)
            && artifact.authorized_violations.contains(broken)
    };
    if !artifact.conflict_attribution.iter().all(is_resolved) {
        return Err(Rejection::UnresolvedReference);
    }
    Ok(artifact)
}

/// Counts the elements of every array in `value`.
fn count_elements(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len() + items.iter().map(count_elements).sum::<usize>(),
        Value::Object(members) => members.values().map(count_elements).sum(),
        _ => 0,
    }
}

/// Every constraint that the artifact names.
fn constraint_ids(artifact: &Artifact) -> impl Iterator<Item = &String> {
    let effects = &artifact.predicted_effects;
    let sets = [
        &artifact.authorized_violations,
        &artifact.required_preservations,
        &effects.satisfies,
        &effects.violates,
    ];
    let pairs = artifact.conflict_attribution.iter();
    let attributed = pairs.flat_map(|(kept, broken)| [kept, broken]);
    sets.into_iter().flatten().chain(attributed)
}
