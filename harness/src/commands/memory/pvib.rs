//! `axilog memory pvib`: prints an image brief, or checks one.

use std::path::PathBuf;

use axilog_memory::{CanonicalJson, Handle, MemoryReader, MemoryStore, OutputClass};
use serde::Serialize;
use serde_json::Value;

use super::options::{HandleArgument, Recording, read_input, to_handles};
use super::working_set::QueryArgs;
use crate::Failure;
use crate::output::Report;

/// Print a player-visible image brief (PVIB): canonical JSON of what a picture may show exactly.
///
/// Each HANDLE must be among the allowmention_handles of the working set of class pvib; without HANDLE
/// the brief holds all of them. --check instead checks the schema, handles, words and working set of a
/// brief that was made elsewhere, and prints it again. What is printed is recorded in the log first, by its hash
/// (`axilog memory shown`); `axilog memory event DB ASSET` records a picture's request that was made of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// What to show.
    handle: Vec<HandleArgument>,
    #[command(flatten)]
    query: QueryArgs,
    /// Check this brief; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "handle")]
    check: Option<PathBuf>,
    #[command(flatten)]
    recording: Recording,
}

impl Args {
    /// Whether the command records what it prints.
    pub(super) fn records(&self) -> bool {
        self.recording.records()
    }
}

/// An image brief that was printed.
#[derive(Serialize)]
struct PvibResult<'a> {
    ok: bool,
    hash: Handle,
    /// The document.
    pvib: &'a Value,
    /// Whether the log says that it was shown.
    recorded: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let query = args.query.to_query(OutputClass::Pvib)?;
    let read = |path: &PathBuf| -> Result<CanonicalJson, Failure> {
        let what = path.display().to_string();
        Ok(CanonicalJson::parse(&what, &read_input(path)?)?)
    };
    let given = args.check.as_ref().map(read).transpose()?;
    let handles = to_handles(&args.handle);
    let handles = (!handles.is_empty()).then_some(&*handles);
    let brief = if args.records() {
        let mut store = MemoryStore::open(&args.db)?;
        match given {
            Some(brief) => store.check_image_brief(&query, brief)?,
            None => store.build_image_brief(&query, handles)?,
        }
    } else {
        let reader = MemoryReader::open(&args.db)?;
        match given {
            Some(brief) => reader.inspect_foreign_brief(&query, brief)?,
            None => reader.inspect_image_brief(&query, handles)?,
        }
    };
    let canonical = brief.canonical();
    let text = args.recording.mark(format!("{}\n", canonical.text()));
    let result = PvibResult {
        ok: true,
        hash: canonical.handle(),
        pvib: canonical.value(),
        recorded: args.records(),
    };
    Ok(Report::new(true, text, &result))
}
