//! What an interrupted writer left of a ledger, which opening it put in order.

use axilog_ledger::file::{LeftBehind, TornLine};
use axilog_ledger::json_report::decision::{left_behind_json, torn_line_json};
use axilog_ledger::session::Session;
use axilog_ledger::session::tidy::TidiedLedger;
use serde::Serialize;
use serde_json::Value;

/// What was completed and moved aside.
#[derive(Serialize)]
pub(crate) struct LedgerRecovery {
    /// The number of records that were added to complete an interrupted step.
    completed_records: u64,
    torn: Value,
    left_behind: Value,
}

impl LedgerRecovery {
    /// What opening the ledger of `session` did.
    pub(crate) fn of_session(session: &Session) -> LedgerRecovery {
        let (torn, left) = (session.torn_line(), session.left_behind());
        LedgerRecovery::new(session.completed_records(), torn, left)
    }

    /// What `axilog tidy` did.
    pub(crate) fn of_tidied(tidied: &TidiedLedger) -> LedgerRecovery {
        let (torn, left) = (&tidied.torn_line, &tidied.left_behind);
        LedgerRecovery::new(tidied.completed_records, torn.as_ref(), left.as_ref())
    }

    fn new(
        completed_records: u64,
        torn: Option<&TornLine>,
        left: Option<&LeftBehind>,
    ) -> LedgerRecovery {
        LedgerRecovery {
            completed_records,
            torn: torn_line_json(torn),
            left_behind: left_behind_json(left),
        }
    }
}
