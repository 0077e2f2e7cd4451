//! One line of JSON on standard error for each call, where the configuration asks for it: whose it was, how it ended and
//! how long it took, and nothing that was asked or answered.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::interface::Interface;
use crate::ledgers::now;
use crate::metrics::name_end;
use crate::outcome::Outcome;

/// What is logged of a call beside its outcome.
pub(crate) struct LoggedCall {
    pub(crate) ledger: String,
    pub(crate) interface: Interface,
    pub(crate) model: String,
    pub(crate) streams: bool,
}

impl LoggedCall {
    /// Writes the line.
    pub(crate) fn write(&self, outcome: &Outcome, duration: Duration) {
        // Where standard error fails, there is nobody to tell.
        let _ = writeln!(io::stderr(), "{}", self.to_json(outcome, duration));
    }

    fn to_json(&self, outcome: &Outcome, duration: Duration) -> Value {
        let status = match &outcome.result {
            Ok(response) => response.status,
            Err(refusal) => refusal.status,
        };
        let recorded = outcome.recorded.as_ref();
        json!({
            "time": now(),
            "ledger": self.ledger,
            "interface": self.interface.path(),
            "model": self.model,
            "stream": self.streams,
            "end": name_end(outcome),
            "status": status.as_u16(),
            "ledger_seq": recorded.map(|recorded| recorded.ledger_seq),
            "state": recorded.map(|recorded| recorded.health.as_str()),
            "milliseconds": u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        })
    }
}
