//! The questions and answers of a ledger, validated again against the schemas that its manifest declares.
//!
//! SRS-004 §8.3 and §9.2 (SHALL-011, SHALL-037); formats.md §5 (Manifest); decision D30. A writer that validated
//! nothing, or against other schemas, has recorded answers as COMPLETE that violate them.

use std::collections::HashSet;

use axilog::admission::{InputKind, input_hash};
use axilog::agent::stimulus::{CONTROL_ORACLE, is_reserved};
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::proof::{Proof, RawAnswer};
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag, sha256};
use axilog::text::Text;

use super::report::name_first;
use crate::encoding::{hex, unescape};
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::manifest::{FoundManifest, find_manifest};
use crate::rules::read_manifest_hash;
use crate::schema::bounds::MAX_VALIDATED_BYTES;
use crate::schema::{DeclaredSchemas, Schema, SchemaSubject};
use crate::verify::VerifiedRecord;

/// The most violations that are named. All are counted.
const MAX_NAMED: u64 = 20;

/// The validation of a ledger's questions and answers, in progress. Memory grows with the number of distinct questions.
pub(super) struct SchemaValidation {
    store: BlobStore,
    schemas: Option<Declared>,
    /// The questions that were found to conform, with their oracles.
    good_inputs: HashSet<(String, Hash)>,
    /// The oracles that have a record and of which a schema is declared.
    heard: HashSet<String>,
    /// The last record, if it is an observation that does not hold its answer, so that a RAW record may follow.
    unheld: Option<UnheldAnswer>,
    pub(super) summary: SchemaSummary,
}

/// What a ledger's manifest declares.
enum Declared {
    Schemas(DeclaredSchemas),
    /// The reason why it cannot be known or used, and whether something is wrong rather than missing.
    Unusable {
        reason: String,
        is_bad: bool,
    },
}

/// An answer that its observation does not hold, or not whole.
struct UnheldAnswer {
    ledger_seq: u64,
    oracle_id: String,
    is_refused: bool,
    /// Whether the question was admissible whatever its kind, so that only the answer can be why it was refused.
    has_good_input: bool,
}

/// What the validation found.
#[derive(Default)]
pub(super) struct SchemaSummary {
    /// Why nothing was validated, and whether something is wrong rather than missing.
    pub(super) unusable: Option<(String, bool)>,
    /// Whether any schema is declared.
    pub(super) is_declared: bool,
    /// The number of questions that conform.
    pub(super) questions: u64,
    /// The number of answers that conform.
    pub(super) answers: u64,
    /// The number of answers that were refused and do violate their schema, or are no admissible text.
    pub(super) refused: u64,
    /// Why the first [`MAX_NAMED`] of them were refused, in words.
    pub(super) refusals: Vec<String>,
    /// The number of questions and answers that could not be validated because their blobs are missing.
    pub(super) unread: u64,
    /// The number of questions and answers that are not recorded as they should be.
    pub(super) faults: u64,
    /// The first [`MAX_NAMED`] of them, in words.
    pub(super) named: Vec<String>,
}

impl SchemaSummary {
    fn add_fault(&mut self, text: String) {
        self.faults = self.faults.saturating_add(1);
        if self.faults <= MAX_NAMED {
            self.named.push(text);
        }
    }

    fn add_refusal(&mut self, ledger_seq: u64, oracle_id: &str, reason: &str) {
        self.refused = self.refused.saturating_add(1);
        if self.refused <= MAX_NAMED {
            self.refusals.push(format!(
                "refused answer {ledger_seq} of oracle {oracle_id:?}: {reason}"
            ));
        }
    }
}

impl SchemaValidation {
    pub(super) fn new(store: BlobStore) -> SchemaValidation {
        SchemaValidation {
            store,
            schemas: None,
            good_inputs: HashSet::new(),
            heard: HashSet::new(),
            unheld: None,
            summary: SchemaSummary::default(),
        }
    }

    /// Whether a schema of the oracle's answers was declared and could be used.
    pub(super) fn covers(&self, oracle_id: &str) -> bool {
        self.find_schema(oracle_id, SchemaSubject::Output).is_some()
    }

    /// The oracles of which a schema is declared and which have no record, in words: their ids may be mistyped.
    pub(super) fn list_silent_oracles(&self) -> Vec<String> {
        let Some(Declared::Schemas(schemas)) = &self.schemas else {
            return Vec::new();
        };
        let silent = schemas.oracle_ids().filter(|id| !self.heard.contains(*id));
        let told = silent.map(|id| format!("oracle {id:?} has a declared schema and no record"));
        name_first(told.collect())
    }

    /// Whether an answer of the oracle may have been refused because it violates its declared schema. It may where
    /// nobody knows the schemas.
    pub(super) fn may_refuse(&self, oracle_id: &str) -> bool {
        match &self.schemas {
            Some(Declared::Unusable { .. }) => true,
            _ => self.covers(oracle_id),
        }
    }

    /// Takes the next good record of the ledger.
    ///
    /// # Errors
    /// Those of [`BlobStore::read`].
    pub(super) fn take_record(&mut self, record: &VerifiedRecord<'_>) -> Result<(), LedgerError> {
        let unheld = self.unheld.take();
        if record.entry.tag == Tag::Proof
            && let Some(unheld) = unheld
            && let Ok(Proof::Raw(raw)) = Proof::parse(record.entry.payload)
        {
            return self.take_raw_answer(&raw, &unheld);
        }
        let Some(view) = &record.observation else {
            return Ok(());
        };
        if view.oracle_id.bytes() == CONTROL_ORACLE.as_bytes() && view.input_hash != sha256(b"") {
            return self.load(&view.input_hash);
        }
        if is_reserved(view.oracle_id.bytes()) {
            return Ok(());
        }
        self.take_observation(view)
    }

    /// Loads the schemas that the first configuration names.
    fn load(&mut self, configuration: &Hash) -> Result<(), LedgerError> {
        if self.schemas.is_some() {
            return Ok(());
        }
        // A configuration that cannot be read is another check's.
        let Ok(Some(hash)) = read_manifest_hash(&self.store, configuration) else {
            return Ok(());
        };
        let unusable = |reason: String, is_bad| Declared::Unusable { reason, is_bad };
        let declared = match find_manifest(&self.store, &hash)? {
            FoundManifest::Missing => unusable("the manifest is missing".to_owned(), false),
            FoundManifest::Bad(_) => unusable("the manifest is bad".to_owned(), false),
            FoundManifest::Good(manifest) => {
                self.summary.is_declared = manifest.schema_hashes().next().is_some();
                match DeclaredSchemas::load(&manifest, &self.store)? {
                    Ok(schemas) => Declared::Schemas(schemas),
                    Err(error) => unusable(error.to_string(), error.is_bad()),
                }
            }
        };
        if let Declared::Unusable { reason, is_bad } = &declared {
            self.summary.unusable = Some((reason.clone(), *is_bad));
        }
        self.schemas = Some(declared);
        Ok(())
    }

    fn find_schema(&self, oracle_id: &str, subject: SchemaSubject) -> Option<&Schema> {
        match self.schemas.as_ref()? {
            Declared::Schemas(schemas) => schemas.get(oracle_id, subject),
            Declared::Unusable { .. } => None,
        }
    }

    fn take_observation(&mut self, view: &ObservationView<'_>) -> Result<(), LedgerError> {
        let oracle_id = unescape(view.oracle_id);
        if let Some(Declared::Schemas(schemas)) = &self.schemas
            && schemas.declares(&oracle_id)
            && !self.heard.contains(&oracle_id)
        {
            self.heard.insert(oracle_id.clone());
        }
        self.check_question(&oracle_id, view)?;
        let Some(schema) = self.find_schema(&oracle_id, SchemaSubject::Output) else {
            return Ok(());
        };
        let is_refused = view.failure == Some(Failure::InvalidOutput);
        let is_whole = view.output_held == view.output_size;
        if is_refused || !is_whole {
            let input = self
                .store
                .read(&view.input_hash, MAX_VALIDATED_BYTES as u64)?;
            let input = input.unwrap_or_default();
            self.unheld = Some(UnheldAnswer {
                ledger_seq: view.ledger_seq,
                oracle_id,
                is_refused,
                has_good_input: input_hash(&input, InputKind::Json) == Ok(view.input_hash),
            });
            return Ok(());
        }
        if view.completion == Completion::Error {
            return Ok(());
        }
        match schema.check(unescape(view.output).as_bytes()) {
            Ok(()) => self.summary.answers = self.summary.answers.saturating_add(1),
            Err(violation) => self.summary.add_fault(format!(
                "answer {} of oracle {oracle_id:?} is recorded as {} and violates its schema: {violation}",
                view.ledger_seq,
                view.completion.as_str()
            )),
        }
        Ok(())
    }

    /// Validates an answer that a RAW record binds: one that was refused must violate the schema, one that was cut
    /// must conform.
    fn take_raw_answer(
        &mut self,
        raw: &RawAnswer,
        unheld: &UnheldAnswer,
    ) -> Result<(), LedgerError> {
        let UnheldAnswer {
            ledger_seq,
            oracle_id,
            is_refused,
            has_good_input,
        } = unheld;
        let answer = match raw.bytes {
            0 => Some(Vec::new()),
            // One byte more than is validated, so that a longer answer is one that is too long.
            _ => self
                .store
                .read(&raw.sha256, MAX_VALIDATED_BYTES as u64 + 1)?,
        };
        // Of an answer that is longer than what is validated the beginning was read, which has another hash.
        let is_whole =
            |answer: &Vec<u8>| answer.len() > MAX_VALIDATED_BYTES || sha256(answer) == raw.sha256;
        let Some(answer) = answer.filter(is_whole) else {
            self.summary.unread = self.summary.unread.saturating_add(1);
            return Ok(());
        };
        let Some(schema) = self.find_schema(oracle_id, SchemaSubject::Output) else {
            return Ok(());
        };
        let is_text = Text::check(&answer, false).is_ok();
        match (schema.check(&answer), is_refused) {
            (_, true) if !is_text => self
                .summary
                .add_refusal(*ledger_seq, oracle_id, "it is not admissible text"),
            (Err(violation), true) => {
                let reason = violation.to_string();
                self.summary.add_refusal(*ledger_seq, oracle_id, &reason);
            }
            (Ok(()), true) if *has_good_input => self.summary.add_fault(format!(
                "answer {ledger_seq} of oracle {oracle_id:?} is recorded as INVALID_OUTPUT and conforms to its schema"
            )),
            (Ok(()), true) => {
                let reason = "it conforms to its schema; its question may have been why";
                self.summary.add_refusal(*ledger_seq, oracle_id, reason);
            }
            (Ok(()), false) => self.summary.answers = self.summary.answers.saturating_add(1),
            (Err(violation), false) => self.summary.add_fault(format!(
                "answer {ledger_seq} of oracle {oracle_id:?} is recorded as TRUNCATED and violates its schema: {violation}"
            )),
        }
        Ok(())
    }

    fn check_question(
        &mut self,
        oracle_id: &str,
        view: &ObservationView<'_>,
    ) -> Result<(), LedgerError> {
        let Some(schema) = self.find_schema(oracle_id, SchemaSubject::Input) else {
            return Ok(());
        };
        let key = (oracle_id.to_owned(), view.input_hash);
        if self.good_inputs.contains(&key) {
            self.summary.questions = self.summary.questions.saturating_add(1);
            return Ok(());
        }
        let limit = MAX_VALIDATED_BYTES as u64 + 1;
        let input = match view.input_hash == sha256(b"") {
            true => Some(Vec::new()),
            false => self.store.read(&view.input_hash, limit)?,
        };
        let Some(input) = input else {
            self.summary.unread = self.summary.unread.saturating_add(1);
            return Ok(());
        };
        if input.len() <= MAX_VALIDATED_BYTES && sha256(&input) != view.input_hash {
            self.summary.add_fault(format!(
                "the input of observation {} cannot be validated: its blob {} has another hash",
                view.ledger_seq,
                hex(&view.input_hash)
            ));
            return Ok(());
        }
        match schema.check(&input) {
            Ok(()) => {
                self.summary.questions = self.summary.questions.saturating_add(1);
                self.good_inputs.insert(key);
            }
            Err(violation) => self.summary.add_fault(format!(
                "the input of observation {} violates the input schema of oracle {oracle_id:?}: {violation}",
                view.ledger_seq
            )),
        }
        Ok(())
    }
}
