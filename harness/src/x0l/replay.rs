//! `axilog x0l replay`: makes everything in a run's directory again and compares (E1 to E3).

use std::path::PathBuf;

use axilog_ledger::file::hex;
use axilog_x0l::log::RunDirectory;
use axilog_x0l::report::{Made, check, make};
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, table};
use super::outcome;

/// Make everything in a run's directory again, without the model, and compare.
///
/// The ledger is replayed; each cycle is made again from its raw text through canonicalizer, parser and
/// kernel; prompts from the inputs; the outcome, the hashes and the report from the rest. Files that are
/// missing, altered or too many are named. Exits 0 where everything is as it should be, REPLAYED, or
/// REPLAYED_IN_PART for a run that was killed; 1 where something is not, DIVERGED, with file, cycle and
/// field of each difference.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let run = RunDirectory::open(&args.dir)?;
    let mut made = make(&run)?;
    check(&run, &mut made)?;
    Ok(report(args, made))
}

/// The most differences that are told; JSON has all.
const MOST: usize = 20;

fn report(args: &Args, made: Made) -> Report {
    let replay = made.replay;
    let fine = replay.is_good();
    let verdict = match (fine, replay.ended) {
        (false, _) => "DIVERGED",
        (true, false) => "REPLAYED_IN_PART",
        (true, true) => "REPLAYED",
    };
    let status = outcome(replay.metadata.as_ref());
    let mut rows = vec![
        ("verdict", verdict.to_owned()),
        ("run", args.dir.display().to_string()),
        ("ended", status.to_owned()),
        ("cycles", replay.cycles.to_string()),
        ("ledger", format!("{} records", replay.entries)),
        ("head", hex(&replay.head)),
    ];
    if !fine {
        rows.push(("differences", replay.findings.len().to_string()));
    }
    let mut text = table::format_pairs(&rows);
    for finding in replay.findings.iter().take(MOST) {
        text.push_str(&table::wrap_sentence(&finding.to_string()));
    }
    if let Some(more @ 1..) = replay.findings.len().checked_sub(MOST) {
        text.push_str(&format!("and {more} more; --json has all of them\n"));
    }
    let conditions = replay.conditions.iter().map(|(id, (cycles, divergent))| {
        json!({ "condition": id.as_str(), "cycles": cycles, "divergent": divergent })
    });
    let differences = replay.findings.iter().map(|finding| finding.to_json());
    Report {
        passed: fine,
        text,
        json: json!({
            "verdict": verdict,
            "ok": fine,
            "run": args.dir.to_string_lossy(),
            "ended": status,
            "cycles": replay.cycles,
            "entries": replay.entries,
            "head": hex(&replay.head),
            "sealed": replay.ended,
            "conditions": conditions.collect::<Vec<_>>(),
            "differences": differences.collect::<Vec<_>>(),
            "notes": replay.notes,
        }),
        notes: replay.notes,
    }
}
