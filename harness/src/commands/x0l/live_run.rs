//! A run that is still being written: it has no verdict yet, and is not damaged either.

use std::borrow::Cow;
use std::path::Path;

use axilog_ledger::file::writer::LedgerWriter;
use axilog_x0l::log::RunDirectory;
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// A run that has no verdict yet.
#[derive(Serialize)]
struct LiveRunResult<'a> {
    verdict: &'static str,
    ok: bool,
    run: Cow<'a, str>,
    /// The id of the process that writes the run; `None` where the lock does not name it.
    process: Option<u32>,
}

/// What `replay` and `report` say of a run whose session is still going on; `None` of any other run.
pub(super) fn report_live_run(dir: &Path, run: &RunDirectory) -> Result<Option<Report>, Failure> {
    let Some(writer) = run.find_writer()? else {
        return Ok(None);
    };
    let rows = [
        ("verdict", "LIVE".to_owned()),
        ("run", dir.display().to_string()),
        ("written by", name_writer(writer)),
    ];
    let mut text = table::format_pairs(&rows);
    text.push_str(&table::wrap_sentence(
        "the session is still going on, so there is nothing to judge yet; wait for its end, or end it between two cycles with Ctrl-C or SIGTERM. axilog x0l show shows the cycles that have ended",
    ));
    let result = LiveRunResult {
        verdict: "LIVE",
        ok: false,
        run: dir.to_string_lossy(),
        process: writer.process_id,
    };
    Ok(Some(Report::new(false, text, &result)))
}

/// Names the process that writes a run.
pub(super) fn name_writer(writer: LedgerWriter) -> String {
    match writer.process_id {
        Some(id) => format!("process {id}"),
        None => "a process that left no id in ledger.jsonl.lock".to_owned(),
    }
}
