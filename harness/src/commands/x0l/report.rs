//! `axilog x0l report`: the verdict on a session, in words, numbers and plots.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_x0l::kernel::DecisionKind;
use axilog_x0l::log::{Condition, RunDirectory};
use axilog_x0l::metrics::ConditionMetrics;
use axilog_x0l::replay::{CycleId, ReplayFinding};
use axilog_x0l::report::{
    Closure, ClosureReason, CountedAttempts, RunReport, SessionEvidence, list_forensic_reviews,
    list_open_reviews,
};
use axilog_x0l::review::ReviewStatement;
use axilog_x0l::taxonomy::RefusalType;
use serde::Serialize;
use serde_json::Value;

use super::attempts::CountedIn;
use super::expected_heads::ExpectedHeads;
use super::judgements::{FailureFilter, JudgementArgs, judge_and_report};
use super::live_run::report_live_run;
use super::name_outcome;
use super::review::format_waiting_cycles;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Replay a run, and write its report into its directory: report.json, report.md and two plots.
///
/// A person must judge two kinds of cycles: Type III refusals, where the kernel refused a well-formed
/// proposal on a valid prompt, and actions on injections of L-C. --confirm records that such a cycle
/// is a failure, and the session cannot close positive; --dismiss, that it is harmless. Each judgement
/// says by whom and why. The judgements are recorded in review.jsonl, a ledger; a confirmation counts
/// until the person who made it dismisses the cycle. The report is not written where the run
/// contradicts the report that is there, or an expected head, nor of a session that is still going on (LIVE).
/// --plan and --corrected count the attempts that the run is among anew; the report has what was seen last.
/// Exits 0 if the verdict is POSITIVE, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    judgements: JudgementArgs,
    #[command(flatten)]
    counted: CountedIn,
    #[command(flatten)]
    expected: ExpectedHeads,
}

/// The verdict on a session.
#[derive(Serialize)]
struct SessionReport<'a> {
    verdict: &'static str,
    ok: bool,
    run: Cow<'a, str>,
    ended: &'static str,
    reasons: &'a [ClosureReason],
    /// What the verdict rests on.
    evidence: Option<Value>,
    /// The cycles with Type III refusals, by their numbers in the session.
    type_iii: Vec<u64>,
    /// The cycles that a person must still judge.
    forensic_review: Vec<u64>,
    withdrawn_confirmations: Vec<WithdrawnConfirmation<'a>>,
    head: String,
    review_head: Option<String>,
    /// The attempts that the run is among, by what they are counted under.
    counted: BTreeMap<&'static str, Value>,
    conflicts: &'a [ReplayFinding],
    /// The files that were written.
    files: Vec<String>,
}

/// A judgement that a person took back later, with the time of it in seconds since 1970.
#[derive(Serialize)]
struct WithdrawnConfirmation<'a> {
    cycle: u64,
    by: &'a str,
    because: &'a str,
    time: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let run = RunDirectory::open(&args.dir)?;
    if let Some(live) = report_live_run(&args.dir, &run)? {
        return Ok(live);
    }
    let filter = FailureFilter::default();
    let mut expected = args.expected.for_run();
    if args.counted.record(&run, &expected)? {
        // The review has a new head now.
        expected.review_head = None;
    }
    let report = judge_and_report(&run, expected, &args.judgements, &filter)?;
    Ok(report_closure(args, report))
}

fn numbers(cycles: &[CycleId]) -> Vec<u64> {
    cycles.iter().map(|cycle| cycle.number).collect()
}

/// The most conflicts in the text for people; JSON has all of them.
const MOST: usize = 20;

fn report_closure(args: &Args, report: RunReport) -> Report {
    let status = name_outcome(report.replay.metadata.as_ref());
    let mut rows = vec![
        ("verdict", report.closure.as_str().to_owned()),
        ("run", args.dir.display().to_string()),
        ("ended", status.to_owned()),
        ("head", hex(&report.replay.head)),
    ];
    let review = &report.review;
    let review_head = (review.entries > 0).then(|| hex(&review.head));
    if let Some(head) = &review_head {
        rows.push(("review head", head.clone()));
    }
    rows.extend(report.evidence.iter().flat_map(SessionEvidence::describe));
    let counted = report.counted_attempts();
    let describe = |it: &CountedAttempts| (it.name(), it.describe());
    rows.extend(counted.iter().map(describe));
    let mut text = table::format_pairs(&rows);
    for reason in &report.reasons {
        let line = format!("{}: {}", reason.code, reason.text);
        text.push_str(&table::wrap_sentence(&line));
    }
    let withdrawn = review.withdrawn_confirmations();
    for statement in &withdrawn {
        let line = format!(
            "{} confirmed cycle {} as a failure, and dismissed it later",
            statement.by, statement.cycle
        );
        text.push_str(&table::wrap_sentence(&line));
    }
    for conflict in report.replay.conflicts.iter().take(MOST) {
        text.push_str(&table::wrap_sentence(&conflict.to_string()));
    }
    let open = list_open_reviews(&report.metrics, &report.review);
    text.push_str(&format_waiting_cycles(
        &args.dir,
        &report.metrics,
        &open,
        MOST,
    ));
    let open = numbers(&list_forensic_reviews(&report.metrics, &report.review));
    let conditions = report.metrics.conditions.iter();
    let rows: Vec<[String; 8]> = conditions.map(list_counts).collect();
    let header = ["", "cycles", "ACTION", "REFUSE", "EXIT", "I", "II", "III"];
    text.push('\n');
    text.push_str(&table::format_grid(header, [6, 8, 8, 8, 6, 6, 6, 6], &rows));
    let written = report.replay.conflicts.is_empty();
    let files = report.files.keys().filter(|_| written);
    let files: Vec<String> = files
        .map(|name| args.dir.join(name).to_string_lossy().into_owned())
        .collect();
    let ok = report.closure == Closure::Positive;
    let result = SessionReport {
        verdict: report.closure.as_str(),
        ok,
        run: args.dir.to_string_lossy(),
        ended: status,
        reasons: &report.reasons,
        evidence: report.evidence.as_ref().map(SessionEvidence::to_json),
        type_iii: numbers(&report.metrics.type_iii()),
        forensic_review: open,
        withdrawn_confirmations: withdrawn
            .iter()
            .map(|statement| WithdrawnConfirmation::new(statement))
            .collect(),
        head: hex(&report.replay.head),
        review_head,
        counted: counted.iter().map(|it| (it.name(), it.to_json())).collect(),
        conflicts: &report.replay.conflicts,
        files,
    };
    Report::new(ok, text, &result).with_notes(report.replay.notes)
}

impl WithdrawnConfirmation<'_> {
    fn new(statement: &ReviewStatement) -> WithdrawnConfirmation<'_> {
        WithdrawnConfirmation {
            cycle: statement.cycle,
            by: &statement.by,
            because: &statement.because,
            time: statement.time,
        }
    }
}

/// Lists the cells of a condition's row.
fn list_counts((id, metrics): (&Condition, &ConditionMetrics)) -> [String; 8] {
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
