//! `axilog x0l plan`: what will be run, committed before anything is asked.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_x0l::live::{CommittedPlan, preflight};
use serde::Serialize;

use super::session_args::PlannedArgs;
use crate::Failure;
use crate::now;
use crate::output::Report;
use crate::output::table;

/// Commit a plan: write what will be run, with all hashes, into a directory in which the attempts are counted.
///
/// Takes the options of `axilog x0l run`, and checks what `axilog x0l preflight` checks. Asks the model nothing. Give
/// the directory to `run` with --plan: a session that differs from the plan is refused, and each attempt is counted
/// before anything is asked, also one that is aborted or killed. Write the printed hash of the plan down where nobody
/// else writes, or publish it. Exits 0 if the plan was committed, 1 if a check fails.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory for the plan, which must be new or empty.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    planned: PlannedArgs,
}

/// A plan that was committed: its directory, its hash, and the time in seconds since 1970.
#[derive(Serialize)]
struct PlanResult<'a> {
    ok: bool,
    dir: Cow<'a, str>,
    plan: String,
    planned: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let time = now();
    let plan = args.planned.read_plan(None, time)?;
    // Nothing that is recorded may hold the key.
    args.planned.open_endpoint(&plan)?;
    preflight(&plan, &args.dir)?.require_ready()?;
    let committed = CommittedPlan::commit(&args.dir, &plan.frozen, time)?;
    let hash = hex(committed.hash());
    let dir = args.dir.display().to_string();
    let text = table::format_pairs(&[
        ("plan", dir.clone()),
        ("hash", hash.clone()),
        ("committed", format!("at {time}, in seconds since 1970")),
        (
            "next",
            format!("axilog x0l run --plan {dir}, with the same options"),
        ),
    ]);
    let result = PlanResult {
        ok: true,
        dir: args.dir.to_string_lossy(),
        plan: hash,
        planned: time,
    };
    Ok(Report::new(true, text, &result))
}
