//! `axilog memory fact`: appends facts.

use std::path::PathBuf;

use axilog_memory::{CanonicalJson, EntryKind, Fact, MemoryStore};
use serde_json::{Value, json};

use super::options::read_input;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Append facts: one JSON object, or one per line.
///
/// Appends all of the facts or none. A fact that the memory already holds is not appended again; the
/// command says so.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// The file; `-` is standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let text = read_input(&args.file)?;
    let facts = read_facts(&args.file.display().to_string(), &text)?;
    let appended = MemoryStore::open(&args.db)?.append_all(
        facts
            .iter()
            .map(|fact| (EntryKind::Fact, fact.value().clone())),
    )?;
    let new = appended.iter().filter(|receipt| receipt.is_new).count();
    let mut rows = vec![("appended", format!("{new} of {}", appended.len()))];
    let mut objects: Vec<Value> = Vec::new();
    for (receipt, fact) in appended.iter().zip(&facts) {
        let fact = Fact::new(fact.value())?;
        let (handle, details) = (fact.id(), fact.details());
        if appended.len() <= 20 {
            rows.push(("fact", handle.to_string()));
            if !receipt.is_new {
                rows.push(("", format!("was there already, entry {}", receipt.seq)));
            }
            for detail in details {
                rows.push(("  detail", detail.handle.to_string()));
                rows.push(("", detail.name.clone()));
            }
        }
        objects.push(json!({
            "fact_id": handle,
            "seq": receipt.seq,
            "new": receipt.is_new,
            "details": details
                .iter()
                .map(|d| json!({ "name": d.name, "detail_handle": d.handle }))
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

/// Reads a text that is one fact, or has one fact per line.
fn read_facts(name: &str, text: &[u8]) -> Result<Vec<CanonicalJson>, Failure> {
    if let Ok(fact) = CanonicalJson::parse(name, text) {
        return Ok(vec![fact]);
    }
    let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    let mut facts = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let what = format!("{name}:{}", number + 1);
        match CanonicalJson::parse(&what, line) {
            Ok(fact) => facts.push(fact),
            // One object over several lines: what is wrong is wrong with the whole.
            Err(_) if facts.is_empty() && lines.len() > 1 => {
                return Ok(vec![CanonicalJson::parse(name, text)?]);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(facts)
}
