//! What the gateway counts, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use axilog_checkpoints::CheckpointStatus;

use crate::ledgers::LedgerFigures;
use crate::outcome::Outcome;

/// The calls of each ledger, by how they ended.
#[derive(Default)]
pub(crate) struct Metrics {
    calls: Mutex<BTreeMap<(String, &'static str), u64>>,
}

impl Metrics {
    /// Counts a call that has ended.
    pub(crate) fn count_call(&self, ledger: &str, outcome: &Outcome) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let count = calls.entry((ledger.to_owned(), name_end(outcome)));
        let count = count.or_default();
        *count = count.saturating_add(1);
    }

    /// Writes everything.
    pub(crate) fn to_text(
        &self,
        in_progress: usize,
        connections: usize,
        ledgers: &[(&str, LedgerFigures)],
    ) -> String {
        let mut text = String::from(
            "# HELP axilog_calls_total Calls that have ended.\n# TYPE axilog_calls_total counter\n",
        );
        // Writing to a string cannot fail. Names of ledgers need no escape.
        for ((ledger, end), count) in &*self.calls.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(
                text,
                "axilog_calls_total{{ledger=\"{ledger}\",end=\"{end}\"}} {count}"
            );
        }
        let _ = writeln!(
            text,
            "# HELP axilog_calls_in_progress Calls that have not ended.\n# TYPE axilog_calls_in_progress gauge\n\
             axilog_calls_in_progress {in_progress}\n\
             # HELP axilog_connections Connections of clients that are served.\n# TYPE axilog_connections gauge\n\
             axilog_connections {connections}\n\
             # HELP axilog_ledger_records Records of each open ledger.\n# TYPE axilog_ledger_records gauge"
        );
        for (name, figures) in ledgers {
            let records = figures.durable.entries;
            let _ = writeln!(text, "axilog_ledger_records{{ledger=\"{name}\"}} {records}");
        }
        text.push_str(
            "# HELP axilog_ledger_state The state of each open ledger's agent.\n# TYPE axilog_ledger_state gauge\n",
        );
        for (name, figures) in ledgers {
            let state = figures.health.as_str();
            let _ = writeln!(
                text,
                "axilog_ledger_state{{ledger=\"{name}\",state=\"{state}\"}} 1"
            );
        }
        write_checkpoints(&mut text, ledgers);
        text
    }
}

/// Writes what has come of signing the heads of ledgers.
fn write_checkpoints(text: &mut String, ledgers: &[(&str, LedgerFigures)]) {
    let signed: Vec<(&str, &CheckpointStatus)> = ledgers
        .iter()
        .filter_map(|(name, figures)| Some((*name, figures.checkpoints.as_ref()?)))
        .collect();
    if signed.is_empty() {
        return;
    }
    text.push_str(
        "# HELP axilog_checkpoint_records Records of the head that was signed last.\n\
         # TYPE axilog_checkpoint_records gauge\n",
    );
    for (name, status) in &signed {
        let records = status.signed;
        let _ = writeln!(
            text,
            "axilog_checkpoint_records{{ledger=\"{name}\"}} {records}"
        );
    }
    text.push_str(
        "# HELP axilog_checkpoint_failing Whether the last attempt to sign a head has failed.\n\
         # TYPE axilog_checkpoint_failing gauge\n",
    );
    for (name, status) in &signed {
        let failing = u8::from(status.problem.is_some());
        let _ = writeln!(
            text,
            "axilog_checkpoint_failing{{ledger=\"{name}\"}} {failing}"
        );
    }
    text.push_str(
        "# HELP axilog_witnessed_records Records of the last head that enough witnesses have signed.\n\
         # TYPE axilog_witnessed_records gauge\n",
    );
    for (name, status) in &signed {
        let records = status.held.as_ref().map_or(0, |held| held.size);
        let _ = writeln!(
            text,
            "axilog_witnessed_records{{ledger=\"{name}\"}} {records}"
        );
    }
    text.push_str(
        "# HELP axilog_witness_failing Whether a witness has not signed the last head that it was asked for.\n\
         # TYPE axilog_witness_failing gauge\n",
    );
    for (name, status) in &signed {
        for witness in &status.witnesses {
            let failing = u8::from(witness.problem.is_some());
            // A name of a policy may hold what a label must escape.
            let witness = witness.name.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(
                text,
                "axilog_witness_failing{{ledger=\"{name}\",witness=\"{witness}\"}} {failing}"
            );
        }
    }
}

/// The end of a call in a word.
pub(crate) fn name_end(outcome: &Outcome) -> &'static str {
    let may_act = outcome
        .recorded
        .as_ref()
        .and_then(|recorded| recorded.may_act);
    match (&outcome.result, may_act) {
        (Ok(_), Some(true)) => "released",
        (Ok(_), Some(false)) => "flagged",
        (Ok(_), None) => "provider_error",
        (Err(refusal), _) => match refusal.kind {
            "axilog_breach" => "breach",
            "axilog_provider_error" => "provider_failure",
            "axilog_budget" => "budget",
            "axilog_not_enabled" => "not_enabled",
            "axilog_not_recorded" => "not_recorded",
            _ => "refused",
        },
    }
}
