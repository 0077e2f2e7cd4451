//! The part of `axilog ablation replay` that makes a comparison again.

use std::path::{Path, PathBuf};

use axilog_ablation::AblationError;
use axilog_ablation::comparable_run::ComparableRun;
use axilog_ablation::comparison::RunComparison;
use axilog_ablation::comparison_file_names::COMPARISON_FILE;
use axilog_ablation::comparison_files::{
    StoredComparison, list_files_without_document, read_stored,
};
use axilog_ablation::replay::HEADER_FILE;
use serde::Serialize;

use super::compare::compare_within;
use super::run_files;
use crate::error::CommandError;
use crate::output::table;

/// A file of a comparison, and `SAME`, `DIFFERS`, `WRITTEN`, or `UNBOUND` where no comparison says of which runs it is.
#[derive(Serialize)]
pub(super) struct ReplayedFile {
    file: String,
    replay: &'static str,
}

/// A comparison that was made again.
#[derive(Default)]
pub(super) struct ReplayedComparison {
    pub(super) files: Vec<ReplayedFile>,
    /// What does not agree.
    pub(super) notes: Vec<String>,
}

/// Finds the runs to replay for `dir`: those in it or directly below it, and those that its comparison names.
pub(super) fn find_runs(dir: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let Some(stored) = StoredComparison::read(dir)? else {
        return match run_files::find_runs(&[dir.to_owned()]) {
            Err(CommandError::Ablation(AblationError::MissingRun(_)))
                if !list_files_without_document(dir).is_empty() =>
            {
                Ok(Vec::new())
            }
            found => found,
        };
    };
    let mut runs = match run_files::find_runs(&[dir.to_owned()]) {
        Err(CommandError::Ablation(AblationError::MissingRun(_))) => Vec::new(),
        found => found?,
    };
    for run in stored.runs {
        let named = dir.join(&run.path);
        if !named.join(HEADER_FILE).is_file() {
            return Err(AblationError::NotComparable {
                path: dir.join(COMPARISON_FILE),
                reason: format!(
                    "names the run {}, and {} holds none: it was deleted, or moved without its comparison",
                    run.path,
                    named.display()
                ),
            }
            .into());
        }
        let real = named.canonicalize().ok();
        if !runs.iter().any(|found| found.canonicalize().ok() == real) {
            runs.push(named);
        }
    }
    Ok(runs)
}

/// Makes the comparison in `dir` again from the run documents that it names, and compares every byte of its
/// files. A file that is missing is written. Without a comparison there should be no files.
pub(super) fn replay(dir: &Path) -> Result<ReplayedComparison, CommandError> {
    let mut replayed = ReplayedComparison::default();
    let Some(stored) = StoredComparison::read(dir)? else {
        for path in list_files_without_document(dir) {
            replayed.notes.push(format!(
                "{}: is there without {COMPARISON_FILE}, which says of which runs it is: that file was deleted or moved, or the program ended before it was written; put it back, or remove this one and compare the runs again with `axilog ablation compare --out`",
                path.display()
            ));
            replayed.add_file(&path, "UNBOUND");
        }
        return Ok(replayed);
    };
    let comparison = match compare_again(dir, &stored) {
        Ok(comparison) => comparison,
        Err(CommandError::Ablation(error)) => {
            let path = dir.join(COMPARISON_FILE);
            let note = format!("{}: cannot be made again: {error}", path.display());
            replayed.notes.push(note);
            replayed.add_file(&path, "DIFFERS");
            return Ok(replayed);
        }
        Err(error) => return Err(error),
    };
    for (name, text) in comparison.render_files() {
        let path = dir.join(name);
        let result = match read_stored(&path)? {
            None => {
                run_files::write_whole(&path, &text)?;
                "WRITTEN"
            }
            Some(stored) if stored == text.as_bytes() => "SAME",
            Some(_) => {
                replayed.notes.push(format!(
                    "{}: is not what follows from the runs that {COMPARISON_FILE} names; compare them again with `axilog ablation compare --out` and another directory to see what does",
                    path.display()
                ));
                "DIFFERS"
            }
        };
        replayed.add_file(&path, result);
    }
    Ok(replayed)
}

fn compare_again(dir: &Path, stored: &StoredComparison) -> Result<RunComparison, CommandError> {
    let mut runs = Vec::new();
    for named in &stored.runs {
        let found = dir.join(&named.path);
        let mut run = ComparableRun::read(&found)?;
        run.path.clone_from(&named.path);
        if named.ledger_head.is_some() {
            run.ledger_head = Some(run_files::read_head(&found)?);
        }
        runs.push(run);
    }
    Ok(compare_within(runs, stored.statistics.margin)?)
}

impl ReplayedComparison {
    fn add_file(&mut self, path: &Path, replay: &'static str) {
        let file = path.to_string_lossy().into_owned();
        self.files.push(ReplayedFile { file, replay });
    }

    /// The files as a table, after a blank line; nothing where there is no comparison.
    pub(super) fn render(&self) -> String {
        if self.files.is_empty() {
            return String::new();
        }
        let rows = self.files.iter();
        let rows: Vec<[String; 2]> = rows
            .map(|file| [file.file.clone(), file.replay.to_owned()])
            .collect();
        let grid = table::format_grid(["comparison", "replay"], [34, 10], &rows);
        format!("\n{grid}")
    }
}
