//! The justification that an oracle gives, and the formal assistant that reads it.
//!
//! The assistant is mechanical: it finds the one JSON object, checks its shape, that every id is known
//! and every reference leads somewhere, and puts sets into canonical order. It adds nothing and infers
//! nothing. Determinism: D1.

use std::collections::BTreeSet;

use axilog::hash::{Hash, sha256};
use axilog_oracle::canonicalizer::{Status, canonicalize};
use serde_json::{Map, Value, json};

use super::canonical;
use super::environment::{Effects, Environment, Ids};

/// What is kept at the cost of what.
pub type Collisions = BTreeSet<(String, String)>;

/// An action and its justification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// What is proposed.
    pub action: String,
    /// The constraints that may be broken for it.
    pub authorized_violations: Ids,
    /// The constraints that may not.
    pub required_preservations: Ids,
    /// For which preservation which violation is authorized.
    pub conflict_attribution: Collisions,
    /// What the action is said to do.
    pub predicted_effects: Effects,
}

impl Artifact {
    /// Its canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> String {
        canonical(&json!({
            "action": self.action,
            "authorized_violations": self.authorized_violations,
            "conflict_attribution": self.conflict_attribution,
            "predicted_effects": {
                "satisfies": self.predicted_effects.satisfies,
                "violates": self.predicted_effects.violates,
            },
            "required_preservations": self.required_preservations,
        }))
    }

    /// SHA-256 of its canonical JSON: the `artifact_digest`.
    #[must_use]
    pub fn digest(&self) -> Hash {
        sha256(self.canonical().as_bytes())
    }
}

/// Why the assistant rejects what an oracle said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rejection {
    /// The ledger does not hold it as COMPLETE.
    NotAdmitted,
    /// No JSON object in it.
    NoJson,
    /// More than one.
    AmbiguousMultiBlock,
    /// One that is not valid or never ends.
    ParseError,
    /// A member is missing, too many, or of another type.
    Schema,
    /// An id stands twice in a set.
    DuplicateId,
    /// No such action.
    UnknownAction,
    /// No such constraint.
    UnknownConstraint,
    /// The attribution names what is not preserved, or not authorized.
    UnresolvedReference,
}

impl Rejection {
    /// As run documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Rejection::NotAdmitted => "NOT_ADMITTED",
            Rejection::NoJson => "NO_JSON",
            Rejection::AmbiguousMultiBlock => "AMBIGUOUS_MULTI_BLOCK",
            Rejection::ParseError => "PARSE_ERROR",
            Rejection::Schema => "SCHEMA",
            Rejection::DuplicateId => "DUPLICATE_ID",
            Rejection::UnknownAction => "UNKNOWN_ACTION",
            Rejection::UnknownConstraint => "UNKNOWN_CONSTRAINT",
            Rejection::UnresolvedReference => "UNRESOLVED_REFERENCE",
        }
    }
}

/// The artifact in what an oracle said, about the actions and constraints of `environment`.
///
/// # Errors
/// The first [`Rejection`] that applies, in the order of their declaration.
pub fn assist(raw: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
    let block = canonicalize(raw).block.map_err(|status| match status {
        Status::NoJson => Rejection::NoJson,
        Status::AmbiguousMultiBlock => Rejection::AmbiguousMultiBlock,
        Status::ParseError | Status::Ok => Rejection::ParseError,
    })?;
    let (artifact, twice) = read(&block.value).ok_or(Rejection::Schema)?;
    if twice {
        return Err(Rejection::DuplicateId);
    }
    if !environment.actions().contains(&artifact.action) {
        return Err(Rejection::UnknownAction);
    }
    if !ids(&artifact).all(|id| environment.constraints().contains(id)) {
        return Err(Rejection::UnknownConstraint);
    }
    let resolved = |(kept, broken): &(String, String)| {
        artifact.required_preservations.contains(kept)
            && artifact.authorized_violations.contains(broken)
    };
    if !artifact.conflict_attribution.iter().all(resolved) {
        return Err(Rejection::UnresolvedReference);
    }
    Ok(artifact)
}

/// Every constraint that it names.
fn ids(artifact: &Artifact) -> impl Iterator<Item = &String> {
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

/// The artifact that `value` is by its shape, and whether anything stands twice in a set.
fn read(value: &Value) -> Option<(Artifact, bool)> {
    let members = exactly(value, 5)?;
    let effects = exactly(members.get("predicted_effects")?, 2)?;
    let mut twice = false;
    let mut ids =
        |value: Option<&Value>| set(value?, &mut twice, |id| id.as_str().map(str::to_owned));
    let artifact = Artifact {
        action: members.get("action")?.as_str()?.to_owned(),
        authorized_violations: ids(members.get("authorized_violations"))?,
        required_preservations: ids(members.get("required_preservations"))?,
        predicted_effects: Effects {
            satisfies: ids(effects.get("satisfies"))?,
            violates: ids(effects.get("violates"))?,
        },
        conflict_attribution: set(members.get("conflict_attribution")?, &mut twice, |pair| {
            match pair.as_array()?.as_slice() {
                [kept, broken] => Some((kept.as_str()?.to_owned(), broken.as_str()?.to_owned())),
                _ => None,
            }
        })?,
    };
    Some((artifact, twice))
}

/// An object with that many members.
fn exactly(value: &Value, members: usize) -> Option<&Map<String, Value>> {
    value.as_object().filter(|object| object.len() == members)
}

fn set<T: Ord>(
    value: &Value,
    twice: &mut bool,
    item: impl Fn(&Value) -> Option<T>,
) -> Option<BTreeSet<T>> {
    let mut items = BTreeSet::new();
    for value in value.as_array()? {
        *twice |= !items.insert(item(value)?);
    }
    Some(items)
}
