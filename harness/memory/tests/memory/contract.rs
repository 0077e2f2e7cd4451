//! What the log takes and what it refuses (document, sections 2, 4, 7 and 8).

use axilog_memory::{EntryKind, Fact, MemoryError, MemoryReader, MemoryStore, Mode};
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, initial_state, machine_pins, open_fact};

#[test]
fn the_log_accepts_the_ids_of_the_contract_and_no_others() {
    let mut numbers = vec![1, 2, 3, 10, 11, 12, 13, 20, 21, 30, 31, 32, 33, 34];
    numbers.extend(100..=110);
    numbers.extend([120, 121]);
    for number in 0..=130 {
        let text = format!("EV-{number:03}");
        assert_eq!(
            EntryKind::from_id(&text).is_ok(),
            numbers.contains(&number),
            "{text}"
        );
    }
    for commit in [
        "FACT",
        "RETRACTION",
        "STATE",
        "PIN",
        "REVISION",
        "COMPACTION",
        "ASSET",
        "GUESS",
        "SHOWN",
    ] {
        assert!(EntryKind::from_id(commit).is_ok());
    }
    assert_eq!(EntryKind::ALL.len(), numbers.len() + 9);
    let message = EntryKind::from_id("EV-022").unwrap_err().to_string();
    assert!(
        message.contains("EV-020, EV-021, EV-030") && message.contains("revision"),
        "{message}"
    );
}

/// A valid body of each store commit that `append` takes, for a memory with the fact.
fn valid_bodies(fact: &str) -> Vec<(EntryKind, Value)> {
    vec![
        (
            EntryKind::State,
            json!({ "threads": ["t1", "t2"], "clocks": [], "regions": ["north"] }),
        ),
        (EntryKind::Pin, json!({ "name": "embed", "value": "m2" })),
        (
            EntryKind::Revision,
            json!({ "name": "embed", "from": "m2", "to": "m3", "reason": "new" }),
        ),
        (
            EntryKind::Compaction,
            axilog_memory::compaction_body("RECAP", &[axilog_memory::Handle::parse(fact).unwrap()])
                .unwrap(),
        ),
        (
            EntryKind::Retraction,
            json!({ "fact_id": fact, "reason": "no", "provenance": { "source": "ana", "refs": [] } }),
        ),
        (
            EntryKind::Asset,
            json!({ "stage": "REQUEST_SPEC", "document": { "style": "ink" } }),
        ),
    ]
}

#[test]
fn each_store_commit_is_accepted_and_its_variations_are_refused() {
    let mut memory = TestMemory::new();
    let (fact, _) = memory.append_fact(clue("k1", "seven keys"));
    for (id, body) in valid_bodies(&fact.to_string()) {
        let members = body.as_object().unwrap();
        let values: Vec<&Value> = members.values().collect();
        memory.append_refused(id, json!(values));
        let mut more = members.clone();
        more.insert("surplus".into(), json!(1));
        memory.append_refused(id, Value::Object(more));
        for name in members.keys() {
            let mut less = members.clone();
            less.remove(name);
            if id != EntryKind::State {
                memory.append_refused(id, Value::Object(less));
            }
            let mut other = members.clone();
            other.insert(name.clone(), json!({ "a": [true] }));
            if !(id == EntryKind::Asset && name == "document") {
                memory.append_refused(id, Value::Object(other));
            }
        }
        memory.append(id, body);
    }
    let refused = [
        EntryKind::RecallRequest,
        EntryKind::RecallAttempt,
        EntryKind::RecallResult,
        EntryKind::NotebookRequested,
        EntryKind::NotebookGranted,
        EntryKind::NotebookDenied,
        EntryKind::NotebookApplied,
        EntryKind::Guess,
    ];
    for id in refused {
        let error = memory.append_refused(id, json!({}));
        assert!(matches!(error, MemoryError::OwnCommand { .. }), "{error}");
    }
}

#[test]
fn only_events_change_the_story_state() {
    let mut memory = TestMemory::new();
    for (body, expected) in [
        (json!({ "mode": "PLAY" }), "EV-030"),
        (json!({ "scene_id": "x" }), "EV-031"),
    ] {
        let error = memory.append_refused(EntryKind::State, body).to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(
        memory
            .append_refused(EntryKind::SceneEnd, json!({ "scene_id": "x" }))
            .to_string()
            .contains("no scene")
    );
    memory.start_scene("x");
    let error = memory
        .append_refused(EntryKind::SceneStart, json!({ "scene_id": "y" }))
        .to_string();
    assert!(
        error.contains("the scene x is on; end it with EV-032"),
        "{error}"
    );
    memory.append_refused(EntryKind::SceneEnd, json!({ "scene_id": "y" }));
    memory.change_mode("NOTEBOOK");
    memory.append(EntryKind::State, json!({ "threads": ["t1"] }));
    let state = memory.reader().story_state().unwrap();
    assert_eq!(state.mode, Mode::Notebook);
    assert_eq!(&*state.scene.unwrap().id, "x");
    assert_eq!(state.others, [("threads".to_owned(), json!(["t1"]))]);
}

#[test]
fn the_log_cannot_be_changed() {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("k1", "seven keys"));
    let conn = rusqlite::Connection::open(&memory.path).unwrap();
    for change in [
        "UPDATE log SET body = x'7b7d'",
        "DELETE FROM log WHERE seq = 2",
        "INSERT INTO log SELECT seq + 5, id, body, chain FROM log WHERE seq = 1",
        "INSERT OR REPLACE INTO log SELECT seq, id, x'7b7d', chain FROM log WHERE seq = 1",
    ] {
        let message = conn.execute(change, []).unwrap_err().to_string();
        assert!(message.contains("append-only"), "{change}: {message}");
    }
}

#[test]
fn a_changed_log_is_damaged_at_the_first_changed_entry() {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("k1", "seven keys"));
    let head = memory.reader().head().unwrap().seq;
    for (change, seq) in [
        (
            format!("UPDATE log SET body = x'7b7d' WHERE seq = {head}"),
            head,
        ),
        ("UPDATE log SET id = 'EV-030' WHERE seq = 2".to_owned(), 2),
        ("DELETE FROM log WHERE seq = 3".to_owned(), 3),
    ] {
        let path = memory.directory.path().join("copy.db");
        memory.change_database(&format!("VACUUM INTO '{}'", path.display()));
        let copy = rusqlite::Connection::open(&path).unwrap();
        copy.execute_batch("DROP TRIGGER log_no_update; DROP TRIGGER log_no_delete")
            .unwrap();
        copy.pragma_update(None, "foreign_keys", false).unwrap();
        copy.execute_batch(&change).unwrap();
        drop(copy);
        match MemoryStore::open(&path).and_then(|mut store| store.rebuild()) {
            Err(MemoryError::Damaged { seq: found, .. }) => assert_eq!(found, seq, "{change}"),
            other => panic!("{change}: {other:?}"),
        }
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_fact_is_appended_once() {
    let mut memory = TestMemory::new();
    let first = memory.append(EntryKind::Fact, clue("k1", "seven keys"));
    let second = memory.append(EntryKind::Fact, clue("k1", "seven keys"));
    assert!(first.is_new && !second.is_new);
    assert_eq!((first.seq, first.handle), (second.seq, second.handle));
    assert_eq!(memory.reader().head().unwrap().seq, first.seq);
    let other = memory.append(EntryKind::Fact, clue("k1", "eight keys"));
    assert_ne!(other.handle, first.handle);
}

#[test]
fn a_wrong_fact_is_refused_with_the_reason() {
    let fact = clue("k1", "seven keys");
    let with = |name: &str, value: Value| {
        let mut fact = fact.clone();
        fact[name] = value;
        fact
    };
    let without = |name: &str| {
        let mut fact = fact.clone();
        fact.as_object_mut().unwrap().remove(name);
        fact
    };
    let long = "x".repeat(257);
    for (fact, expected) in [
        (
            with("details", json!([{ "name": "a", "exact": " 4 7 " }])),
            "3 to 256 characters",
        ),
        (
            with("details", json!([{ "name": "a", "exact": long }])),
            "3 to 256 characters",
        ),
        (
            with("details", json!([{ "name": "a", "exact": "a".repeat(64) }])),
            "no handle",
        ),
        (
            with(
                "details",
                json!([{ "name": "a", "exact": "key: ".to_owned() + &"DEAD beef ".repeat(9) }]),
            ),
            "no handle",
        ),
        (
            with("details", json!([{ "name": "a", "exact": "Working Set" }])),
            "fixed words",
        ),
        (
            with("details", json!([{ "name": "a", "exact": "LOCKED" }])),
            "fixed words",
        ),
        (
            with(
                "details",
                json!([{ "name": "a", "exact": "xyz" }, { "name": "a", "exact": "xyw" }]),
            ),
            "no other detail",
        ),
        (
            with("gist", json!("There are Seven  Keys.")),
            "without the exact string of \"words\"",
        ),
        (with("provenance", json!(["x", []])), "$.provenance"),
        (with("details", json!([["a", "xyz"]])), "$.details[0]"),
        (with("visibility_mask", json!({ "PUBLIC": null })), "PLAYER"),
        (without("gist"), "all that is told of a LOCKED fact"),
        (without("visibility_mask"), "PUBLIC"),
        (without("stable_key"), "stable_key"),
        (without("provenance"), "provenance"),
        (with("provenance", json!({ "source": "x" })), "refs"),
        (with("payload", json!({ "x": 1.5 })), "$.payload.x"),
        (with("stable_key", json!("a b")), "a name"),
        (with("precision_tag", json!("MAYBE")), "LOCKED, UNLOCKED"),
        (
            with("visibility_mask", json!({ "PLAYER": ["b", "a"] })),
            "sorted",
        ),
    ] {
        let error = Fact::new(&fact).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\n{fact}");
    }
}

#[test]
fn a_fact_is_locked_by_default() {
    assert!(Fact::new(&clue("k1", "seven keys")).unwrap().is_locked());
    assert!(!Fact::new(&open_fact("k1", json!({}))).unwrap().is_locked());
}

#[test]
fn only_a_revision_changes_a_pin() {
    let mut memory = TestMemory::new();
    let error = memory.append_refused(EntryKind::Pin, json!({ "name": "llm", "value": "model-2" }));
    assert!(error.to_string().contains("append a REVISION"), "{error}");
    let revision =
        |from: &str| json!({ "name": "llm", "from": from, "to": "model-2", "reason": "better" });
    memory.append_refused(EntryKind::Revision, revision("model-0"));
    let mut here = machine_pins();
    here.values[0].1 = "model-2".to_owned();
    let error = memory.store.rebuild_asserting(&here).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the pin llm is model-1 in the log and model-2 here"),
        "{error}"
    );
    memory.append(EntryKind::Revision, revision("model-1"));
    memory.store.rebuild_asserting(&here).unwrap();
}

#[test]
fn a_file_that_is_no_memory_is_refused() {
    let memory = TestMemory::new();
    let place = |name: &str| memory.directory.path().join(name);
    let open_error = |path: &std::path::Path| MemoryReader::open(path).unwrap_err().to_string();
    std::fs::write(
        place("text"),
        "no database at all, only some text that is long enough",
    )
    .unwrap();
    assert!(open_error(&place("text")).contains("no SQLite database"));
    rusqlite::Connection::open(place("other"))
        .unwrap()
        .execute_batch("CREATE TABLE t (a)")
        .unwrap();
    assert!(open_error(&place("other")).contains("application id"));
    assert!(open_error(&place("none")).contains("axilog memory init"));
    assert!(!place("none").exists());
    let error = MemoryStore::init(&memory.path, &initial_state()).unwrap_err();
    assert!(matches!(error, MemoryError::Exists(_)), "{error}");
    let conn = rusqlite::Connection::open(&memory.path).unwrap();
    let version: i64 = conn
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    conn.pragma_update(None, "user_version", version + 1)
        .unwrap();
    for error in [
        MemoryReader::open(&memory.path).unwrap_err(),
        MemoryStore::open(&memory.path).unwrap_err(),
    ] {
        let (newer, ours) = (
            format!("version {}", version + 1),
            format!("up to {version}"),
        );
        let text = error.to_string();
        assert!(text.contains(&newer) && text.contains(&ours), "{text}");
    }
}

#[test]
fn a_refused_init_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.db");
    let mut wrong = initial_state();
    wrong.world_id = "not a name".into();
    MemoryStore::init(&path, &wrong).unwrap_err();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// The tables of version 1 had the exact strings folded, and those of version 4 no digests.
#[test]
fn a_memory_of_an_older_version_is_derived_anew() {
    for version in [1, 4] {
        let mut memory = TestMemory::new();
        memory.append_fact(clue("a1", "seven keys"));
        let head = memory.reader().head().unwrap();
        memory.change_database(
            "ALTER TABLE detail RENAME COLUMN exact TO folded; UPDATE detail SET folded = 'sevenkeys'",
        );
        memory.make_older(version);
        let error = MemoryReader::open(&memory.path).unwrap_err().to_string();
        assert!(error.contains("its tables are of 0 entries"), "{error}");
        let store = MemoryStore::open(&memory.path).unwrap();
        assert_eq!(store.reader().head().unwrap(), head);
        let found = store.reader().find_locked_strings("seven keys").unwrap();
        assert_eq!(found.len(), 1);
        MemoryReader::open(&memory.path).unwrap();
    }
}

/// Version 2 had notebook entries of what nobody had learned. A log with one stays as it is.
#[test]
fn a_memory_of_an_older_version_with_other_rules_is_refused() {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("a1", "seven keys"));
    let asked = json!({ "request_id": "r1", "requester_id": "ben", "player_id": "ben",
        "content_handles": [detail] });
    memory.forge_entry(EntryKind::NotebookRequested, asked);
    let seq = memory.reader().head().unwrap().seq;
    memory.make_older(2);
    for _ in 0..2 {
        match MemoryStore::open(&memory.path).unwrap_err() {
            MemoryError::Older {
                found: 2, seq: at, ..
            } => assert_eq!(at, seq),
            other => panic!("{other}"),
        }
    }
    let conn = rusqlite::Connection::open(&memory.path).unwrap();
    let version = conn.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    assert_eq!(version.unwrap(), 2);
    // A log that was changed is damaged, whatever its version.
    memory
        .change_database("DROP TRIGGER log_no_update; UPDATE log SET body = x'7b7d' WHERE seq = 2");
    let error = MemoryStore::open(&memory.path).unwrap_err();
    assert!(
        matches!(error, MemoryError::Damaged { seq: 2, .. }),
        "{error}"
    );
}
