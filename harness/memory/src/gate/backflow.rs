//! G5 ORC-NO-BACKFLOW: the model's side cannot write, and what it does selects nothing.

use rusqlite::params;
use serde_json::json;

use super::{Finding, canonical_query};
use crate::error::{MemoryError, Result};
use crate::id::Id;
use crate::lens::Lens;
use crate::schema::{TABLES, TRIGGERS};
use crate::store::Store;

pub(super) fn check(store: &mut Store, finding: &mut Finding) -> Result<()> {
    reading_alone(store.lens(), finding)?;
    append_only(store.lens(), finding)?;
    no_influence(store, finding)
}

/// A lens of its own may change no table.
fn reading_alone(lens: &Lens, finding: &mut Finding) -> Result<()> {
    let other = Lens::open(lens.path())?;
    let tables = TABLES.iter().copied().chain(["log", "applied"]);
    let mut refused = 0;
    for table in tables {
        for change in ["DELETE FROM", "INSERT INTO"] {
            let rest = if change == "INSERT INTO" {
                " DEFAULT VALUES"
            } else {
                ""
            };
            match other
                .conn
                .execute(&format!("{change} {table}{rest}"), params![])
            {
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly) => {
                    refused += 1;
                }
                _ => finding
                    .faults
                    .push(format!("a lens was not refused to {change} {table}")),
            }
        }
    }
    finding.checked.push(format!(
        "{refused} ways to write through a lens, each refused"
    ));
    Ok(())
}

/// Not even the writer may change what is in the log.
fn append_only(lens: &Lens, finding: &mut Finding) -> Result<()> {
    let failed = || MemoryError::sqlite(lens.path(), "try the log");
    let trial = lens.conn.unchecked_transaction().map_err(failed())?;
    for change in [
        "UPDATE log SET body = x'7b7d' WHERE seq = 1",
        "DELETE FROM log WHERE seq = 1",
        "INSERT OR REPLACE INTO log SELECT seq, id, x'7b7d', chain FROM log WHERE seq = 1",
    ] {
        if trial.execute(change, params![]).is_ok() {
            finding
                .faults
                .push(format!("the database let this be done: {change}"));
        }
    }
    trial.rollback().map_err(failed())?;
    let find =
        "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'log' AND name = ?1";
    for trigger in TRIGGERS {
        let there = lens
            .conn
            .prepare(find)
            .and_then(|mut find| find.exists(params![trigger]));
        if !there.map_err(failed())? {
            finding
                .faults
                .push(format!("the trigger {trigger} is gone"));
        }
    }
    finding
        .checked
        .push("3 ways to change the log, each refused by its triggers".to_owned());
    Ok(())
}

/// What the model's side reports (validation, fallback, playback, nudges, scores of pictures) leaves
/// the working set as it is.
fn no_influence(store: &mut Store, finding: &mut Finding) -> Result<()> {
    let before = store.lens().working_set(&canonical_query())?;
    let failed = || MemoryError::refused("the trial", "it is taken back");
    let mut after = None;
    let events = [
        (
            Id::RoleplayValidated,
            json!({ "playback_id": "gate", "outcome": "INVALID" }),
        ),
        (
            Id::RoleplayFallback,
            json!({ "playback_id": "gate", "rule_ref": null }),
        ),
        (Id::PlaybackPaused, json!({ "playback_id": "gate" })),
        (Id::PlaybackResumed, json!({ "playback_id": "gate" })),
        (Id::PlaybackAborted, json!({ "playback_id": "gate" })),
        (Id::NudgeSelected, json!({ "nudge_id": "gate" })),
        (
            Id::NudgeSuppressed,
            json!({ "nudge_id": "gate", "rule_ref": null }),
        ),
        (
            Id::Asset,
            json!({ "stage": "REQUEST_SPEC", "document": { "gate": "G5" }, "viewers": [] }),
        ),
    ];
    let count = events.len();
    let trial: Result<()> = store.write(|writer| {
        for (id, body) in events {
            writer.put(id, body)?;
        }
        after = Some(writer.lens().working_set(&canonical_query())?);
        Err(failed())
    });
    match (trial, after) {
        (Err(MemoryError::Refused { .. }), Some(after)) if after == before => {}
        (Err(MemoryError::Refused { .. }), Some(_)) => {
            finding
                .faults
                .push("what the model's side reports changes the working set".to_owned());
        }
        (Err(error), _) => return Err(error),
        (Ok(()), _) => finding
            .faults
            .push("the trial was not taken back".to_owned()),
    }
    finding.checked.push(format!(
        "{count} reports of the model's side, none of which selects anything"
    ));
    Ok(())
}
