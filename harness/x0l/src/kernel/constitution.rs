//! The constitution: what may be done, on whose authority, within which limits.

use std::collections::{BTreeMap, BTreeSet};

use axilog::hash::{Hash, sha256};
use serde::Deserialize;

use super::path;

/// A constitution that was read and checked. The hash of its file freezes it for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constitution {
    /// SHA-256 of the file.
    pub hash: Hash,
    /// The version, which citations name.
    pub version: String,
    /// The clauses, in the order of the file.
    pub clauses: Vec<Clause>,
    /// The action types, by name.
    pub action_types: BTreeMap<String, ActionType>,
    /// The limits of a cycle.
    pub limits: CycleLimits,
    /// The paths that actions may read and write.
    pub io_allowlist: IoAllowlist,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConstitutionFile {
    version: String,
    clauses: Vec<Clause>,
    action_types: Vec<ActionType>,
    #[serde(default)]
    limits: CycleLimits,
    #[serde(default)]
    io_allowlist: IoAllowlist,
}

/// A clause, which candidates cite by its id.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// The id, of letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// The text of the clause, for the model.
    pub text: String,
}

/// A type of action.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionType {
    /// The name, as in `action_type`.
    pub name: String,
    /// Whether the type is reserved for the kernel, so that no candidate may ask for it.
    #[serde(default)]
    pub kernel_only: bool,
    /// The only fields that a request may have.
    #[serde(default)]
    pub fields: Vec<ActionField>,
}

/// A field of an action request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionField {
    /// The name.
    pub name: String,
    /// The type of the value.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Whether a request must have the field.
    #[serde(default)]
    pub required: bool,
    /// The most characters (Unicode scalar values) of a text or path; any number where absent.
    pub max_len: Option<u64>,
    /// The only texts there may be; any where absent.
    pub allowed: Option<Vec<String>>,
}

/// The type of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    /// Text.
    Text,
    /// An integer within ±(2^53−1).
    Integer,
    /// True or false.
    Boolean,
    /// A path that is read.
    ReadPath,
    /// A path that is written.
    WritePath,
}

/// Limits of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CycleLimits {
    /// The most tokens, prompt and answer together (Q48c); exactly so many pass.
    pub max_total_tokens_per_cycle: u64,
    /// The most candidates of one answer.
    pub max_candidates: u64,
}

impl Default for CycleLimits {
    fn default() -> CycleLimits {
        CycleLimits {
            max_total_tokens_per_cycle: 6000,
            max_candidates: 5,
        }
    }
}

/// The paths below which actions may read and write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IoAllowlist {
    /// The roots for [`FieldType::ReadPath`].
    pub read: Vec<String>,
    /// The roots for [`FieldType::WritePath`].
    pub write: Vec<String>,
}

/// Why a text is not a constitution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstitutionError {
    /// The text does not have the form of a constitution.
    #[error("not a constitution: {0}")]
    Form(String),
    /// A part contradicts another one or has no meaning.
    #[error("{what} {name:?}: {reason}")]
    Meaning {
        /// The kind of the part, as in "the clause".
        what: &'static str,
        /// The name of the part.
        name: String,
        /// The reason, as a predicate of the part.
        reason: &'static str,
    },
}

impl Constitution {
    /// Reads a constitution in TOML, or in JSON where the text begins with a brace.
    ///
    /// # Errors
    /// [`ConstitutionError`], with line and column where the form is wrong.
    pub fn parse(text: &str) -> Result<Constitution, ConstitutionError> {
        let form = |error: String| ConstitutionError::Form(error.trim_end().to_owned());
        let file: ConstitutionFile = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| form(error.to_string()))?
        } else {
            toml::from_str(text).map_err(|error| form(error.to_string()))?
        };
        file.check()?;
        let action_types = file.action_types.into_iter();
        Ok(Constitution {
            hash: sha256(text.as_bytes()),
            version: file.version,
            clauses: file.clauses,
            action_types: action_types.map(|kind| (kind.name.clone(), kind)).collect(),
            limits: file.limits,
            io_allowlist: file.io_allowlist,
        })
    }

    /// Whether the constitution has a clause with this id.
    #[must_use]
    pub fn has_clause(&self, id: &str) -> bool {
        self.clauses.iter().any(|clause| clause.id == id)
    }

    /// The citation of the clause `id`.
    #[must_use]
    pub fn citation(&self, id: &str) -> String {
        format!("constitution:{}#{id}", self.version)
    }
}

impl ConstitutionFile {
    fn check(&self) -> Result<(), ConstitutionError> {
        let wrong = |what, name: &str, reason| {
            Err(ConstitutionError::Meaning {
                what,
                name: name.to_owned(),
                reason,
            })
        };
        let is_name = |name: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !name.is_empty() && name.chars().all(fits)
        };
        const NAME: &str = "expected letters, digits, '-', '_' and '.'";
        const TWICE: &str = "is there twice";
        if !is_name(&self.version) {
            return wrong("the version", &self.version, NAME);
        }
        if self.clauses.is_empty() {
            return wrong("the version", &self.version, "has no clause to act on");
        }
        let mut seen = BTreeSet::new();
        for clause in &self.clauses {
            if !is_name(&clause.id) {
                return wrong("the clause", &clause.id, NAME);
            }
            if !seen.insert(&clause.id) {
                return wrong("the clause", &clause.id, TWICE);
            }
        }
        let mut seen = BTreeSet::new();
        for kind in &self.action_types {
            if !is_name(&kind.name) {
                return wrong("the action type", &kind.name, NAME);
            }
            if !seen.insert(&kind.name) {
                return wrong("the action type", &kind.name, TWICE);
            }
            let mut fields = BTreeSet::new();
            for field in &kind.fields {
                if !fields.insert(&field.name) {
                    return wrong("the field", &field.name, TWICE);
                }
                let numeric = matches!(field.kind, FieldType::Integer | FieldType::Boolean);
                if numeric && (field.max_len.is_some() || field.allowed.is_some()) {
                    let reason = "max_len and allowed are for text and paths";
                    return wrong("the field", &field.name, reason);
                }
            }
        }
        for root in self
            .io_allowlist
            .read
            .iter()
            .chain(&self.io_allowlist.write)
        {
            if path::normalize(root).is_none() {
                let reason = "expected a path that stays where it begins, without backslashes";
                return wrong("the root", root, reason);
            }
        }
        Ok(())
    }
}
