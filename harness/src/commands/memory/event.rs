//! `axilog memory event`: appends an entry to the log.

use std::path::PathBuf;

use axilog_memory::{CanonicalJson, EntryKind, Handle, MemoryStore};
use serde::Serialize;

use super::options::read_input;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Append an event of the contract, or a store commit.
///
/// Takes EV-020, EV-021 where the pin event_contract admits it, EV-030 to EV-034, EV-100 to EV-110, EV-120, EV-121,
/// STATE, PIN, REVISION, COMPACTION and ASSET. Recall (EV-001 to EV-003), the notebook (EV-010 to EV-013), facts and
/// retractions have commands of their own. Any other id is refused.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// The id, like EV-031.
    id: String,
    /// The body, one JSON object; standard input where it is absent.
    body: Option<String>,
}

/// An entry that was appended.
#[derive(Serialize)]
struct EventResult {
    ok: bool,
    /// The number of the entry.
    seq: u64,
    id: EntryKind,
    /// The handle of what the entry registers, where it registers something.
    handle: Option<Handle>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let kind = EntryKind::from_id(&args.id)?;
    let text = match &args.body {
        Some(body) => body.clone().into_bytes(),
        None => read_input("-".as_ref())?,
    };
    let body = CanonicalJson::parse("the body", &text)?;
    let appended = MemoryStore::open(&args.db)?.append(kind, body.value().clone())?;
    let mut rows = vec![("entry", format!("{} {kind} {}", appended.seq, kind.title()))];
    if let Some(handle) = appended.handle {
        rows.push(("handle", handle.to_string()));
    }
    let result = EventResult {
        ok: true,
        seq: appended.seq,
        id: kind,
        handle: appended.handle,
    };
    Ok(Report::new(true, table::format_pairs(&rows), &result))
}
