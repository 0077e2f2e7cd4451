//! Tables that another program changed are refused, with the table and the entry whose row differs.

use axilog_memory::gate::{Gate, GateInputs, run_gate};
use axilog_memory::{
    EntryKind, MemoryError, MemoryReader, MemoryStore, OutputClass, RecallScope, compaction_body,
    retraction_body,
};
use rusqlite::Connection;
use serde_json::json;

use crate::digests::tables;
use crate::test_memory::{TestMemory, clue, machine_pins, open_fact, query};

/// A memory with rows in every derived table.
fn memory_with_rows() -> TestMemory {
    let mut memory = TestMemory::new();
    let (fact, detail) = memory.append_fact(clue("k1", "seven keys"));
    let mut door = open_fact("k2", json!({ "text": "A red door." }));
    door["tags"] = json!(["cellar"]);
    memory.append_fact(door);
    memory.append_fact(clue("k3", "4711"));
    let compaction = compaction_body("RECAP", &[fact]).unwrap();
    memory.append(EntryKind::Compaction, compaction);
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    memory.take_note("r1", &[detail]);
    let ana = query(OutputClass::Prompt, &["ana"], 8000);
    memory.store.build_prompt(&ana, "Is it 1234?").unwrap();
    let picture = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": "a door" } });
    memory.append(EntryKind::Asset, picture);
    let contract = json!({ "name": "event_contract", "value": "gt-12+ev-021" });
    memory.append(EntryKind::Pin, contract);
    let opening = json!({ "rule_ref": "dmg.42", "scene_id": "cellar", "actor_id": "ana", "unlock_scope": "SCENE" });
    memory.append(EntryKind::RuleRefOpened, opening);
    let (rumor, _) = memory.append_fact(open_fact("k4", json!({ "text": "A rumor." })));
    let retraction = retraction_body(rumor, "It was never so.", "ana", &[]).unwrap();
    memory.append(EntryKind::Retraction, retraction);
    memory
}

/// What reading the memory says: opening it, and an output.
fn read(memory: &TestMemory) -> Result<(), MemoryError> {
    let reader = MemoryReader::open(&memory.path)?;
    let ana = query(OutputClass::Prompt, &["ana"], 8000);
    reader.inspect_working_set(&ana).map(drop)
}

fn change_without_keys(memory: &TestMemory, change: &str) {
    memory.change_database(&format!("PRAGMA foreign_keys = OFF; {change}"));
}

#[track_caller]
fn assert_altered<T: std::fmt::Debug>(
    result: Result<T, MemoryError>,
    expected: &str,
    says: &str,
    about: &str,
) {
    let error = match result {
        Err(error) => error.to_string(),
        Ok(other) => panic!("{about}: {other:?}"),
    };
    let named = format!("the table {expected} was changed past the memory: ");
    assert!(error.contains(&named), "{about}: {error}");
    assert!(error.contains(says), "{about}: {error}");
    assert!(
        !error.contains("seven keys") && !error.contains("4711"),
        "{error}"
    );
}

/// Every table in three ways: a row that is gone, a row that is another, a row too many. Each attack comes before
/// another process opens the memory, and while one has it open.
#[test]
fn a_table_that_another_program_changed_is_refused() {
    let whole = memory_with_rows();
    let conn = Connection::open(&whole.path).unwrap();
    let names = tables(&conn);
    assert_eq!(names.len(), 16);
    for table in names {
        let last = format!("SELECT max(seq) FROM {table}");
        let last: u64 = conn.query_row(&last, [], |row| row.get(0)).unwrap();
        for (change, says) in [
            (
                format!("DELETE FROM {table} WHERE seq = {last}"),
                format!("the row of entry {last} is missing"),
            ),
            (
                format!("UPDATE {table} SET seq = seq + 1000 WHERE seq = {last}"),
                match table.as_str() {
                    // The entry is a part of the key.
                    "detail" | "tag" => format!("the row of entry {last} is missing"),
                    _ => format!("the row of entry {last} has another seq"),
                },
            ),
            (
                format!(
                    "CREATE TEMP TABLE row AS SELECT * FROM {table} WHERE seq = {last};
                     UPDATE row SET seq = 7000, {key} = {other};
                     INSERT INTO {table} SELECT * FROM row LIMIT 1",
                    key = match table.as_str() {
                        "asset" | "attempt" | "detail" | "learned" | "unlocked" | "retracted" => {
                            "handle"
                        }
                        "compaction" => "compaction",
                        "consent" => "request",
                        "fact" | "visible" => "fact",
                        "guess" => "scene",
                        "opened_rule" => "rule_ref",
                        _ => "name",
                    },
                    other = match table.as_str() {
                        "consent" | "guess" | "opened_rule" | "pin" | "pointer" | "tag"
                        | "used_name" => "'another'",
                        _ => "zeroblob(32)",
                    },
                ),
                "the log gives no such row as one of entry 7000".to_owned(),
            ),
        ] {
            let mut memory = memory_with_rows();
            let opened = MemoryReader::open(&memory.path).unwrap();
            change_without_keys(&memory, &change);
            let ana = query(OutputClass::Prompt, &["ana"], 8000);
            assert_altered(read(&memory), &table, &says, &change);
            assert_altered(opened.inspect_working_set(&ana), &table, &says, &change);
            let asked = memory.store.build_prompt(&ana, "?");
            assert_altered(asked, &table, &says, &change);
            if !["detail", "fact", "tag", "visible"].contains(&&*table) {
                let late = json!({ "threads": ["late"] });
                let appended = memory.store.append(EntryKind::State, late);
                assert_altered(appended, &table, &says, &change);
                assert_altered(MemoryStore::open(&memory.path), &table, &says, &change);
            }
            // It is derived from the log again.
            let mut store = MemoryStore::open_to_rebuild(&memory.path).unwrap();
            store.rebuild_asserting(&machine_pins()).unwrap();
            drop(store);
            read(&memory).unwrap();
            memory.store.build_prompt(&ana, "?").unwrap();
        }
    }
}

/// The attack: forget the roll that failed, or open the fact, and ask again.
#[test]
fn a_roll_cannot_be_forgotten_nor_a_fact_opened() {
    for change in ["DELETE FROM attempt", "UPDATE fact SET locked = 0"] {
        let mut memory = TestMemory::new();
        let (_, detail) = memory.append_fact(clue("k1", "seven keys"));
        memory.start_scene("cellar");
        memory.recall(&detail.to_string(), Some(false), RecallScope::Scene);
        memory.change_database(change);
        let head = memory.reader().head().unwrap();
        let request = axilog_memory::RecallRequest {
            handle: detail.to_string(),
            requester: "ana".into(),
            listeners: Vec::new(),
            roll: None,
            scope: RecallScope::Scene,
        };
        let error = memory.store.recall(&request).unwrap_err();
        assert!(matches!(error, MemoryError::Altered { .. }), "{error}");
        let open = memory.reader().is_open(detail).unwrap_err();
        assert!(matches!(open, MemoryError::Altered { .. }), "{open}");
        let told = memory.store.check_narration(&["ana"], "seven keys");
        assert!(matches!(told, Err(MemoryError::Altered { .. })), "{told:?}");
        assert_eq!(memory.reader().head().unwrap(), head);
    }
}

/// Digests that were changed with the tables: only deriving them again shows it, in G1 and in a rebuild.
#[test]
fn a_table_that_was_changed_with_its_digest_is_found_by_g1() {
    let mut memory = memory_with_rows();
    memory.change_as_writer("DELETE FROM attempt");
    read(&memory).unwrap();
    let report = run_gate(&mut memory.store, Gate::G1, &GateInputs::default()).unwrap();
    assert!(!report.passed());
    memory.change_database("UPDATE table_digest SET digest = zeroblob(32) WHERE name = 'pin'");
    assert_altered(read(&memory), "pin", "its kept digest is of other rows", "");
}
