//! What is found of a log that was changed past the triggers: a cut end, a hole, a changed fact, an older copy in the
//! place of the database. And what only a head that was noted elsewhere shows.

use std::fs;

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{
    EntryKind, LogHead, MemoryError, MemoryReader, MemoryStore, OutputClass, RecallScope,
    compaction_body,
};
use rusqlite::Connection;
use serde_json::json;

use crate::test_memory::{TestMemory, clue, gate_inputs, open_fact, playback, query};

/// Everything that keeps the log and its head as they are.
const TRIGGERS: [&str; 6] = [
    "head_is_of_log",
    "head_no_delete",
    "log_in_order",
    "log_moves_head",
    "log_no_delete",
    "log_no_update",
];

/// Changes the database as somebody does who takes the triggers away first and puts them back.
fn change_past_triggers(memory: &TestMemory, change: &str) {
    let conn = Connection::open(&memory.path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    let mut statements = Vec::new();
    for trigger in TRIGGERS {
        let find = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ?1";
        let sql: String = conn.query_row(find, [trigger], |row| row.get(0)).unwrap();
        conn.execute_batch(&format!("DROP TRIGGER {trigger}"))
            .unwrap();
        statements.push(sql);
    }
    conn.execute_batch(change).unwrap();
    for sql in statements {
        conn.execute_batch(&sql).unwrap();
    }
}

fn memory_with_story() -> TestMemory {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("k1", "seven keys"));
    memory.append_fact(open_fact("k2", json!({ "text": "A red door." })));
    for number in 0..5 {
        let id = format!("n{number}");
        memory.append(EntryKind::PlaybackPaused, playback(&id));
    }
    memory
}

#[track_caller]
fn assert_damaged<T: std::fmt::Debug>(result: Result<T, MemoryError>, at: u64, about: &str) {
    match result {
        Err(MemoryError::Damaged { seq, .. }) => assert_eq!(seq, at, "{about}"),
        other => panic!("{about}: {other:?}"),
    }
}

/// Cutting the log to roll again is found, whether or not the tables were cut with it; and so is a hole.
#[test]
fn a_log_that_lacks_entries_is_refused_and_not_appended_to() {
    for (change, missing) in [
        ("DELETE FROM log WHERE seq = {head}", 0),
        ("DELETE FROM log WHERE seq > {head} - 3", -2),
        ("DELETE FROM log WHERE seq = 5", i64::MIN),
        ("DELETE FROM log WHERE seq = 1", i64::MIN),
        ("UPDATE head SET seq = seq - 1", 0),
        ("UPDATE head SET chain = zeroblob(32)", 0),
        ("UPDATE log SET chain = zeroblob(32) WHERE seq = {head}", 0),
        (
            "DELETE FROM log WHERE seq = {head}; UPDATE applied SET seq = {head} - 1",
            0,
        ),
    ] {
        let mut memory = memory_with_story();
        let head = memory.reader().head().unwrap().seq;
        let change = change.replace("{head}", &head.to_string());
        change_past_triggers(&memory, &change);
        let at = match missing {
            i64::MIN if change.ends_with("= 5") => 5,
            i64::MIN => 1,
            before => head.checked_add_signed(before).unwrap(),
        };
        assert_damaged(MemoryReader::open(&memory.path), at, &change);
        assert_damaged(MemoryStore::open(&memory.path), at, &change);
        // Nor does who had the memory open all the while append or rebuild.
        let count = |memory: &TestMemory| -> u64 {
            let conn = Connection::open(&memory.path).unwrap();
            conn.query_row("SELECT count(*) FROM log", [], |row| row.get(0))
                .unwrap()
        };
        let before = count(&memory);
        let late = json!({ "threads": ["late"] });
        let appended = memory.store.append(EntryKind::State, late);
        assert_damaged(appended, at, &change);
        assert_eq!(count(&memory), before, "{change}");
        assert_damaged(memory.store.rebuild(), at, &change);
    }
}

#[test]
fn the_kept_head_cannot_be_changed() {
    let memory = memory_with_story();
    let conn = Connection::open(&memory.path).unwrap();
    for change in [
        "UPDATE head SET seq = seq - 1",
        "UPDATE head SET seq = 1, chain = (SELECT chain FROM log WHERE seq = 1)",
        "UPDATE head SET chain = zeroblob(32)",
        "DELETE FROM head",
        "INSERT INTO head VALUES (2, 1, NULL)",
    ] {
        conn.execute(change, []).unwrap_err();
    }
    MemoryReader::open(&memory.path).unwrap();
}

fn head_file(memory: &TestMemory) -> std::path::PathBuf {
    memory.directory.path().join("memory.db.head")
}

/// The attack: copy the database, fail a roll, put the copy back, roll again.
#[test]
fn an_older_copy_in_the_place_of_the_database_is_refused() {
    let mut memory = memory_with_story();
    let (_, detail) = memory.append_fact(clue("k3", "nine locks"));
    memory.start_scene("cellar");
    let copy = memory.directory.path().join("copy.db");
    memory.change_database(&format!("VACUUM INTO '{}'", copy.display()));
    let before = memory.reader().head().unwrap();
    memory.recall(&detail.to_string(), Some(false), RecallScope::Scene);
    let head = memory.reader().head().unwrap();
    let noted = fs::read_to_string(head_file(&memory)).unwrap();
    assert_eq!(noted, format!("{head}\n"));
    let directory = memory.directory;
    drop((memory.store, memory.path));
    let path = directory.path().join("memory.db");
    fs::rename(&copy, &path).unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(directory.path().join(format!("memory.db{suffix}")));
    }
    assert_damaged(MemoryReader::open(&path), before.seq + 1, "a reader");
    assert_damaged(MemoryStore::open(&path), before.seq + 1, "a store");
    // Another text there is no head.
    fs::write(directory.path().join("memory.db.head"), "12\n").unwrap();
    let error = MemoryReader::open(&path).unwrap_err().to_string();
    assert!(error.contains("memory.db.head") && error.contains("expected the number"));
    // Where the file was removed too, a head that was noted elsewhere shows it.
    fs::remove_file(directory.path().join("memory.db.head")).unwrap();
    let mut store = MemoryStore::open(&path).unwrap();
    for gate in [Gate::G1, Gate::G3, Gate::G5] {
        let report = run_gate(&mut store, gate, &gate_inputs()).unwrap();
        assert!(report.passed(), "{gate}: {:?}", report.faults);
    }
    store.reader().assert_head(&before).unwrap();
    assert_damaged(store.reader().assert_head(&head), before.seq + 1, "noted");
}

/// A process that died between the database and the file leaves an earlier head in the file.
#[test]
fn a_head_file_that_lags_behind_is_written_anew() {
    let mut memory = memory_with_story();
    let lagging = fs::read(head_file(&memory)).unwrap();
    memory.start_scene("cellar");
    fs::write(head_file(&memory), lagging).unwrap();
    MemoryReader::open(&memory.path).unwrap();
    memory.store = MemoryStore::open(&memory.path).unwrap();
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    let head = memory.reader().head().unwrap();
    let noted = fs::read_to_string(head_file(&memory)).unwrap();
    assert_eq!(noted, format!("{head}\n"));
}

#[test]
fn a_noted_head_is_of_this_log() {
    let mut memory = memory_with_story();
    let noted = memory.reader().head().unwrap();
    memory.start_scene("cellar");
    memory.reader().assert_head(&noted).unwrap();
    let other = LogHead {
        seq: noted.seq - 1,
        ..noted
    };
    assert_damaged(memory.reader().assert_head(&other), other.seq, "another");
    let text = noted.to_string();
    assert_eq!(text.parse(), Ok(noted));
    for wrong in [
        "",
        "12",
        "12:",
        ":ab",
        "x:00",
        &text[..60],
        &format!("x{text}"),
    ] {
        assert!(wrong.parse::<LogHead>().is_err(), "{wrong}");
    }
}

/// A fact that says something else than what was appended is told nowhere: its body is compared with its id.
#[test]
fn a_changed_fact_is_told_nowhere() {
    let mut memory = memory_with_story();
    let (fact, detail) = memory.append_fact(clue("a0", "nine crowns"));
    let seq = memory.reader().head().unwrap().seq;
    memory.start_scene("cellar");
    change_past_triggers(
        &memory,
        "UPDATE log SET body = CAST(replace(CAST(body AS TEXT), 'Something is', 'Nothing is') AS BLOB)
         WHERE id = 'FACT' AND instr(CAST(body AS TEXT), 'nine crowns') > 0",
    );
    let ana = query(OutputClass::Prompt, &["ana"], 32_000);
    let set = memory.reader().inspect_working_set(&ana);
    assert_damaged(set, seq, "a working set");
    assert_damaged(memory.store.build_prompt(&ana, "?"), seq, "a prompt");
    let request = axilog_memory::RecallRequest {
        handle: detail.to_string(),
        requester: "ana".into(),
        listeners: Vec::new(),
        roll: None,
        scope: RecallScope::Scene,
    };
    assert_damaged(memory.store.recall(&request), seq, "a recall");
    let compaction = compaction_body("RECAP", &[fact]).unwrap();
    let registered = memory.store.append(EntryKind::Compaction, compaction);
    assert_damaged(registered, seq, "a compaction");
    assert_damaged(memory.store.rebuild(), seq, "a rebuild");
}
