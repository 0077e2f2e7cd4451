//! `axilog memory rebuild`: derives the tables from the log again.

use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_memory::MemoryStore;
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::{ExpectedHead, Pin, pin_pairs};

/// Derive every table from the log again, and assert the pins.
///
/// The command checks the hash chain of the log on the way. It exits 1, and leaves the tables as they
/// were, where the log differs from what was appended, or a pin has another value than in the log.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
    /// The value of a pin on this machine; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pin: Vec<Pin>,
    #[command(flatten)]
    expected: ExpectedHead,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut store = MemoryStore::open_to_rebuild(&args.db)?;
    args.expected.assert(store.reader())?;
    let head = store.rebuild_asserting(&pin_pairs(&args.pin))?;
    let chain = head.chain.as_ref().map(hex).unwrap_or_default();
    Ok(Report {
        passed: true,
        text: table::format_pairs(&[("entries", head.seq.to_string()), ("head", chain.clone())]),
        json: json!({ "ok": true, "entries": head.seq, "head": chain }),
        notes: Vec::new(),
    })
}
