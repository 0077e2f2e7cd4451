//! `axilog memory unlock`: what is unlocked.

use std::path::PathBuf;

use axilog_memory::{Handle, Lens, Scope};
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::HandleArgument;

/// Show what is unlocked now, until when, and by which entry.
///
/// Nothing is unlocked by this command: `recall` and `notebook` do that. With HANDLE it exits 1 where
/// that one is locked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
    /// A detail or a fact.
    handle: Option<HandleArgument>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let lens = Lens::open(&args.db)?;
    let mut all = lens.unlocks()?;
    let mut fine = true;
    let mut none = "nothing";
    if let Some(HandleArgument(wanted)) = args.handle {
        // Who unlocks a fact unlocks its details.
        let fact = lens.fact_of(wanted)?;
        all.retain(|(handle, ..)| *handle == wanted || Some(*handle) == fact);
        fine = lens.is_free(wanted)?;
        none = match fine {
            true => "yes: it is not locked",
            false => "no: it is locked",
        };
    }
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (handle, scope, seq) in &all {
        rows.push((scope.as_str(), handle.to_string()));
        rows.push(("", format!("{}, by entry {seq}", until(*scope))));
    }
    if all.is_empty() {
        rows.push(("unlocked", none.to_owned()));
    }
    let object = |(handle, scope, seq): &(Handle, Scope, u64)| json!({ "handle": handle.to_string(), "scope": scope.as_str(), "seq": seq });
    Ok(Report {
        passed: fine,
        text: table::format_pairs(&rows),
        json: json!({ "ok": fine, "unlocked": all.iter().map(object).collect::<Vec<Value>>() }),
        notes: Vec::new(),
    })
}

fn until(scope: Scope) -> &'static str {
    match scope {
        Scope::Scene => "until the scene ends",
        Scope::Session => "until the session ends",
        Scope::Campaign => "for this campaign",
    }
}
