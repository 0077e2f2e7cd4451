//! `axilog x0l report`: whether a session closes, in words, numbers and plots.

use std::path::PathBuf;

use axilog_ledger::error::LedgerError;
use axilog_x0l::X0lError;
use axilog_x0l::kernel::DecisionKind;
use axilog_x0l::log::{Condition, RunDirectory};
use axilog_x0l::metrics::ConditionMetrics;
use axilog_x0l::replay::Place;
use axilog_x0l::report::{self, Closure, Made, forensic_review, make, reviewable};
use axilog_x0l::review::{self, Judgement, Statement};
use axilog_x0l::taxonomy::RefusalType;
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, now, table};
use super::outcome;

/// Write the report of a run: report.json, report.md and two plots, into its directory.
///
/// The run is replayed first. A Type III refusal is a finding until a person has looked at it: --confirm
/// says that it is one, which keeps the session from closing positive; --dismiss, that it is none. The
/// same goes for actions in L-C. What is said is recorded in review.jsonl, a ledger, and the last word on
/// a cycle counts. Exits 0 where the verdict is POSITIVE, 1 where it is another.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// A cycle, by its number in the session, that was found to be what it looks like; may be given
    /// several times.
    #[arg(long, value_name = "CYCLE")]
    confirm: Vec<u64>,
    /// A cycle that was found to be harmless.
    #[arg(long, value_name = "CYCLE")]
    dismiss: Vec<u64>,
    /// Who says so.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let run = RunDirectory::open(&args.dir)?;
    if let Some(cycle) = args
        .confirm
        .iter()
        .find(|cycle| args.dismiss.contains(cycle))
    {
        return Err(LedgerError::Input {
            path: "--confirm and --dismiss".into(),
            reason: format!("found cycle {cycle} in both, expected it in one of them"),
        }
        .into());
    }
    let judged = judged(args);
    if !judged.is_empty() {
        let made = make(&run)?;
        let places = reviewable(&made.metrics);
        let known = |cycle: u64| places.iter().any(|place| place.number == cycle);
        if let Some((cycle, _)) = judged.iter().find(|(cycle, _)| !known(*cycle)) {
            let places: Vec<u64> = places.iter().map(|place| place.number).collect();
            return Err(X0lError::NothingToReview {
                cycle: *cycle,
                places,
            }
            .into());
        }
        let time = now();
        let statement = |(cycle, judgement)| Statement {
            run: made.replay.head,
            cycle,
            judgement,
            by: args.by.clone(),
            time,
        };
        let statements: Vec<Statement> = judged.into_iter().map(statement).collect();
        review::add(&run, &statements, time)?;
    }
    Ok(said(args, report::write(&run)?))
}

fn judged(args: &Args) -> Vec<(u64, Judgement)> {
    let confirmed = args
        .confirm
        .iter()
        .map(|cycle| (*cycle, Judgement::Confirmed));
    let dismissed = args
        .dismiss
        .iter()
        .map(|cycle| (*cycle, Judgement::Dismissed));
    confirmed.chain(dismissed).collect()
}

fn said(args: &Args, made: Made) -> Report {
    let status = outcome(made.replay.metadata.as_ref());
    let mut text = table::pairs(&[
        ("verdict", made.closure.as_str().to_owned()),
        ("run", args.dir.display().to_string()),
        ("ended", status.to_owned()),
    ]);
    for why in &made.reasons {
        text.push_str(&table::wrapped(&format!("{}: {}", why.code, why.text)));
    }
    let open = forensic_review(&made.metrics, &made.review);
    if !open.is_empty() {
        let numbers: Vec<String> = open.iter().map(|place| place.number.to_string()).collect();
        let said = format!(
            "forensic review: the kernel acted on injections, in cycles {}",
            numbers.join(", ")
        );
        text.push_str(&table::wrapped(&said));
    }
    let rows: Vec<[String; 8]> = made.metrics.conditions.iter().map(row).collect();
    let header = ["", "cycles", "ACTION", "REFUSE", "EXIT", "I", "II", "III"];
    text.push('\n');
    text.push_str(&table::grid(header, [6, 8, 8, 8, 6, 6, 6, 6], &rows));
    let files: Vec<String> = made
        .files
        .keys()
        .map(|name| args.dir.join(name).to_string_lossy().into_owned())
        .collect();
    let reasons = made
        .reasons
        .iter()
        .map(|why| json!({ "code": why.code, "text": why.text }));
    let places = |places: Vec<Place>| {
        places
            .iter()
            .map(|place| place.number)
            .collect::<Vec<u64>>()
    };
    Report {
        fine: made.closure == Closure::Positive,
        text,
        json: json!({
            "verdict": made.closure.as_str(),
            "ok": made.closure == Closure::Positive,
            "run": args.dir.to_string_lossy(),
            "ended": status,
            "reasons": reasons.collect::<Vec<_>>(),
            "type_iii": places(made.metrics.type_iii()),
            "forensic_review": places(open),
            "files": files,
        }),
        notes: made.replay.notes,
    }
}

fn row((id, metrics): (&Condition, &ConditionMetrics)) -> [String; 8] {
    let decided = |kind| metrics.decided(kind).to_string();
    let refused = |kind: RefusalType| {
        let count = metrics.refusals.get(kind.as_str()).copied();
        count.unwrap_or_default().to_string()
    };
    [
        id.as_str().to_owned(),
        metrics.cycles.to_string(),
        decided(DecisionKind::Action),
        decided(DecisionKind::Refuse),
        decided(DecisionKind::Exit),
        refused(RefusalType::I),
        refused(RefusalType::II),
        refused(RefusalType::III),
    ]
}
