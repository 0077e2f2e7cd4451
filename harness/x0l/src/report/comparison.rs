//! The report in the run's directory, compared with the one that the run gives.
//!
//! A judgement is recorded before the report of it is written, and the program may be killed at any time. So a report
//! may be behind the review, and `report.md`, which gets its name just before `report.json`, ahead of that. Each is
//! compared with what the run gave under the review of its time; no other difference is explained so.

use std::collections::BTreeMap;

use super::earlier::find_contradictions;
use super::files::{FORMAT, JSON, MARKDOWN, is_interrupted};
use super::markdown::REVIEW_HEAD;
use super::run_report::RunReport;
use crate::error::X0lError;
use crate::log::RunDirectory;
use crate::log::noted_report::{NotedReport, read_optional_file};
use crate::replay::ReplayFinding;

/// Finds where the report in the run's directory contradicts the run, whose report is `rebuilt`.
pub(super) fn find_conflicts(
    run: &RunDirectory,
    rebuilt: &RunReport,
) -> Result<Vec<ReplayFinding>, X0lError> {
    let earlier = NotedReport::read(run)?;
    let comparison = ReportComparison::new(rebuilt, &earlier);
    let Some(json) = comparison.files.get(JSON) else {
        return Ok(Vec::new());
    };
    // The bytes are those of a value, so that they hold one.
    let value = serde_json::from_slice(json).unwrap_or_default();
    let mut conflicts = find_contradictions(&earlier, run, &rebuilt.replay, &value);
    if earlier.has_bytes(json) {
        for name in comparison.files.keys().filter(|name| **name != JSON) {
            conflicts.extend(comparison.find_difference(run, name)?.flatten());
        }
    }
    Ok(conflicts)
}

/// Compares the report in the run's directory, if there is one, with the rebuilt one, and adds the findings
/// and notes to its replay.
///
/// # Errors
/// [`FileError::Io`](axilog_ledger::error::FileError::Io).
pub fn check_report(run: &RunDirectory, report: &mut RunReport) -> Result<(), X0lError> {
    let earlier = NotedReport::read(run)?;
    if report.replay.is_good() && earlier.format().is_some_and(|format| format != FORMAT) {
        let note = "the report has an earlier format and was not compared: `axilog x0l report DIR` makes it again";
        report.replay.notes.push(note.to_owned());
        return Ok(());
    }
    let comparison = ReportComparison::new(report, &earlier);
    let mut missing = Vec::new();
    let mut findings = Vec::new();
    for name in comparison.files.keys() {
        match comparison.find_difference(run, name)? {
            None => missing.push(ReplayFinding::missing(*name)),
            Some(difference) => findings.extend(difference),
        }
    }
    let is_behind = comparison.seen < report.review.entries;
    let all_missing = missing.len() == comparison.files.len();
    let RunReport { replay, .. } = report;
    // An interruption excuses a missing file, but no difference in an existing one.
    if all_missing {
        let note = "there is no report yet: `axilog x0l report DIR` makes it";
        replay.notes.push(note.to_owned());
    } else if is_interrupted(run) {
        let note = "writing the report was interrupted: `axilog x0l report DIR` makes it again";
        replay.notes.push(note.to_owned());
    } else if replay.is_good() {
        findings.append(&mut missing);
    }
    if !all_missing && is_behind {
        let note =
            "the report has not seen the last judgements: `axilog x0l report DIR` makes it again";
        replay.notes.push(note.to_owned());
    }
    if replay.is_good() {
        replay.findings.append(&mut findings);
    } else if !findings.is_empty() && replay.conflicts.is_empty() {
        // The report was written from a good run; a rebuilt one counts the differences too.
        let note = "the report was not compared, since the rest is not good";
        replay.notes.push(note.to_owned());
    }
    Ok(())
}

/// What the files of a report are compared with.
struct ReportComparison<'r> {
    rebuilt: &'r RunReport,
    /// The number of records that the review had when `report.json` was made.
    seen: u64,
    /// The report as the run gave it then.
    files: BTreeMap<&'static str, Vec<u8>>,
}

impl<'r> ReportComparison<'r> {
    fn new(rebuilt: &'r RunReport, earlier: &NotedReport) -> ReportComparison<'r> {
        let entries = rebuilt.review.entries;
        let seen = earlier
            .seen_of_review()
            .map_or(entries, |seen| seen.min(entries));
        let files = match seen == entries {
            true => rebuilt.files.clone(),
            false => rebuilt.write_files(&rebuilt.review.as_of(seen)),
        };
        ReportComparison {
            rebuilt,
            seen,
            files,
        }
    }

    /// Compares a file of the report: `None` where there is none, and within it `None` where the file is what the run
    /// gave.
    fn find_difference(
        &self,
        run: &RunDirectory,
        name: &str,
    ) -> Result<Option<Option<ReplayFinding>>, X0lError> {
        let Some(found) = read_optional_file(run, name)? else {
            return Ok(None);
        };
        let expected = self.files.get(name).map_or(&[][..], Vec::as_slice);
        let is_of_the_run = found == expected || name == MARKDOWN && self.is_newer_page(&found);
        let difference = (!is_of_the_run).then(|| locate_difference(name, &found, expected));
        Ok(Some(difference))
    }

    /// Whether the page is one of a review that `report.json` has not seen. A page names the head of its review, so that
    /// one page is made again, however long the review is.
    fn is_newer_page(&self, found: &[u8]) -> bool {
        let review = &self.rebuilt.review;
        let page = String::from_utf8_lossy(found);
        let row = format!("| {REVIEW_HEAD} | ");
        let head = page
            .lines()
            .find_map(|line| line.strip_prefix(&row)?.strip_suffix(" |"));
        let entries = head.and_then(|head| review.find_entries_at(head));
        entries.is_some_and(|entries| {
            let files = self.rebuilt.write_files(&review.as_of(entries));
            entries > self.seen && files.get(MARKDOWN).is_some_and(|page| page == found)
        })
    }
}

/// A finding that names the first byte in which a file of the report differs from the rebuilt one.
fn locate_difference(name: &str, found: &[u8], expected: &[u8]) -> ReplayFinding {
    let pairs = found.iter().zip(expected);
    let equal = pairs.take_while(|(a, b)| a == b).count();
    let before = found.iter().take(equal);
    let line_feeds = before.filter(|byte| **byte == b'\n').count();
    let what = "other bytes than are made from the rest of the run";
    let expected = "those, as `axilog x0l report` writes them";
    ReplayFinding::new(name, format!("byte {equal}"), what, expected).on_line(line_feeds as u64 + 1)
}
