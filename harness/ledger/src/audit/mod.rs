//! The audit of a ledger: everything that can be checked of it, as one verdict that fails closed.
//!
//! decisions.md D34: verification, replay, blobs, configuration, schemas, models, derivations, the end, and what the
//! caller expects. What could not be checked is named, and is not OK. What nobody can check from the ledger
//! alone, because the caller named nothing to compare it with, is listed beside the verdict.

pub mod blobs;
mod budgets;
mod checks;
mod declared_oracles;
mod derivations;
pub mod held_head;
mod oracles;
mod raw_answers;
mod report;
mod running_values;
mod schemas;

use std::io::{Read, Seek};
use std::path::Path;

use crate::error::{FileError, LedgerError};
use crate::file::blobs::BlobStore;
use crate::manifest::find_manifest;
use crate::replay::{ReplayReport, replay_decisions};
use crate::verify::{LedgerExpectations, VerifiedRecord, look_until_settled, verify_ledger};
use blobs::BlobComparison;
use checks::{
    check, check_blobs, check_decisions, check_derivations, check_end, check_manifest,
    check_models, check_raw_answers, check_schemas, list_not_compared,
};
use declared_oracles::check_oracles;
use derivations::{DerivationFindings, Derivations};
use held_head::HeldHead;
use oracles::Oracles;
use raw_answers::RawAnswerComparison;
use running_values::RunningValueCheck;
use schemas::SchemaValidation;

pub use budgets::{AuditBudget, AuditBudgets};
pub use report::{
    AuditCheck, AuditExpectations, AuditReport, AuditVerdict, CHECKS, CheckResult, HELD_HEAD,
    SAVED_TREE, UnjudgedOracle,
};

/// What one pass over the records has gathered for the checks.
struct AuditPass {
    replayed: ReplayReport,
    /// Why the rules could not be read.
    rules_missing: Option<String>,
    blobs: BlobComparison,
    oracles: Oracles,
    derivations: Derivations,
    running_values: RunningValueCheck,
    schemas: SchemaValidation,
    raw_answers: RawAnswerComparison,
}

impl AuditPass {
    fn read(
        source: &mut (impl Read + Seek),
        path: &Path,
        expected: &AuditExpectations<'_>,
        heads: &mut [Box<dyn HeldHead>],
    ) -> Result<AuditPass, LedgerError> {
        let read_error = || FileError::from_io(path, "read the ledger");
        let mut blobs = BlobComparison::of_ledger(path, &expected.budgets);
        let mut oracles = Oracles::default();
        let limit = expected.budgets.blob_bytes;
        let mut derivations = Derivations::new(BlobStore::of_ledger(path), limit);
        let mut running_values = RunningValueCheck::new(BlobStore::of_ledger(path));
        let mut schemas = SchemaValidation::new(BlobStore::of_ledger(path));
        let mut raw_answers = RawAnswerComparison::new(BlobStore::of_ledger(path), limit);
        let mut blob_error = None;
        heads.iter_mut().for_each(|head| head.begin_pass());
        let replayed = replay_decisions(
            &mut *source,
            path,
            expected.rules,
            &expected.ledger,
            &mut |record| {
                for head in heads.iter_mut() {
                    head.take_record(&record.entry);
                }
                blobs.take_record(record);
                oracles.take_record(record);
                if let Some(view) = &record.observation
                    && let Err(error) = derivations.take_observation(view)
                {
                    blob_error.get_or_insert(error);
                }
                if let Err(error) = running_values.take_record(record) {
                    blob_error.get_or_insert(error);
                }
                if let Err(error) = schemas.take_record(record) {
                    blob_error.get_or_insert(error);
                }
                let compared =
                    raw_answers.take_record(record, |oracle_id| schemas.may_refuse(oracle_id));
                if let Err(error) = compared {
                    blob_error.get_or_insert(error);
                }
            },
        );
        if let Some(error) = blob_error {
            return Err(error);
        }
        let (replayed, rules_missing) = match replayed {
            Ok(replayed) => (replayed, None),
            Err(
                error @ (LedgerError::ConfigurationMissing { .. }
                | LedgerError::ConfigurationUnreadable { .. }),
            ) => {
                source.rewind().map_err(read_error())?;
                heads.iter_mut().for_each(|head| head.begin_pass());
                let mut see = |record: &VerifiedRecord<'_>| {
                    for head in heads.iter_mut() {
                        head.take_record(&record.entry);
                    }
                };
                let verification =
                    verify_ledger(source, None, &expected.ledger, &mut see).map_err(read_error())?;
                let replayed = ReplayReport {
                    verification,
                    rules: None,
                };
                (replayed, Some(error.to_string()))
            }
            Err(error) => return Err(error),
        };
        Ok(AuditPass {
            replayed,
            rules_missing,
            blobs,
            oracles,
            derivations,
            running_values,
            schemas,
            raw_answers,
        })
    }
}

/// Audits the ledger that is read from `source`. The blobs are those beside `path`, which messages name too.
/// Memory grows with the number of distinct blobs, oracles and derivations.
///
/// # Errors
/// [`FileError::Io`] where the ledger or its blobs cannot be read. A bad ledger is no error but a failed check.
pub fn audit_ledger(
    source: impl Read + Seek,
    path: &Path,
    expected: &AuditExpectations<'_>,
) -> Result<AuditReport, LedgerError> {
    audit_with_heads(source, path, expected, &mut [])
}

/// Audits the ledger as [`audit_ledger`] does, and compares it with heads that were noted outside of it in the same pass.
///
/// # Errors
/// Those of [`audit_ledger`]. A ledger that is not the one of a head is no error but a failed check.
pub fn audit_with_heads(
    mut source: impl Read + Seek,
    path: &Path,
    expected: &AuditExpectations<'_>,
    heads: &mut [Box<dyn HeldHead>],
) -> Result<AuditReport, LedgerError> {
    let read_error = || FileError::from_io(path, "read the ledger");
    let doubt = |pass: &AuditPass| pass.replayed.verification.describe_doubt();
    let pass = look_until_settled(&mut source, doubt, |source| {
        AuditPass::read(source, path, expected, heads)
    })?;
    let AuditPass {
        replayed,
        rules_missing,
        blobs,
        oracles,
        derivations,
        running_values,
        schemas,
        raw_answers,
    } = pass;

    let are_rules_missing = rules_missing.is_some();
    let mut checks = check_decisions(&replayed, rules_missing);
    match &replayed.verification.fault {
        Some(fault) => checks.extend(CHECKS.iter().skip(checks.len()).map(|subject| {
            let finding = format!("the ledger is not good from record {} on", fault.sequence);
            check(subject, CheckResult::NotChecked, finding)
        })),
        None => {
            let manifest = replayed
                .rules
                .as_ref()
                .and_then(|(rules, _)| rules.manifest());
            let found = match &manifest {
                Some(hash) => Some(find_manifest(&BlobStore::of_ledger(path), hash)?),
                None => None,
            };
            checks.push(check_manifest(found.as_ref()));
            checks.push(check_schemas(
                &schemas.summary,
                schemas.list_silent_oracles(),
            ));
            checks.push(check_oracles(
                &oracles,
                are_rules_missing,
                found.as_ref(),
                expected.require_policy,
            ));
            checks.push(check_models(&oracles, expected));
            let report = blobs.finish()?;
            checks.push(check_blobs(&report, &expected.budgets));
            checks.push(check_raw_answers(
                report.bound_answers,
                &raw_answers.summary,
                replayed.verification.replay.unbound_answers(),
                replayed.verification.replay.awaits_raw_answer(),
            ));
            let found = match derivations.is_empty() {
                true => DerivationFindings::default(),
                false => derivations.compare(|see| {
                    source.rewind().map_err(read_error())?;
                    verify_ledger(
                        &mut source,
                        None,
                        &LedgerExpectations::default(),
                        &mut |record| see(record),
                    )
                    .map_err(read_error())?;
                    Ok(())
                })?,
            };
            checks.push(check_derivations(
                &derivations,
                found,
                running_values.summarize(),
            ));
            checks.push(check_end(&replayed));
        }
    }
    let compared = heads.iter().map(|head| {
        let (result, finding) = head.compare(&replayed.verification);
        check(head.subject(), result, finding)
    });
    checks.extend(compared);
    let is_held = heads.iter().any(|head| head.subject() == HELD_HEAD);
    let is_covered =
        |oracle_id: &str| schemas.covers(oracle_id) || running_values.covers(oracle_id);
    let unjudged = oracles
        .by_id()
        .iter()
        .filter(|(oracle_id, o)| o.unjudged_answers > 0 && !is_covered(oracle_id));
    Ok(AuditReport {
        checks,
        not_compared: list_not_compared(&oracles, expected, is_held),
        unjudged_oracles: unjudged
            .map(|(oracle_id, oracle)| UnjudgedOracle {
                oracle_id: oracle_id.clone(),
                answers: oracle.unjudged_answers,
            })
            .collect(),
        verification: replayed.verification,
        rules: replayed.rules,
    })
}
