//! What a ledger's manifest declares, and whether an oracle's answers are taken because of it.
//!
//! SRS-004 §11.1 (SHALL-013); formats.md §5 (Manifest).

use std::path::Path;

use crate::error::LedgerError;
use crate::manifest::Manifest;
use crate::rules::RuleSet;
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
