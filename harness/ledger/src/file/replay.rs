//! Replay of a ledger file under the rules that it names.
//!
//! formats.md §6 (Replay); SRS-004 §13. Determinism: D2.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::replay::Verdict;
use axilog_policyc::PolicySet;

use super::verify::{Checked, Expected, See, check};
use super::{blobs::Blobs, hex};
use crate::error::{Fault, FileError, LedgerError};
use crate::rules::{self, Choice, Reset, RuleSet, Source};

/// A replayed ledger.
pub struct Replayed {
    /// What was found.
    pub checked: Checked,
    /// The rules it was replayed under and where they came from; `None` where they could not be
    /// had and `checked` is of a verification.
    pub rules: Option<(RuleSet, Source)>,
}

/// Replays the ledger that `source` gives, under the rules that it names (see [`rules::choose`]).
/// `path` is for messages.
///
/// # Errors
/// [`FileError::Io`]; [`LedgerError::ConfigurationMissing`] and [`LedgerError::ConfigurationUnreadable`] where the
/// ledger is good but its rules cannot be had. Rules that are not the ledger's are a fault.
pub fn replay(
    mut source: impl Read + Seek,
    path: &Path,
    policies: Option<&PolicySet>,
    expected: &Expected,
    see: See<'_>,
) -> Result<Replayed, LedgerError> {
    let failed = || FileError::at(path, "read the ledger");
    let blobs = Blobs::beside(path);
    source.rewind().map_err(failed())?;
    let reset = rules::first_reset(&mut source).map_err(failed())?;
    source.rewind().map_err(failed())?;
    let choice = rules::choose(reset.as_ref(), &blobs, policies);
    if let Ok(Choice::Use(rules, origin)) = choice {
        let checked = check(source, Some(&rules.rules()), expected, see).map_err(failed())?;
        return Ok(Replayed {
            checked,
            rules: Some((rules, origin)),
        });
    }

    // What is wrong with the ledger itself matters more than its rules.
    let mut checked = check(source, None, expected, see).map_err(failed())?;
    let others = matches!(choice, Ok(Choice::CallerDiffers | Choice::BlobDiffers));
    // A torn line ends a ledger that is good without it, which needs its rules all the same.
    let comes_first = |fault: &Fault| match others {
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
        Choice::BlobDiffers => format!("the bytes of {} are others", blobs.path(&hash).display()),
        _ => "the policies given are others".to_owned(),
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
