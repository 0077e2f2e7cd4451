//! Replaying one ledger, and the report on it: for `axilog replay`, with and without --what-if.

use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::replay::{ReplayReport, replay_ledger};
use axilog_ledger::verify::LedgerExpectations;
use axilog_policyc::PolicySet;
use serde_json::Value;

use super::output::Report;
use super::{Failure, progress, table, verify};

/// Replays the ledger at `path`, which must be a regular file: it is read twice.
pub(crate) fn replay_file(
    path: &Path,
    policies: Option<&PolicySet>,
    expected: &LedgerExpectations,
) -> Result<ReplayReport, Failure> {
    let ledger = progress::open(path)?;
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(FileError::NotARegularFile(path.to_owned()).into());
    }
    Ok(replay_ledger(
        ledger,
        path,
        policies,
        expected,
        &mut |_| {},
    )?)
}

/// The report on a replayed ledger.
pub(crate) fn replay_report(path: &Path, replayed: &ReplayReport) -> Report {
    let mut report = verify::report(path, &replayed.verification);
    let (Some((rules, source)), true) = (&replayed.rules, report.passed) else {
        return report;
    };
    // A ledger of which nothing was decided has no agent yet.
    let Ok((agent, step)) = replayed.verification.replay.resume() else {
        return report;
    };
    let configuration = hex(&rules.hash());
    report.text.push_str(&table::format_pairs(&[
        (
            "state",
            format!("{}, {} faults", agent.health.as_str(), agent.fault_count),
        ),
        ("time", agent.last_timestamp.to_string()),
        ("rules", format!("{configuration} ({})", source.as_str())),
    ]));
    if step.is_some() {
        report.notes.push(format!(
            "{}: the last step was interrupted; the next observation completes it",
            path.display()
        ));
    }
    let fields: [(&str, Value); 6] = [
        ("health", agent.health.as_str().into()),
        ("fault_count", agent.fault_count.into()),
        ("last_timestamp", agent.last_timestamp.into()),
        ("configuration", configuration.into()),
        ("configuration_source", source.as_str().into()),
        ("interrupted", step.is_some().into()),
    ];
    if let Some(object) = report.json.as_object_mut() {
        object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    }
    report
}
