//! The history of earlier runs (A3.2): outcomes, trends and incidents, for Tier 2.
//!
//! Local files only, read once from beginning to end. An entry that is not a valid record is reported with its
//! place and skipped: the content of a history file never stops a bundle. What A3.3 excludes (raw decision logs, conversations,
//! embeddings, live draws) has no reader here.

mod history;
mod incidents;
mod lines;
mod outcomes;
mod trends;

use crate::error::BundleError;

pub use history::{History, SkippedRecord};
pub(crate) use history::{HistoryReader, HistoryRecords};

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
