//! `axilog x0l preflight`: whether a session may begin.

use axilog_oracle::{Endpoint, Limits};
use axilog_x0l::live::{Check, preflight};
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};
use super::settings::Chosen;

/// Check everything that a session needs, and ask nothing.
///
/// The canonicalizer's source hash, self test and fuzz pass; the constitution, the tasks and the
/// template; that every prompt may be asked; B1, B2 and the context window; the oracle, with its key
/// where it needs one; the directory. Says which B2 is surely enough. Exits 0 where a session may
/// begin, else 1. The model's steadiness is not among the checks: `run` calibrates first.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) chosen: Chosen,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let chosen = &args.chosen;
    let plan = chosen.plan()?;
    let mut found = preflight(&plan, &chosen.out)?;
    let oracle = Endpoint::open(&chosen.oracle, &chosen.base_url, Limits::default());
    found.checks.push(Check {
        name: "oracle",
        found: oracle
            .map(|_| plan.frozen.oracle.clone())
            .map_err(|error| error.to_string()),
    });
    let verdict = if found.is_ready() {
        "READY"
    } else {
        "NOT_READY"
    };
    let mut rows = vec![("verdict", verdict.to_owned())];
    rows.extend(found.checks.iter().map(|check| {
        let text = match &check.found {
            Ok(found) => found.clone(),
            Err(reason) => format!("WRONG: {reason}"),
        };
        (check.name, text)
    }));
    Ok(Report {
        passed: found.is_ready(),
        text: table::format_pairs(&rows),
        json: json!({
            "verdict": verdict,
            "ok": found.is_ready(),
            "needed_b2": found.needed_b2,
            "checks": found.checks.iter().map(object).collect::<Vec<Value>>(),
        }),
        notes: Vec::new(),
    })
}

fn object(check: &Check) -> Value {
    let (Ok(found) | Err(found)) = &check.found;
    json!({ "check": check.name, "ok": check.found.is_ok(), "found": found })
}
