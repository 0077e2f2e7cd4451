//! The validation of questions and answers against the schemas that a ledger's manifest declares.
//!
//! SRS-004 §8.3 and §9.2 (SHALL-011, SHALL-037); formats.md §5 (Manifest); decision D30.

use axilog::text::Text;

use super::Session;
use super::call::OracleCall;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::manifest::{FoundManifest, find_manifest};
use crate::schema::violation::SchemaViolation;
use crate::schema::{DeclaredSchemas, SchemaSubject};

impl Session {
    /// Checks, before an oracle is called, that its reply could be recorded, that the answers which the question is
    /// derived from are in the ledger and may be acted on, and that the question conforms to the declared schema of the
    /// oracle's questions.
    ///
    /// # Errors
    /// [`LedgerError::Sealed`], [`LedgerError::ReservedOracleId`], [`LedgerError::InvalidIdentity`],
    /// [`LedgerError::ModelMismatch`], [`LedgerError::InvalidInput`] for a derivation that cannot be read,
    /// [`LedgerError::UnknownSource`], [`LedgerError::SourceNoAnswer`], [`LedgerError::SourceRefused`],
    /// [`LedgerError::QuestionViolatesSchema`]; [`LedgerError::SchemasUnusable`] where the manifest or a schema is
    /// missing or bad, or where this build cannot validate.
    pub fn check_question(&mut self, call: &OracleCall) -> Result<(), LedgerError> {
        self.check_call(&call.oracle_id, &call.model_id)?;
        self.check_sources(call)?;
        let schemas = self.load_schemas()?;
        let checked = match schemas.get(&call.oracle_id, SchemaSubject::Input) {
            Some(schema) => schema.check(call.input.bytes()),
            None => Ok(()),
        };
        checked.map_err(|violation| LedgerError::QuestionViolatesSchema {
            path: self.path().to_owned(),
            oracle: call.oracle_id.clone(),
            violation: Box::new(violation),
        })
    }

    /// Finds how an answer violates the declared schema of the oracle's answers; `None` where it conforms, where
    /// none is declared, and for what is no admissible text, which the core refuses.
    pub(super) fn find_violation(
        &mut self,
        oracle_id: &str,
        answer: &[u8],
    ) -> Result<Option<SchemaViolation>, LedgerError> {
        let schemas = self.load_schemas()?;
        let Some(schema) = schemas.get(oracle_id, SchemaSubject::Output) else {
            return Ok(None);
        };
        Ok(match Text::check(answer, false) {
            Ok(_) => schema.check(answer).err(),
            Err(_) => None,
        })
    }

    /// The schemas that the ledger's manifest declares, read when they are first needed.
    fn load_schemas(&mut self) -> Result<&DeclaredSchemas, LedgerError> {
        if self.schemas.is_none() {
            let declared = self.read_schemas()?;
            self.schemas = Some(declared);
        }
        Ok(self.schemas.get_or_insert_default())
    }

    fn read_schemas(&self) -> Result<DeclaredSchemas, LedgerError> {
        let Some(hash) = self.rules.manifest() else {
            return Ok(DeclaredSchemas::default());
        };
        let blobs = BlobStore::of_ledger(self.path());
        let unusable = |reason: String| LedgerError::SchemasUnusable {
            path: self.path().to_owned(),
            reason,
        };
        match find_manifest(&blobs, &hash)? {
            FoundManifest::Good(manifest) => DeclaredSchemas::load(&manifest, &blobs)?
                .map_err(|error| unusable(error.to_string())),
            FoundManifest::Missing => Err(unusable(format!(
                "the manifest that its configuration names is missing: there is no file {}, and what schemas it declares is not known",
                blobs.path(&hash).display()
            ))),
            FoundManifest::Bad(reason) => Err(unusable(format!("its manifest is bad: {reason}"))),
        }
    }
}
