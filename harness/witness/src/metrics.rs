//! What a witness counts, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

/// The submissions, by the status codes of their answers.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<u16, u64>>);

impl Metrics {
    /// Counts a submission that was answered.
    pub(crate) fn count_submission(&self, status: u16) {
        let mut submissions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = submissions.entry(status).or_default();
        *count = count.saturating_add(1);
    }

    /// Writes everything.
    pub(crate) fn to_text(&self, logs: usize, connections: usize) -> String {
        let mut text = String::from(
            "# HELP axilog_witness_submissions_total Heads that were submitted, by the status of the answer; 200 was signed.\n\
             # TYPE axilog_witness_submissions_total counter\n",
        );
        // Writing to a string cannot fail.
        for (status, count) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(
                text,
                "axilog_witness_submissions_total{{status=\"{status}\"}} {count}"
            );
        }
        let _ = writeln!(
            text,
            "# HELP axilog_witness_logs Logs that the witness knows.\n# TYPE axilog_witness_logs gauge\n\
             axilog_witness_logs {logs}\n\
             # HELP axilog_witness_connections Connections that are served.\n# TYPE axilog_witness_connections gauge\n\
             axilog_witness_connections {connections}"
        );
        text
    }
}
