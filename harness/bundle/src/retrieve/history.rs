//! A history of earlier runs: where it lies, how much of it is read, and what was read.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::model::{OutcomeRecord, ProvenanceRecord, TrendSummary};

/// The folder of the history, and how much of it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The folder with `chapter13/summaries/*.json`, `run_history.jsonl` and `watcher_failures.jsonl`,
    /// any of which may be missing.
    pub directory: PathBuf,
    /// The most outcomes, the newest.
    pub outcomes: usize,
    /// The number of a metric's last values that make its trend; at least 1.
    pub window: usize,
}

impl History {
    /// Reads the last 20 outcomes of `directory`, and trends over 10 values.
    #[must_use]
    pub fn in_directory(directory: &Path) -> History {
        History {
            directory: directory.to_owned(),
            outcomes: 20,
            window: 10,
        }
    }
}

/// An entry of the history that is not a valid record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRecord {
    /// The file.
    pub path: PathBuf,
    /// The line, or the element of an array, from 1; `None` for the whole file.
    pub number: Option<u64>,
    /// Why the entry was skipped.
    pub reason: String,
}

impl fmt::Display for SkippedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(number) = self.number {
            write!(f, "{number}:")?;
        }
        write!(f, " {}; skipped", self.reason)
    }
}

/// The records that were read, and the files that they came from.
#[derive(Debug, Default)]
pub(crate) struct HistoryRecords {
    pub(crate) outcomes: Vec<OutcomeRecord>,
    pub(crate) trends: Vec<TrendSummary>,
    pub(crate) incidents: Vec<String>,
    pub(crate) files: Vec<ProvenanceRecord>,
}

/// A reader of history for one step.
pub(crate) struct HistoryReader<'a> {
    /// The step whose records count.
    pub(crate) step: u32,
    /// Whether the outcomes of all steps count, as for Chapter 13.
    pub(crate) all_outcomes: bool,
    /// The metrics whose trends come first.
    pub(crate) key_metrics: &'a [String],
}
