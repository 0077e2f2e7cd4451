//! G3 on answers that a log has and no memory gives: each entry is forged with the right chain value.

use axilog_memory::gate::{Gate, GateInputs, run_gate};
use axilog_memory::{CanonicalJson, EntryKind, Handle};
use serde_json::{Value, json};

use crate::gates::assert_fault;
use crate::test_memory::{TestMemory, clue};

/// The three entries of a request for `detail` that was answered exactly after a roll that succeeded.
fn exact_answer(detail: &str, fact: &str) -> [(EntryKind, Value); 3] {
    [
        (
            EntryKind::RecallRequest,
            json!({ "detail_handle": detail, "requester_id": "ana", "scene_id": "cellar" }),
        ),
        (
            EntryKind::RecallAttempt,
            json!({ "detail_handle": detail, "roller_id": "ana", "skill_id": "lore", "dc": 12, "roll": 17,
                "outcome": "SUCCESS" }),
        ),
        (
            EntryKind::RecallResult,
            json!({ "detail_handle": detail, "outcome": "EXACT", "payload_handle": fact,
                "unlock_scope": "SCENE" }),
        ),
    ]
}

#[test]
fn g3_finds_answers_that_the_log_does_not_allow() {
    let other = "2".repeat(64);
    for (index, member, value, fault) in [
        (0, "", Value::Null, ""),
        (
            0,
            "scene_id",
            json!("tower"),
            "its scene is tower, and cellar is on",
        ),
        (
            0,
            "scene_id",
            Value::Null,
            "its scene is none, and cellar is on",
        ),
        (
            1,
            "roll",
            json!(4),
            "a success with 4, where 12 had to be reached",
        ),
        (
            1,
            "dc",
            json!(18),
            "a success with 17, where 18 had to be reached",
        ),
        (
            1,
            "detail_handle",
            json!(other),
            "EV-002 without its EV-001",
        ),
        (
            1,
            "outcome",
            json!("NOT_NEEDED"),
            "no roll was needed for what is locked",
        ),
        (
            1,
            "outcome",
            json!("FAILURE"),
            "an exact answer after FAILURE, to what is locked",
        ),
        (
            2,
            "detail_handle",
            json!(other),
            "EV-003 without its EV-001 and EV-002",
        ),
        (
            2,
            "payload_handle",
            json!(other),
            "its payload_handle is not the fact of its detail",
        ),
        (
            2,
            "payload_handle",
            Value::Null,
            "its payload_handle is not the fact of its detail",
        ),
        (
            2,
            "outcome",
            json!("FUZZY"),
            "an unlock without an exact answer",
        ),
        (
            2,
            "unlock_scope",
            Value::Null,
            "the unlock is None after SUCCESS",
        ),
    ] {
        let mut memory = TestMemory::new();
        let (fact, detail) = memory.append_fact(clue("a1", "seven keys"));
        memory.start_scene("cellar");
        let mut entries = exact_answer(&detail.to_string(), &fact.to_string());
        if !member.is_empty() {
            entries[index].1[member] = value;
        }
        for (kind, body) in entries {
            memory.forge_entry(kind, body);
        }
        let report = run_gate(&mut memory.store, Gate::G3, &GateInputs::default()).unwrap();
        match member.is_empty() {
            true => assert!(report.passed(), "{report:?}"),
            false => assert_fault(&report, fault),
        }
    }
}

#[test]
fn g3_finds_an_exact_answer_to_who_may_not_know() {
    for mask in [
        json!("DM_ONLY"),
        json!("SYSTEM"),
        json!({ "PLAYER": ["ben"] }),
    ] {
        let mut memory = TestMemory::new();
        let mut secret = clue("a1", "seven keys");
        secret["visibility_mask"] = mask;
        let (fact, detail) = memory.append_fact(secret);
        memory.start_scene("cellar");
        for (kind, body) in exact_answer(&detail.to_string(), &fact.to_string()) {
            memory.forge_entry(kind, body);
        }
        let report = run_gate(&mut memory.store, Gate::G3, &GateInputs::default()).unwrap();
        assert_fault(&report, "ana was answered EXACT, and may not know of it");
    }
}

/// The entries of a notebook as they should be, with `detail` told in the session s1 and the scene cellar.
fn notebook_entries(detail: &str, content_hash: &str) -> [(EntryKind, Value); 3] {
    [
        (
            EntryKind::NotebookRequested,
            json!({ "request_id": "r1", "requester_id": "table", "player_id": "ana",
                "content_handles": [detail], "content_hash": content_hash, "scope": "SCENE",
                "session_id": "s1", "scene_id": "cellar", "revealed_by_dm": false }),
        ),
        (
            EntryKind::NotebookGranted,
            json!({ "request_id": "r1", "player_id": "ana", "content_hash": content_hash }),
        ),
        (
            EntryKind::NotebookApplied,
            json!({ "request_id": "r1", "content_handles": [detail] }),
        ),
    ]
}

#[test]
fn g3_finds_a_notebook_entry_that_the_log_does_not_allow() {
    let other = "2".repeat(64);
    let ended = "EV-013 after its scene, session or campaign has ended";
    for (index, member, value, fault) in [
        (0, "", Value::Null, ""),
        (0, "scene_id", json!("attic"), "are not those that are on"),
        (0, "scene_id", Value::Null, "are not those that are on"),
        (0, "session_id", json!("s0"), "are not those that are on"),
        (
            0,
            "content_hash",
            json!(other),
            "its content_hash is not that",
        ),
        (0, "player_id", json!("ben"), "EV-011 without its EV-010"),
        (
            0,
            "content_handles",
            json!([other]),
            "its content_hash is not",
        ),
        (1, "player_id", json!("ben"), "EV-011 without its EV-010"),
        (1, "content_hash", json!(other), "EV-011 without its EV-010"),
        (1, "request_id", json!("r2"), "EV-011 without its EV-010"),
        (2, "request_id", json!("r2"), "EV-013 without its EV-011"),
        (
            2,
            "content_handles",
            json!([other]),
            "EV-013 without its EV-011",
        ),
    ] {
        let (mut memory, entries) = memory_with_notebook_entries();
        let mut entries = entries.to_vec();
        if !member.is_empty() {
            entries[index].1[member] = value;
        }
        forge(&memory, &entries);
        let report = run_gate(&mut memory.store, Gate::G3, &GateInputs::default()).unwrap();
        match member.is_empty() {
            true => assert!(report.passed(), "{report:?}"),
            false => assert_fault(&report, fault),
        }
    }
    for (between, fault) in [
        (
            (EntryKind::SceneEnd, json!({ "scene_id": "cellar" })),
            ended,
        ),
        ((EntryKind::State, json!({ "session_id": "s1" })), ended),
        ((EntryKind::State, json!({ "campaign_id": "c2" })), ended),
    ] {
        let (mut memory, [asked, granted, written]) = memory_with_notebook_entries();
        forge(&memory, &[asked, granted, between, written]);
        let report = run_gate(&mut memory.store, Gate::G3, &GateInputs::default()).unwrap();
        assert_fault(&report, fault);
    }
    let (mut memory, [asked, granted, written]) = memory_with_notebook_entries();
    let mut again = asked.clone();
    again.1["request_id"] = json!("r2");
    forge(&memory, &[asked.clone(), again, granted.clone()]);
    let report = run_gate(&mut memory.store, Gate::G3, &GateInputs::default()).unwrap();
    assert_fault(&report, "another request for consent is open");
    let (mut memory, _) = memory_with_notebook_entries();
    forge(&memory, &[asked, written]);
    let report = run_gate(&mut memory.store, Gate::G3, &GateInputs::default()).unwrap();
    assert_fault(&report, "EV-013 without its EV-011");
}

/// A notebook that opens what no recall has told, or what its player may not know of.
#[test]
fn g3_finds_a_notebook_entry_of_what_nobody_learned() {
    for (mask, is_revealed, fault) in [
        (json!("PUBLIC"), false, "nobody has learned"),
        (json!("PUBLIC"), true, ""),
        (json!("DM_ONLY"), true, "ana may not know of"),
        (json!("SYSTEM"), true, "ana may not know of"),
        (json!({ "PLAYER": ["ben"] }), true, "ana may not know of"),
    ] {
        let mut memory = TestMemory::new();
        let mut secret = clue("a1", "seven keys");
        secret["visibility_mask"] = mask;
        let (_, detail) = memory.append_fact(secret);
        memory.start_scene("cellar");
        let mut entries = notebook_entries(&detail.to_string(), &hash_content(detail));
        entries[0].1["revealed_by_dm"] = json!(is_revealed);
        forge(&memory, &entries);
        let report = run_gate(&mut memory.store, Gate::G3, &GateInputs::default()).unwrap();
        match fault.is_empty() {
            true => assert!(report.passed(), "{report:?}"),
            false => assert_fault(&report, fault),
        }
    }
}

fn hash_content(detail: Handle) -> String {
    let content = CanonicalJson::from_value("the content", json!([detail])).unwrap();
    content.handle().to_string()
}

/// A memory in whose scene cellar a recall told a clue, and the entries of a notebook that would hold the clue.
fn memory_with_notebook_entries() -> (TestMemory, [(EntryKind, Value); 3]) {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("a1", "seven keys"));
    memory.learn(detail);
    memory.start_scene("cellar");
    let entries = notebook_entries(&detail.to_string(), &hash_content(detail));
    (memory, entries)
}

fn forge(memory: &TestMemory, entries: &[(EntryKind, Value)]) {
    for (kind, body) in entries {
        memory.forge_entry(*kind, body.clone());
    }
}
