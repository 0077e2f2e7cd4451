//! A schema as a document, checked and compiled.

use std::sync::Arc;

use axilog::hash::{Hash, sha256};
use serde_json::Value;

use super::bounds::{MAX_SCHEMA_BYTES, MAX_VALIDATED_BYTES};
use super::engine::Engine;
use super::violation::{InvalidSchema, SchemaViolation};
use crate::jcs::canonicalize;

/// A schema, checked and compiled. Clones share the compiled form.
#[derive(Clone)]
pub struct Schema {
    canonical: Arc<Vec<u8>>,
    engine: Arc<Engine>,
}

impl Schema {
    /// Reads a schema from a JSON text of at most [`MAX_SCHEMA_BYTES`] in any form.
    ///
    /// # Errors
    /// [`InvalidSchema`]: not JSON, no schema of the dialect, a reference that leads to no subschema of the document, a
    /// regular expression that cannot be matched in linear time, or one of the [`bounds`](super::bounds) exceeded.
    pub fn parse(text: &[u8]) -> Result<Schema, InvalidSchema> {
        let too_long = |bytes: usize| {
            InvalidSchema(format!(
                "it has {bytes} bytes; a schema may have {MAX_SCHEMA_BYTES}"
            ))
        };
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(too_long(text.len()));
        }
        let canonical = canonicalize(text)
            .map_err(|error| InvalidSchema(format!("byte {}: {}", error.offset, error.reason)))?;
        if canonical.len() > MAX_SCHEMA_BYTES {
            return Err(too_long(canonical.len()));
        }
        let document: Value =
            serde_json::from_slice(&canonical).map_err(|error| InvalidSchema(error.to_string()))?;
        Ok(Schema {
            engine: Arc::new(Engine::compile(document)?),
            canonical: Arc::new(canonical),
        })
    }

    /// The schema in canonical form (RFC 8785), as ledgers keep it.
    #[must_use]
    pub fn canonical(&self) -> &[u8] {
        &self.canonical
    }

    /// SHA-256 of the canonical form, which manifests name.
    #[must_use]
    pub fn hash(&self) -> Hash {
        sha256(&self.canonical)
    }

    /// Lists in words what the schema says that asserts nothing: keywords that the dialect does not have, which may be
    /// misspelt, and `format`.
    #[must_use]
    pub fn list_notes(&self) -> Vec<String> {
        self.engine.list_notes()
    }

    /// Checks that `text` is one JSON value of at most [`MAX_VALIDATED_BYTES`] that conforms to the schema, in at most
    /// [`MAX_COMPARISONS`](super::bounds::MAX_COMPARISONS). White space may surround the value.
    ///
    /// # Errors
    /// [`SchemaViolation`].
    pub fn check(&self, text: &[u8]) -> Result<(), SchemaViolation> {
        if text.len() > MAX_VALIDATED_BYTES {
            return Err(SchemaViolation::TooLong { bytes: text.len() });
        }
        let canonical = canonicalize(text).map_err(|error| SchemaViolation::NotJson {
            offset: error.offset,
            reason: error.reason,
        })?;
        let value: Value =
            serde_json::from_slice(&canonical).map_err(|error| SchemaViolation::NotJson {
                offset: 0,
                reason: error.to_string(),
            })?;
        self.engine.check(&value, canonical.len())
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.canonical))
    }
}
