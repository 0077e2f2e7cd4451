//! The report in the run's directory: written as one step, and looked at while nobody writes it.

use std::fs;
use std::time::SystemTime;

use super::build::{RunExpectations, build_expected_report};
use super::comparison::check_report;
use super::files::{JSON, MARKDOWN};
use super::run_report::RunReport;
use crate::error::X0lError;
use crate::log::{ReportLock, RunDirectory, temporary_name};

/// Replays a run, builds its report and writes that into the run's directory, but not where the run contradicts
/// the report that is there ([`RunReplay::conflicts`](crate::replay::RunReplay::conflicts)). Waits where somebody else
/// judges the run or writes its report.
///
/// # Errors
/// As [`build_report`](super::build_report); [`X0lError::Log`] where the metadata cannot be read, so that there is
/// nothing to report on.
pub fn write_report(run: &RunDirectory) -> Result<RunReport, X0lError> {
    write_expected_report(run, &RunExpectations::default())
}

/// Does the same as [`write_report`] for a run that should be as `expected`: the report is not written where
/// the run is not.
///
/// # Errors
/// As [`write_report`].
pub fn write_expected_report(
    run: &RunDirectory,
    expected: &RunExpectations,
) -> Result<RunReport, X0lError> {
    write_locked_report(run, expected, &ReportLock::take(run)?)
}

/// Does the same as [`write_expected_report`] for a caller that holds the lock already.
///
/// # Errors
/// As [`write_report`].
pub fn write_locked_report(
    run: &RunDirectory,
    expected: &RunExpectations,
    _lock: &ReportLock,
) -> Result<RunReport, X0lError> {
    let report = build_expected_report(run, expected)?;
    if !report.replay.conflicts.is_empty() {
        return Ok(report);
    }
    if report.files.is_empty() {
        run.read_metadata()?;
    }
    // The temporary file of report.json is there first, and until report.json gets its name, which is last. So an
    // interruption shows, also where the writing before was interrupted too.
    let (json, others): (Vec<_>, Vec<_>) = report.files.iter().partition(|file| *file.0 == JSON);
    for (name, bytes) in &json {
        run.replace(&temporary_name(name), bytes)?;
    }
    for (name, bytes) in &others {
        run.write_temporary(name, bytes)?;
    }
    for (name, _) in others.into_iter().chain(json) {
        run.publish(name)?;
    }
    Ok(report)
}

/// Builds the report of a run that should be as `expected`, and compares the one in the run's directory with it. Where
/// somebody writes the report meanwhile, looks again.
///
/// # Errors
/// As [`build_report`](super::build_report).
pub fn build_compared_report(
    run: &RunDirectory,
    expected: &RunExpectations,
) -> Result<RunReport, X0lError> {
    loop {
        let lock = ReportLock::share(run)?;
        let before = list_times(run);
        let mut report = build_expected_report(run, expected)?;
        check_report(run, &mut report)?;
        if lock.is_some() || report.replay.is_good() || list_times(run) == before {
            return Ok(report);
        }
    }
}

/// The lengths and times of what somebody who judges the run writes.
fn list_times(run: &RunDirectory) -> Vec<Option<(u64, Option<SystemTime>)>> {
    let look_at = |name: &str| {
        let metadata = fs::symlink_metadata(run.path().join(name)).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    };
    [RunDirectory::REVIEW, MARKDOWN, JSON].map(look_at).to_vec()
}
