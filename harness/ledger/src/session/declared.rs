//! What a ledger's manifest declares, and whether an oracle's answers are taken because of it.
//!
//! SRS-004 §11.1 (SHALL-013); formats.md §5 (Manifest).

use std::path::Path;

use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::manifest::{FoundManifest, Manifest, find_manifest};
use crate::rules::RuleSet;
use crate::running_values::RunningValues;
use crate::schema::DeclaredSchemas;
use crate::visible_text::escape_identity;

/// The most declared oracles that a refusal names.
const MAX_NAMED_ORACLES: usize = 8;

/// What a ledger's manifest declares.
#[derive(Default)]
pub(super) struct Declarations {
    pub(super) manifest: Manifest,
    pub(super) schemas: DeclaredSchemas,
}

/// Reads what the manifest of the ledger `path` declares, which its rules name.
///
/// # Errors
/// [`LedgerError::SchemasUnusable`] for a manifest or schema that is missing or bad; those of [`BlobStore::read`].
pub(super) fn read_declarations(path: &Path, rules: &RuleSet) -> Result<Declarations, LedgerError> {
    let Some(hash) = rules.manifest() else {
        return Ok(Declarations::default());
    };
    let blobs = BlobStore::of_ledger(path);
    let unusable = |reason: String| LedgerError::SchemasUnusable {
        path: path.to_owned(),
        reason,
    };
    match find_manifest(&blobs, &hash)? {
        FoundManifest::Good(manifest) => match DeclaredSchemas::load(&manifest, &blobs)? {
            Ok(schemas) => Ok(Declarations { manifest, schemas }),
            Err(error) => Err(unusable(error.to_string())),
        },
        FoundManifest::Missing => Err(unusable(format!(
            "the manifest that its configuration names is missing: there is no file {}, and what it declares is not known",
            blobs.path(&hash).display()
        ))),
        FoundManifest::Bad(reason) => Err(unusable(format!("its manifest is bad: {reason}"))),
    }
}

/// Reads which running values the manifest of the ledger `path` declares, which its rules name; none where the manifest
/// is missing or bad, since the ledger takes no answer then.
///
/// # Errors
/// Those of [`BlobStore::read`].
pub(super) fn read_running_values(
    path: &Path,
    rules: &RuleSet,
) -> Result<RunningValues, LedgerError> {
    let Some(hash) = rules.manifest() else {
        return Ok(RunningValues::default());
    };
    match find_manifest(&BlobStore::of_ledger(path), &hash)? {
        FoundManifest::Good(manifest) => Ok(manifest.running_values().clone()),
        FoundManifest::Missing | FoundManifest::Bad(_) => Ok(RunningValues::default()),
    }
}

/// Reads the schemas that the ledger `path` declares, whose rules are `rules`.
///
/// # Errors
/// [`LedgerError::SchemasUnusable`] for a manifest or schema that is missing or bad; those of [`BlobStore::read`].
pub fn read_declared_schemas(path: &Path, rules: &RuleSet) -> Result<DeclaredSchemas, LedgerError> {
    Ok(read_declarations(path, rules)?.schemas)
}

/// Checks that a ledger with this manifest, under these rules, takes answers of an oracle.
///
/// # Errors
/// [`LedgerError::UndeclaredOracle`], [`LedgerError::UnjudgedOracle`].
pub(super) fn check_oracle(
    path: &Path,
    manifest: &Manifest,
    rules: &RuleSet,
    oracle_id: &str,
) -> Result<(), LedgerError> {
    if let Some(oracles) = manifest.oracles()
        && !oracles.contains(oracle_id)
    {
        let named: Vec<String> = oracles
            .iter()
            .take(MAX_NAMED_ORACLES)
            .map(|id| format!("\"{}\"", escape_identity(id)))
            .collect();
        let rest = match oracles.len().saturating_sub(named.len()) {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        return Err(LedgerError::UndeclaredOracle {
            path: path.to_owned(),
            oracle: oracle_id.to_owned(),
            declared: named.join(", ") + &rest,
        });
    }
    if manifest.requires_policy() && !rules.judge(oracle_id) {
        return Err(LedgerError::UnjudgedOracle {
            path: path.to_owned(),
            oracle: oracle_id.to_owned(),
        });
    }
    Ok(())
}
