//! `axilog memory fact`: facts for the ledger.

use std::path::PathBuf;

use axilog_memory::{Canonical, Fact, Id, Store};
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::contents;

/// Append facts: one JSON object, or one per line.
///
/// All of them are appended, or none. A fact that is there already is not appended again, and said
/// to be there.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
    /// The file; `-` is standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let text = contents(&args.file)?;
    let facts = facts(&args.file.display().to_string(), &text)?;
    let appended = Store::open(&args.db)?
        .append_all(facts.iter().map(|fact| (Id::Fact, fact.value().clone())))?;
    let new = appended.iter().filter(|fact| fact.new).count();
    let mut rows = vec![("appended", format!("{new} of {}", appended.len()))];
    let mut objects: Vec<Value> = Vec::new();
    for (one, fact) in appended.iter().zip(&facts) {
        let handle = one
            .handle
            .map(|handle| handle.to_string())
            .unwrap_or_default();
        let details = Fact::new(fact.value().clone())?.details;
        if appended.len() <= 20 {
            rows.push(("fact", handle.clone()));
            if !one.new {
                rows.push(("", format!("was there already, entry {}", one.seq)));
            }
            for detail in &details {
                rows.push(("  detail", detail.handle.to_string()));
                rows.push(("", detail.name.clone()));
            }
        }
        let details = details.iter();
        objects.push(json!({
            "fact_id": handle,
            "seq": one.seq,
            "new": one.new,
            "details": details
                .map(|d| json!({ "name": d.name, "detail_handle": d.handle.to_string() }))
                .collect::<Vec<_>>(),
        }));
    }
    Ok(Report {
        passed: true,
        text: table::format_pairs(&rows),
        json: json!({ "ok": true, "appended": new, "facts": objects }),
        notes: Vec::new(),
    })
}

/// The one object that the text is, or those on its lines.
fn facts(name: &str, text: &[u8]) -> Result<Vec<Canonical>, Failure> {
    if let Ok(one) = Canonical::read(name, text) {
        return Ok(vec![one]);
    }
    let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    let mut facts = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let what = format!("{name}:{}", number + 1);
        match Canonical::read(&what, line) {
            Ok(fact) => facts.push(fact),
            // One object over several lines: what is wrong is wrong with the whole.
            Err(_) if facts.is_empty() && lines.len() > 1 => {
                return Ok(vec![Canonical::read(name, text)?]);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(facts)
}
