//! The history of earlier runs (A3.2): outcomes, trends and incidents, for Tier 2.
//!
//! Local files only, read once from beginning to end. An entry that is not a valid record is reported with its
//! place and skipped: the content of a history file never stops a bundle. What A3.3 excludes (raw decision logs, conversations,
//! embeddings, live draws) has no reader here.

mod incidents;
mod lines;
mod outcomes;
mod trends;

use std::fmt;
use std::path::{Path, PathBuf};

use super::model::{OutcomeRecord, ProvenanceRecord, TrendSummary};
use crate::BundleError;

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
pub(super) struct HistoryRecords {
    pub(super) outcomes: Vec<OutcomeRecord>,
    pub(super) trends: Vec<TrendSummary>,
    pub(super) incidents: Vec<String>,
    pub(super) files: Vec<ProvenanceRecord>,
}

/// A reader of history for one step.
pub(super) struct HistoryReader<'a> {
    /// The step whose records count.
    pub(super) step: u32,
    /// Whether the outcomes of all steps count, as for Chapter 13.
    pub(super) all_outcomes: bool,
    /// The metrics whose trends come first.
    pub(super) key_metrics: &'a [String],
}

impl HistoryReader<'_> {
    /// Reads a history.
    pub(super) fn read(
        &self,
        history: &History,
        skipped: &mut dyn FnMut(SkippedRecord),
    ) -> Result<HistoryRecords, BundleError> {
        let mut records = HistoryRecords::default();
        records.outcomes = self.read_outcomes(history, &mut records.files, skipped)?;
        records.trends = self.read_trends(history, &mut records.files, skipped)?;
        records.incidents = incidents::read_open_incidents(history, &mut records.files, skipped)?;
        Ok(records)
    }
}
