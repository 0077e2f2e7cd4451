//! `axilog memory fact`: appends facts.

use std::path::PathBuf;

use axilog_memory::{CanonicalJson, EntryKind, Fact, FactDetail, Handle, MemoryStore};
use serde::Serialize;

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
}

/// The facts of a file, all of which the memory has now.
#[derive(Serialize)]
struct FactResult {
    ok: bool,
    /// How many of them are new.
    appended: usize,
    facts: Vec<AppendedFact>,
}

/// A fact that the memory has.
#[derive(Serialize)]
struct AppendedFact {
    fact_id: Handle,
    /// The number of its entry.
    seq: u64,
    /// Whether it was not there before.
    new: bool,
    details: Vec<NamedDetail>,
}

/// A detail of a fact.
#[derive(Serialize)]
struct NamedDetail {
    name: String,
    detail_handle: Handle,
}

impl NamedDetail {
    fn new(detail: &FactDetail) -> NamedDetail {
        NamedDetail {
            name: detail.name.clone(),
            detail_handle: detail.handle,
        }
    }
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
    let mut named = Vec::new();
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
        named.push(AppendedFact {
            fact_id: handle,
            seq: receipt.seq,
            new: receipt.is_new,
            details: details.iter().map(NamedDetail::new).collect(),
        });
    }
    let result = FactResult {
        ok: true,
        appended: new,
        facts: named,
    };
    Ok(Report::new(true, table::format_pairs(&rows), &result))
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
