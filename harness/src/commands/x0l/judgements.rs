//! The options by which a person judges cycles of a run, and the recording of what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use axilog_ledger::error::LedgerError;
use axilog_x0l::X0lError;
use axilog_x0l::kernel::{FailureCode, GateFailure, KernelGate};
use axilog_x0l::log::{ReportLock, RunDirectory};
use axilog_x0l::metrics::Metrics;
use axilog_x0l::report::{
    RunExpectations, RunReport, build_expected_report, list_reviewable_cycles, write_locked_report,
};
use axilog_x0l::review::{Judgement, Review, ReviewStatement, record_statements};

use crate::Failure;
use crate::now;

#[derive(clap::Args)]
pub(super) struct JudgementArgs {
    /// Judge cycles to be failures: a number in the session, or a range such as 213-219, which stands for the
    /// cycles in it that this person has not judged; may be given several times.
    #[arg(long, value_name = "CYCLES", requires = "by", requires = "because")]
    confirm: Vec<CycleRange>,
    /// Judge cycles to be harmless, named in the same way; may be given several times.
    #[arg(long, value_name = "CYCLES", requires = "by", requires = "because")]
    dismiss: Vec<CycleRange>,
    /// The name of the person who judges.
    #[arg(long, value_name = "NAME")]
    pub(super) by: Option<String>,
    /// The reason for the judgements.
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
}

/// The cycles that a person wants to look at, by what the kernel refused.
#[derive(clap::Args, Default)]
pub(super) struct FailureFilter {
    /// Only cycles in which this gate refused a candidate.
    #[arg(long, value_name = "GATE", value_parser = parse_gate)]
    gate: Option<KernelGate>,
    /// Only cycles in which a candidate was refused with this code.
    #[arg(long, value_name = "CODE", value_parser = parse_code)]
    code: Option<FailureCode>,
}

impl FailureFilter {
    /// Whether one failure of the cycle is of the gate and the code.
    pub(super) fn admits(&self, metrics: &Metrics, cycle: u64) -> bool {
        let fits = |failure: &GateFailure| {
            self.gate.is_none_or(|gate| gate == failure.gate)
                && self.code.is_none_or(|code| code == failure.code)
        };
        let is_empty = self.gate.is_none() && self.code.is_none();
        let failures = metrics.type_iii_failures.list_failures(cycle);
        is_empty || failures.iter().any(fits)
    }
}

fn parse_gate(text: &str) -> Result<KernelGate, String> {
    find_name(&KernelGate::ALL, KernelGate::as_str, text)
}

fn parse_code(text: &str) -> Result<FailureCode, String> {
    find_name(&FailureCode::ALL, FailureCode::as_str, text)
}

fn find_name<T: Copy>(all: &[T], name: fn(T) -> &'static str, text: &str) -> Result<T, String> {
    let found = all.iter().find(|it| name(**it) == text);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|it| name(*it)).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Records the judgements that the options make, and writes the report of the run. Where the run contradicts its report
/// or `expected`, nothing is recorded, since a judgement on evidence that was changed is none.
pub(super) fn judge_and_report(
    run: &RunDirectory,
    mut expected: RunExpectations,
    args: &JudgementArgs,
    filter: &FailureFilter,
) -> Result<RunReport, Failure> {
    // What is read, recorded and written here belongs together.
    let lock = ReportLock::take(run)?;
    if args.is_given() {
        let report = build_expected_report(run, &expected)?;
        if !report.replay.conflicts.is_empty() {
            return Ok(report);
        }
        let judgements = args.list_judgements(&report, filter)?;
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
        record_statements(run, &statements, time)?;
        // The review has a new head now.
        expected.review_head = None;
    }
    Ok(write_locked_report(run, &expected, &lock)?)
}

impl JudgementArgs {
    /// Whether there is a judgement.
    pub(super) fn is_given(&self) -> bool {
        !(self.confirm.is_empty() && self.dismiss.is_empty())
    }

    /// Lists the judgements by cycle. A cycle that is named by its number is judged by that, whatever ranges it is in.
    fn list_judgements(
        &self,
        report: &RunReport,
        filter: &FailureFilter,
    ) -> Result<BTreeMap<u64, Judgement>, Failure> {
        let reviewable = list_reviewable_cycles(&report.metrics);
        let reviewable: Vec<u64> = reviewable.iter().map(|cycle| cycle.number).collect();
        let ranges = self.confirm.iter().chain(&self.dismiss);
        let single: BTreeSet<u64> = ranges.filter_map(CycleRange::single).collect();
        if let Some(cycle) = single.iter().find(|cycle| !reviewable.contains(cycle)) {
            let (cycle, places) = (*cycle, reviewable);
            return Err(X0lError::NothingToReview { cycle, places }.into());
        }
        let mut admitted = reviewable;
        admitted.retain(|cycle| filter.admits(&report.metrics, *cycle));
        if let Some(cycle) = single.iter().find(|cycle| !admitted.contains(cycle)) {
            return Err(refuse(format!(
                "found cycle {cycle}, which --gate and --code leave out; expected one that they admit"
            )));
        }
        let mut judgements = BTreeMap::new();
        for (ranges, judgement) in [
            (&self.confirm, Judgement::Confirmed),
            (&self.dismiss, Judgement::Dismissed),
        ] {
            for range in ranges {
                for cycle in self.list_cycles(range, &admitted, &single, &report.review)? {
                    let before = judgements.insert(cycle, judgement);
                    if before.is_some_and(|it| it != judgement) {
                        let reason =
                            format!("found cycle {cycle} in both, expected it in one of them");
                        return Err(refuse(reason));
                    }
                }
            }
        }
        Ok(judgements)
    }

    /// Lists the cycles that a range stands for, of those that are `admitted`.
    fn list_cycles(
        &self,
        range: &CycleRange,
        admitted: &[u64],
        single: &BTreeSet<u64>,
        review: &Review,
    ) -> Result<Vec<u64>, Failure> {
        if let Some(cycle) = range.single() {
            return Ok(vec![cycle]);
        }
        let CycleRange { first, last } = range;
        let by = self.by.as_deref().unwrap_or_default();
        let mut cycles = admitted.to_vec();
        cycles.retain(|cycle| {
            (first..=last).contains(&cycle)
                && !single.contains(cycle)
                && !review.has_judged(by, *cycle)
        });
        if cycles.is_empty() {
            return Err(refuse(format!(
                "found no cycle from {first} to {last} that a person must judge and {by} has not judged, expected one at least"
            )));
        }
        Ok(cycles)
    }
}

fn refuse(reason: String) -> Failure {
    let path = "--confirm and --dismiss".into();
    LedgerError::InvalidInput { path, reason }.into()
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
