//! `axilog memory pvib`: prints an image brief, or checks one.

use std::path::PathBuf;

use axilog_memory::{CanonicalJson, MemoryReader, OutputClass};
use serde_json::json;

use super::super::Failure;
use super::super::output::Report;
use super::options::{HandleArgument, read_input, to_handles};
use super::working_set::QueryArgs;

/// Print a player-visible image brief (PVIB): canonical JSON of what a picture may show exactly.
///
/// Each HANDLE must be among the allowmention_handles of the working set of class pvib; without HANDLE
/// the brief holds all of them. --check instead checks the schema, handles, words and working set of a
/// brief that was made elsewhere. `axilog memory event DB ASSET` records a brief that was sent.
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
    let reader = MemoryReader::open(&args.db)?;
    let query = args.query.to_query(OutputClass::Pvib)?;
    let brief = match &args.check {
        Some(path) => {
            let brief = CanonicalJson::parse(&path.display().to_string(), &read_input(path)?)?;
            reader.check_image_brief(&query, brief)?
        }
        None if args.handle.is_empty() => reader.build_image_brief(&query, None)?,
        None => reader.build_image_brief(&query, Some(&to_handles(&args.handle)))?,
    };
    let canonical = brief.canonical();
    Ok(Report {
        passed: true,
        text: format!("{}\n", canonical.text()),
        json: json!({
            "ok": true,
            "hash": canonical.handle(),
            "pvib": canonical.value(),
        }),
        notes: Vec::new(),
    })
}
