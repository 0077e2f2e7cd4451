//! One line of JSON on standard error for each call, where the configuration asks for it: whose it was, how it ended and
//! how long it took, and nothing that was asked or answered.

use axilog_exchange::Interface;
use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

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

/// A call that has ended: what is logged of it.
pub(crate) struct EndedCall(Value);

impl LoggedCall {
    /// The call with how it ended.
    pub(crate) fn end(&self, outcome: &Outcome, duration: Duration) -> EndedCall {
        let status = match &outcome.result {
            Ok(response) => response.status,
            Err(refusal) => refusal.status,
        };
        let recorded = outcome.recorded.as_ref();
        EndedCall(json!({
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
        }))
    }
}

impl EndedCall {
    /// Writes the line.
    pub(crate) fn write(&self) {
        // Where standard error fails, there is nobody to tell.
        let _ = writeln!(io::stderr(), "{}", self.0);
    }

    /// The call with `why`, what its client was told in place of an answer; null where it got one.
    pub(crate) fn describe(mut self, outcome: &Outcome) -> Value {
        let refusal = outcome.result.as_ref().err();
        if let Some(call) = self.0.as_object_mut() {
            let why = refusal.map(|refusal| refusal.message.as_str());
            call.insert("why".to_owned(), why.into());
        }
        self.0
    }
}
