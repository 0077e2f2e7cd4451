//! `axilog x0l run`: a session.

use axilog_oracle::{Endpoint, Limits};
use axilog_x0l::document::to_value;
use axilog_x0l::live::{Held, preflight, run as hold};
use axilog_x0l::log::SessionStatus;
use axilog_x0l::report::MARKDOWN;
use serde_json::json;

use super::super::interrupt::Flag;
use super::super::output::Report;
use super::super::{Failure, table};
use super::settings::Chosen;
use super::watching::Watching;

/// Hold a session: calibrate the model, run the conditions, leave a run that replays without it.
///
/// Checks what preflight checks, then asks. Every prompt and answer is in the ledger of the run
/// before anything reads it. Ctrl-C stops before the next cycle; a second one ends at once. Either
/// leaves a run that replays. A run is never resumed. Exits 0 where every condition has run; 1 where
/// the session ended before (INTERRUPTED, SESSION_BUDGET_EXHAUSTED, TRANSPORT_FAILURE_ABORT,
/// MODEL_DRIFT_DETECTED, INTEGRITY_RISK, ABORTED), or where preflight refuses it. The key is taken
/// from OPENAI_API_KEY.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) chosen: Chosen,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let chosen = &args.chosen;
    let plan = chosen.plan()?;
    let mut endpoint = Endpoint::open(&chosen.oracle, &chosen.base_url, Limits::default())?;
    preflight(&plan, &chosen.out)?.ready()?;
    let mut watching = Watching::new(&plan, Flag::install());
    let held = hold(&plan, &mut endpoint, &chosen.out, &mut watching);
    watching.done();
    Ok(report(args, &held?, &watching))
}

fn report(args: &Args, held: &Held, watching: &Watching) -> Report {
    let outcome = &held.outcome;
    let closure = held.report.closure.as_str();
    let status = outcome.status.as_str();
    let mut rows = vec![("status", status.to_owned())];
    if let Some(reason) = &outcome.reason {
        rows.push(("reason", reason.clone()));
    }
    let out = &args.chosen.out;
    rows.push(("run", out.display().to_string()));
    for condition in &outcome.conditions {
        let mix = watching.mix(condition.id);
        rows.push((
            condition.id.as_str(),
            format!(
                "{} cycles, {mix}; {}",
                condition.cycles,
                condition.status.as_str()
            ),
        ));
    }
    rows.push(("tokens", outcome.tokens_spent.to_string()));
    rows.push((
        "report",
        format!("{closure}; see {}", out.join(MARKDOWN).display()),
    ));
    let mut object = to_value(outcome);
    if let Some(object) = object.as_object_mut() {
        object.insert(
            "ok".to_owned(),
            json!(outcome.status == SessionStatus::Complete),
        );
        object.insert("closure".to_owned(), json!(closure));
        object.insert("run".to_owned(), json!(out.to_string_lossy()));
    }
    Report {
        fine: outcome.status == SessionStatus::Complete,
        text: table::pairs(&rows),
        json: object,
        notes: Vec::new(),
    }
}
