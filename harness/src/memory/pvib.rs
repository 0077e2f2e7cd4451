//! `axilog memory pvib`: what a picture may show.

use std::path::PathBuf;

use axilog_memory::{Canonical, Lens, OutputClass};
use serde_json::json;

use super::super::Failure;
use super::super::output::Report;
use super::options::{HandleArgument, contents, handles};
use super::working_set::QueryArgs;

/// Print a player-visible image brief: canonical JSON of what may be mentioned exactly.
///
/// Each HANDLE must be among the allowmention_handles of the working set of class pvib; without any,
/// all of these are in the brief. With --check a brief made elsewhere is checked instead: schema,
/// handles, words, working set. A brief that is sent to a picture's maker is recorded by
/// `axilog memory event DB ASSET`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
    /// What to show.
    handle: Vec<HandleArgument>,
    #[command(flatten)]
    query: QueryArgs,
    /// Check this brief; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "handle")]
    check: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let lens = Lens::open(&args.db)?;
    let query = args.query.query(OutputClass::Pvib)?;
    let brief = match &args.check {
        Some(path) => {
            let brief = Canonical::read(&path.display().to_string(), &contents(path)?)?;
            lens.check_pvib(&query, brief)?
        }
        None if args.handle.is_empty() => {
            lens.pvib(&query, &lens.working_set(&query)?.allowmention())?
        }
        None => lens.pvib(&query, &handles(&args.handle))?,
    };
    let canonical = brief.canonical();
    Ok(Report {
        passed: true,
        text: format!("{}\n", canonical.text()),
        json: json!({
            "ok": true,
            "hash": canonical.handle().to_string(),
            "pvib": canonical.value(),
        }),
        notes: Vec::new(),
    })
}
