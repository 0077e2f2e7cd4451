//! What the log takes and what it refuses (document, sections 2, 4, 7 and 8).

use axilog_memory::{Fact, Id, Lens, MemoryError, Store, VERSION};
use serde_json::{Value, json};

use crate::world::{World, clue, opening, plain};

#[test]
fn the_ids_are_those_of_the_document_and_no_others() {
    let numbers = [
        1, 2, 3, 10, 11, 12, 13, 20, 30, 31, 32, 33, 34, 107, 108, 109, 120, 121,
    ];
    for number in 0..=130 {
        let text = format!("EV-{number:03}");
        assert_eq!(
            Id::parse(&text).is_ok(),
            numbers.contains(&number),
            "{text}"
        );
    }
    for commit in ["FACT", "STATE", "PIN", "REVISION", "COMPACTION", "ASSET"] {
        assert!(Id::parse(commit).is_ok());
    }
    assert_eq!(Id::ALL.len(), numbers.len() + 6);
    let told = Id::parse("EV-021").unwrap_err().to_string();
    assert!(
        told.contains("EV-020, EV-030") && told.contains("revision"),
        "{told}"
    );
}

/// A good body of each id that `append` takes; `w` has a scene on and a fact.
fn bodies(fact: &str) -> Vec<(Id, Value)> {
    vec![
        (Id::ReadingSpot, json!({ "setting": "left" })),
        (Id::ModeChanged, json!({ "mode": "COMPANION" })),
        (Id::SceneEnd, json!({ "scene_id": "cellar" })),
        (Id::SceneStart, json!({ "scene_id": "attic" })),
        (Id::NudgeSelected, json!({ "nudge_id": "n1" })),
        (
            Id::NudgeSuppressed,
            json!({ "nudge_id": "n1", "rule_ref": "r.1" }),
        ),
        (Id::PlaybackPaused, json!({ "playback_id": "p1" })),
        (Id::PlaybackResumed, json!({ "playback_id": "p1" })),
        (Id::PlaybackAborted, json!({ "playback_id": "p1" })),
        (
            Id::RoleplayValidated,
            json!({ "playback_id": "p1", "outcome": "INVALID" }),
        ),
        (
            Id::RoleplayFallback,
            json!({ "playback_id": "p1", "rule_ref": null }),
        ),
        (
            Id::State,
            json!({ "threads": ["t1", "t2"], "clocks": [], "regions": ["north"] }),
        ),
        (Id::Pin, json!({ "name": "embed", "value": "m2" })),
        (
            Id::Revision,
            json!({ "name": "embed", "from": "m2", "to": "m3", "reason": "new" }),
        ),
        (
            Id::Compaction,
            axilog_memory::compaction_body("RECAP", &[axilog_memory::Handle::parse(fact).unwrap()])
                .unwrap(),
        ),
        (
            Id::Asset,
            json!({ "stage": "REQUEST_SPEC", "document": { "style": "ink" } }),
        ),
    ]
}

#[test]
fn each_event_is_taken_as_it_is_and_not_otherwise() {
    let mut world = World::new();
    let (fact, _) = world.fact(clue("k1", "seven keys"));
    world.scene("cellar");
    for (id, body) in bodies(&fact.to_string()) {
        let members = body.as_object().unwrap();
        let mut more = members.clone();
        more.insert("surplus".into(), json!(1));
        world.refused(id, Value::Object(more));
        for name in members.keys() {
            let mut less = members.clone();
            less.remove(name);
            if id != Id::State {
                world.refused(id, Value::Object(less));
            }
            let mut other = members.clone();
            other.insert(name.clone(), json!({ "a": [true] }));
            if !(id == Id::Asset && name == "document") {
                world.refused(id, Value::Object(other));
            }
        }
        world.append(id, body);
    }
    let refused = [
        Id::RecallRequest,
        Id::RecallAttempt,
        Id::RecallResult,
        Id::NotebookRequested,
        Id::NotebookGranted,
        Id::NotebookDenied,
        Id::NotebookApplied,
    ];
    for id in refused {
        let error = world.refused(id, json!({}));
        assert!(matches!(error, MemoryError::OwnCommand { .. }), "{error}");
    }
}

#[test]
fn the_story_moves_by_events_alone() {
    let mut world = World::new();
    for (body, told) in [
        (json!({ "mode": "PLAY" }), "EV-030"),
        (json!({ "scene_id": "x" }), "EV-031"),
    ] {
        let error = world.refused(Id::State, body).to_string();
        assert!(error.contains(told), "{error}");
    }
    assert!(
        world
            .refused(Id::SceneEnd, json!({ "scene_id": "x" }))
            .to_string()
            .contains("no scene")
    );
    world.scene("x");
    let error = world
        .refused(Id::SceneStart, json!({ "scene_id": "y" }))
        .to_string();
    assert!(
        error.contains("the scene x is on; end it with EV-032"),
        "{error}"
    );
    world.refused(Id::SceneEnd, json!({ "scene_id": "y" }));
    world.append(Id::ModeChanged, json!({ "mode": "NOTEBOOK" }));
    world.append(Id::State, json!({ "threads": ["t1"] }));
    let state = world.lens().state().unwrap();
    assert_eq!(state.mode, "NOTEBOOK");
    assert_eq!(state.scene.unwrap().0, "x");
    assert_eq!(state.others, [("threads".to_owned(), json!(["t1"]))]);
}

#[test]
fn the_log_cannot_be_changed() {
    let mut world = World::new();
    world.fact(clue("k1", "seven keys"));
    let conn = rusqlite::Connection::open(&world.path).unwrap();
    for change in [
        "UPDATE log SET body = x'7b7d'",
        "DELETE FROM log WHERE seq = 2",
        "INSERT INTO log SELECT seq + 5, id, body, chain FROM log WHERE seq = 1",
        "INSERT OR REPLACE INTO log SELECT seq, id, x'7b7d', chain FROM log WHERE seq = 1",
    ] {
        let told = conn.execute(change, []).unwrap_err().to_string();
        assert!(told.contains("append-only"), "{change}: {told}");
    }
}

#[test]
fn a_log_that_was_changed_all_the_same_is_damaged_there() {
    let mut world = World::new();
    world.fact(clue("k1", "seven keys"));
    let head = world.lens().head().unwrap().seq;
    for (change, seq) in [
        (
            format!("UPDATE log SET body = x'7b7d' WHERE seq = {head}"),
            head,
        ),
        ("UPDATE log SET id = 'EV-030' WHERE seq = 2".to_owned(), 2),
        ("DELETE FROM log WHERE seq = 3".to_owned(), 3),
    ] {
        let path = world.directory.path().join("copy.db");
        world.meddle(&format!("VACUUM INTO '{}'", path.display()));
        let copy = rusqlite::Connection::open(&path).unwrap();
        copy.execute_batch("DROP TRIGGER log_no_update; DROP TRIGGER log_no_delete")
            .unwrap();
        copy.pragma_update(None, "foreign_keys", false).unwrap();
        copy.execute_batch(&change).unwrap();
        drop(copy);
        match Store::open(&path).and_then(|mut store| store.rebuild()) {
            Err(MemoryError::Damaged { seq: found, .. }) => assert_eq!(found, seq, "{change}"),
            other => panic!("{change}: {other:?}"),
        }
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_fact_is_there_once() {
    let mut world = World::new();
    let first = world.append(Id::Fact, clue("k1", "seven keys"));
    let again = world.append(Id::Fact, clue("k1", "seven keys"));
    assert!(first.new && !again.new);
    assert_eq!((first.seq, first.handle), (again.seq, again.handle));
    assert_eq!(world.lens().head().unwrap().seq, first.seq);
    let other = world.append(Id::Fact, clue("k1", "eight keys"));
    assert_ne!(other.handle, first.handle);
}

#[test]
fn a_fact_that_is_wrong_says_what_is() {
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
    for (fact, told) in [
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
        let error = Fact::new(fact.clone()).unwrap_err().to_string();
        assert!(error.contains(told), "{error}\n{fact}");
    }
}

#[test]
fn what_is_locked_is_so_by_default() {
    assert!(Fact::new(clue("k1", "seven keys")).unwrap().locked);
    assert!(!Fact::new(plain("k1", json!({}))).unwrap().locked);
}

#[test]
fn a_pin_changes_by_a_revision_alone() {
    let mut world = World::new();
    let error = world.refused(Id::Pin, json!({ "name": "llm", "value": "model-2" }));
    assert!(error.to_string().contains("append a REVISION"), "{error}");
    let revision =
        |from: &str| json!({ "name": "llm", "from": from, "to": "model-2", "reason": "better" });
    world.refused(Id::Revision, revision("model-0"));
    let here = [("llm".to_owned(), "model-2".to_owned())];
    let error = world.store.rebuild_asserting(&here).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the pin llm is model-1 in the log and model-2 here"),
        "{error}"
    );
    world.append(Id::Revision, revision("model-1"));
    world.store.rebuild_asserting(&here).unwrap();
}

#[test]
fn other_files_are_refused_by_what_they_are() {
    let world = World::new();
    let place = |name: &str| world.directory.path().join(name);
    let told = |path: &std::path::Path| Lens::open(path).unwrap_err().to_string();
    std::fs::write(
        place("text"),
        "no database at all, only some text that is long enough",
    )
    .unwrap();
    assert!(told(&place("text")).contains("no SQLite database"));
    rusqlite::Connection::open(place("other"))
        .unwrap()
        .execute_batch("CREATE TABLE t (a)")
        .unwrap();
    assert!(told(&place("other")).contains("application id"));
    assert!(told(&place("none")).contains("axilog memory init"));
    assert!(!place("none").exists());
    let error = Store::init(&world.path, &opening()).unwrap_err();
    assert!(matches!(error, MemoryError::Exists(_)), "{error}");
    world.meddle(&format!("PRAGMA user_version = {}", VERSION + 1));
    for error in [
        Lens::open(&world.path).unwrap_err(),
        Store::open(&world.path).unwrap_err(),
    ] {
        let (newer, ours) = (
            format!("version {}", VERSION + 1),
            format!("up to {VERSION}"),
        );
        let text = error.to_string();
        assert!(text.contains(&newer) && text.contains(&ours), "{text}");
    }
}

#[test]
fn an_init_that_is_refused_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.db");
    let mut wrong = opening();
    wrong.world_id = "not a name".into();
    Store::init(&path, &wrong).unwrap_err();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
