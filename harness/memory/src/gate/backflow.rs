//! G5 ORC-NO-BACKFLOW: the model's side cannot write, and nothing that it does selects what is read.

use rusqlite::params;
use serde_json::json;

use super::queries::canonical_query;
use super::report::GateReport;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::reader::MemoryReader;
use crate::schema::{TABLES, TRIGGERS};
use crate::store::MemoryStore;

pub(super) fn check(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    check_reader_cannot_write(store.reader(), report)?;
    check_log_is_append_only(store.reader(), report)?;
    check_reports_select_nothing(store, report)
}

/// Checks that a reader of its own can change no table.
fn check_reader_cannot_write(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let own = MemoryReader::open(reader.path())?;
    let tables = TABLES.iter().copied().chain(["log", "applied"]);
    let mut refused = 0;
    for table in tables {
        for change in ["DELETE FROM", "INSERT INTO"] {
            let rest = if change == "INSERT INTO" {
                " DEFAULT VALUES"
            } else {
                ""
            };
            match own
                .conn
                .execute(&format!("{change} {table}{rest}"), params![])
            {
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly) => {
                    refused += 1;
                }
                _ => report
                    .faults
                    .push(format!("a lens was not refused to {change} {table}")),
            }
        }
    }
    report.checked.push(format!(
        "{refused} ways to write through a lens, each refused"
    ));
    Ok(())
}

/// Checks that not even the writer can change an entry of the log.
fn check_log_is_append_only(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let failed = || MemoryError::sqlite(reader.path(), "try the log");
    let trial = reader.conn.unchecked_transaction().map_err(failed())?;
    for change in [
        "UPDATE log SET body = x'7b7d' WHERE seq = 1",
        "DELETE FROM log WHERE seq = 1",
        "INSERT OR REPLACE INTO log SELECT seq, id, x'7b7d', chain FROM log WHERE seq = 1",
    ] {
        if trial.execute(change, params![]).is_ok() {
            report
                .faults
                .push(format!("the database let this be done: {change}"));
        }
    }
    trial.rollback().map_err(failed())?;
    let find =
        "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'log' AND name = ?1";
    for trigger in TRIGGERS {
        let exists = reader
            .conn
            .prepare(find)
            .and_then(|mut find| find.exists(params![trigger]));
        if !exists.map_err(failed())? {
            report.faults.push(format!("the trigger {trigger} is gone"));
        }
    }
    report
        .checked
        .push("3 ways to change the log, each refused by its triggers".to_owned());
    Ok(())
}

/// Checks that reports of the model's side (validation, fallback, playback, nudges, scores of pictures)
/// leave the working set as it is.
fn check_reports_select_nothing(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    let before = store.reader().build_working_set(&canonical_query())?;
    let rollback = || MemoryError::refused("the trial", "it is taken back");
    let mut after = None;
    let events = [
        (
            EntryKind::RoleplayValidated,
            json!({ "playback_id": "gate", "outcome": "INVALID" }),
        ),
        (
            EntryKind::RoleplayFallback,
            json!({ "playback_id": "gate", "rule_ref": null }),
        ),
        (EntryKind::PlaybackPaused, json!({ "playback_id": "gate" })),
        (EntryKind::PlaybackResumed, json!({ "playback_id": "gate" })),
        (EntryKind::PlaybackAborted, json!({ "playback_id": "gate" })),
        (EntryKind::NudgeSelected, json!({ "nudge_id": "gate" })),
        (
            EntryKind::NudgeSuppressed,
            json!({ "nudge_id": "gate", "rule_ref": null }),
        ),
        (
            EntryKind::Asset,
            json!({ "stage": "REQUEST_SPEC", "document": { "gate": "G5" }, "viewers": [] }),
        ),
    ];
    let count = events.len();
    let trial: Result<()> = store.append_with(|writer| {
        for (kind, body) in events {
            writer.commit(kind.read_body(&body)?)?;
        }
        after = Some(writer.reader().build_working_set(&canonical_query())?);
        Err(rollback())
    });
    match (trial, after) {
        (Err(MemoryError::Refused { .. }), Some(after)) if after == before => {}
        (Err(MemoryError::Refused { .. }), Some(_)) => {
            report
                .faults
                .push("what the model's side reports changes the working set".to_owned());
        }
        (Err(error), _) => return Err(error),
        (Ok(()), _) => report
            .faults
            .push("the trial was not taken back".to_owned()),
    }
    report.checked.push(format!(
        "{count} reports of the model's side, none of which selects anything"
    ));
    Ok(())
}
