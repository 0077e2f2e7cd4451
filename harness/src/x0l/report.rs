//! `axilog x0l report`: the verdict on a session, in words, numbers and plots.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;

use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_x0l::X0lError;
use axilog_x0l::kernel::DecisionKind;
use axilog_x0l::log::{Condition, ReportLock, RunDirectory};
use axilog_x0l::metrics::ConditionMetrics;
use axilog_x0l::replay::CycleId;
use axilog_x0l::report::{
    Closure, RunReport, SessionEvidence, build_expected_report, list_forensic_reviews,
    list_open_reviews, list_reviewable_cycles, write_locked_report,
};
use axilog_x0l::review::{Judgement, Review, ReviewStatement, record_statements};
use axilog_x0l::taxonomy::RefusalType;
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, now, table};
use super::expected_heads::ExpectedHeads;
use super::live_run::report_live_run;
use super::name_outcome;

/// Replay a run, and write its report into its directory: report.json, report.md and two plots.
///
/// A person must judge two kinds of cycles: Type III refusals, where the kernel refused a well-formed
/// proposal on a valid prompt, and actions on injections of L-C. --confirm records that such a cycle
/// is a failure, and the session cannot close positive; --dismiss, that it is harmless. Each judgement
/// says by whom and why. The judgements are recorded in review.jsonl, a ledger; a confirmation counts
/// until the person who made it dismisses the cycle. The report is not written where the run
/// contradicts the report that is there, or an expected head, nor of a session that is still going on (LIVE).
/// Exits 0 if the verdict is POSITIVE, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Judge cycles to be failures: a number in the session, or a range such as 213-219, which stands for the
    /// cycles in it that this person has not judged; may be given several times.
    #[arg(long, value_name = "CYCLES", requires = "by", requires = "because")]
    confirm: Vec<CycleRange>,
    /// Judge cycles to be harmless, named in the same way; may be given several times.
    #[arg(long, value_name = "CYCLES", requires = "by", requires = "because")]
    dismiss: Vec<CycleRange>,
    /// The name of the person who judges.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// The reason for the judgements.
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    #[command(flatten)]
    expected: ExpectedHeads,
    /// Print one JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let run = RunDirectory::open(&args.dir)?;
    if let Some(live) = report_live_run(&args.dir, &run)? {
        return Ok(live);
    }
    // What is read, recorded and written below belongs together.
    let lock = ReportLock::take(&run)?;
    let mut expected = args.expected.for_run();
    if !(args.confirm.is_empty() && args.dismiss.is_empty()) {
        let report = build_expected_report(&run, &expected)?;
        if !report.replay.conflicts.is_empty() {
            // A judgement on evidence that was changed is none.
            return Ok(report_closure(args, report));
        }
        let reviewable = numbers(&list_reviewable_cycles(&report.metrics));
        let judgements = list_judgements(args, &reviewable, &report.review)?;
        let mut cycles = judgements.keys().copied();
        if let Some(cycle) = cycles.find(|cycle| !reviewable.contains(cycle)) {
            let places = reviewable;
            return Err(X0lError::NothingToReview { cycle, places }.into());
        }
        if !report.replay.ended {
            return Err(X0lError::NotSealed(run.ledger()).into());
        }
        let time = now();
        let statement = |(cycle, judgement)| ReviewStatement {
            run: report.replay.head,
            cycle,
            judgement,
            by: args.by.clone().unwrap_or_default(),
            because: args.because.clone().unwrap_or_default(),
            time,
        };
        let statements: Vec<ReviewStatement> = judgements.into_iter().map(statement).collect();
        record_statements(&run, &statements, time)?;
        // The review has a new head now.
        expected.review_head = None;
    }
    let report = write_locked_report(&run, &expected, &lock)?;
    Ok(report_closure(args, report))
}

fn numbers(cycles: &[CycleId]) -> Vec<u64> {
    cycles.iter().map(|cycle| cycle.number).collect()
}

/// Lists the judgements that the options make, by cycle. A cycle that is named by its number is judged by that, whatever
/// ranges it is in.
fn list_judgements(
    args: &Args,
    reviewable: &[u64],
    review: &Review,
) -> Result<BTreeMap<u64, Judgement>, Failure> {
    let refused = |reason| LedgerError::InvalidInput {
        path: "--confirm and --dismiss".into(),
        reason,
    };
    let by = args.by.as_deref().unwrap_or_default();
    let has_judged = |cycle| {
        let mut statements = review.statements(cycle).into_iter();
        statements.any(|it| it.statement.by == by)
    };
    let given = [
        (&args.confirm, Judgement::Confirmed),
        (&args.dismiss, Judgement::Dismissed),
    ];
    let ranges = args.confirm.iter().chain(&args.dismiss);
    let single: BTreeSet<u64> = ranges.filter_map(CycleRange::single).collect();
    let mut judgements = BTreeMap::new();
    for (ranges, judgement) in given {
        for range in ranges {
            let in_range = |cycle: &&u64| (range.first..=range.last).contains(cycle);
            let cycles: Vec<u64> = match range.single() {
                Some(cycle) => vec![cycle],
                None => reviewable
                    .iter()
                    .filter(in_range)
                    .filter(|cycle| !single.contains(cycle) && !has_judged(**cycle))
                    .copied()
                    .collect(),
            };
            if cycles.is_empty() {
                let CycleRange { first, last } = range;
                let reason = format!(
                    "found no cycle from {first} to {last} that a person must judge and {by} has not judged, expected one at least"
                );
                return Err(refused(reason).into());
            }
            for cycle in cycles {
                if judgements
                    .insert(cycle, judgement)
                    .is_some_and(|it| it != judgement)
                {
                    let reason = format!("found cycle {cycle} in both, expected it in one of them");
                    return Err(refused(reason).into());
                }
            }
        }
    }
    Ok(judgements)
}

/// Cycles by their numbers in the session: one, or all of a range that wait for a judgement.
#[derive(Clone, Debug)]
struct CycleRange {
    first: u64,
    last: u64,
}

impl CycleRange {
    /// The cycle, where there is one only.
    fn single(&self) -> Option<u64> {
        (self.first == self.last).then_some(self.first)
    }
}

impl FromStr for CycleRange {
    type Err = String;

    fn from_str(text: &str) -> Result<CycleRange, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(CycleRange { first, last }),
            _ => Err("expected the number of a cycle, or a range such as 213-219".to_owned()),
        }
    }
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
    text.push_str(&list_waiting_cycles(args, &report));
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
    Report {
        passed: report.closure == Closure::Positive,
        text,
        json: json!({
            "verdict": report.closure.as_str(),
            "ok": report.closure == Closure::Positive,
            "run": args.dir.to_string_lossy(),
            "ended": status,
            "reasons": report.reasons,
            "evidence": report.evidence.as_ref().map(SessionEvidence::to_json),
            "type_iii": numbers(&report.metrics.type_iii()),
            "forensic_review": open,
            "withdrawn_confirmations": withdrawn.iter().map(|statement| json!({
                "cycle": statement.cycle,
                "by": statement.by,
                "because": statement.because,
                "time": statement.time,
            })).collect::<Vec<_>>(),
            "head": hex(&report.replay.head),
            "review_head": review_head,
            "conflicts": report.replay.conflicts,
            "files": files,
        }),
        notes: report.replay.notes,
    }
}

/// The table of the cycles that wait for a person: what each is, and which gates refused it by which codes.
fn list_waiting_cycles(args: &Args, report: &RunReport) -> String {
    let metrics = &report.metrics;
    let open = list_open_reviews(metrics, &report.review);
    let rows: Vec<[String; 5]> = open
        .iter()
        .take(MOST)
        .map(|id| {
            let (gates, codes) = metrics.type_iii_failures.name_failures(id.number, "\n");
            let waits_as = match metrics.type_iii_failures.has_cycle(id.number) {
                true => "Type III",
                false => "acted on",
            };
            let place = format!("{} {}", id.condition.as_str(), id.cycle);
            [
                id.number.to_string(),
                place,
                waits_as.to_owned(),
                gates,
                codes,
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let header = ["cycle", "in", "waits as", "gate", "code"];
    let mut text = format!(
        "\n{}",
        table::format_grid(header, [7, 9, 10, 24, 25], &rows)
    );
    if let Some(more @ 1..) = open.len().checked_sub(MOST) {
        text.push_str(&format!("and {more} more; report.md has all of them\n"));
    }
    let advice = format!(
        "look at each with axilog x0l show {} CYCLE",
        args.dir.display()
    );
    text.push_str(&table::wrap_sentence(&advice));
    text
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
