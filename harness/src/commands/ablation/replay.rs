//! `axilog ablation replay`: makes run documents again, from headers and ledgers alone.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use axilog::hash::{Hash, sha256};
use axilog_ablation::AblationError;
use axilog_ablation::planned_arms::{FoundArm, check_planned_arms};
use axilog_ablation::replay::{
    DOCUMENT_FILE, LEDGER_FILE, ReplayedRun, replay_calibration, replay_run,
};
use axilog_ablation::run::RunStatus;
use axilog_ablation::run_document::StatusReport;
use axilog_ablation::sealed_experiment::Stage;
use axilog_ablation::variant::Variant;
use axilog_ledger::encoding::hex;
use axilog_ledger::verify::parse_head;
use serde::Serialize;

use super::replay_comparison::ReplayedFile;
use super::sealed_runs::SealedRuns;
use super::{replay_comparison, run_files};
use crate::Failure;
use crate::error::CommandError;
use crate::interrupt::Flag;
use crate::output::Report;
use crate::output::table;

/// Make run documents again from their headers and ledgers, without a model, and compare every byte.
///
/// A run that was killed has no document; it is written from the ledger then and marked PARTIAL. Exits 0
/// where every document follows from its ledger and no run was stopped or killed: nobody can tell from its files
/// whether such a run was stopped or its end cut off. Exits 1 otherwise, also where a prompt beside a ledger is missing or
/// was changed. A comparison in DIR is made again too, from the runs that it names, wherever they lie; a summary or a figure
/// without its comparison is named.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory that `axilog ablation run --out` or `axilog ablation compare --out` was given, or one run; or
    /// the file of a calibration.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The head of the ledger, as `axilog ablation run` printed it; for a directory of one run, or a calibration.
    #[arg(long, value_name = "HEX", value_parser = parse_head)]
    expect_head: Option<Hash>,
}

/// Runs and their comparison that were made again.
#[derive(Serialize)]
struct ReplayResult {
    comparison: Vec<ReplayedFile>,
    ok: bool,
    runs: Vec<ReplayedRunResult>,
}

/// A run that was made again.
#[derive(Serialize)]
struct ReplayedRunResult {
    dir: String,
    /// SHA-256 of the document that follows from the ledger.
    document_hash: String,
    /// The head of the ledger.
    head: String,
    replay: &'static str,
    /// How often the run went on after it was stopped.
    resumed: u64,
    /// The answers in the ledger that the run does not ask for.
    unasked_answers: usize,
    variant: &'static str,
    verdict: String,
}

/// A calibration that was made again.
#[derive(Serialize)]
struct ReplayedCalibration<'a> {
    calibration: Cow<'a, str>,
    hash: String,
    head: &'a str,
    ok: bool,
    replay: &'static str,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    if args.dir.is_file() {
        return replay_calibration_file(args);
    }
    let flag = Flag::install();
    let (mut rows, mut results, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let dirs = replay_comparison::find_runs(&args.dir)?;
    if args.expect_head.is_some() && dirs.len() > 1 {
        return Err(CommandError::OneLedger("--expect-head").into());
    }
    let mut experiment = Vec::new();
    for dir in dirs {
        let replayed = replay_run(&dir, &mut |_| !flag.is_set())?;
        if flag.is_set() {
            let detail = "before the replay was whole; nothing was changed".to_owned();
            return Err(AblationError::Interrupted(detail).into());
        }
        let result = compare_stored(&dir, &replayed)?;
        if result == "DIFFERS" {
            notes.push(describe_difference(&dir, &replayed));
        }
        let head = run_files::read_head(&dir)?;
        if let Some(expected) = args.expect_head.map(|head| hex(&head))
            && expected != head
        {
            notes.push(format!(
                "{}: the head of its ledger is {head}, expected {expected}",
                dir.display()
            ));
        }
        if let (RunStatus::Interrupted(_), false) = (&replayed.run.status, replayed.is_closed) {
            notes.push(format!(
                "{}: INCOMPLETE: the run was stopped, or the end of its ledger was cut off",
                dir.display()
            ));
        }
        let hash = hex(&sha256(replayed.document.as_bytes()));
        let verdict = StatusReport::new(&replayed.run.status).summary();
        rows.push([
            dir.display().to_string(),
            result.to_owned(),
            verdict.clone(),
        ]);
        results.push(ReplayedRunResult {
            dir: dir.to_string_lossy().into_owned(),
            document_hash: hash,
            head,
            replay: result,
            resumed: replayed.resumed,
            unasked_answers: replayed.unasked_answers,
            variant: replayed.header.variant.as_str(),
            verdict,
        });
        experiment.push((dir, replayed));
    }
    let is_whole = |(_, run): &(PathBuf, ReplayedRun)| {
        matches!(run.run.status, RunStatus::Valid | RunStatus::Invalid(..))
    };
    let stage = match experiment.iter().all(is_whole) {
        true => Stage::Closed,
        false => Stage::Begun,
    };
    let mut sealed = SealedRuns::default();
    for (dir, run) in &experiment {
        if let Err(error) = sealed.check(dir, run.statement.as_ref(), stage) {
            notes.push(error.to_string());
            break;
        }
    }
    // A comparison may name runs of other experiments, some of whose arms are not in it.
    experiment.retain(|(dir, _)| dir.parent() == Some(&args.dir));
    notes.extend(find_missing_arm(&experiment));
    let comparison = replay_comparison::replay(&args.dir)?;
    notes.extend_from_slice(&comparison.notes);
    let fine = notes.is_empty();
    notes.extend(sealed.remark());
    let runs = table::format_grid(["run", "replay", "how it ended"], [34, 10, 34], &rows);
    let text = runs + &comparison.render();
    let result = ReplayResult {
        comparison: comparison.files,
        ok: fine,
        runs: results,
    };
    Ok(Report::new(fine, text, &result).with_notes(notes))
}

/// Describes an arm that the runs of an experiment were planned with and that is not among them. After a baseline
/// that is invalid none was asked.
fn find_missing_arm(runs: &[(PathBuf, ReplayedRun)]) -> Option<String> {
    let is_invalid_baseline = |replayed: &ReplayedRun| {
        replayed.header.variant == Variant::Baseline
            && matches!(replayed.run.status, RunStatus::Invalid(..))
    };
    if runs.iter().any(|(_, run)| is_invalid_baseline(run)) {
        return None;
    }
    let arms: Vec<FoundArm<'_>> = runs
        .iter()
        .map(|(dir, replayed)| FoundArm {
            dir,
            variant: replayed.header.variant,
            planned: replayed
                .statement
                .as_ref()
                .map(|statement| statement.arms.as_slice()),
        })
        .collect();
    let missing = check_planned_arms(&arms).err();
    missing.map(|error| format!("INCOMPLETE: {error}"))
}

/// Replays the calibration that was named in place of a directory.
fn replay_calibration_file(args: &Args) -> Result<Report, Failure> {
    let calibration = replay_calibration(&args.dir)?;
    let mut notes = Vec::new();
    if let Some(expected) = args.expect_head.map(|head| hex(&head))
        && expected != calibration.ledger_head
    {
        notes.push(format!(
            "{}: the head of its ledger is {}, expected {expected}",
            args.dir.display(),
            calibration.ledger_head
        ));
    }
    let fine = notes.is_empty();
    let text = table::format_pairs(&[
        ("calibration", args.dir.display().to_string()),
        ("replay", "SAME".to_owned()),
        ("hash", calibration.digest()),
        ("head", calibration.ledger_head.clone()),
    ]);
    let result = ReplayedCalibration {
        calibration: args.dir.to_string_lossy(),
        hash: calibration.digest(),
        head: &calibration.ledger_head,
        ok: fine,
        replay: "SAME",
    };
    Ok(Report::new(fine, text, &result).with_notes(notes))
}

/// Compares the stored document with the one that follows; where none is stored, writes it.
fn compare_stored(dir: &Path, replayed: &ReplayedRun) -> Result<&'static str, CommandError> {
    if replayed.matches_stored() {
        return Ok("SAME");
    }
    if replayed.stored.is_some() || replayed.unasked_answers > 0 {
        return Ok("DIFFERS");
    }
    run_files::write_whole(&dir.join(DOCUMENT_FILE), &replayed.document)?;
    Ok("WRITTEN")
}

/// Describes where the stored document and the one that follows differ.
fn describe_difference(dir: &Path, replayed: &ReplayedRun) -> String {
    const BEFORE: usize = 20;
    const EXCERPT: usize = 60;
    if replayed.unasked_answers > 0 {
        return format!(
            "{}: found {} answers more than the run asks for; the ledger or header.json is another run's, or was changed",
            dir.join(LEDGER_FILE).display(),
            replayed.unasked_answers
        );
    }
    let found = replayed.stored.as_deref().unwrap_or_default();
    let expected = replayed.document.as_bytes();
    let same = found
        .iter()
        .zip(expected)
        .take_while(|(a, b)| a == b)
        .count();
    let excerpt = |text: &[u8]| {
        let rest = text.get(same.saturating_sub(BEFORE)..).unwrap_or_default();
        let rest = rest.get(..EXCERPT).unwrap_or(rest);
        String::from_utf8_lossy(rest).into_owned()
    };
    format!(
        "{}: byte {same}: found ...{}, expected ...{}; move it away, and replay writes what follows from the ledger",
        dir.join(DOCUMENT_FILE).display(),
        excerpt(found),
        excerpt(expected)
    )
}
