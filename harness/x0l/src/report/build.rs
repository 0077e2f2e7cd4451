//! A run replayed, and its report built.

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;

use super::comparison::find_conflicts;
use super::files::{DECISIONS, JSON, MARKDOWN, TOKENS, list_temporary_names};
use super::run_report::{RunReport, rebuild};
use crate::error::X0lError;
use crate::log::RunDirectory;
use crate::metrics::Metrics;
use crate::replay::{CycleId, ReplayFinding, RunReplay, files, replay_run};
use crate::review::{Review, read_review};

/// What the caller knows of a run from elsewhere, where the writer of the directory cannot change it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunExpectations {
    /// The head of the run's ledger.
    pub head: Option<Hash>,
    /// The head of the review.
    pub review_head: Option<Hash>,
}

/// Replays a run and builds its report, without writing it.
///
/// # Errors
/// As [`replay_run`].
pub fn build_report(run: &RunDirectory) -> Result<RunReport, X0lError> {
    build_expected_report(run, &RunExpectations::default())
}

/// Replays a run that should be as `expected`, and builds its report, without writing it. What is not as
/// expected is among [`RunReplay::conflicts`].
///
/// # Errors
/// As [`replay_run`].
pub fn build_expected_report(
    run: &RunDirectory,
    expected: &RunExpectations,
) -> Result<RunReport, X0lError> {
    let mut metrics = Metrics::default();
    let mut replay = replay_run(run, &mut |cycle| metrics.add_cycle(cycle))?;
    let reviewable = list_reviewable_cycles(&metrics);
    let review = read_review(run, &reviewable, &mut replay)?;
    check_heads(expected, &review, &mut replay);
    remove_other_files(run, &review, &mut replay)?;
    let mut report = rebuild(run, replay, metrics, review);
    let conflicts = find_conflicts(run, &report)?;
    if !conflicts.is_empty() {
        for conflict in conflicts {
            report.replay.add_conflict(conflict);
        }
        (report.closure, report.reasons) = report.judge(&report.review);
    }
    Ok(report)
}

/// Compares the heads of the run's ledger and of its review with those that the caller expects.
fn check_heads(expected: &RunExpectations, review: &Review, replay: &mut RunReplay) {
    let (head, review_head) = (
        Some(replay.head),
        (review.entries > 0).then_some(review.head),
    );
    for (file, found, expected) in [
        (RunDirectory::LEDGER, head, expected.head),
        (RunDirectory::REVIEW, review_head, expected.review_head),
    ] {
        if let Some(expected) = expected.filter(|expected| found != Some(*expected)) {
            let found = found.map_or("none".to_owned(), |found| hex(&found));
            let finding = ReplayFinding::new(file, "the head", found, hex(&expected));
            replay.add_conflict(finding);
        }
    }
}

/// Takes the files of the review and of the report from the files that belong to no part of the run, and
/// adds a finding for each that is left.
fn remove_other_files(
    run: &RunDirectory,
    review: &Review,
    replay: &mut RunReplay,
) -> Result<(), X0lError> {
    let path = run.review();
    // What is wrong with the review itself was found as it was read.
    replay.others.remove(RunDirectory::REVIEW);
    if review.entries > 0 {
        files::check_blobs(run, &path, &review.named, &mut replay.findings)?;
        for name in files::blob_names(run, &path, &review.named) {
            replay.others.remove(&name);
        }
    }
    for name in [JSON, MARKDOWN, DECISIONS, TOKENS] {
        replay.others.remove(name);
    }
    for name in list_temporary_names(run) {
        replay.others.remove(&name);
    }
    for name in std::mem::take(&mut replay.others) {
        if files::is_left_by_reviewer(&name) {
            let note = format!("{name}: left behind; it counts for nothing");
            replay.notes.push(note);
            continue;
        }
        let expected = "no file but those of a run";
        let finding = ReplayFinding::new(name, "", "a file", expected);
        replay.findings.push(finding);
    }
    Ok(())
}

/// Lists the cycles that a person may judge: Type III refusals, and actions on injections.
#[must_use]
pub fn list_reviewable_cycles(metrics: &Metrics) -> Vec<CycleId> {
    let mut cycles = metrics.type_iii();
    cycles.extend(&metrics.acted_on_injections);
    cycles.sort_by_key(|cycle| cycle.number);
    cycles
}
