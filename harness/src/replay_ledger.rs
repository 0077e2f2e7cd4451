//! Replaying one ledger, and the report on it: for `axilog replay`, with and without --what-if.

use std::io::{Read, Seek};
use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::json_report::replay::replay_json;
use axilog_ledger::replay::{ReplayReport, describe_switches, replay_decisions, replay_ledger};
use axilog_ledger::rules::ExpectedRules;
use axilog_ledger::verify::{LedgerExpectations, RecordVisitor};

use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::progress;
use crate::output::table;
use crate::output::verification::report_verification;

/// Replays the ledger at `path`, which must be a regular file: it is read twice.
pub(crate) fn replay_file(
    path: &Path,
    expected_rules: ExpectedRules<'_>,
    expected: &LedgerExpectations,
) -> Result<ReplayReport, Failure> {
    let ledger = open_regular_file(path)?;
    Ok(replay_ledger(
        ledger,
        path,
        expected_rules,
        expected,
        &mut |_| {},
    )?)
}

/// Replays the ledger at `path` as [`replay_file`] does, or verifies it where it holds no decision. Calls
/// `see` with each good record.
pub(crate) fn replay_decisions_of(
    path: &Path,
    expected_rules: ExpectedRules<'_>,
    see: RecordVisitor<'_>,
) -> Result<ReplayReport, Failure> {
    let ledger = open_regular_file(path)?;
    let expected = LedgerExpectations::default();
    Ok(replay_decisions(
        ledger,
        path,
        expected_rules,
        &expected,
        see,
    )?)
}

/// What a command says of a ledger's decisions: that they were replayed, or that there are none.
pub(crate) fn describe_decisions(replayed: &ReplayReport) -> &'static str {
    match replayed.rules {
        Some(_) => "replayed",
        None => "none are recorded",
    }
}

/// Whether a ledger could not be replayed because its rules cannot be had.
pub(crate) fn lacks_rules(error: &CommandError) -> bool {
    use LedgerError::{ConfigurationMissing, ConfigurationUnreadable};
    matches!(
        error,
        CommandError::Ledger(ConfigurationMissing { .. } | ConfigurationUnreadable { .. })
    )
}

/// Opens a ledger that is read more than once, with a bar on a terminal.
pub(crate) fn open_regular_file(path: &Path) -> Result<impl Read + Seek, Failure> {
    let ledger = progress::open(path)?;
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(FileError::NotARegularFile(path.to_owned()).into());
    }
    Ok(ledger)
}

/// The report on a replayed ledger.
pub(crate) fn replay_report(path: &Path, replayed: &ReplayReport) -> Report {
    let mut report = report_verification(path, &replayed.verification);
    report.json = replay_json(path, replayed);
    let (Some((rules, source)), true) = (&replayed.rules, report.passed) else {
        return report;
    };
    // A ledger of which nothing was decided has no agent yet.
    let Ok((agent, step)) = replayed.verification.replay.resume() else {
        return report;
    };
    report.text.push_str(&table::format_pairs(&[
        (
            "state",
            format!("{}, {} faults", agent.health.as_str(), agent.fault_count),
        ),
        ("time", agent.last_timestamp.to_string()),
        (
            "rules",
            format!("{} ({})", hex(&rules.hash()), source.as_str()),
        ),
        ("switches", describe_switches(rules.switches()).to_owned()),
    ]));
    if step.is_some() {
        report.notes.push(format!(
            "{}: the last step was interrupted; the next observation completes it",
            path.display()
        ));
    }
    report
}
