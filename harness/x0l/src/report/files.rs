//! The files of a report by their names, and those that they have while they are written.

use std::fs;

use crate::log::{ReportLock, RunDirectory, temporary_name};

/// The format of `report.json`.
pub(super) const FORMAT: &str = "X0L:REPORT:v5";
/// The file name of the report for machines.
pub const JSON: &str = RunDirectory::REPORT;
/// The file name of the report for people.
pub const MARKDOWN: &str = "report.md";
/// The file name of the plot of decisions.
pub const DECISIONS: &str = "decisions.svg";
/// The file name of the plot of tokens.
pub const TOKENS: &str = "tokens.svg";

/// Whether the writing of a report was interrupted, or is going on: the files that have their last names may not be
/// all of it.
pub(super) fn is_interrupted(run: &RunDirectory) -> bool {
    has_file(run, &temporary_name(JSON))
}

/// The names that files have while a report is written, or since its writing was interrupted.
pub(super) fn list_temporary_names(run: &RunDirectory) -> Vec<String> {
    if !is_interrupted(run) && !has_file(run, ReportLock::NAME) {
        return Vec::new();
    }
    let mut names = [JSON, MARKDOWN, DECISIONS, TOKENS]
        .map(temporary_name)
        .to_vec();
    names.push(temporary_name(&temporary_name(JSON)));
    names.push(ReportLock::NAME.to_owned());
    names
}

fn has_file(run: &RunDirectory, name: &str) -> bool {
    fs::symlink_metadata(run.path().join(name)).is_ok_and(|metadata| metadata.is_file())
}
