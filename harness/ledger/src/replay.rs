//! Replay of a ledger file: verification, and every decision made again under the ledger's own rules.
//!
//! formats.md §6 (Replay); SRS-004 §13. Determinism: D2.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::replay::Verdict;

use crate::encoding::hex;
use crate::error::{FileError, LedgerError, LedgerFault};
use crate::file::blobs::BlobStore;
use crate::rules::{
    self, ExpectedRules, FirstReset, RuleSet, RuleSwitches, RulesChoice, RulesSource,
};
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
    expected_rules: ExpectedRules<'_>,
    expected: &LedgerExpectations,
    see: RecordVisitor<'_>,
) -> Result<ReplayReport, LedgerError> {
    replay_by(&mut source, path, expected_rules, |source, rules| {
        let read_error = || FileError::from_io(path, "read the ledger");
        source.rewind().map_err(read_error())?;
        Ok(verify_ledger(source, rules, expected, see).map_err(read_error())?)
    })
}

/// Replays the ledger as [`replay_ledger`] does, with `verify` for the verification under the rules that were found, or
/// without any.
pub(crate) fn replay_by<S: Read + Seek, E: From<LedgerError>>(
    source: &mut S,
    path: &Path,
    expected_rules: ExpectedRules<'_>,
    verify: impl FnOnce(&mut S, Option<&RuleSet>) -> Result<VerificationReport, E>,
) -> Result<ReplayReport, E> {
    let blobs = BlobStore::of_ledger(path);
    let reset = find_reset(source, path)?;
    let choice = rules::choose_rules(reset.as_ref(), &blobs, expected_rules);
    if let Ok(RulesChoice::Use(rules, origin)) = choice {
        let checked = verify(source, Some(&rules))?;
        return Ok(ReplayReport {
            verification: checked,
            rules: Some((rules, origin)),
        });
    }

    // A fault of the ledger itself matters more than one of its rules.
    let mut checked = verify(source, None)?;
    let rules_differ = matches!(
        choice,
        Ok(RulesChoice::CallerDiffers
            | RulesChoice::CallerUnproven
            | RulesChoice::SwitchesDiffer(_)
            | RulesChoice::BlobDiffers)
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
            }
            .into());
        }
        RulesChoice::BlobDiffers => format!("{} holds other bytes", blobs.path(&hash).display()),
        RulesChoice::SwitchesDiffer(found) => format!(
            "its policies are the expected ones, its switches are not: it has {}, expected {}",
            describe_switches(found),
            describe_switches(expected_rules.switches.unwrap_or_default())
        ),
        RulesChoice::CallerUnproven => "the given policies do not give it by themselves, and without its file nobody can tell whether they are different ones or a manifest belongs to it too".to_owned(),
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

/// The rules under which [`replay_ledger`] replays; `None` where it finds none, and only verifies.
pub(crate) fn find_rules(
    source: &mut (impl Read + Seek),
    path: &Path,
    expected_rules: ExpectedRules<'_>,
) -> Result<Option<RuleSet>, LedgerError> {
    let reset = find_reset(source, path)?;
    let blobs = BlobStore::of_ledger(path);
    Ok(
        match rules::choose_rules(reset.as_ref(), &blobs, expected_rules) {
            Ok(RulesChoice::Use(rules, _)) => Some(rules),
            _ => None,
        },
    )
}

fn find_reset(
    source: &mut (impl Read + Seek),
    path: &Path,
) -> Result<Option<FirstReset>, LedgerError> {
    let read_error = || FileError::from_io(path, "read the ledger");
    source.rewind().map_err(read_error())?;
    Ok(rules::find_first_reset(source).map_err(read_error())?)
}

/// Replays the ledger as [`replay_ledger`] does if it has anything to replay: decisions, or inputs of the
/// agent. A ledger that only records answers is verified, and [`ReplayReport::rules`] is `None`.
///
/// # Errors
/// Those of [`replay_ledger`].
pub fn replay_decisions(
    mut source: impl Read + Seek,
    path: &Path,
    expected_rules: ExpectedRules<'_>,
    expected: &LedgerExpectations,
    see: RecordVisitor<'_>,
) -> Result<ReplayReport, LedgerError> {
    let read_error = || FileError::from_io(path, "read the ledger");
    source.rewind().map_err(read_error())?;
    let decided = rules::holds_decisions(&mut source).map_err(read_error())?;
    if decided {
        return replay_ledger(source, path, expected_rules, expected, see);
    }
    source.rewind().map_err(read_error())?;
    let verification = verify_ledger(source, None, expected, see).map_err(read_error())?;
    Ok(ReplayReport {
        verification,
        rules: None,
    })
}

/// Describes the switches by the options that set them.
#[must_use]
pub fn describe_switches(switches: RuleSwitches) -> &'static str {
    match (switches.permit_truncated, switches.stop_on_invalid) {
        (false, false) => "neither permit_truncated nor stop_on_invalid",
        (true, false) => "permit_truncated only",
        (false, true) => "stop_on_invalid only",
        (true, true) => "permit_truncated and stop_on_invalid",
    }
}
