//! G3 on answers that a log has and no memory gives: each entry is forged with the right chain value.

use axilog_memory::EntryKind;
use axilog_memory::gate::{Gate, GateInputs, run_gate};
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
