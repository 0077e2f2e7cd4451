//! G5 ORC-NO-BACKFLOW: the model's side cannot write, and nothing that it does selects what is read.

use rusqlite::{OpenFlags, params};
use serde_json::{Value, json};

use super::leak_attempts::HARMLESS;
use super::queries::{build_in_budget, canonical_query};
use super::report::GateReport;
use crate::checked_text::check_narration_within;
use crate::deriving::derive_tables;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::mask::{MaskKind, OutputClass};
use crate::reader::MemoryReader;
use crate::schema::{self, TABLES, TRIGGERS};
use crate::showing::show_working_set;
use crate::store::MemoryStore;
use crate::working_set::WorkingSet;
use crate::writer::append_within;

pub(super) fn check(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    check_reader_cannot_write(store.reader(), report)?;
    check_log_is_append_only(store.reader(), report)?;
    check_changes_are_found(store.reader(), report)?;
    check_changed_fact(store.reader(), report)?;
    check_changed_tables(store.reader(), report)?;
    check_reports_select_nothing(store, report)
}

/// Checks that a reader of its own can change no table.
fn check_reader_cannot_write(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let own = MemoryReader::open(reader.path())?;
    let failed = || MemoryError::sqlite(reader.path(), "try to write through a lens");
    // Where a lens may write after all, what it wrote is rolled back.
    let trial = own.conn.unchecked_transaction().map_err(failed())?;
    let tables = TABLES.iter().copied().chain(["log", "applied"]);
    let mut refused = 0;
    for table in tables {
        for change in ["DELETE FROM", "INSERT INTO"] {
            let rest = if change == "INSERT INTO" {
                " DEFAULT VALUES"
            } else {
                ""
            };
            match trial.execute(&format!("{change} {table}{rest}"), params![]) {
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly) => {
                    refused += 1;
                }
                _ => report
                    .faults
                    .push(format!("a lens was not refused to {change} {table}")),
            }
        }
    }
    trial.rollback().map_err(failed())?;
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
    let find = "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('log', 'head') AND name = ?1";
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

/// Checks that a change past the triggers is found: the log is read with its chain.
fn check_changes_are_found(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let failed = || MemoryError::sqlite(reader.path(), "try the chain of the log");
    for change in [
        "UPDATE log SET body = x'7b7d' WHERE seq = 1",
        "UPDATE log SET id = 'EV-033' WHERE seq = 1",
        "UPDATE log SET chain = zeroblob(32) WHERE seq = 1",
        "DELETE FROM log WHERE seq = 1",
        "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)",
    ] {
        let trial = reader.conn.unchecked_transaction().map_err(failed())?;
        trial
            .execute_batch("PRAGMA defer_foreign_keys = ON")
            .map_err(failed())?;
        for trigger in TRIGGERS {
            let drop = format!("DROP TRIGGER IF EXISTS {trigger}");
            trial.execute_batch(&drop).map_err(failed())?;
        }
        trial.execute_batch(change).map_err(failed())?;
        let found = reader.for_each_entry(&mut |_| Ok(()));
        let rebuilt = derive_tables(reader);
        let is_short = change.starts_with("DELETE");
        // What this connection did itself it takes for whole.
        reader.forget_checks();
        let appended = append_within(reader, |_| Ok(()));
        trial.rollback().map_err(failed())?;
        reader.forget_exact_strings();
        if !is_damaged(&found) || !is_damaged(&rebuilt) {
            report
                .faults
                .push(format!("the chain does not show this change: {change}"));
        }
        if is_short && !is_damaged(&appended) {
            report.faults.push(format!(
                "an entry would be appended after this change: {change}"
            ));
        }
    }
    report.checked.push(
        "5 changes of the log past its triggers, each found by its chain or its head; nothing is appended to a log that lacks an entry"
            .to_owned(),
    );
    Ok(())
}

fn is_damaged<T>(result: &Result<T>) -> bool {
    matches!(result, Err(MemoryError::Damaged { .. }))
}

/// Checks that a fact whose body was changed past the triggers is not told: the first one that everybody may see.
fn check_changed_fact(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let failed = || MemoryError::sqlite(reader.path(), "try a changed fact");
    let trial = reader.conn.unchecked_transaction().map_err(failed())?;
    for trigger in TRIGGERS {
        let drop = format!("DROP TRIGGER IF EXISTS {trigger}");
        trial.execute_batch(&drop).map_err(failed())?;
    }
    let change = "UPDATE log SET body = CAST(replace(CAST(body AS TEXT), '\"source\":\"', '\"source\":\"x') AS BLOB)
        WHERE seq = (SELECT seq FROM visible WHERE audience = 'PUBLIC' ORDER BY stable_key, fact LIMIT 1)";
    let changed = trial.execute(change, params![]).map_err(failed())?;
    let mut query = canonical_query();
    query.budget = u64::MAX / 8;
    let told = reader.build_working_set(&query);
    trial.rollback().map_err(failed())?;
    let is_public = reader
        .mask_matrix()?
        .allows(OutputClass::WorkingSet, MaskKind::Public);
    if changed > 0 && is_public && !is_damaged(&told) {
        let fault = "a working set tells a fact whose body was changed past the triggers";
        report.faults.push(fault.to_owned());
    }
    report.checked.push(format!(
        "{changed} facts changed past the triggers, none of which is told"
    ));
    Ok(())
}

/// Checks that a table which another program changed is refused: one of the story, and one of the facts.
fn check_changed_tables(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let failed = || MemoryError::sqlite(reader.path(), "try a changed table");
    for change in [
        "UPDATE pointer SET seq = seq + 1",
        "DELETE FROM visible WHERE seq = (SELECT min(seq) FROM visible)",
    ] {
        // The gate's own connection keeps the digests of what it writes. This one does not.
        let other = schema::open_database(reader.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let other = MemoryReader::from_connection(other, reader.path());
        let trial = other.conn.unchecked_transaction().map_err(failed())?;
        let changed = trial.execute(change, params![]).map_err(failed())?;
        let read = other
            .check_log_and_tables()
            .and_then(|_| other.check_fact_tables());
        trial.rollback().map_err(failed())?;
        if changed > 0 && !matches!(read, Err(MemoryError::Altered { .. })) {
            report
                .faults
                .push(format!("a table is read after this change: {change}"));
        }
    }
    report
        .checked
        .push("2 tables changed by another program, each refused".to_owned());
    Ok(())
}

/// The working sets of every class, which no report of the model's side may change.
fn build_all_classes(reader: &MemoryReader) -> Result<Vec<WorkingSet>> {
    let build = |class| {
        let (_, set) = build_in_budget(reader, canonical_query().with_class(class));
        set
    };
    OutputClass::ALL.into_iter().map(build).collect()
}

/// The events that the model's side reports: nudges, playback, validation, fallback.
fn list_reports(reader: &MemoryReader) -> Result<Vec<(EntryKind, Value)>> {
    let scene = reader.story_state()?.scene.map(|scene| scene.id);
    let failure = json!({ "playback_id": "gate", "reason_code": "gate", "rule_ref": "gate", "cause_handle": null });
    let nudge = json!({ "scene_id": scene, "nudge_type": "gate", "target_handle": "gate", "reason_code": "gate", "cause_handle": null });
    let suppressed = json!({ "scene_id": scene, "reason_code": "gate", "rule_ref": "gate", "cause_handle": null });
    let mut events = vec![
        (EntryKind::ValidationFailed, failure.clone()),
        (EntryKind::RoleplayFallback, failure),
        (EntryKind::NudgeSelected, nudge),
        (EntryKind::NudgeSuppressed, suppressed),
    ];
    let playback = json!({ "playback_id": "gate", "cause_handle": null });
    for number in 100..=110 {
        let kind = EntryKind::from_id(&format!("EV-{number}"))?;
        events.push((kind, playback.clone()));
    }
    Ok(events)
}

/// Checks that reports of the model's side (validation, fallback, playback, nudges, scores of pictures), and that it was
/// shown something, leave the working sets as they are.
fn check_reports_select_nothing(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    let before = build_all_classes(store.reader())?;
    let events = list_reports(store.reader())?;
    let stages = [
        json!({ "stage": "REQUEST_SPEC", "document": { "gate": "G5" }, "viewers": [] }),
        json!({ "stage": "ENGINE", "document": {} }),
        json!({ "stage": "QUALITY", "document": { "score": 1 } }),
    ];
    let count = events.len() + stages.len() + 2;
    let after = store.try_out(|writer| {
        for (kind, body) in events {
            writer.append(kind, body)?;
        }
        let mut of = None;
        for mut body in stages {
            if let (Some(of), Some(members)) = (of, body.as_object_mut()) {
                members.insert("of".to_owned(), json!(of));
            }
            of = writer.append(EntryKind::Asset, body)?.handle;
        }
        let (query, _) = build_in_budget(writer.reader(), canonical_query());
        show_working_set(writer, &query)?;
        check_narration_within::<&str>(writer, &[], HARMLESS)?;
        build_all_classes(writer.reader())
    })?;
    if after != before {
        report
            .faults
            .push("what the model's side reports changes the working set".to_owned());
    }
    report.checked.push(format!(
        "{count} reports of the model's side and outputs for it, a narration too, none of which selects anything"
    ));
    Ok(())
}
