//! `axilog x0l replay`: recomputes and compares everything in a run's directory (E1 to E3).

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_x0l::log::RunDirectory;
use axilog_x0l::replay::{ReplayFinding, RunReplay};
use axilog_x0l::report::build_compared_report;
use serde::Serialize;

use super::expected_heads::ExpectedHeads;
use super::live_run::report_live_run;
use super::name_outcome;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Recompute everything in a run's directory without the model, and compare.
///
/// Replays the ledger; recomputes each cycle from the model's raw text through canonicalizer, parser
/// and kernel; renders the prompts from the inputs; recomputes the outcome, the hashes and the
/// report; and looks for missing, altered and additional files. Exits 0 if the run came to its end and
/// there is no difference (REPLAYED), else 1: DIVERGED with the file, cycle and field of each
/// difference, or INCOMPLETE where what is there agrees and the run's end is not there. Nobody can tell
/// then whether the run was killed or its end cut off, unless the head was noted: --expect-head. Nor
/// whether there were judgements where neither a review nor a report is left: --expect-review-head. A run whose
/// session is still going on is LIVE, and not replayed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    expected: ExpectedHeads,
}

/// A run that was recomputed.
#[derive(Serialize)]
struct ReplayResult<'a> {
    verdict: &'static str,
    ok: bool,
    run: Cow<'a, str>,
    ended: &'static str,
    /// The number of cycles that were recomputed.
    cycles: u64,
    /// The number of records in the ledger.
    entries: u64,
    head: String,
    sealed: bool,
    conditions: Vec<ReplayedCondition>,
    differences: &'a [ReplayFinding],
    notes: &'a [String],
}

/// The number of cycles of a condition, and of those with a difference.
#[derive(Serialize)]
struct ReplayedCondition {
    condition: &'static str,
    cycles: u64,
    divergent: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let run = RunDirectory::open(&args.dir)?;
    if let Some(live) = report_live_run(&args.dir, &run)? {
        return Ok(live);
    }
    let report = build_compared_report(&run, &args.expected.for_run())?;
    Ok(report_replay(args, report.replay))
}

/// The most differences in the text for people; JSON has all of them.
const MOST: usize = 20;

fn report_replay(args: &Args, replay: RunReplay) -> Report {
    let fine = replay.is_good();
    let verdict = match (fine, replay.ended) {
        (false, _) => "DIVERGED",
        (true, false) => "INCOMPLETE",
        (true, true) => "REPLAYED",
    };
    let status = name_outcome(replay.metadata.as_ref());
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
    let conditions = replay.conditions.iter();
    let conditions = conditions.map(|(id, &(cycles, divergent))| ReplayedCondition {
        condition: id.as_str(),
        cycles,
        divergent,
    });
    let ok = fine && replay.ended;
    let result = ReplayResult {
        verdict,
        ok,
        run: args.dir.to_string_lossy(),
        ended: status,
        cycles: replay.cycles,
        entries: replay.entries,
        head: hex(&replay.head),
        sealed: replay.ended,
        conditions: conditions.collect(),
        differences: &replay.findings,
        notes: &replay.notes,
    };
    Report::new(ok, text, &result).with_notes(replay.notes)
}
