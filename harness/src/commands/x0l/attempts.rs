//! `axilog x0l attempts`: the attempts under a plan.

use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_x0l::X0lError;
use axilog_x0l::live::{CommittedPlan, LiveError};
use axilog_x0l::log::{Attempt, AttemptLog, ReportLock, RunDirectory};
use axilog_x0l::report::{RunExpectations, build_expected_report};
use axilog_x0l::review::{AttemptSighting, record_sighting};
use serde::Serialize;

use crate::Failure;
use crate::now;
use crate::output::Report;
use crate::output::table;

/// List the attempts under a plan, those that were aborted or killed too.
///
/// Checks the chain of the file that counts them. Exits 0 if it is good, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the plan.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// The attempts under a plan, in the order in which they began.
#[derive(Serialize)]
struct AttemptsResult<'a> {
    ok: bool,
    /// The hash of the plan.
    plan: String,
    /// When the plan was committed, in seconds since 1970.
    planned: u64,
    attempts: &'a [Attempt],
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let plan = CommittedPlan::read(&args.dir)?;
    let attempts = plan.attempts()?;
    let hash = hex(plan.hash());
    let mut rows = vec![
        ("plan", hash.clone()),
        ("committed", plan.planned().to_string()),
        ("attempts", attempts.len().to_string()),
    ];
    rows.extend(attempts.iter().map(|attempt| {
        let head = attempt.head.as_ref().map(hex);
        let head = head.map_or(String::new(), |head| format!(", head {head}"));
        let Attempt {
            attempt: number,
            began,
            ..
        } = attempt;
        (
            "",
            format!("{number}: began {began}, {}{head}", attempt.name_end()),
        )
    }));
    let result = AttemptsResult {
        ok: true,
        plan: hash,
        planned: plan.planned(),
        attempts: &attempts,
    };
    Ok(Report::new(true, table::format_pairs(&rows), &result))
}

/// The directories in which the attempts are counted that a run is among.
#[derive(clap::Args)]
pub(super) struct CountedIn {
    /// The directory of the run's plan: the attempts under it are counted anew, with those that began later.
    #[arg(long, value_name = "DIR")]
    plan: Option<PathBuf>,
    /// The run that this one corrects by an erratum: its corrections are counted anew.
    #[arg(long, value_name = "DIR")]
    corrected: Option<PathBuf>,
}

impl CountedIn {
    /// Counts anew, and records in the review what was seen, where it is more than the run and its review know. Gives
    /// whether something was recorded. Where the run contradicts its report or `expected` nothing is.
    pub(super) fn record(
        &self,
        run: &RunDirectory,
        expected: &RunExpectations,
    ) -> Result<bool, Failure> {
        if self.plan.is_none() && self.corrected.is_none() {
            return Ok(false);
        }
        let _lock = ReportLock::take(run)?;
        let report = build_expected_report(run, expected)?;
        let Some(metadata) = report.replay.metadata.as_ref() else {
            return Ok(false);
        };
        if !report.replay.conflicts.is_empty() {
            return Ok(false);
        }
        if !report.replay.ended {
            return Err(X0lError::NotSealed(run.ledger()).into());
        }
        let mut counted: Vec<(&Path, Hash, Vec<Attempt>)> = Vec::new();
        if let Some(dir) = &self.plan {
            let plan = CommittedPlan::read(dir)?;
            counted.push((dir, *plan.hash(), plan.attempts()?));
        }
        if let Some(dir) = &self.corrected {
            let Some(head) = metadata.frozen.corrects else {
                let reason =
                    "found a run without an erratum, expected one that corrects this".to_owned();
                return Err(refuse(dir, reason));
            };
            let log = AttemptLog::new(dir.join(RunDirectory::CORRECTIONS), head);
            counted.push((dir, head, log.read()?));
        }
        let mut is_recorded = false;
        for (dir, subject, attempts) in counted {
            let last = report.review.last_sighting(&subject);
            if last.is_some_and(|last| last.attempts == attempts) {
                continue;
            }
            let sighting = AttemptSighting {
                attempts,
                run: report.replay.head,
                subject,
                time: now(),
            };
            sighting
                .check(&metadata.frozen, &report.replay.head)
                .map_err(|(found, expected)| {
                    refuse(dir, format!("found {found}, expected {expected}"))
                })?;
            record_sighting(run, &sighting)?;
            is_recorded = true;
        }
        Ok(is_recorded)
    }
}

fn refuse(dir: &Path, reason: String) -> Failure {
    let path = dir.to_owned();
    X0lError::from(LiveError::Input { path, reason }).into()
}
