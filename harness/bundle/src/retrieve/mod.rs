//! What earlier runs left behind (A3.2): outcomes, trends and incidents, for Tier 2.
//!
//! Local files only, read once from beginning to end. A record that is none is reported with its place
//! and skipped: what a file says never stops a bundle. What A3.3 excludes (raw decision logs, conversations,
//! embeddings, live draws) has no reader here.

mod incidents;
mod lines;
mod outcomes;
mod trends;

use std::fmt;
use std::path::{Path, PathBuf};

use super::model::{OutcomeRecord, ProvenanceRecord, TrendSummary};
use crate::BundleError;

/// How much of the history counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The folder with `chapter13/summaries/*.json`, `run_history.jsonl` and `watcher_failures.jsonl`,
    /// any of which may be missing.
    pub directory: PathBuf,
    /// The most outcomes, the newest.
    pub outcomes: usize,
    /// How many of a metric's last values are its trend; at least 1.
    pub window: usize,
}

impl History {
    /// The folder's last 20 outcomes, and trends over 10 values.
    #[must_use]
    pub fn of(directory: &Path) -> History {
        History {
            directory: directory.to_owned(),
            outcomes: 20,
            window: 10,
        }
    }
}

/// A record of the history that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// Which line, or which element of an array, from 1; `None` where it is the whole file.
    pub number: Option<u64>,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(number) = self.number {
            write!(f, "{number}:")?;
        }
        write!(f, " {}; skipped", self.reason)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) outcomes: Vec<OutcomeRecord>,
    pub(super) trends: Vec<TrendSummary>,
    pub(super) incidents: Vec<String>,
    pub(super) files: Vec<ProvenanceRecord>,
}

/// For whom history is read.
pub(super) struct Reader<'a> {
    /// Whose records count.
    pub(super) step: u32,
    /// Chapter 13 looks at every step's outcomes.
    pub(super) all_outcomes: bool,
    /// Whose trends come first.
    pub(super) key_metrics: &'a [String],
}

impl Reader<'_> {
    /// Reads a history.
    pub(super) fn read(
        &self,
        history: &History,
        skipped: &mut dyn FnMut(Skipped),
    ) -> Result<Found, BundleError> {
        let mut found = Found::default();
        found.outcomes = self.outcomes(history, &mut found.files, skipped)?;
        found.trends = self.trends(history, &mut found.files, skipped)?;
        found.incidents = incidents::open(history, &mut found.files, skipped)?;
        Ok(found)
    }
}
