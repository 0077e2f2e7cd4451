//! An audit as JSON.

use std::path::Path;

use serde_json::{Value, json};

use super::verification::{deployed_json, fault_json};
use crate::audit::{AuditCheck, AuditReport, AuditVerdict, UnjudgedOracle};
use crate::encoding::hex;

/// The object of `axilog audit`.
#[must_use]
pub fn audit_json(path: &Path, audited: &AuditReport) -> Value {
    let check = |check: &AuditCheck| {
        json!({
            "subject": check.subject,
            "result": check.result.as_str(),
            "finding": check.finding,
            "details": check.details,
        })
    };
    let oracle =
        |oracle: &UnjudgedOracle| json!({"oracle_id": oracle.oracle_id, "answers": oracle.answers});
    let verification = &audited.verification;
    let good = verification.fault.is_none();
    let ledger = verification.replay.ledger();
    let mut object = json!({
        "ledger": path.to_string_lossy(),
        "verdict": audited.verdict().as_str(),
        "ok": audited.verdict() == AuditVerdict::Ok,
        "entries": good.then(|| verification.replay.entries()),
        "head": good.then(|| hex(&ledger.head)),
        "sealed": good.then_some(ledger.sealed),
        "fault": verification.fault.as_ref().map(fault_json),
        "checks": audited.checks.iter().map(check).collect::<Vec<_>>(),
        "not_compared": audited.not_compared,
        "unjudged_oracles": audited.unjudged_oracles.iter().map(oracle).collect::<Vec<_>>(),
    });
    if verification.deployed.count > 0
        && let Some(object) = object.as_object_mut()
    {
        object.insert("deployed".to_owned(), deployed_json(verification));
    }
    object
}
