//! `axilog x0l preflight`: the checks before a session.

use axilog_x0l::live::{PreflightCheck, preflight};
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};
use super::session_args::SessionArgs;

/// Check everything that a session needs, without asking the model.
///
/// Takes the options of `axilog x0l run` and checks the canonicalizer, the constitution, the tasks,
/// the template, every prompt, the token budgets, the context window, the oracle with its key, and
/// the directory. Prints the --b2 that the session is expected to need, and the one that is
/// surely enough. Whether the model answers
/// steadily is not checked here: `run` calibrates it first. Exits 0 if a session may begin, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) session: SessionArgs,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let session = &args.session;
    let plan = session.read_plan()?;
    let mut preflight = preflight(&plan, &session.out)?;
    let oracle = session.open_endpoint(&plan);
    preflight.checks.push(PreflightCheck {
        name: "oracle",
        result: oracle
            .map(|_| plan.frozen.oracle.clone())
            .map_err(|error| error.to_string()),
    });
    let verdict = if preflight.is_ready() {
        "READY"
    } else {
        "NOT_READY"
    };
    let mut rows = vec![("verdict", verdict.to_owned())];
    rows.extend(preflight.checks.iter().map(|check| {
        let text = match &check.result {
            Ok(found) => found.clone(),
            Err(reason) => format!("WRONG: {reason}"),
        };
        (check.name, text)
    }));
    Ok(Report {
        passed: preflight.is_ready(),
        text: table::format_pairs(&rows),
        json: json!({
            "verdict": verdict,
            "ok": preflight.is_ready(),
            "needed_b2": preflight.needed_b2,
            "surely_enough_b2": preflight.surely_enough_b2,
            "checks": preflight.checks.iter().map(write_check).collect::<Vec<Value>>(),
        }),
        notes: Vec::new(),
    })
}

fn write_check(check: &PreflightCheck) -> Value {
    let (Ok(found) | Err(found)) = &check.result;
    json!({ "check": check.name, "ok": check.result.is_ok(), "found": found })
}
