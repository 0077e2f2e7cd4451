//! The name that a ledger has: its manifest's, to which the ledger is bound from its first reset on.

use std::io::{Read, Seek};
use std::path::Path;

use axilog_ledger::error::FileError;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::manifest::{FoundManifest, find_manifest};
use axilog_ledger::rules::{ExpectedRules, RulesChoice, choose_rules, find_first_reset};

use crate::error::HeadsError;

/// Finds the name of the ledger that is read from `source`; `None` where it was begun without one. The blobs are those
/// beside `ledger`.
///
/// # Errors
/// [`HeadsError::NameUnknown`] where the ledger may have a name that cannot be read; [`FileError::Io`].
pub fn find_ledger_name(
    source: &mut (impl Read + Seek),
    ledger: &Path,
) -> Result<Option<String>, HeadsError> {
    let read_error = || FileError::from_io(ledger, "read the ledger");
    source.rewind().map_err(read_error())?;
    let reset = find_first_reset(&mut *source).map_err(read_error())?;
    source.rewind().map_err(read_error())?;
    let Some(reset) = reset else {
        return Ok(None);
    };
    let blobs = BlobStore::of_ledger(ledger);
    let unknown = |what: &'static str, hash, reason: String| HeadsError::NameUnknown {
        ledger: ledger.to_owned(),
        what,
        blob: blobs.path(hash),
        reason,
    };
    let configuration = &reset.configuration;
    let rules = match choose_rules(Some(&reset), &blobs, ExpectedRules::default())? {
        RulesChoice::Use(rules, _) => rules,
        RulesChoice::BlobDiffers => {
            let reason = "holds other bytes".to_owned();
            return Err(unknown("configuration", configuration, reason));
        }
        _ => {
            let reason = "is missing".to_owned();
            return Err(unknown("configuration", configuration, reason));
        }
    };
    let Some(hash) = rules.manifest() else {
        return Ok(None);
    };
    match find_manifest(&blobs, &hash)? {
        FoundManifest::Good(manifest) => Ok(manifest.name().map(str::to_owned)),
        FoundManifest::Missing => Err(unknown("manifest", &hash, "is missing".to_owned())),
        FoundManifest::Bad(reason) => {
            let reason = format!("is not the one named: {reason}");
            Err(unknown("manifest", &hash, reason))
        }
    }
}
