//! `axilog ablation compare`: compares runs with the first of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use axilog_ablation::AblationError;
use axilog_ablation::comparable_run::ComparableRun;
use axilog_ablation::comparison::{RunComparison, check_runs, compare_runs};
use axilog_ablation::comparison_file_names::COMPARISON_FILES;
use axilog_ablation::comparison_files::read_stored;
use axilog_ablation::margin::Margin;
use axilog_ablation::planned_arms::check_arms_beside;
use axilog_ablation::replay::{DOCUMENT_FILE, replay_run};
use axilog_ablation::sealed_experiment::Stage;
use axilog_ablation::statements::RunStatement;
use axilog_ledger::error::FileError;

use super::comparison_table::render_table;
use super::run_files;
use super::sealed_runs::SealedRuns;
use crate::Failure;
use crate::error::CommandError;
use crate::interrupt::Flag;
use crate::output::Report;

/// Compare the choices, answers and actions of runs with those of the first of the runs.
///
/// The first run is the baseline of the first DIR, or the one run in it. The other runs may be of other variants or oracles;
/// environment, seeds, episodes and prompt length must be the same. Every run is replayed from its ledger first, and its
/// document must be the one that follows.
///
/// Each difference comes with the p-value of a permutation test over seeds, corrected for all tests of the comparison, and a
/// verdict: whether choices agree with the last record or differ from the reference's more or less often, whether the oracle
/// chooses otherwise, answers worse or better, and acts otherwise. The endpoint that the runs declared before their first
/// answer is primary. Placebo and replicate stand apart, with what they show. Exits 0 whatever the verdicts are; 1 where
/// runs cannot be compared or there is only one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Directories that `axilog ablation run --out` was given, or runs below them.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Write comparison.json, summary.md and their figures, as SVG and CSV, into this directory. Another comparison's files
    /// are never overwritten.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The share of steps below which a difference in the primary endpoint does not matter. The verdict is LESS_THAN where
    /// the endpoint is not told apart and its whole interval is smaller.
    #[arg(long, value_name = "SHARE")]
    margin: Option<Margin>,
    /// Believe each run.json as it is, without its ledger.
    #[arg(long)]
    no_replay: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let (mut runs, mut statements) = (Vec::new(), Vec::new());
    for dir in run_files::find_runs(&args.dirs)? {
        runs.push(ComparableRun::read(&dir)?);
    }
    check_named_once(&runs)?;
    check_runs(&runs)?;
    if !args.no_replay {
        let flag = Flag::install();
        for run in &mut runs {
            statements.push(check_follows(run, &flag)?);
        }
    }
    for run in &runs {
        check_arms_beside(&run.dir, run.variant(), run.planned_arms.as_deref())?;
    }
    let mut sealed = SealedRuns::default();
    for (run, statement) in runs.iter().zip(&statements) {
        sealed.check(&run.dir, statement.as_ref(), Stage::Closed)?;
    }
    if let Some(dir) = &args.out {
        run_files::create_dir(dir)?;
        name_paths(&mut runs, dir)?;
    }
    let comparison = compare_within(runs, args.margin)?;
    if let Some(dir) = &args.out {
        write_files(dir, &comparison)?;
    }
    let report = Report::new(true, render_table(&comparison), &comparison.document());
    Ok(report.with_notes(sealed.remark()))
}

/// Compares runs that have just been made below `out`, and writes the files of the comparison there.
pub(super) fn compare_new_runs(
    out: &Path,
    dirs: &[PathBuf],
    margin: Option<Margin>,
) -> Result<RunComparison, CommandError> {
    let mut runs = Vec::new();
    for dir in dirs {
        let mut run = ComparableRun::read(dir)?;
        run.ledger_head = Some(run_files::read_head(dir)?);
        runs.push(run);
    }
    name_paths(&mut runs, out)?;
    let comparison = compare_within(runs, margin)?;
    write_files(out, &comparison)?;
    Ok(comparison)
}

/// Compares runs, and judges their primary endpoint by the margin where there is one.
pub(super) fn compare_within(
    runs: Vec<ComparableRun>,
    margin: Option<Margin>,
) -> Result<RunComparison, AblationError> {
    let comparison = compare_runs(runs)?;
    match margin {
        Some(margin) => comparison.with_margin(margin),
        None => Ok(comparison),
    }
}

/// Checks that no run is named twice, whatever the paths are.
fn check_named_once(runs: &[ComparableRun]) -> Result<(), CommandError> {
    let mut found = BTreeSet::new();
    for run in runs {
        if !found.insert(find_real_path(&run.dir)?) {
            let reason = "is named twice; name each run once".to_owned();
            let path = run.dir.clone();
            return Err(AblationError::NotComparable { path, reason }.into());
        }
    }
    Ok(())
}

/// Replays a run, checks that its document is the one that follows, and takes the head of its ledger. Gives what the
/// ledger says was run.
fn check_follows(
    run: &mut ComparableRun,
    flag: &Flag,
) -> Result<Option<RunStatement>, CommandError> {
    let replayed = replay_run(&run.dir, &mut |_| !flag.is_set())?;
    if flag.is_set() {
        let detail = "before every run was replayed; nothing was written".to_owned();
        return Err(AblationError::Interrupted(detail).into());
    }
    if !replayed.matches_stored() {
        return Err(AblationError::NotComparable {
            path: run.dir.join(DOCUMENT_FILE),
            reason: format!(
                "is not the document that follows from its ledger; `axilog ablation replay {}` shows where it differs, and --no-replay believes it as it is",
                run.dir.display()
            ),
        }
        .into());
    }
    run.ledger_head = Some(run_files::read_head(&run.dir)?);
    let statement = replayed.statement;
    run.planned_arms = statement.as_ref().map(|it| it.arms.clone());
    Ok(statement)
}

/// Names each run by its path from `dir`, so that the runs and their comparison can be moved together.
fn name_paths(runs: &mut [ComparableRun], dir: &Path) -> Result<(), CommandError> {
    let from = find_real_path(dir)?;
    for run in runs {
        run.path = find_relative_path(&from, &find_real_path(&run.dir)?);
    }
    Ok(())
}

fn find_real_path(path: &Path) -> Result<PathBuf, CommandError> {
    Ok(path
        .canonicalize()
        .map_err(FileError::from_io(path, "find"))?)
}

/// The path that leads from the directory `from` to `to`, with `/` between its parts. Both are absolute.
fn find_relative_path(from: &Path, to: &Path) -> String {
    let same = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    if same == 0 {
        return to.to_string_lossy().into_owned();
    }
    let up = from.components().skip(same).map(|_| "..".to_owned());
    let down = to.components().skip(same);
    let down = down.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Checks that a directory holds no comparison yet.
pub(super) fn check_free(dir: &Path) -> Result<(), AblationError> {
    let mut files = COMPARISON_FILES.iter().map(|name| dir.join(name));
    match files.find(|path| path.exists()) {
        Some(path) => Err(AblationError::ComparisonExists(path)),
        None => Ok(()),
    }
}

/// Writes the files of a comparison into `dir`. A file that is there already must be this comparison's, byte
/// for byte; else nothing is written.
fn write_files(dir: &Path, comparison: &RunComparison) -> Result<(), CommandError> {
    let mut missing = Vec::new();
    for (name, text) in comparison.render_files() {
        let path = dir.join(name);
        match read_stored(&path)? {
            None => missing.push((path, text)),
            Some(stored) if stored == text.as_bytes() => {}
            Some(_) => return Err(AblationError::ComparisonExists(path).into()),
        }
    }
    for (path, text) in missing {
        run_files::write_whole(&path, &text)?;
    }
    Ok(())
}
