//! `axilog ablation compare`: compares runs with the first of them.

use std::path::{Path, PathBuf};

use axilog_ablation::comparable_run::ComparableRun;
use axilog_ablation::comparison::{Comparison, compare_runs};

use super::super::output::Report;
use super::super::{Failure, table};
use super::run_files;
use crate::error::CommandError;

/// Compare how often runs did each action with the first of the runs.
///
/// The first run is the baseline of the first DIR, or the one run in it. The other runs may be of other
/// variants or oracles; seeds, episodes, environment and prompt length must be the same. The distance of
/// two runs comes with an interval over seeds; the verdict is TOLD_APART where the interval lies above 0.
/// A run.json is believed as it is: replay runs that come from elsewhere first. Exits 0 whatever the
/// verdicts are; 1 where runs cannot be compared.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Directories that `axilog ablation run --out` was given, or runs below them.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Write comparison.json, summary.md and actions.svg into this directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut runs = Vec::new();
    for dir in run_files::find_runs(&args.dirs)? {
        runs.push(ComparableRun::read(&dir)?);
    }
    let comparison = compare_runs(runs)?;
    if let Some(dir) = &args.out {
        run_files::create_dir(dir)?;
        write_files(dir, &comparison)?;
    }
    Ok(Report {
        passed: true,
        text: render_table(&comparison),
        json: comparison.document(),
        notes: Vec::new(),
    })
}

/// Writes the files of a comparison into `dir`.
pub(super) fn write_files(dir: &Path, comparison: &Comparison) -> Result<(), CommandError> {
    const PLOT: &str = "actions.svg";
    run_files::write_whole(&dir.join("comparison.json"), &comparison.to_file_text())?;
    run_files::write_whole(&dir.join(PLOT), &comparison.render_plot())?;
    run_files::write_whole(&dir.join("summary.md"), &comparison.render_summary(PLOT))
}

/// Renders the differences as a table.
pub(super) fn render_table(comparison: &Comparison) -> String {
    let reference = comparison.runs.first().map_or("", |run| run.label.as_str());
    let rows: Vec<[String; 5]> = comparison
        .differing()
        .map(|(run, difference)| {
            [
                run.label.clone(),
                difference.estimate.to_string(),
                format!("{} to {}", difference.low, difference.high),
                difference.total_variation.to_string(),
                difference.verdict.as_str().to_owned(),
            ]
        })
        .collect();
    let header = ["run", "distance", "95 % interval", "moved", "verdict"];
    format!(
        "held against {reference}\n\n{}",
        table::format_grid(header, [19, 10, 23, 9, 15], &rows)
    )
}
