//! Each gate is passed by a good memory, and not by one in which its subject is broken.

use axilog_memory::gate::{Gate, GateInputs, GateReport, canonical_query, run_gate};
use axilog_memory::{EntryKind, Handle, MachinePins, MemoryStore, RecallScope, compaction_body};
use serde_json::json;

use crate::test_memory::{TestMemory, clue, gate_inputs, machine_pins, open_fact};

fn memory_with_clue() -> (TestMemory, Handle, Handle) {
    let mut memory = TestMemory::new();
    let (fact, detail) = memory.append_fact(clue("k1", "seven keys"));
    let (door, _) = memory.append_fact(open_fact("k2", json!({ "text": "A red door." })));
    memory.append(
        EntryKind::Compaction,
        compaction_body("RECAP", &[fact, door]).unwrap(),
    );
    (memory, fact, detail)
}

fn run_on(memory: &mut TestMemory, gate: Gate) -> GateReport {
    let head = memory.reader().head().unwrap();
    let report = run_gate(&mut memory.store, gate, &gate_inputs()).unwrap();
    assert!(!report.checked.is_empty());
    assert_eq!(memory.reader().head().unwrap(), head);
    report
}

#[track_caller]
pub fn assert_fault(report: &GateReport, expected: &str) {
    assert!(
        report.faults.iter().any(|fault| fault.contains(expected)),
        "{expected:?} in {report:?}"
    );
}

#[test]
fn a_good_memory_passes_the_gates() {
    let (mut memory, _, detail) = memory_with_clue();
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    for number in [Gate::G1, Gate::G2, Gate::G3, Gate::G4, Gate::G5, Gate::G6] {
        let report = run_on(&mut memory, number);
        assert!(report.passed(), "{report:?}");
    }
}

#[test]
fn g1_finds_what_the_log_does_not_give() {
    for (change, table) in [
        ("UPDATE fact SET kind = 'RUMOUR'", "fact"),
        ("UPDATE visible SET audience = 'DM_ONLY'", "visible"),
        ("DELETE FROM detail", "detail"),
        (
            "INSERT INTO unlocked VALUES (x'00', 'SCENE', 'c1', 1, 1)",
            "unlocked",
        ),
        (
            "INSERT INTO guess VALUES ('c1', 1, 'cellar', 5, 1)",
            "guess",
        ),
        ("INSERT INTO learned VALUES ('c1', x'00', 1)", "learned"),
        (
            "UPDATE pointer SET value = '\"mars\"' WHERE name = 'world_id'",
            "pointer",
        ),
        (
            "INSERT INTO consent VALUES ('r', 'p', x'00', 'GRANTED', 'c1', 1, NULL, 1)",
            "consent",
        ),
        (
            "INSERT INTO attempt VALUES (x'00', 'c1', 'cellar', 1)",
            "attempt",
        ),
        ("UPDATE compaction SET output = x'5b5d'", "compaction"),
        ("DELETE FROM pin WHERE name = 'llm'", "pin"),
        ("INSERT INTO asset VALUES (x'00', 'POOL', NULL, 1)", "asset"),
    ] {
        let (mut memory, ..) = memory_with_clue();
        memory.change_database(change);
        assert_fault(
            &run_on(&mut memory, Gate::G1),
            &format!("the table {table} is not what the log gives"),
        );
        memory.store.rebuild().unwrap();
        assert!(run_on(&mut memory, Gate::G1).passed());
    }
}

#[test]
fn g1_compares_with_a_golden_hash() {
    let (mut memory, ..) = memory_with_clue();
    let id = memory
        .reader()
        .inspect_working_set(&canonical_query())
        .unwrap()
        .id();
    for (golden, passes) in [(id, true), (Handle::of(b""), false)] {
        let inputs = GateInputs {
            golden: Some(golden),
            ..gate_inputs()
        };
        assert_eq!(
            run_gate(&mut memory.store, Gate::G1, &inputs)
                .unwrap()
                .passed(),
            passes
        );
    }
}

#[test]
fn g2_finds_a_sent_string_without_an_unlock() {
    let (mut memory, _, detail) = memory_with_clue();
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    let brief = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": "it reads seven keys" } });
    memory.append(EntryKind::Asset, brief);
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    assert!(run_on(&mut memory, Gate::G2).passed());
    let (mut memory, ..) = memory_with_clue();
    for stage in ["REQUEST_SPEC", "ENGINE"] {
        let brief = json!({ "stage": stage, "document": { "prompt": "it reads seven keys" } });
        memory.forge_entry(EntryKind::Asset, brief);
        assert_fault(
            &run_on(&mut memory, Gate::G2),
            &format!("the document of the {stage} holds the exact string of"),
        );
    }
}

#[test]
fn g2_finds_a_string_that_the_guard_lets_through() {
    let (mut memory, ..) = memory_with_clue();
    memory.append_fact(open_fact("k3", json!({ "text": "They read SEVEN  keys." })));
    assert!(run_on(&mut memory, Gate::G2).passed());
    // The guard searches for what this table has.
    memory.change_as_writer("DELETE FROM detail");
    memory.store = MemoryStore::open(&memory.path).unwrap();
    let report = run_on(&mut memory, Gate::G2);
    for output in ["working set", "prompt", "PVIB"] {
        assert_fault(&report, &format!("the {output} ("));
    }
}

/// As a writer would that keeps unlocks for too long.
#[test]
fn g2_finds_a_brief_that_was_sent_after_its_unlock_ended() {
    let scene = (EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    let session = (EntryKind::State, json!({ "session_id": "s2" }));
    let other = (EntryKind::State, json!({ "threads": [] }));
    for (scope, (id, body), ended) in [
        (RecallScope::Scene, &other, false),
        (RecallScope::Scene, &scene, true),
        (RecallScope::Scene, &session, true),
        (RecallScope::Session, &scene, false),
        (RecallScope::Session, &session, true),
    ] {
        let (mut memory, _, detail) = memory_with_clue();
        memory.start_scene("cellar");
        memory.recall(&detail.to_string(), Some(true), scope);
        memory.append(*id, body.clone());
        let brief = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": "seven keys" } });
        memory.forge_entry(EntryKind::Asset, brief);
        let seq = memory.reader().head().unwrap().seq;
        memory.change_as_writer(&format!(
            "INSERT INTO asset VALUES (zeroblob(32), 'REQUEST_SPEC', NULL, {seq})"
        ));
        let report = run_on(&mut memory, Gate::G2);
        assert_eq!(report.passed(), !ended, "{scope:?} {id} {report:?}");
    }
}

/// What is unlocked a second time was unlocked before that too.
#[test]
fn g2_passes_a_brief_between_two_unlocks() {
    let (mut memory, _, detail) = memory_with_clue();
    memory.learn(detail);
    for request in ["r1", "r2"] {
        memory.take_note(request, &[detail]);
        let brief = json!({ "stage": "REQUEST_SPEC", "document": { request: "seven keys" } });
        memory.append(EntryKind::Asset, brief);
    }
    assert!(run_on(&mut memory, Gate::G2).passed());
}

#[test]
fn g3_finds_an_exact_answer_without_an_unlock() {
    let (mut memory, _, detail) = memory_with_clue();
    memory.start_scene("cellar");
    let scene = memory.reader().story_state().unwrap().scene.unwrap().seq;
    assert!(run_on(&mut memory, Gate::G3).passed());
    memory.change_as_writer(&format!(
        "INSERT INTO unlocked VALUES (x'{detail}', 'SCENE', 'c1', {scene}, 99999)"
    ));
    memory.recall(&detail.to_string(), None, RecallScope::Scene);
    assert_fault(
        &run_on(&mut memory, Gate::G3),
        "an exact answer after NOT_NEEDED, to what is locked",
    );
}

#[test]
fn g3_finds_a_second_attempt() {
    let (mut memory, fact, detail) = memory_with_clue();
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(false), RecallScope::Scene);
    assert!(run_on(&mut memory, Gate::G3).passed());
    for (before, handle) in [fact, detail].into_iter().enumerate() {
        memory.change_as_writer("DELETE FROM attempt");
        memory.recall(&handle.to_string(), Some(false), RecallScope::Scene);
        let report = run_on(&mut memory, Gate::G3);
        assert_fault(&report, "a second attempt in one scene");
        assert_eq!(report.faults.len(), before + 1);
    }
}

#[test]
fn g3_finds_incomplete_requests() {
    let request = |handle: &str| {
        let body = json!({ "detail_handle": handle, "requester_id": "ana", "scene_id": null });
        (EntryKind::RecallRequest, body)
    };
    let attempt = |handle: &str, outcome: &str| {
        let body = json!({ "detail_handle": handle, "roller_id": null, "skill_id": null, "dc": null,
            "roll": null, "outcome": outcome });
        (EntryKind::RecallAttempt, body)
    };
    let result = |handle: &str, outcome: &str, scope: Option<&str>| {
        let body = json!({ "detail_handle": handle, "outcome": outcome, "payload_handle": null,
            "unlock_scope": scope });
        (EntryKind::RecallResult, body)
    };
    let (one, two) = ("1".repeat(64), "2".repeat(64));
    for (entries, fault) in [
        (vec![request(&one)], "the request is not whole"),
        (
            vec![request(&one), attempt(&one, "NOT_ROLLED")],
            "the request is not whole",
        ),
        (
            vec![request(&one), result(&one, "FUZZY", None)],
            "EV-002 should follow, and it is EV-003",
        ),
        (
            vec![request(&one), attempt(&two, "NOT_ROLLED")],
            "EV-002 without its EV-001",
        ),
        (
            vec![result(&one, "UNKNOWN", None)],
            "EV-003 without its EV-001 and EV-002",
        ),
        (
            vec![request(&one), attempt(&one, "SUCCESS")],
            "an outcome without a roll",
        ),
        (
            vec![
                request(&one),
                attempt(&one, "NOT_ROLLED"),
                result(&one, "EXACT", None),
            ],
            "an exact answer after NOT_ROLLED, to what is locked",
        ),
        (
            vec![
                request(&one),
                attempt(&one, "NOT_ROLLED"),
                result(&one, "FUZZY", Some("SCENE")),
            ],
            "an unlock without an exact answer",
        ),
    ] {
        let (mut memory, ..) = memory_with_clue();
        for (id, body) in entries {
            memory.forge_entry(id, body);
        }
        assert_fault(&run_on(&mut memory, Gate::G3), fault);
    }
}

#[test]
fn g4_finds_a_compaction_with_another_text() {
    let (mut memory, ..) = memory_with_clue();
    memory.change_as_writer("UPDATE compaction SET output = x'5b5d'");
    assert_fault(
        &run_on(&mut memory, Gate::G4),
        "says something else when made again",
    );
    memory.change_as_writer("UPDATE compaction SET compaction = zeroblob(32)");
    assert_fault(&run_on(&mut memory, Gate::G4), "not the hash of its inputs");
}

#[test]
fn g5_finds_a_log_without_its_triggers() {
    for (trigger, alone) in [
        ("head_is_of_log", true),
        ("head_no_delete", true),
        ("log_in_order", true),
        ("log_moves_head", true),
        ("log_no_delete", false),
        ("log_no_update", false),
    ] {
        let (mut memory, ..) = memory_with_clue();
        memory.change_database(&format!("DROP TRIGGER {trigger}"));
        let report = run_on(&mut memory, Gate::G5);
        assert_fault(&report, &format!("the trigger {trigger} is gone"));
        assert_eq!(report.faults.len() == 1, alone, "{report:?}");
    }
}

#[test]
fn g6_and_rebuild_assert_what_the_machine_has() {
    let (mut memory, ..) = memory_with_clue();
    let tokenizer = json!({ "name": "tokenizer", "value": "words-3" });
    memory.append(EntryKind::Pin, tokenizer);
    let expected = "the pin tokenizer is words-3 in the log, and nothing says what it is here; give its value \
        (--pin tokenizer=VALUE), or say that this machine has nothing of it (--absent-pin tokenizer)";
    assert_fault(&run_on(&mut memory, Gate::G6), expected);
    let mut inputs = gate_inputs();
    let rebuilt = memory.store.rebuild_asserting(&inputs.pins);
    assert_eq!(rebuilt.unwrap_err().to_string(), expected);
    let mut given = inputs.clone();
    given
        .pins
        .values
        .push(("tokenizer".into(), "words-3".into()));
    inputs.pins.absent.push("tokenizer".into());
    for inputs in [inputs, given] {
        memory.store.rebuild_asserting(&inputs.pins).unwrap();
        let report = run_gate(&mut memory.store, Gate::G6, &inputs).unwrap();
        assert!(report.passed(), "{report:?}");
    }
}

/// The directives and the template of prompts are pinned by their hashes.
#[test]
fn g6_and_rebuild_assert_the_texts_that_a_model_reads() {
    for name in ["working_set_directives", "memory_prompt_template"] {
        let (mut memory, ..) = memory_with_clue();
        let pins = memory.reader().pins().unwrap();
        let (_, from) = pins.into_iter().find(|(pin, _)| pin == name).unwrap();
        let revision =
            json!({ "name": name, "from": from, "to": "other", "reason": "another build" });
        memory.append(EntryKind::Revision, revision);
        let expected = format!("the pin {name} is other in the log and {from} here");
        assert_fault(&run_on(&mut memory, Gate::G6), &expected);
        let error = memory.store.rebuild_asserting(&machine_pins()).unwrap_err();
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

#[test]
fn g6_finds_pins_with_other_values() {
    let (mut memory, ..) = memory_with_clue();
    let inputs = GateInputs {
        pins: MachinePins {
            values: vec![("llm".into(), "model-2".into())],
            absent: Vec::new(),
        },
        ..GateInputs::default()
    };
    assert_fault(
        &run_gate(&mut memory.store, Gate::G6, &inputs).unwrap(),
        "the pin llm is model-1 in the log and model-2 here",
    );
    let mut inputs = gate_inputs();
    inputs.pins.values.push(("adapter".into(), "a".into()));
    assert_fault(
        &run_gate(&mut memory.store, Gate::G6, &inputs).unwrap(),
        "the pin adapter is not there in the log and a here; if the change is meant, append a PIN of",
    );
    memory.append(
        EntryKind::Revision,
        json!({ "name": "ordering_policy", "from": memory.reader().pins().unwrap().iter().find(|(n, _)| n == "ordering_policy").unwrap().1,
            "to": "other", "reason": "another build" }),
    );
    assert_fault(
        &run_on(&mut memory, Gate::G6),
        "the pin ordering_policy is other in the log",
    );
}
