//! The constitution: what may be done, on whose authority, within which limits.

use std::collections::{BTreeMap, BTreeSet};

use axilog::hash::{Hash, sha256};
use serde::Deserialize;

use super::path;

/// A constitution, read and checked. Frozen for a session by the hash of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constitution {
    /// SHA-256 of the file.
    pub hash: Hash,
    /// Its version, which citations name.
    pub version: String,
    /// Its clauses, in the file's order.
    pub clauses: Vec<Clause>,
    /// What may be done, by name.
    pub action_types: BTreeMap<String, ActionType>,
    /// Limits of a cycle.
    pub limits: Limits,
    /// Where actions may read and write.
    pub io_allowlist: IoAllowlist,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: String,
    clauses: Vec<Clause>,
    action_types: Vec<ActionType>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    io_allowlist: IoAllowlist,
}

/// A clause, which candidates cite by its id.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// Letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// What it says, for the model.
    pub text: String,
}

/// Something that may be done.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionType {
    /// Its name, as in `action_type`.
    pub name: String,
    /// Whether no candidate may ask for it.
    #[serde(default)]
    pub kernel_only: bool,
    /// What a request holds; nothing else may be in it.
    #[serde(default)]
    pub fields: Vec<Field>,
}

/// A field of an action request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Whether it must be there.
    #[serde(default)]
    pub required: bool,
    /// The most characters (Unicode scalar values) of a text or path; any number where absent.
    pub max_len: Option<u64>,
    /// The only texts there may be; any where absent.
    pub allowed: Option<Vec<String>>,
}

/// What a field holds.
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
pub struct Limits {
    /// The most tokens, prompt and answer together (Q48c); exactly so many pass.
    pub max_total_tokens_per_cycle: u64,
    /// The most candidates of one answer.
    pub max_candidates: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_total_tokens_per_cycle: 6000,
            max_candidates: 5,
        }
    }
}

/// Below which paths actions may read and write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IoAllowlist {
    /// Roots for [`FieldType::ReadPath`].
    pub read: Vec<String>,
    /// Roots for [`FieldType::WritePath`].
    pub write: Vec<String>,
}

/// Why a file is no constitution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstitutionError {
    /// Not the form of one.
    #[error("not a constitution: {0}")]
    Form(String),
    /// Something in it contradicts something else in it, or means nothing.
    #[error("{what} {name:?}: {reason}")]
    Meaning {
        /// What is wrong, as in "the clause".
        what: &'static str,
        /// Which.
        name: String,
        /// Why.
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
        let file: File = if text.trim_start().starts_with('{') {
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

    /// Whether there is a clause with this id.
    #[must_use]
    pub fn has_clause(&self, id: &str) -> bool {
        self.clauses.iter().any(|clause| clause.id == id)
    }

    /// How a candidate cites the clause `id`.
    #[must_use]
    pub fn citation(&self, id: &str) -> String {
        format!("constitution:{}#{id}", self.version)
    }
}

impl File {
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
            if path::normalized(root).is_none() {
                let reason = "expected a path that stays where it begins, without backslashes";
                return wrong("the root", root, reason);
            }
        }
        Ok(())
    }
}
