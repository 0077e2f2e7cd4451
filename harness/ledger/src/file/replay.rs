//! Replay of a ledger file: verification, and every decision made again under the ledger's own rules.
//!
//! formats.md §6 (Replay); SRS-004 §13. Determinism: D2.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::replay::Verdict;
use axilog_policyc::PolicySet;

use super::blobs::Blobs;
use super::verify::{Checked, Expected, See, check};
use crate::encoding::hex;
use crate::error::{Fault, FileError, LedgerError};
use crate::rules::{self, Choice, Reset, RuleSet, Source};

/// The result of a replay.
pub struct Replayed {
    /// The result of the verification that the replay includes.
    pub checked: Checked,
    /// The rules of the replay and where they came from. `None` where the rules could not be found, and the
    /// ledger was verified only.
    pub rules: Option<(RuleSet, Source)>,
}

/// Replays the ledger that is read from `source`, under the rules that it names (see [`rules::choose`]).
/// The blobs are those beside `path`, which messages name too. Calls `see` with each good record.
///
/// # Errors
/// [`FileError::Io`]; [`LedgerError::ConfigurationMissing`] and [`LedgerError::ConfigurationUnreadable`] where
/// the ledger is good but its rules cannot be read. Rules that are not the ledger's are a fault.
pub fn replay(
    mut source: impl Read + Seek,
    path: &Path,
    policies: Option<&PolicySet>,
    expected: &Expected,
    see: See<'_>,
) -> Result<Replayed, LedgerError> {
    let read_error = || FileError::at(path, "read the ledger");
    let blobs = Blobs::beside(path);
    source.rewind().map_err(read_error())?;
    let reset = rules::first_reset(&mut source).map_err(read_error())?;
    source.rewind().map_err(read_error())?;
    let choice = rules::choose(reset.as_ref(), &blobs, policies);
    if let Ok(Choice::Use(rules, origin)) = choice {
        let checked = check(source, Some(&rules.rules()), expected, see).map_err(read_error())?;
        return Ok(Replayed {
            checked,
            rules: Some((rules, origin)),
        });
    }

    // A fault of the ledger itself matters more than one of its rules.
    let mut checked = check(source, None, expected, see).map_err(read_error())?;
    let rules_differ = matches!(choice, Ok(Choice::CallerDiffers | Choice::BlobDiffers));
    // A ledger with a torn last line is good without it, so its rules matter nevertheless.
    let comes_first = |fault: &Fault| match rules_differ {
        true => reset.is_none_or(|reset| fault.sequence <= reset.sequence),
        false => fault.verdict != Verdict::Torn,
    };
    if checked.fault.as_ref().is_some_and(comes_first) {
        return Ok(Replayed {
            checked,
            rules: None,
        });
    }
    let hash = reset.map(|r| r.configuration).unwrap_or_default();
    let reason = match choice? {
        Choice::Missing => {
            return Err(LedgerError::ConfigurationMissing {
                path: path.to_owned(),
                hash: hex(&hash),
                blob: blobs.path(&hash),
            });
        }
        Choice::BlobDiffers => format!("{} holds other bytes", blobs.path(&hash).display()),
        _ => "the given policies are different ones".to_owned(),
    };
    let Reset {
        sequence, offset, ..
    } = reset.unwrap_or(Reset {
        configuration: hash,
        sequence: 0,
        offset: 0,
    });
    checked.fault = Some(Fault {
        verdict: Verdict::ConfigMismatch,
        sequence,
        offset,
        reason: format!(
            "the ledger was made under the configuration {}; {reason}",
            hex(&hash)
        ),
    });
    Ok(Replayed {
        checked,
        rules: None,
    })
}
