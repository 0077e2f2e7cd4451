//! `axilog memory retract`: retracts a fact.

use std::path::PathBuf;

use axilog_memory::{EntryKind, Handle, MemoryStore, retraction_body};
use serde::Serialize;

use super::history::{NamedCompaction, list_pointers, name_compactions};
use super::options::HandleArgument;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Retract a fact: from now on it is told nowhere, and its exact strings stay locked for good.
///
/// The log keeps the fact, and who retracted it and why (`axilog memory history`). A fact is retracted once, as a whole,
/// in the campaign in which it was told; the same fact is not appended again.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// The fact.
    handle: HandleArgument,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Who says so.
    #[arg(long, value_name = "TEXT")]
    source: String,
    /// What that rests on: a rule, an entry; may be given several times.
    #[arg(long = "ref", value_name = "TEXT")]
    refs: Vec<String>,
}

/// A fact that was retracted.
#[derive(Serialize)]
struct RetractResult {
    ok: bool,
    /// The number of the entry.
    seq: u64,
    fact_id: Handle,
    /// The compactions made of the fact, which nobody is shown any more.
    compactions: Vec<NamedCompaction>,
    /// The scene that is on and the threads that pointed to the fact.
    pointed_by: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let fact = args.handle.0;
    let body = retraction_body(fact, &args.reason, &args.source, &args.refs)?;
    let mut store = MemoryStore::open(&args.db)?;
    let appended = store.append(EntryKind::Retraction, body)?;
    let history = store.reader().fact_history(fact)?;
    let kind = EntryKind::Retraction;
    let mut rows = vec![
        ("entry", format!("{} {kind} {}", appended.seq, kind.title())),
        ("fact", fact.to_string()),
    ];
    rows.extend(list_pointers(&history));
    let result = RetractResult {
        ok: true,
        seq: appended.seq,
        fact_id: fact,
        compactions: name_compactions(&history.compactions),
        pointed_by: history.pointed_by,
    };
    Ok(Report::new(true, table::format_pairs(&rows), &result))
}
