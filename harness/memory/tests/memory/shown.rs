//! What a model's side was shown is an entry of the log, and a rebuild makes it again.

use std::collections::BTreeMap;

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{
    EntryKind, Handle, MemoryError, MemoryStore, OutputClass, RecallScope, ShownKind,
};
use serde_json::{Value, json};

use crate::campaign::Campaign;
use crate::test_memory::{TestMemory, clue, gate_inputs, machine_pins, open_fact, query};

/// A memory with a locked clue, whose string is open until the scene ends, and an open fact.
fn memory_with_clue() -> (TestMemory, Handle) {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("door", "4711"));
    memory.append_fact(open_fact("inn", json!({ "text": "An inn by the river." })));
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    (memory, detail)
}

/// Shows an output of each kind, and a narration that is refused.
fn show_each_kind(memory: &mut TestMemory) {
    let store = &mut memory.store;
    let ana = query(OutputClass::WorkingSet, &["ana"], 8000);
    store.build_working_set(&ana).unwrap();
    store.build_prompt(&ana, "Who is there?").unwrap();
    store.check_narration(&["ana"], "It reads 4711.").unwrap();
    let brief = store.build_image_brief(&ana, None).unwrap();
    let brief = brief.canonical().clone();
    store.check_image_brief(&ana, brief).unwrap();
    memory.append_fact(clue("safe", "0815"));
    let refused = memory.store.check_narration(&["ana"], "It reads 0815.");
    assert!(matches!(refused, Err(MemoryError::Guess { .. })));
}

/// The bodies of the entries SHOWN, with their numbers.
fn shown_entries(memory: &TestMemory) -> Vec<(u64, Value)> {
    let mut entries = Vec::new();
    let mut visit = |entry: axilog_memory::LogEntry| {
        if entry.kind == EntryKind::Shown {
            entries.push((entry.seq, entry.body));
        }
        Ok(())
    };
    memory.reader().for_each_entry(&mut visit).unwrap();
    entries
}

#[track_caller]
fn last_shown(memory: &TestMemory) -> Value {
    let head = memory.reader().head().unwrap();
    let (seq, body) = shown_entries(memory).pop().unwrap();
    assert_eq!(seq, head.seq);
    body
}

#[test]
fn each_output_is_an_entry_of_the_log() {
    let (mut memory, detail) = memory_with_clue();
    let both = query(OutputClass::Recap, &["ben", "ana"], 8000);
    let asked = json!({ "budget": 8000, "kinds": [], "purposes": [] });
    let audience = |class: &str| json!({ "class": class, "viewers": ["ana", "ben"] });

    let set = memory.store.build_working_set(&both).unwrap();
    assert_eq!(
        last_shown(&memory),
        json!({
            "kind": "WORKING_SET", "bytes_hash": Handle::of(set.bytes()), "working_set_id": set.id(),
            "audience": audience("RECAP"), "query": asked,
        })
    );

    let prompt = memory.store.build_prompt(&both, "Who is there?").unwrap();
    assert_eq!(
        last_shown(&memory),
        json!({
            "kind": "PROMPT", "bytes_hash": Handle::of(prompt.text().as_bytes()),
            "working_set_id": prompt.working_set().id(),
            "audience": audience("PROMPT"), "query": asked, "text": "Who is there?",
        })
    );

    let text = "It reads 4711.";
    memory.store.check_narration(&["ben", "ana"], text).unwrap();
    assert_eq!(
        last_shown(&memory),
        json!({
            "kind": "NARRATION", "bytes_hash": Handle::of(text.as_bytes()), "working_set_id": null,
            "audience": audience("NARRATION"), "text": text,
        })
    );

    let handles = [detail];
    let brief = memory.store.build_image_brief(&both, Some(&handles));
    let brief = brief.unwrap().canonical().clone();
    let logged = |kind: &str| {
        json!({
            "kind": kind, "bytes_hash": brief.handle(),
            "working_set_id": brief.value()["working_set_id"],
            "audience": audience("PVIB"), "query": asked, "handles": handles,
        })
    };
    assert_eq!(last_shown(&memory), logged("PVIB"));
    memory
        .store
        .check_image_brief(&both, brief.clone())
        .unwrap();
    assert_eq!(last_shown(&memory), logged("BRIEF"));
}

/// A request is logged without its guesses, and of a narration that was refused only the hash.
#[test]
fn no_locked_string_gets_into_an_entry() {
    let (mut memory, _) = memory_with_clue();
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    let ana = query(OutputClass::Prompt, &["ana"], 8000);
    memory.store.build_prompt(&ana, "Is it 4711?").unwrap();
    assert_eq!(last_shown(&memory)["text"], "Is it [locked]?");
    let text = "It reads 4711.";
    memory.store.check_narration(&["ana"], text).unwrap_err();
    let refused = last_shown(&memory);
    assert_eq!(refused["bytes_hash"], json!(Handle::of(text.as_bytes())));
    assert!(refused.get("text").is_none());
    // What gives nothing out leaves no such entry.
    let shown = shown_entries(&memory).len();
    let small = query(OutputClass::Prompt, &["ana"], 1);
    memory.store.build_prompt(&small, "").unwrap_err();
    memory.store.build_working_set(&small).unwrap_err();
    memory.store.build_image_brief(&small, None).unwrap_err();
    assert_eq!(shown_entries(&memory).len(), shown);
}

/// The log holds text in NFC alone, and people ask and models write in other forms too.
#[test]
fn a_text_in_another_form_is_kept_byte_for_byte() {
    let (mut memory, _) = memory_with_clue();
    let ana = query(OutputClass::Prompt, &["ana"], 8000);
    let text = "Where is the cafe\u{301}?";
    let prompt = memory.store.build_prompt(&ana, text).unwrap();
    assert!(prompt.text().contains(text));
    let body = last_shown(&memory);
    assert!(body["text_base64"].is_string() && body.get("text").is_none());
    memory.store.check_narration(&["ana"], text).unwrap();
    assert_eq!(last_shown(&memory)["text_base64"], body["text_base64"]);
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!((rebuilt.shown.same, rebuilt.shown.differences), (2, vec![]));
}

/// After them the story went on: other facts, another scene, another pin.
#[test]
fn a_rebuild_makes_each_output_again_as_it_was() {
    let (mut memory, _) = memory_with_clue();
    show_each_kind(&mut memory);
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    memory.append_fact(open_fact("hill", json!({ "text": "Not 4711, a hill." })));
    let pin = json!({ "name": "llm", "from": "model-1", "to": "model-2", "reason": "better" });
    memory.append(EntryKind::Revision, pin);
    show_each_kind_locked(&mut memory);
    let head = memory.reader().head().unwrap();
    let mut pins = machine_pins();
    pins.values[0].1 = "model-2".to_owned();
    for _ in 0..2 {
        let rebuilt = memory.store.rebuild_asserting(&pins).unwrap();
        assert_eq!(rebuilt.head, head);
        assert_eq!(rebuilt.shown.differences, []);
        assert_eq!(
            (rebuilt.shown.same, rebuilt.shown.refused_narrations),
            (9, 1)
        );
        assert_eq!(rebuilt.shown.other_pins, [0; 0]);
        memory.store = MemoryStore::open(&memory.path).unwrap();
    }
}

fn show_each_kind_locked(memory: &mut TestMemory) {
    let store = &mut memory.store;
    let all = query(OutputClass::Narration, &[], 8000);
    store.build_working_set(&all).unwrap();
    store.build_prompt(&all, "Is it 4711?").unwrap();
    store.check_narration::<&str>(&[], "Rain falls.").unwrap();
    store.build_image_brief(&all, None).unwrap();
}

#[test]
fn an_entry_that_was_altered_or_removed_is_found() {
    for change in [
        "UPDATE log SET body = CAST(replace(CAST(body AS TEXT), 'Who is', 'Who was') AS BLOB) WHERE id = 'SHOWN'",
        "DELETE FROM log WHERE id = 'SHOWN' AND CAST(body AS TEXT) LIKE '%\"PROMPT\"%'",
        "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)",
    ] {
        let (mut memory, _) = memory_with_clue();
        show_each_kind(&mut memory);
        memory.change_database("DROP TRIGGER log_no_update; DROP TRIGGER log_no_delete");
        memory.change_database(&format!("PRAGMA foreign_keys = OFF; {change}"));
        let rebuilt = memory.store.rebuild_asserting(&machine_pins());
        assert!(
            matches!(rebuilt, Err(MemoryError::Damaged { .. })),
            "{change}"
        );
    }
}

/// An entry with the right chain value that says something else: a hash, a working set, an audience, a text.
#[test]
fn an_entry_of_what_was_not_shown_is_named() {
    let (mut memory, detail) = memory_with_clue();
    show_each_kind(&mut memory);
    let shown = shown_entries(&memory);
    let of_kind = |kind: &str| {
        let found = shown.iter().find(|(_, body)| body["kind"] == kind);
        found.unwrap().1.clone()
    };
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    let other = Handle::of(b"another output");
    let mut forged = Vec::new();
    for (kind, path, value) in [
        ("WORKING_SET", "/bytes_hash", json!(other)),
        ("PROMPT", "/working_set_id", json!(other)),
        ("PROMPT", "/audience/viewers", json!(["ana", "ben"])),
        ("PROMPT", "/text", json!("Is it 4711?")),
        ("NARRATION", "/text", json!("It reads 4711.")),
        ("NARRATION", "/text", json!("Rain falls.")),
        ("PVIB", "/handles", json!([detail])),
        ("BRIEF", "/query/budget", json!(1)),
    ] {
        let mut body = of_kind(kind);
        *body.pointer_mut(path).unwrap() = value;
        forged.push((memory.reader().head().unwrap().seq + 1, body.clone()));
        memory.forge_entry(EntryKind::Shown, body);
    }
    memory.store = MemoryStore::open(&memory.path).unwrap();
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(
        (rebuilt.shown.same, rebuilt.shown.refused_narrations),
        (5, 1)
    );
    assert_eq!(rebuilt.shown.differences.len(), forged.len());
    for ((seq, body), difference) in forged.iter().zip(&rebuilt.shown.differences) {
        assert_eq!(difference.seq, *seq);
        assert_eq!(json!(difference.kind), body["kind"]);
        assert_eq!(json!(difference.expected), body["bytes_hash"]);
        let said = difference.to_string();
        let expected = format!("expected bytes_hash {}", difference.expected);
        let found = difference
            .found
            .map_or("found none".to_owned(), |found| format!("found {found}"));
        for part in [
            format!("entry {seq} SHOWN {}", difference.kind),
            expected,
            found,
        ] {
            assert!(said.contains(&part), "{said}");
        }
        assert!(!said.contains("4711"), "{said}");
    }
    assert_eq!(rebuilt.shown.differences[0].kind, ShownKind::WorkingSet);
    assert_ne!(rebuilt.shown.differences[0].found, Some(other));
}

/// Another program changed a table and its digest too, so that nothing noticed it when the prompt was made.
#[test]
fn a_prompt_from_a_changed_table_is_found() {
    let (mut memory, _) = memory_with_clue();
    let ana = query(OutputClass::Prompt, &["ana"], 8000);
    memory.store.build_prompt(&ana, "Before?").unwrap();
    memory.change_as_writer("DELETE FROM visible WHERE stable_key = 'inn'");
    memory.store = MemoryStore::open(&memory.path).unwrap();
    let prompt = memory.store.build_prompt(&ana, "After?").unwrap();
    assert!(!prompt.text().contains("An inn"));
    let seq = memory.reader().head().unwrap().seq;
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(rebuilt.shown.same, 1);
    let [difference] = &rebuilt.shown.differences[..] else {
        panic!("{:?}", rebuilt.shown.differences);
    };
    assert_eq!((difference.seq, difference.kind), (seq, ShownKind::Prompt));
    assert_eq!(difference.expected, Handle::of(prompt.text().as_bytes()));
    // The tables are right again, and the difference stays.
    let again = memory.store.build_prompt(&ana, "After?").unwrap();
    assert!(again.text().contains("An inn"));
    assert_eq!(difference.found, Some(Handle::of(again.text().as_bytes())));
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(rebuilt.shown.differences.len(), 1);
}

/// A narration that had more guesses than its scene allows did not pass, whatever an entry says.
#[test]
fn a_narration_behind_too_many_guesses_is_named() {
    let (mut memory, _) = memory_with_clue();
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    let text = "It reads 4712.";
    memory.store.check_narration(&["ana"], text).unwrap();
    let passed = last_shown(&memory);
    let pin = json!({ "name": "guesses_per_scene", "from": "64", "to": "1", "reason": "few" });
    memory.append(EntryKind::Revision, pin);
    memory.store.check_narration(&["ana"], text).unwrap_err();
    memory.forge_entry(EntryKind::Shown, passed);
    memory.store = MemoryStore::open(&memory.path).unwrap();
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(rebuilt.shown.same, 1);
    assert_eq!(rebuilt.shown.differences.len(), 1);
}

/// What another build's policies made, this build cannot make again; it says so.
#[test]
fn outputs_under_other_pins_are_listed_and_not_compared() {
    let (mut memory, _) = memory_with_clue();
    let pins = memory.reader().pins().unwrap();
    let (_, own) = pins
        .iter()
        .find(|(name, _)| name == "ordering_policy")
        .unwrap();
    let revise = |from: &str, to: &str| json!({ "name": "ordering_policy", "from": from, "to": to, "reason": "another build" });
    memory.append(EntryKind::Revision, revise(own, "other"));
    let all = query(OutputClass::Prompt, &[], 8000);
    memory.store.build_prompt(&all, "").unwrap();
    let seq = memory.reader().head().unwrap().seq;
    memory.append(EntryKind::Revision, revise("other", own));
    memory.store.build_prompt(&all, "").unwrap();
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(
        (rebuilt.shown.same, rebuilt.shown.other_pins),
        (1, vec![seq])
    );
    assert_eq!(rebuilt.shown.differences, []);
}

/// A reader inspects, and gets the same bytes. Nothing but the memory itself appends what was shown.
#[test]
fn who_inspects_leaves_no_entry() {
    let (mut memory, _) = memory_with_clue();
    let all = query(OutputClass::Prompt, &[], 8000);
    let head = memory.reader().head().unwrap();
    let inspected = memory.reader().inspect_working_set(&all).unwrap();
    let brief = memory.reader().inspect_image_brief(&all, None).unwrap();
    assert_eq!(memory.reader().head().unwrap(), head);
    assert_eq!(memory.store.build_working_set(&all).unwrap(), inspected);
    assert_eq!(memory.store.build_image_brief(&all, None).unwrap(), brief);
    let body = last_shown(&memory);
    let error = memory.append_refused(EntryKind::Shown, body);
    assert!(matches!(error, MemoryError::OwnCommand { .. }), "{error}");
}

/// Version 5 recorded no outputs, and called the table `visible` otherwise.
#[test]
fn a_memory_of_version_5_is_brought_to_this_one() {
    let (mut memory, _) = memory_with_clue();
    let all = query(OutputClass::Prompt, &[], 8000);
    let before = memory.reader().inspect_working_set(&all).unwrap();
    memory.change_database("ALTER TABLE visible RENAME TO shown; PRAGMA user_version = 5");
    let digest = "UPDATE table_digest SET name = 'shown' WHERE name = 'visible'";
    memory.change_database(digest);
    let error = axilog_memory::MemoryReader::open(&memory.path).unwrap_err();
    assert!(
        error.to_string().contains("run `axilog memory rebuild"),
        "{error}"
    );
    memory.store = MemoryStore::open(&memory.path).unwrap();
    assert_eq!(memory.store.build_working_set(&all).unwrap(), before);
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(rebuilt.shown.same, 1);
    let conn = rusqlite::Connection::open(&memory.path).unwrap();
    let former = conn.prepare("SELECT 1 FROM sqlite_master WHERE name = 'shown'");
    assert!(!former.unwrap().exists([]).unwrap());
}

/// The campaign on which the gates are tried has an output of each kind, twice.
#[test]
fn the_campaign_shows_each_kind() {
    let campaign = Campaign::play().unwrap();
    let mut kinds = BTreeMap::new();
    let mut count = |entry: axilog_memory::LogEntry| {
        if entry.kind == EntryKind::Shown {
            let kind = entry.body["kind"].as_str().unwrap().to_owned();
            *kinds.entry(kind).or_insert(0) += 1;
        }
        Ok(())
    };
    campaign.store.reader().for_each_entry(&mut count).unwrap();
    let expected = [
        ("BRIEF", 2),
        ("NARRATION", 4),
        ("PROMPT", 2),
        ("PVIB", 2),
        ("WORKING_SET", 2),
    ];
    assert_eq!(kinds, expected.map(|(kind, n)| (kind.to_owned(), n)).into());
}

/// Each gate names an entry of something that was not shown, or that should not have been.
#[test]
fn gates_find_entries_of_what_was_not_shown() {
    let (mut memory, _) = memory_with_clue();
    show_each_kind(&mut memory);
    let shown = shown_entries(&memory);
    for gate in [Gate::G1, Gate::G2] {
        let report = run_gate(&mut memory.store, gate, &gate_inputs()).unwrap();
        assert!(report.passed(), "{report:?}");
    }
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    let seq = memory.reader().head().unwrap().seq + 1;
    let passed = shown.iter().find(|(_, body)| body["kind"] == "NARRATION");
    memory.forge_entry(EntryKind::Shown, passed.unwrap().1.clone());
    memory.store = MemoryStore::open(&memory.path).unwrap();
    for (gate, expected) in [
        (
            Gate::G1,
            format!("entry {seq} SHOWN NARRATION: it cannot be made again"),
        ),
        (
            Gate::G2,
            format!("entry {seq}: the NARRATION holds the exact string of"),
        ),
    ] {
        let report = run_gate(&mut memory.store, gate, &gate_inputs()).unwrap();
        assert_eq!(report.faults.len(), 1, "{report:?}");
        assert!(report.faults[0].starts_with(&expected), "{report:?}");
    }
}
