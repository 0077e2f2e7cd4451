//! `axilog head`: how long a ledger is and where it ends.

use std::path::PathBuf;

use axilog::agent::state::Health;
use axilog::evidence::transition::TransitionRecord;
use axilog::hash::Tag;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::input_file::open_input;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};
use serde_json::json;

use super::output::Report;
use super::{Failure, table, verify};

/// Print the length, the head, whether it is sealed, and the recorded state of a ledger.
///
/// The ledger is verified on the way; of a damaged one the verdict is given and no head. The state
/// is what the last transition record says; `axilog replay` decides it again.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let file = open_input(path, "open the ledger")?;
    let mut state = Health::Uninit;
    let checked = verify_ledger(file, None, &LedgerExpectations::default(), &mut |record| {
        if record.entry.tag == Tag::Trans
            && let Ok(transition) = TransitionRecord::parse(record.entry.payload)
        {
            state = transition.next_state;
        }
    })
    .map_err(FileError::from_io(path, "read the ledger"))?;
    if checked.fault.is_some() {
        return Ok(verify::report(path, &checked));
    }
    let ledger = checked.replay.ledger();
    let entries = checked.replay.entries();
    let sealed = if ledger.sealed { ", sealed" } else { "" };
    Ok(Report {
        passed: true,
        text: table::format_pairs(&[
            ("records", format!("{entries}{sealed}")),
            ("head", hex(&ledger.head)),
            ("state", state.as_str().to_owned()),
        ]),
        json: json!({
            "ledger": path.to_string_lossy(),
            "verdict": checked.verdict().as_str(),
            "ok": true,
            "entries": entries,
            "head": hex(&ledger.head),
            "sealed": ledger.sealed,
            "state": state.as_str(),
        }),
        notes: Vec::new(),
    })
}
