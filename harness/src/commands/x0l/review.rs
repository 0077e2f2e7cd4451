//! `axilog x0l review`: the queue of the cycles that wait for a person.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use axilog_ledger::encoding::hex;
use axilog_x0l::kernel::{FailureCode, GateFailure, KernelGate};
use axilog_x0l::log::RunDirectory;
use axilog_x0l::metrics::Metrics;
use axilog_x0l::replay::{CycleId, ReplayFinding};
use axilog_x0l::report::{
    RunReport, build_expected_report, list_open_reviews, list_reviewable_cycles, write_agreement,
};
use axilog_x0l::review::ReviewerAgreement;
use serde::Serialize;
use serde_json::Value;

use super::expected_heads::ExpectedHeads;
use super::judgements::{FailureFilter, JudgementArgs, judge_and_report};
use super::live_run::report_live_run;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// List the cycles that wait for a person, and judge many of them at once.
///
/// A person must judge Type III refusals, where the kernel refused a well-formed proposal on a valid prompt, and
/// actions on injections of L-C. Without --by these are the cycles that nobody has judged; with --by those that this
/// person has not, as a second reviewer needs it. --gate and --code leave only refusals for this reason, in the list and
/// in the ranges of --confirm and --dismiss, which record judgements and write the report as axilog x0l report does.
/// How far reviewers agree who judged the same cycles is listed too. Exits 0 if no cycle is listed, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    filter: FailureFilter,
    #[command(flatten)]
    judgements: JudgementArgs,
    #[command(flatten)]
    expected: ExpectedHeads,
}

/// The cycles that wait for a person, and how far those agree who judged the same ones.
#[derive(Serialize)]
struct ReviewResult<'a> {
    verdict: &'static str,
    ok: bool,
    run: Cow<'a, str>,
    /// The number of cycles that a person must judge, those that are judged among them.
    reviewable: usize,
    waiting: Vec<WaitingCycle>,
    agreement: Vec<Value>,
    head: String,
    review_head: Option<String>,
    conflicts: &'a [ReplayFinding],
}

/// A cycle that waits: its number in the session and within its condition, and why.
#[derive(Serialize)]
struct WaitingCycle {
    cycle: u64,
    condition: &'static str,
    condition_cycle: u64,
    type_iii: bool,
    failures: Vec<RefusedBy>,
}

/// The gate that refused a candidate, and its code.
#[derive(Serialize)]
struct RefusedBy {
    gate: KernelGate,
    code: FailureCode,
}

impl Args {
    /// Whether the call writes to the run's directory.
    pub(super) fn records(&self) -> bool {
        self.judgements.is_given()
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let run = RunDirectory::open(&args.dir)?;
    if let Some(live) = report_live_run(&args.dir, &run)? {
        return Ok(live);
    }
    let expected = args.expected.for_run();
    let report = match args.records() {
        true => judge_and_report(&run, expected, &args.judgements, &args.filter)?,
        false => build_expected_report(&run, &expected)?,
    };
    Ok(report_queue(args, report))
}

fn report_queue(args: &Args, report: RunReport) -> Report {
    let RunReport {
        metrics, review, ..
    } = &report;
    let mut waiting = match &args.judgements.by {
        None => list_open_reviews(metrics, review),
        Some(by) => {
            let mut cycles = list_reviewable_cycles(metrics);
            cycles.retain(|cycle| !review.has_judged(by, cycle.number));
            cycles
        }
    };
    waiting.retain(|cycle| args.filter.admits(metrics, cycle.number));
    let reviewable = list_reviewable_cycles(metrics).len();
    let agreements = review.agreements();
    let waits = match waiting.len() {
        0 => "nothing".to_owned(),
        count => count.to_string(),
    };
    let mut rows = vec![
        ("verdict", report.closure.as_str().to_owned()),
        ("run", args.dir.display().to_string()),
        ("waiting", waits),
        ("to judge", format!("{reviewable} in all")),
    ];
    let review_head = (review.entries > 0).then(|| hex(&review.head));
    if let Some(head) = &review_head {
        rows.push(("review head", head.clone()));
    }
    let mut text = table::format_pairs(&rows);
    let conflicts = &report.replay.conflicts;
    for conflict in conflicts {
        text.push_str(&table::wrap_sentence(&conflict.to_string()));
    }
    for agreement in &agreements {
        text.push_str(&table::wrap_sentence(&describe_agreement(agreement)));
    }
    text.push_str(&format_waiting_cycles(
        &args.dir,
        metrics,
        &waiting,
        usize::MAX,
    ));
    let passed = waiting.is_empty() && conflicts.is_empty();
    let waiting = waiting.iter().map(|id| WaitingCycle::new(metrics, *id));
    let result = ReviewResult {
        verdict: report.closure.as_str(),
        ok: passed,
        run: args.dir.to_string_lossy(),
        reviewable,
        waiting: waiting.collect(),
        agreement: agreements.iter().map(write_agreement).collect(),
        head: hex(&report.replay.head),
        review_head,
        conflicts,
    };
    Report::new(passed, text, &result).with_notes(report.replay.notes)
}

fn describe_agreement(agreement: &ReviewerAgreement) -> String {
    let agreed = agreement.agreed();
    format!(
        "{} and {} agree on {} of {} cycles that both have judged ({}): {} confirmed by both, {} dismissed by both, {} confirmed by the first alone, {} by the second alone",
        agreement.first,
        agreement.second,
        agreed.of,
        agreed.all,
        agreed.percent(),
        agreement.both_confirmed,
        agreement.both_dismissed,
        agreement.only_first_confirmed,
        agreement.only_second_confirmed
    )
}

impl WaitingCycle {
    fn new(metrics: &Metrics, id: CycleId) -> WaitingCycle {
        let failures = metrics.type_iii_failures.list_failures(id.number).iter();
        WaitingCycle {
            cycle: id.number,
            condition: id.condition.as_str(),
            condition_cycle: id.cycle,
            type_iii: metrics.type_iii_failures.has_cycle(id.number),
            failures: failures
                .map(|&GateFailure { gate, code }| RefusedBy { gate, code })
                .collect(),
        }
    }
}

/// The table of cycles that wait for a person, `most` of them: what each is, and which gates refused it by which codes.
pub(super) fn format_waiting_cycles(
    dir: &Path,
    metrics: &Metrics,
    waiting: &[CycleId],
    most: usize,
) -> String {
    let rows: Vec<[String; 5]> = waiting
        .iter()
        .take(most)
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
    if let Some(more @ 1..) = waiting.len().checked_sub(most) {
        text.push_str(&format!("and {more} more; report.md has all of them\n"));
    }
    let advice = format!("look at each with axilog x0l show {} CYCLE", dir.display());
    text.push_str(&table::wrap_sentence(&advice));
    text
}
