//! `axilog memory rebuild`: the tables anew from the log.

use std::path::PathBuf;

use axilog_ledger::file::hex;
use axilog_memory::Store;
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::{Pin, pairs};

/// Derive every table anew from the log, and assert the pins.
///
/// The chain of the log is checked on the way. Exits 1 where the log is not what was appended, or a pin
/// is not what it was pinned as; the tables stay as they were then.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
    /// What a pin is on this machine; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pin: Vec<Pin>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut store = Store::open(&args.db)?;
    let head = store.rebuild_asserting(&pairs(&args.pin))?;
    let chain = head.chain.as_ref().map(hex).unwrap_or_default();
    Ok(Report {
        passed: true,
        text: table::format_pairs(&[("entries", head.seq.to_string()), ("head", chain.clone())]),
        json: json!({ "ok": true, "entries": head.seq, "head": chain }),
        notes: Vec::new(),
    })
}
