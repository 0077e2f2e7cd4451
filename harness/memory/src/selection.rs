//! The plan by which a working set selects facts, as a memory pins it.

use crate::error::{MemoryError, Result};
use crate::policy;
use crate::query::WorkingSetQuery;

/// Whether a memory that pins `pinned` selects by the plan. A memory from before it has no such pin.
pub(crate) fn has_plan(pinned: Option<&str>) -> Result<bool> {
    Ok(pinned == Some(&*policy::selection()?.to_string()))
}

/// Refuses a query that only the plan can answer.
pub(crate) fn refuse_plan(query: &WorkingSetQuery, pinned: Option<&str>) -> Result<()> {
    if !query.needs_plan() {
        return Ok(());
    }
    let value = policy::selection()?;
    let (entry, found) = match pinned {
        Some(found) => ("REVISION", found),
        None => ("PIN", "not there"),
    };
    let reason = format!(
        "this memory selects facts by their keys alone (the pin {} is {found}); append a {entry} of it with the value {value} first",
        policy::SELECTION
    );
    let what = "a query by key prefix, tag, handle, number of a kind, search or order";
    Err(MemoryError::refused(what, reason))
}
