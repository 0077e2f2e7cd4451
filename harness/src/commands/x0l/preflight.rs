//! `axilog x0l preflight`: the checks before a session.

use axilog_x0l::live::{PreflightCheck, ServerSpeed, preflight};
use serde_json::{Value, json};

use super::session_args::SessionArgs;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// What is said where a server is asked whose speed is not measured.
const UNMEASURED: &str = "the speed of the server is not measured; --measure asks it four questions at most, and names the conditions that cannot be answered in time";

/// Check everything that a session needs, without asking the model unless --measure is given.
///
/// Takes the options of `axilog x0l run` and checks the canonicalizer, the constitution, the tasks,
/// the template, every prompt, the token budgets, the context window, the oracle with its key, and
/// the directory. Prints the --b2 that the session is expected to need, and the one that is
/// surely enough. Whether the model answers
/// steadily is not checked here: `run` calibrates it first. With --measure the server is asked four questions at most,
/// and conditions whose answers cannot come in time are named. Exits 0 if a session may begin, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) session: SessionArgs,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let session = &args.session;
    let plan = session.read_plan()?;
    let mut preflight = preflight(&plan, &session.out)?;
    let mut oracle = session.planned.open_endpoint(&plan);
    preflight.checks.push(PreflightCheck {
        name: "oracle",
        result: match &oracle {
            Ok(_) => Ok(plan.frozen.oracle.clone()),
            Err(error) => Err(error.to_string()),
        },
    });
    let speed = match &mut oracle {
        Ok(endpoint) => session.measure(&plan, endpoint, &mut preflight)?,
        Err(_) => None,
    };
    let asks_server = plan.frozen.transport.is_some();
    let notes = match asks_server && !session.measure {
        true => vec![UNMEASURED.to_owned()],
        false => Vec::new(),
    };
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
            "speed": speed.as_ref().map(write_speed),
            "checks": preflight.checks.iter().map(write_check).collect::<Vec<Value>>(),
        }),
        notes,
    })
}

fn write_check(check: &PreflightCheck) -> Value {
    let (Ok(found) | Err(found)) = &check.result;
    json!({ "check": check.name, "ok": check.result.is_ok(), "found": found })
}

fn write_speed(speed: &ServerSpeed) -> Value {
    let conditions = speed.conditions.iter().map(|it| {
        json!({
            "condition": it.condition.as_str(),
            "ok": speed.is_in_time(it),
            "expected_ms": it.expected_ms,
            "longest_answer": it.longest_answer,
        })
    });
    json!({
        "ok": speed.is_enough(),
        "questions": speed.questions,
        "prompt_token_us": speed.prompt_token_us,
        "answer_token_us": speed.answer_token_us,
        "time_limit_ms": speed.time_limit_ms,
        "conditions": conditions.collect::<Vec<_>>(),
    })
}
