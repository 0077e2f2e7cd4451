//! `axilog x0l preflight`: the checks before a session.

use axilog_x0l::live::{PreflightCheck, ServerSpeed, preflight};
use serde::Serialize;

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

/// Whether a session may begin.
#[derive(Serialize)]
struct PreflightResult<'a> {
    verdict: &'static str,
    ok: bool,
    /// The token budget B2 that the session is expected to need.
    needed_b2: u64,
    /// The token budget B2 that is enough whatever the model answers.
    surely_enough_b2: u64,
    /// The speed of the server; `None` where it was not measured.
    speed: Option<SpeedResult>,
    checks: Vec<CheckedNeed<'a>>,
}

/// Something that a session needs: what was found, or what is wrong.
#[derive(Serialize)]
struct CheckedNeed<'a> {
    check: &'static str,
    ok: bool,
    found: &'a str,
}

/// The speed of a server, with the times of a token in microseconds.
#[derive(Serialize)]
struct SpeedResult {
    ok: bool,
    questions: u64,
    prompt_token_us: u64,
    answer_token_us: u64,
    time_limit_ms: u64,
    conditions: Vec<ConditionSpeedResult>,
}

/// The time that an answer of a condition takes, and its longest answer in tokens.
#[derive(Serialize)]
struct ConditionSpeedResult {
    condition: &'static str,
    ok: bool,
    expected_ms: u64,
    longest_answer: u64,
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
    preflight.checks.extend(session.check_signing());
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
    let ok = preflight.is_ready();
    let result = PreflightResult {
        verdict,
        ok,
        needed_b2: preflight.needed_b2,
        surely_enough_b2: preflight.surely_enough_b2,
        speed: speed.as_ref().map(SpeedResult::new),
        checks: preflight.checks.iter().map(CheckedNeed::new).collect(),
    };
    Ok(Report::new(ok, table::format_pairs(&rows), &result).with_notes(notes))
}

impl CheckedNeed<'_> {
    fn new(check: &PreflightCheck) -> CheckedNeed<'_> {
        let (Ok(found) | Err(found)) = &check.result;
        CheckedNeed {
            check: check.name,
            ok: check.result.is_ok(),
            found,
        }
    }
}

impl SpeedResult {
    fn new(speed: &ServerSpeed) -> SpeedResult {
        let conditions = speed.conditions.iter().map(|it| ConditionSpeedResult {
            condition: it.condition.as_str(),
            ok: speed.is_in_time(it),
            expected_ms: it.expected_ms,
            longest_answer: it.longest_answer,
        });
        SpeedResult {
            ok: speed.is_enough(),
            questions: speed.questions,
            prompt_token_us: speed.prompt_token_us,
            answer_token_us: speed.answer_token_us,
            time_limit_ms: speed.time_limit_ms,
            conditions: conditions.collect(),
        }
    }
}
