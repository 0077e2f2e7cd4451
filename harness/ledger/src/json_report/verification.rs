//! A verification as JSON, with the comparison of the blobs where it was asked for.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::profile::Profile;
use serde_json::{Value, json};

use crate::audit::blobs::{BlobComparison, BlobList, BlobReport, ListedBlob};
use crate::audit::{AuditBudgets, AuditVerdict};
use crate::encoding::hex;
use crate::error::{FileError, LedgerError, LedgerFault};
use crate::verify::{
    Departure, LedgerExpectations, VerificationReport, look_until_settled, profile_name,
    verify_ledger,
};

/// A verified ledger, and the comparison of its blobs where it was asked for.
pub struct LedgerVerification {
    /// The result of the verification.
    pub verified: VerificationReport,
    /// The blobs compared with the records; `None` where that was not asked for.
    pub blobs: Option<BlobReport>,
}

impl LedgerVerification {
    /// Verifies the ledger that is read from `source`, and again while something writes to it and a fault may come of
    /// that. With `compare_blobs` the blobs beside `path` are compared with the records too.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn read(
        source: &mut (impl Read + Seek),
        path: &Path,
        expected: &LedgerExpectations,
        compare_blobs: bool,
    ) -> Result<LedgerVerification, LedgerError> {
        let fault = |(verified, _): &(VerificationReport, _)| {
            verified.fault.as_ref().map(ToString::to_string)
        };
        let (verified, blobs) = look_until_settled(source, fault, |source| {
            let mut blobs =
                compare_blobs.then(|| BlobComparison::of_ledger(path, &AuditBudgets::default()));
            let verified = verify_ledger(source, None, expected, &mut |record| {
                if let Some(blobs) = &mut blobs {
                    blobs.take_record(record);
                }
            });
            verified.map(|verified| (verified, blobs))
        })
        .map_err(FileError::from_io(path, "read the ledger"))?;
        let mut blobs = blobs.map(BlobComparison::finish).transpose()?;
        if let (Some(blobs), Some(_)) = (&mut blobs, &verified.fault) {
            // Records that were not read may name them.
            blobs.left_behind = BlobList::default();
        }
        Ok(LedgerVerification { verified, blobs })
    }

    /// The verdict: the ledger's own, and of a good ledger that of its blobs.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        let of_blobs = self.blobs.as_ref().map(BlobReport::verdict);
        match (&self.verified.fault, of_blobs) {
            (None, Some(of_blobs @ (AuditVerdict::Failed | AuditVerdict::Incomplete))) => {
                of_blobs.as_str()
            }
            _ => self.verified.verdict().as_str(),
        }
    }

    /// The object of `axilog verify`.
    #[must_use]
    pub fn to_json(&self, path: &Path) -> Value {
        let mut object = json_with_verdict(path, &self.verified, self.verdict());
        if let (Some(blobs), Some(object)) = (&self.blobs, object.as_object_mut()) {
            let unbound = self.verified.replay.unbound_answers();
            object.insert("blobs".to_owned(), blobs_json(blobs, unbound));
        }
        object
    }
}

/// A verification, without blobs, as the other reports have it.
#[must_use]
pub fn verification_json(path: &Path, verified: &VerificationReport) -> Value {
    json_with_verdict(path, verified, verified.verdict().as_str())
}

fn json_with_verdict(path: &Path, verified: &VerificationReport, verdict: &str) -> Value {
    let ledger = verified.replay.ledger();
    let mut object = json!({
        "ledger": path.to_string_lossy(),
        "verdict": verdict,
        "ok": verdict == "OK",
    });
    let mut fields: Vec<(&str, Value)> = match &verified.fault {
        Some(fault) => vec![
            ("sequence", fault.sequence.into()),
            ("offset", fault.offset.into()),
            ("reason", fault.reason.clone().into()),
        ],
        None => vec![
            ("entries", verified.replay.entries().into()),
            ("head", hex(&ledger.head).into()),
            ("sealed", ledger.sealed.into()),
            ("profiles", list_profiles(verified).into()),
        ],
    };
    if verified.deployed.count > 0 {
        fields.push(("deployed", deployed_json(verified)));
    }
    if let Some(object) = object.as_object_mut() {
        object.extend(fields.into_iter().map(|(k, v)| (k.to_owned(), v)));
    }
    object
}

/// The names of the profiles in which observations are written.
#[must_use]
pub fn list_profiles(verified: &VerificationReport) -> Vec<&'static str> {
    let profiles = Profile::ALL.into_iter().zip(verified.profiles);
    profiles
        .filter(|(_, seen)| *seen)
        .map(|(profile, _)| profile_name(profile))
        .collect()
}

/// The records that deployed code wrote and SRS-004 or this library does not have.
pub(super) fn deployed_json(verified: &VerificationReport) -> Value {
    let deployed = &verified.deployed;
    let departure = |(departure, records): (&Departure, &u64)| {
        json!({
            "what": departure.describe(),
            "forbidden_by": departure.forbidden_by(),
            "records": records,
        })
    };
    json!({
        "records": deployed.count,
        "forbidden": deployed.forbidden,
        "first": deployed.first,
        "profiles": list_profiles(verified),
        "departures": deployed.departures.iter().map(departure).collect::<Vec<_>>(),
        "chain": verified.chain_behind.as_ref().map(|chain| json!({
            "entries": chain.entries,
            "head": hex(&chain.head),
            "fault": chain.fault.as_ref().map(fault_json),
        })),
    })
}

/// A ledger's fault.
pub(super) fn fault_json(fault: &LedgerFault) -> Value {
    json!({
        "verdict": fault.verdict.as_str(),
        "sequence": fault.sequence,
        "offset": fault.offset,
        "reason": fault.reason,
    })
}

/// What was found of the blobs. `unbound` is the number of raw answers that no record binds.
fn blobs_json(blobs: &BlobReport, unbound: u64) -> Value {
    let path = |blob: &ListedBlob| blob.path.to_string_lossy().into_owned();
    let paths = |list: &BlobList| list.named.iter().map(path).collect::<Vec<_>>();
    let missing = |blob: &ListedBlob| json!({"ledger_seq": blob.ledger_seq, "path": path(blob)});
    json!({
        "checked": blobs.recomputed,
        "missing_count": blobs.missing.count,
        "missing": blobs.missing.named.iter().map(missing).collect::<Vec<_>>(),
        "altered_count": blobs.damaged.count,
        "altered": paths(&blobs.damaged),
        "unread_count": blobs.unread.count,
        "unread": paths(&blobs.unread),
        "unreferenced_count": blobs.left_behind.count,
        "unreferenced": paths(&blobs.left_behind),
        "bound_answers": blobs.bound_answers,
        "unbound_answers": unbound,
    })
}
