//! `axilog ablation compare`: runs held against each other.

use std::path::{Path, PathBuf};

use axilog_ablation::compare::{Compared, Comparison, compare};

use super::super::output::Report;
use super::super::{Failure, table};
use super::folder;
use crate::error::CommandError;

/// Hold runs against the first of them: are their distributions of actions told apart?
///
/// The first is the baseline of the first DIR, or the one run that it is. The others may be other variants
/// or other oracles; seeds, episodes, environment and prompt length must be the same. The distance of two
/// runs comes with an interval over seeds, and the verdict follows from the interval: TOLD_APART where it
/// lies above 0. What run.json says is believed: replay runs first that come from elsewhere. Exits 0 whatever
/// is found; 1 where runs cannot be compared.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `axilog ablation run --out` was given, or runs below it.
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
    for dir in folder::runs(&args.dirs)? {
        runs.push(Compared::read(&dir)?);
    }
    let found = compare(runs)?;
    if let Some(dir) = &args.out {
        folder::make(dir)?;
        write(dir, &found)?;
    }
    Ok(Report {
        passed: true,
        text: text(&found),
        json: found.value(),
        notes: Vec::new(),
    })
}

/// Writes what a comparison has to say into `dir`.
pub(super) fn write(dir: &Path, found: &Comparison) -> Result<(), CommandError> {
    const PLOT: &str = "actions.svg";
    folder::write(&dir.join("comparison.json"), &found.document())?;
    folder::write(&dir.join(PLOT), &found.plot())?;
    folder::write(&dir.join("summary.md"), &found.summary(PLOT))
}

/// The differences, for people.
pub(super) fn text(found: &Comparison) -> String {
    let first = found.runs.first().map_or("", |run| run.label.as_str());
    let rows: Vec<[String; 5]> = found
        .differing()
        .map(|(run, found)| {
            [
                run.label.clone(),
                found.estimate.to_string(),
                format!("{} to {}", found.low, found.high),
                found.total_variation.to_string(),
                found.verdict.as_str().to_owned(),
            ]
        })
        .collect();
    let header = ["run", "distance", "95 % interval", "moved", "verdict"];
    format!(
        "held against {first}\n\n{}",
        table::format_grid(header, [19, 10, 23, 9, 15], &rows)
    )
}
