//! What a ledger's manifest declares, and what a session refuses because of it: answers of other oracles, answers that
//! no policy judges where one is required, and questions and answers that violate their schemas.
//!
//! SRS-004 §8.3, §9.2 and §11.1 (SHALL-011, SHALL-013, SHALL-037); formats.md §5 (Manifest); decision D30.

use super::Session;
use super::call::OracleCall;
use super::declared::{Declarations, check_oracle, read_declarations};
use crate::error::LedgerError;
use crate::schema::SchemaSubject;
use crate::schema::violation::SchemaViolation;

impl Session {
    /// Demands that a policy judges each answer, from the next one on: one that none judged may not be acted on, and
    /// no question may be derived from it. The rules stay as they are, and nothing of it is recorded; a manifest
    /// [binds](crate::manifest::Manifest::with_required_policy) a ledger to more than that.
    pub fn require_policy(&mut self) {
        self.requires_policy = true;
    }

    /// Checks that the ledger takes answers of an oracle.
    pub(super) fn check_declared(&mut self, oracle_id: &str) -> Result<(), LedgerError> {
        self.load_declarations()?;
        match &self.declared {
            Some(declared) => check_oracle(self.path(), &declared.manifest, &self.rules, oracle_id),
            None => Ok(()),
        }
    }

    /// Checks, before an oracle is called, that its reply could be recorded, that the answers which the question is
    /// derived from are in the ledger and may be acted on, and that the question conforms to the declared schema of the
    /// oracle's questions.
    ///
    /// # Errors
    /// [`LedgerError::Sealed`], [`LedgerError::ReservedOracleId`], [`LedgerError::InvalidIdentity`],
    /// [`LedgerError::ModelMismatch`], [`LedgerError::UndeclaredOracle`], [`LedgerError::UnjudgedOracle`],
    /// [`LedgerError::InvalidInput`] for a derivation that cannot be read,
    /// [`LedgerError::UnknownSource`], [`LedgerError::SourceNoAnswer`], [`LedgerError::SourceRefused`],
    /// [`LedgerError::QuestionViolatesSchema`]; [`LedgerError::SchemasUnusable`] where the manifest or a schema is
    /// missing or bad, or where this build cannot validate.
    pub fn check_question(&mut self, call: &OracleCall) -> Result<(), LedgerError> {
        self.check_call(&call.oracle_id, &call.model_id)?;
        self.check_sources(call)?;
        let schemas = &self.load_declarations()?.schemas;
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

    /// Finds how an answer violates the declared schema of the oracle's answers, if it does.
    pub(super) fn find_violation(
        &mut self,
        oracle_id: &str,
        answer: &[u8],
    ) -> Result<Option<SchemaViolation>, LedgerError> {
        let schemas = &self.load_declarations()?.schemas;
        Ok(schemas.find_violation(oracle_id, answer))
    }

    /// What the ledger's manifest declares, read when it is first needed.
    fn load_declarations(&mut self) -> Result<&Declarations, LedgerError> {
        if self.declared.is_none() {
            let declared = read_declarations(self.path(), &self.rules)?;
            self.declared = Some(declared);
        }
        Ok(self.declared.get_or_insert_default())
    }
}
