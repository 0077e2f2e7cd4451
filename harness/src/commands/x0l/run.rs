//! `axilog x0l run`: a session with a model.

use std::borrow::Cow;

use axilog_ledger::encoding::hex;
use axilog_x0l::live::{BegunSession, FinishedSession, preflight};
use axilog_x0l::log::{SessionOutcome, SessionStatus};
use axilog_x0l::report::MARKDOWN;
use serde::Serialize;

use super::progress::ProgressLine;
use super::session_args::SessionArgs;
use crate::Failure;
use crate::interrupt::Flag;
use crate::options::checkpoints::{add_to_report, remark_on};
use crate::output::Report;
use crate::output::table;

/// Run a session: calibrate the model, run the conditions, and leave a directory that replays
/// without the model.
///
/// The checks of `axilog x0l preflight` come first. Every prompt and answer is recorded in the run's
/// ledger before it is used. Ctrl-C stops the session before the next cycle, a second Ctrl-C at
/// once; what is recorded until then replays, but a session is never resumed. Exits 0 if every
/// condition ran to its end and the run replays; 1 if preflight fails, or if the session ended early (INTERRUPTED,
/// SESSION_BUDGET_EXHAUSTED, TRANSPORT_FAILURE_ABORT, MODEL_DRIFT_DETECTED, INVALID, INTEGRITY_RISK,
/// ABORTED). The API key is read from the environment variable OPENAI_API_KEY.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) session: SessionArgs,
}

/// A session that ended: its outcome, and the verdict of its report.
#[derive(Serialize)]
struct SessionResult<'a> {
    #[serde(flatten)]
    outcome: &'a SessionOutcome,
    ok: bool,
    closure: &'static str,
    head: String,
    run: Cow<'a, str>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let session = &args.session;
    let plan = session.read_plan()?;
    let mut signing = session.read_signing()?;
    let mut endpoint = session.planned.open_endpoint(&plan)?;
    let mut checks = preflight(&plan, &session.out)?;
    // A session that cannot begin asks nothing.
    checks.require_ready()?;
    session.measure(&plan, &mut endpoint, &mut checks)?;
    checks.require_ready()?;
    let mut progress = ProgressLine::new(&plan, Flag::install());
    let mut begun = BegunSession::begin(&plan, &session.out)?;
    let ledger = begun.ledger();
    if let Some(watch) = signing.start_at(&ledger)? {
        begun.report_durable_to(watch);
    }
    let finished = begun.run(&mut endpoint, &mut progress);
    progress.clear();
    let heads = signing.finish();
    let finished = match finished {
        Ok(finished) => finished,
        Err(error) => {
            remark_on(&ledger, heads);
            return Err(error.into());
        }
    };
    let mut report = report_session(args, &finished, &progress);
    if let Some(heads) = heads {
        add_to_report(heads, &mut report);
    }
    Ok(report)
}

fn report_session(args: &Args, finished: &FinishedSession, progress: &ProgressLine) -> Report {
    let outcome = &finished.outcome;
    let closure = finished.report.closure.as_str();
    let status = outcome.status.as_str();
    let mut rows = vec![("status", status.to_owned())];
    if let Some(reason) = &outcome.reason {
        rows.push(("reason", reason.clone()));
    }
    let out = &args.session.out;
    rows.push(("run", out.display().to_string()));
    for condition in &outcome.conditions {
        let decisions = progress.decisions(condition.id);
        rows.push((
            condition.id.as_str(),
            format!(
                "{} cycles, {decisions}; {}",
                condition.cycles,
                condition.status.as_str()
            ),
        ));
    }
    rows.push(("tokens", outcome.tokens_spent.to_string()));
    let head = hex(&finished.report.replay.head);
    rows.push(("head", head.clone()));
    rows.push((
        "report",
        format!("{closure}; see {}", out.join(MARKDOWN).display()),
    ));
    // What the session has just written replays without a finding, unless it was exchanged since.
    let findings = finished.report.replay.findings.len();
    if findings > 0 {
        let found = format!(
            "{findings} differences; see axilog x0l replay {}",
            out.display()
        );
        rows.push(("replay", found));
    }
    let passed = outcome.status == SessionStatus::Complete && findings == 0;
    let result = SessionResult {
        outcome,
        ok: passed,
        closure,
        head,
        run: out.to_string_lossy(),
    };
    Report::new(passed, table::format_pairs(&rows), &result)
}
