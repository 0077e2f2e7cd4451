//! Replay of a ledger file: verification, and every decision made again under the ledger's own rules.
//!
//! formats.md §6 (Replay); SRS-004 §13. Determinism: D2.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::replay::Verdict;
use axilog_policyc::PolicySet;

use crate::encoding::hex;
use crate::error::{FileError, LedgerError, LedgerFault};
use crate::file::blobs::BlobStore;
use crate::rules::{self, FirstReset, RuleSet, RulesChoice, RulesSource};
use crate::verify::{LedgerExpectations, RecordVisitor, VerificationReport, verify_ledger};

/// The result of a replay.
pub struct ReplayReport {
    /// The result of the verification that the replay includes.
    pub verification: VerificationReport,
    /// The rules of the replay and where they came from. `None` where the rules could not be found, and the
    /// ledger was verified only.
    pub rules: Option<(RuleSet, RulesSource)>,
}

/// Replays the ledger that is read from `source`, under the rules that it names (see [`rules::choose_rules`]).
/// The blobs are those beside `path`, which messages name too. Calls `see` with each good record.
///
/// # Errors
/// [`FileError::Io`]; [`LedgerError::ConfigurationMissing`] and [`LedgerError::ConfigurationUnreadable`] where
/// the ledger is good but its rules cannot be read. Rules that are not the ledger's are a fault.
pub fn replay_ledger(
    mut source: impl Read + Seek,
    path: &Path,
    policies: Option<&PolicySet>,
    expected: &LedgerExpectations,
    see: RecordVisitor<'_>,
) -> Result<ReplayReport, LedgerError> {
    let read_error = || FileError::from_io(path, "read the ledger");
    let blobs = BlobStore::of_ledger(path);
    source.rewind().map_err(read_error())?;
    let reset = rules::find_first_reset(&mut source).map_err(read_error())?;
    source.rewind().map_err(read_error())?;
    let choice = rules::choose_rules(reset.as_ref(), &blobs, policies);
    if let Ok(RulesChoice::Use(rules, origin)) = choice {
        let checked =
            verify_ledger(source, Some(&rules.rules()), expected, see).map_err(read_error())?;
        return Ok(ReplayReport {
            verification: checked,
            rules: Some((rules, origin)),
        });
    }

    // A fault of the ledger itself matters more than one of its rules.
    let mut checked = verify_ledger(source, None, expected, see).map_err(read_error())?;
    let rules_differ = matches!(
        choice,
        Ok(RulesChoice::CallerDiffers | RulesChoice::BlobDiffers)
    );
    // A ledger with a torn last line is good without it, so its rules matter nevertheless.
    let comes_first = |fault: &LedgerFault| match rules_differ {
        true => reset.is_none_or(|reset| fault.sequence <= reset.sequence),
        false => fault.verdict != Verdict::Torn,
    };
    if checked.fault.as_ref().is_some_and(comes_first) {
        return Ok(ReplayReport {
            verification: checked,
            rules: None,
        });
    }
    let hash = reset.map(|r| r.configuration).unwrap_or_default();
    let reason = match choice? {
        RulesChoice::Missing => {
            return Err(LedgerError::ConfigurationMissing {
                path: path.to_owned(),
                hash: hex(&hash),
                blob: blobs.path(&hash),
            });
        }
        RulesChoice::BlobDiffers => format!("{} holds other bytes", blobs.path(&hash).display()),
        _ => "the given policies are different ones".to_owned(),
    };
    let FirstReset {
        sequence, offset, ..
    } = reset.unwrap_or(FirstReset {
        configuration: hash,
        sequence: 0,
        offset: 0,
    });
    checked.fault = Some(LedgerFault {
        verdict: Verdict::ConfigMismatch,
        sequence,
        offset,
        reason: format!(
            "the ledger was made under the configuration {}; {reason}",
            hex(&hash)
        ),
    });
    Ok(ReplayReport {
        verification: checked,
        rules: None,
    })
}
