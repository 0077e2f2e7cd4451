//! The schemas that a ledger's manifest declares, by oracle.

use std::collections::BTreeMap;

use axilog::hash::sha256;
use axilog::text::Text;

use super::bounds::{CAN_VALIDATE, MAX_SCHEMA_BYTES};
use super::document::Schema;
use super::violation::{InvalidSchema, SchemaViolation, UnusableSchemas};
use crate::encoding::hex;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::manifest::{Manifest, OracleSchemas};

/// What a schema is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaSubject {
    /// What the oracle is asked.
    Input,
    /// What the oracle answers.
    Output,
}

/// The declared schemas of a ledger.
#[derive(Clone, Debug, Default)]
pub struct DeclaredSchemas {
    by_oracle: BTreeMap<String, OracleValidators>,
}

#[derive(Clone, Debug, Default)]
struct OracleValidators {
    input: Option<Schema>,
    output: Option<Schema>,
}

impl DeclaredSchemas {
    /// Declares a schema of an oracle's questions or answers, in place of one that was declared before.
    #[must_use]
    pub fn with(mut self, oracle_id: &str, subject: SchemaSubject, schema: Schema) -> Self {
        let oracle = self.by_oracle.entry(oracle_id.to_owned()).or_default();
        match subject {
            SchemaSubject::Input => oracle.input = Some(schema),
            SchemaSubject::Output => oracle.output = Some(schema),
        }
        self
    }

    /// Whether none is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_oracle.is_empty()
    }

    /// The ids of the oracles that schemas are declared of.
    pub fn oracle_ids(&self) -> impl Iterator<Item = &str> {
        self.by_oracle.keys().map(String::as_str)
    }

    /// Whether a schema is declared of an oracle.
    #[must_use]
    pub fn declares(&self, oracle_id: &str) -> bool {
        self.by_oracle.contains_key(oracle_id)
    }

    /// The schema of an oracle's questions or answers; `None` where it is not declared.
    #[must_use]
    pub fn get(&self, oracle_id: &str, subject: SchemaSubject) -> Option<&Schema> {
        let oracle = self.by_oracle.get(oracle_id)?;
        match subject {
            SchemaSubject::Input => oracle.input.as_ref(),
            SchemaSubject::Output => oracle.output.as_ref(),
        }
    }

    /// Finds how an answer violates the declared schema of the oracle's answers; `None` where it conforms, where
    /// none is declared, and for what is no admissible text, which the core refuses.
    #[must_use]
    pub fn find_violation(&self, oracle_id: &str, answer: &[u8]) -> Option<SchemaViolation> {
        let schema = self.get(oracle_id, SchemaSubject::Output)?;
        Text::check(answer, false).ok()?;
        schema.check(answer).err()
    }

    /// All documents in canonical form, some perhaps more than once.
    pub fn documents(&self) -> impl Iterator<Item = &[u8]> {
        let schemas = self.by_oracle.values().flat_map(|o| [&o.input, &o.output]);
        schemas.flatten().map(Schema::canonical)
    }

    /// The hashes as a manifest names them.
    #[must_use]
    pub fn to_named(&self) -> BTreeMap<String, OracleSchemas> {
        let name = |schema: &Option<Schema>| schema.as_ref().map(|s| hex(&s.hash()));
        let oracles = self.by_oracle.iter();
        oracles
            .map(|(oracle_id, oracle)| {
                let named = OracleSchemas {
                    input: name(&oracle.input),
                    output: name(&oracle.output),
                };
                (oracle_id.clone(), named)
            })
            .collect()
    }

    /// Reads the schemas that a manifest names from the blobs. The inner result is an error where one cannot be used.
    ///
    /// # Errors
    /// Those of [`BlobStore::read`].
    pub fn load(
        manifest: &Manifest,
        blobs: &BlobStore,
    ) -> Result<Result<DeclaredSchemas, UnusableSchemas>, LedgerError> {
        let mut declared = DeclaredSchemas::default();
        for (oracle_id, named) in manifest.schemas() {
            for (subject, hash) in [
                (SchemaSubject::Input, named.input_hash()),
                (SchemaSubject::Output, named.output_hash()),
            ] {
                let Some(hash) = hash else {
                    continue;
                };
                if !CAN_VALIDATE {
                    return Ok(Err(UnusableSchemas::NotBuilt));
                }
                let bad = |reason: String| UnusableSchemas::Bad {
                    hash: hex(&hash),
                    reason,
                };
                // One byte more than a schema may have, so that a longer blob has another hash.
                let limit = MAX_SCHEMA_BYTES as u64 + 1;
                let Some(bytes) = blobs.read(&hash, limit)? else {
                    return Ok(Err(UnusableSchemas::Missing(hex(&hash))));
                };
                if sha256(&bytes) != hash {
                    return Ok(Err(bad("its bytes have another hash".to_owned())));
                }
                let schema = match Schema::parse(&bytes) {
                    Ok(schema) if schema.canonical() == bytes => schema,
                    Ok(_) => return Ok(Err(bad("it is not in canonical form".to_owned()))),
                    Err(InvalidSchema(reason)) => return Ok(Err(bad(reason))),
                };
                declared = declared.with(oracle_id, subject, schema);
            }
        }
        Ok(Ok(declared))
    }
}
