//! `axilog x0l examples`: the files that a session uses where no others are named.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;

use axilog_ledger::error::FileError;
use axilog_ledger::file::volume::{FileSystem, write_file};
use axilog_x0l::live::examples;
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Write the example constitution, tasks, template and script into a directory.
///
/// A session uses the examples where no other files are named. The script answers in place of a
/// model: axilog x0l run --oracle scripted:DIR/script.jsonl. No file is overwritten: if one of the
/// names is taken, the command stops with exit code 3.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory; created if it does not exist.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// The files that were written into a directory.
#[derive(Serialize)]
struct ExamplesResult<'a> {
    dir: Cow<'a, str>,
    files: Vec<&'static str>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let dir = &args.dir;
    fs::create_dir_all(dir).map_err(FileError::from_io(dir, "make the directory"))?;
    let mut rows = Vec::new();
    for (name, text) in examples::FILES {
        let path = dir.join(name);
        write_file(&FileSystem, &path, text.as_bytes())
            .map_err(FileError::from_io(&path, "write the example"))?;
        rows.push(("wrote", path.display().to_string()));
    }
    let result = ExamplesResult {
        dir: dir.to_string_lossy(),
        files: examples::FILES.iter().map(|(name, _)| *name).collect(),
    };
    Ok(Report::new(true, table::format_pairs(&rows), &result))
}
