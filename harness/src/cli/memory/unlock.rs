//! `axilog memory unlock`: what is unlocked.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::HandleArgument;
use crate::memory::{Handle, Lens, Scope};

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
    let wanted = args.handle.map(|argument| argument.0);
    let mut all = lens.unlocks()?;
    all.retain(|(handle, ..)| wanted.is_none_or(|wanted| wanted == *handle));
    let fine = wanted.is_none() || !all.is_empty();
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (handle, scope, seq) in &all {
        rows.push((scope.as_str(), handle.to_string()));
        rows.push(("", format!("{}, by entry {seq}", until(*scope))));
    }
    if all.is_empty() {
        rows.push((
            "unlocked",
            if fine { "nothing" } else { "no: it is locked" }.to_owned(),
        ));
    }
    let object = |(handle, scope, seq): &(Handle, Scope, u64)| json!({ "handle": handle.to_string(), "scope": scope.as_str(), "seq": seq });
    Ok(Report {
        fine,
        text: table::pairs(&rows),
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
