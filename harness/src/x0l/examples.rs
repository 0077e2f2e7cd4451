//! `axilog x0l examples`: the files that a session runs on where no others are named.

use std::fs;
use std::path::PathBuf;

use axilog_ledger::error::FileError;
use axilog_ledger::file::volume::{FileSystem, write_file};
use axilog_x0l::live::shipped;
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, table};

/// Write the example constitution, tasks, template and script into a directory, to start from.
///
/// They are what `run` uses where no others are named; script.jsonl is a model for `--oracle
/// scripted:DIR/script.jsonl`. No file is overwritten: where one of the names is taken, exit code 3.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory; made where it does not exist.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let dir = &args.dir;
    fs::create_dir_all(dir).map_err(FileError::at(dir, "make the directory"))?;
    let mut rows = Vec::new();
    for (name, text) in shipped::FILES {
        let path = dir.join(name);
        write_file(&FileSystem, &path, text.as_bytes(), true)
            .map_err(FileError::at(&path, "write the example"))?;
        rows.push(("wrote", path.display().to_string()));
    }
    Ok(Report {
        passed: true,
        text: table::format_pairs(&rows),
        json: json!({
            "dir": dir.to_string_lossy(),
            "files": shipped::FILES.map(|(name, _)| name),
        }),
        notes: Vec::new(),
    })
}
