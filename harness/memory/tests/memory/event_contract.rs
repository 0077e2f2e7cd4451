//! The table of the contract's events: each is accepted with all of its members, and refused without one of them, with
//! another one, and with one of another type (document, sections 5 and 8).

use axilog_memory::{CanonicalJson, EntryKind, MemoryError, MemoryStore};
use serde_json::{Map, Value, json};

use crate::test_memory::{TestMemory, clue};

/// The pin's value that admits EV-021.
const EXTENDED: &str = "gt-12+ev-021";

/// An event that `append` takes while the scene `cellar` is on, and the members of it that may be null.
struct AppendedEvent {
    kind: EntryKind,
    body: Value,
    nullable: &'static [&'static str],
}

fn event(kind: EntryKind, body: Value, nullable: &'static [&'static str]) -> AppendedEvent {
    AppendedEvent {
        kind,
        body,
        nullable,
    }
}

fn appended_events() -> Vec<AppendedEvent> {
    let cause = "a".repeat(64);
    let mut events = vec![
        event(
            EntryKind::ReadingSpot,
            json!({ "setting": "left", "scene_id": "cellar", "cause_handle": cause }),
            &["scene_id", "cause_handle"],
        ),
        event(
            EntryKind::RuleRefOpened,
            json!({ "rule_ref": "dmg.42", "scene_id": "cellar", "actor_id": "ana", "unlock_scope": "SESSION" }),
            &["scene_id"],
        ),
        event(
            EntryKind::ModeChanged,
            json!({ "mode": "COMPANION", "scene_id": "cellar", "cause_handle": cause }),
            &["scene_id", "cause_handle"],
        ),
        event(
            EntryKind::NudgeSelected,
            json!({ "scene_id": "cellar", "nudge_type": "SPOTLIGHT_NUDGE", "target_handle": "ana",
                "reason_code": "stall", "cause_handle": cause }),
            &["scene_id", "target_handle", "cause_handle"],
        ),
        event(
            EntryKind::NudgeSuppressed,
            json!({ "scene_id": "cellar", "reason_code": "cooldown", "rule_ref": "HL-006",
                "cause_handle": cause }),
            &["scene_id", "cause_handle"],
        ),
        event(
            EntryKind::ValidationFailed,
            json!({ "playback_id": "p1", "reason_code": "locked", "rule_ref": "HL-005",
                "cause_handle": cause }),
            &["cause_handle"],
        ),
        event(
            EntryKind::RoleplayFallback,
            json!({ "playback_id": "p1", "reason_code": "locked", "rule_ref": "HL-005",
                "cause_handle": cause }),
            &["cause_handle"],
        ),
    ];
    for number in 100..=110 {
        let kind = EntryKind::from_id(&format!("EV-{number}")).unwrap();
        let body = json!({ "playback_id": "p1", "cause_handle": cause });
        events.push(event(kind, body, &["cause_handle"]));
    }
    // The last two end the scene and begin it again.
    for kind in [EntryKind::SceneEnd, EntryKind::SceneStart] {
        events.push(event(kind, json!({ "scene_id": "cellar" }), &[]));
    }
    events
}

/// The wrong values of a member whatever its type: an object, an array of a number, a fraction, an empty text.
fn wrong_values() -> [Value; 4] {
    [json!({ "a": [true] }), json!([7]), json!(-1.5), json!("")]
}

/// A body with another value for a member, or without it, and what the refusal must name.
fn variations(body: &Value, nullable: &[&str]) -> Vec<(Value, String)> {
    let members = body.as_object().unwrap();
    let change = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut members = members.clone();
        change(&mut members);
        Value::Object(members)
    };
    let mut all = vec![(
        change(&|members| drop(members.insert("surplus".into(), json!(1)))),
        "surplus".to_owned(),
    )];
    for name in members.keys() {
        let missing = change(&|members| drop(members.remove(name)));
        all.push((missing, format!("missing field `{name}`")));
        let mut wrong = wrong_values().to_vec();
        if !nullable.contains(&&**name) {
            wrong.push(Value::Null);
        }
        for value in wrong {
            let changed = change(&|members| drop(members.insert(name.clone(), value.clone())));
            all.push((changed, format!("$.{name}")));
        }
    }
    all
}

fn extended_memory() -> TestMemory {
    let mut memory = TestMemory::new();
    let pin = json!({ "name": "event_contract", "value": EXTENDED });
    memory.append(EntryKind::Pin, pin);
    memory
}

#[test]
fn each_event_is_accepted_whole_and_refused_with_a_wrong_member() {
    let mut memory = extended_memory();
    memory.start_scene("cellar");
    for AppendedEvent {
        kind,
        body,
        nullable,
    } in appended_events()
    {
        for (wrong, expected) in variations(&body, nullable) {
            let error = memory.append_refused(kind, wrong.clone()).to_string();
            assert!(error.contains(&expected), "{kind} {wrong}: {error}");
            assert!(error.contains(kind.as_str()), "{error}");
        }
        let values: Vec<&Value> = body.as_object().unwrap().values().collect();
        let error = memory.append_refused(kind, json!(values)).to_string();
        assert!(error.contains("an object"), "{kind}: {error}");
        memory.append(kind, body);
    }
}

#[test]
fn members_that_may_be_null_may_be() {
    let mut memory = extended_memory();
    for AppendedEvent {
        kind,
        mut body,
        nullable,
    } in appended_events()
    {
        for name in nullable {
            body[name] = Value::Null;
        }
        if !nullable.is_empty() {
            memory.append(kind, body);
        }
    }
}

/// The events that have commands of their own: what is in the log is read by the same table.
#[test]
fn an_event_of_a_command_is_read_whole_and_not_with_a_wrong_member() {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("a1", "seven keys"));
    memory.learn(detail);
    memory.take_note("r1", &[detail]);
    memory.ask("r2", &[detail]).unwrap();
    memory
        .store
        .answer_notebook_request("r2", "ana", "no")
        .unwrap();
    let mut entries = Vec::new();
    let mut visit = |entry: axilog_memory::LogEntry| {
        if matches!(entry.kind.own_command(), Some("recall" | "notebook")) {
            entries.push((entry.kind, entry.body));
        }
        Ok(())
    };
    memory.reader().for_each_entry(&mut visit).unwrap();
    for id in [1, 2, 3, 10, 11, 12, 13] {
        let kind = EntryKind::from_id(&format!("EV-{id:03}")).unwrap();
        let (_, body) = entries.iter().find(|(found, _)| *found == kind).unwrap();
        for (wrong, expected) in variations(body, &nullable_members(kind)) {
            // Canonical JSON has no such number, so no log has it.
            if CanonicalJson::from_value("w", wrong.clone()).is_err() {
                continue;
            }
            let error = read_forged(&memory, kind, wrong.clone()).to_string();
            assert!(error.contains(&expected), "{kind} {wrong}: {error}");
        }
    }
}

fn nullable_members(kind: EntryKind) -> Vec<&'static str> {
    match kind {
        EntryKind::RecallRequest | EntryKind::NotebookRequested => vec!["scene_id"],
        EntryKind::RecallAttempt => vec!["roller_id", "skill_id", "dc", "roll"],
        EntryKind::RecallResult => vec!["payload_handle", "unlock_scope"],
        _ => Vec::new(),
    }
}

/// Puts an entry into a copy of the memory's log, and gives what a rebuild says of it.
fn read_forged(memory: &TestMemory, kind: EntryKind, body: Value) -> MemoryError {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("copy.db");
    memory.change_database(&format!("VACUUM INTO '{}'", path.display()));
    let mut copy = TestMemory {
        store: MemoryStore::open(&path).unwrap(),
        path,
        directory,
    };
    copy.forge_entry(kind, body);
    copy.store.rebuild().unwrap_err()
}

/// An event names the scene that is on.
#[test]
fn an_event_of_another_scene_is_refused() {
    for scene in [None, Some("cellar")] {
        let mut memory = extended_memory();
        if let Some(scene) = scene {
            memory.start_scene(scene);
        }
        for AppendedEvent { kind, mut body, .. } in appended_events() {
            let is_scene = [EntryKind::SceneStart, EntryKind::SceneEnd].contains(&kind);
            if is_scene || body.get("scene_id").is_none() {
                continue;
            }
            body["scene_id"] = match scene {
                None => json!("cellar"),
                Some(_) => Value::Null,
            };
            let error = memory.append_refused(kind, body.clone()).to_string();
            assert!(error.contains("cellar"), "{error}");
            body["scene_id"] = json!("attic");
            let error = memory.append_refused(kind, body).to_string();
            assert!(error.contains("attic"), "{error}");
        }
    }
}
