//! What the command says of a verified ledger.

use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_ledger::json_report::verification::{list_profiles, verification_json};
use axilog_ledger::verify::VerificationReport;

use super::{Report, table};

/// The report on a verified ledger.
pub(crate) fn report_verification(path: &Path, verified: &VerificationReport) -> Report {
    Report {
        passed: verified.fault.is_none(),
        text: describe_verification(path, verified, verified.verdict().as_str()),
        json: verification_json(path, verified),
        notes: Vec::new(),
    }
}

/// Describes what verification found, under `verdict`.
pub(crate) fn describe_verification(
    path: &Path,
    verified: &VerificationReport,
    verdict: &str,
) -> String {
    let mut rows = vec![(verdict, path.display().to_string())];
    match &verified.fault {
        Some(fault) => {
            let place = format!("record {} at byte {}", fault.sequence, fault.offset);
            rows.push(("where", place));
            rows.push(("why", fault.reason.clone()));
        }
        None => {
            let ledger = verified.replay.ledger();
            let entries = verified.replay.entries();
            let profiles = list_profiles(verified);
            let sealed = if ledger.sealed { ", sealed" } else { "" };
            rows.push(("records", format!("{entries}{sealed}")));
            rows.push(("head", hex(&ledger.head)));
            if !profiles.is_empty() {
                rows.push(("profiles", profiles.join(", ")));
            }
        }
    }
    rows.extend(verified.describe_deployed());
    table::format_pairs(&rows)
}
