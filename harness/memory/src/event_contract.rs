//! The event contract: the events of the Golden Ticket, and the extension that an explicit revision admits (document,
//! sections 5B, 8 and 11, GAP-006).

use rusqlite::Connection;

use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::pins::find_pin;
use crate::words::words;

/// The pin that says which contract a memory has.
pub(crate) const EVENT_CONTRACT: &str = "event_contract";

words! {
    /// A contract of events.
    pub(crate) enum EventContract {
        /// The contract where no pin says another one.
        GoldenTicket = "gt-12",
        WithRuleRefOpened = "gt-12+ev-021",
    }
}

/// Reads which contract the memory has. A value that says none, as a log from before the contract may have one, admits
/// no extension.
pub(crate) fn read_contract(conn: &Connection) -> rusqlite::Result<EventContract> {
    let value = find_pin(conn, EVENT_CONTRACT)?.unwrap_or_default();
    Ok(EventContract::parse(&value).unwrap_or(EventContract::GoldenTicket))
}

/// Refuses a value for the pin that is no contract.
///
/// # Errors
/// [`MemoryError::Document`].
pub(crate) fn check_contract(id: EntryKind, name: &str, value: &str) -> Result<()> {
    if name != EVENT_CONTRACT || EventContract::parse(value).is_some() {
        return Ok(());
    }
    let all = EventContract::ALL.map(EventContract::as_str).join(", ");
    let reason = format!("the value of {name} is {value:?}, expected one of {all}");
    Err(MemoryError::document(id.as_str(), "$", reason))
}

/// Refuses an event of the extension where the memory's contract lacks it.
///
/// # Errors
/// [`MemoryError::Refused`].
pub(crate) fn refuse_extension(id: EntryKind) -> MemoryError {
    let value = EventContract::WithRuleRefOpened;
    let reason = format!(
        "it extends the contract of events; append the PIN {EVENT_CONTRACT} with the value {value} first, or a REVISION to it where {EVENT_CONTRACT} is pinned"
    );
    MemoryError::refused(format!("{id} {}", id.title()), reason)
}
