//! A log of an earlier version goes on: what was appended then is read, rebuilt and judged as it was then.

use axilog_memory::gate::{Gate, GateInputs, run_gate};
use axilog_memory::{
    BudgetTokenizer, EntryKind, FactOrder, MachinePins, MemoryStore, Mode, OutputClass,
};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::test_memory::{TestMemory, query};

/// A memory that a build of version 6 made: each event that had other members then, and each kind of output. The same
/// build said that its 7 outputs can be made again, and that it passes the gates.
const VERSION_6: &str = include_str!("logs/version_6.sql");

/// The head that the build of version 6 printed.
const HEAD: (u64, &str) = (
    54,
    "725e3366392197d1eadfe7813fa41d22e4c01b09fbe3d25da3ad8a8e65b531e5",
);

fn load() -> (TempDir, MemoryStore) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute_batch(VERSION_6).unwrap();
    drop(conn);
    let store = MemoryStore::open(&path).unwrap();
    (directory, store)
}

/// The log's model was revised.
fn pins_of_then() -> MachinePins {
    MachinePins {
        values: vec![("llm".to_owned(), "model-2".to_owned())],
        absent: Vec::new(),
    }
}

fn inputs_of_then() -> GateInputs {
    GateInputs {
        pins: pins_of_then(),
        ..GateInputs::default()
    }
}

fn head_of(store: &MemoryStore) -> (u64, String) {
    let head = store.reader().head().unwrap();
    let digits = head.chain.unwrap().into_iter().map(|b| format!("{b:02x}"));
    (head.seq, digits.collect())
}

#[test]
fn a_log_of_version_6_is_opened_and_rebuilt_to_the_same_bytes() {
    let (_directory, mut store) = load();
    assert_eq!(head_of(&store), (HEAD.0, HEAD.1.to_owned()));
    let state = store.reader().story_state().unwrap();
    assert_eq!(state.mode, Mode::Notebook);
    assert!(
        state
            .others
            .contains(&("reading_spot".to_owned(), json!("page-4")))
    );
    let rebuilt = store.rebuild_asserting(&pins_of_then()).unwrap();
    assert_eq!(rebuilt.head.seq, HEAD.0);
    assert_eq!(rebuilt.shown.same, 7);
    assert!(rebuilt.shown.differences.is_empty());
    assert!(rebuilt.shown.other_pins.is_empty());
    assert_eq!(head_of(&store), (HEAD.0, HEAD.1.to_owned()));
}

#[test]
fn a_log_of_version_6_passes_the_gates() {
    let (_directory, mut store) = load();
    for gate in Gate::ALL.into_iter().filter(|gate| *gate != Gate::G7) {
        let report = run_gate(&mut store, gate, &inputs_of_then()).unwrap();
        assert!(report.passed(), "{gate:?}: {:?}", report.faults);
    }
    assert_eq!(head_of(&store), (HEAD.0, HEAD.1.to_owned()));
}

/// What an event lacked then is in no log that goes on.
#[test]
fn a_log_of_version_6_goes_on_with_the_events_of_today() {
    let (_directory, mut store) = load();
    for (kind, earlier) in [
        (EntryKind::ReadingSpot, json!({ "setting": "page-5" })),
        (EntryKind::ModeChanged, json!({ "mode": "PLAY" })),
        (EntryKind::NudgeSelected, json!({ "nudge_id": "listen" })),
        (
            EntryKind::NudgeSuppressed,
            json!({ "nudge_id": "wait", "rule_ref": null }),
        ),
        (EntryKind::PlaybackPaused, json!({ "playback_id": "p1" })),
        (
            EntryKind::ValidationFailed,
            json!({ "playback_id": "p1", "outcome": "VALID" }),
        ),
        (
            EntryKind::RoleplayFallback,
            json!({ "playback_id": "p1", "rule_ref": null }),
        ),
    ] {
        store.append(kind, earlier).unwrap_err();
    }
    assert_eq!(head_of(&store).0, HEAD.0);
    let mode = json!({ "mode": "PLAY", "scene_id": null, "cause_handle": null });
    store.append(EntryKind::ModeChanged, mode).unwrap();
    store.rebuild().unwrap();
    let report = run_gate(&mut store, Gate::G3, &inputs_of_then()).unwrap();
    assert!(report.passed(), "{:?}", report.faults);
}

/// Its working sets have the directives of then, until their pin names those of today.
#[test]
fn a_log_of_version_6_keeps_its_directives_until_they_are_pinned() {
    let (_directory, mut store) = load();
    let asked = query(OutputClass::WorkingSet, &[], 8000);
    let channels = |store: &MemoryStore| {
        let set = store.reader().inspect_working_set(&asked).unwrap();
        set.value()["directives"]["channels"].clone()
    };
    let first = "model text never enters the memory and never selects what is in it";
    assert_eq!(channels(&store), first);
    let today = TestMemory::new();
    let pins = today.reader().pins().unwrap();
    let pin = |name: &str| pins.iter().find(|(pin, _)| pin == name).unwrap().1.clone();
    let name = "working_set_directives";
    let body = json!({ "name": name, "value": pin(name) });
    store.append(EntryKind::Pin, body).unwrap();
    let second = "model text gives the memory no facts and never selects what is in it";
    assert_eq!(channels(&store), second);
    let rebuilt = store.rebuild_asserting(&pins_of_then()).unwrap();
    assert_eq!(rebuilt.shown.same, 7);
    let report = run_gate(&mut store, Gate::G6, &inputs_of_then()).unwrap();
    assert!(report.passed(), "{:?}", report.faults);
}

/// Its budgets count four bytes as a token, and the first thing that is too large ends a slice, until their pins name the
/// rules of today.
#[test]
fn a_log_of_version_6_keeps_its_budget_until_it_is_revised() {
    let (_directory, mut store) = load();
    let mut asked = query(OutputClass::WorkingSet, &[], 1000);
    let set = store.reader().inspect_working_set(&asked).unwrap();
    assert_eq!(set.tokens(), (set.bytes().len() as u64).div_ceil(4));
    assert!(set.value().get("tokenizer").is_none() && set.value().get("left_out").is_none());
    asked.tokenizer = Some(BudgetTokenizer::new("o200k_base").unwrap());
    let error = store.reader().inspect_working_set(&asked).unwrap_err();
    let then = store.reader().pins().unwrap();
    let today = TestMemory::new().reader().pins().unwrap();
    let pin = |pins: &[(String, String)], name: &str| {
        let found = pins.iter().find(|(pin, _)| pin == name);
        found.unwrap().1.clone()
    };
    for name in ["budget_policy", "truncation_policy"] {
        let (from, to) = (pin(&then, name), pin(&today, name));
        if name == "budget_policy" {
            let error = error.to_string();
            assert!(error.contains("REVISION") && error.contains(&to), "{error}");
        }
        let body = json!({ "name": name, "from": from, "to": to, "reason": "real tokens" });
        store.append(EntryKind::Revision, body).unwrap();
    }
    asked.budget = 4000;
    let set = store.build_working_set(&asked).unwrap();
    assert!(set.tokens() <= 4000 && set.value()["left_out"] == json!([]));
    let rebuilt = store.rebuild_asserting(&pins_of_then()).unwrap();
    assert_eq!(rebuilt.shown.same, 8);
    for gate in [Gate::G1, Gate::G6] {
        let report = run_gate(&mut store, gate, &inputs_of_then()).unwrap();
        assert!(report.passed(), "{gate:?}: {:?}", report.faults);
    }
}

/// It has no pin of the plan: facts are considered by key, and a search is refused, until it has the pin.
#[test]
fn a_log_of_version_6_selects_by_key_until_it_pins_the_plan() {
    let (_directory, mut store) = load();
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    let before = store.reader().inspect_working_set(&asked).unwrap();
    let policies = &before.value()["policy_ids"];
    assert!(before.value().get("selection").is_none());
    assert!(policies.get("selection_policy_id").is_none());
    asked.order = FactOrder::Key;
    let by_key = store.reader().inspect_working_set(&asked).unwrap();
    assert_eq!(by_key.value()["facts_slice"], before.value()["facts_slice"]);
    asked.order = FactOrder::Plan;
    asked.search = Some("door".into());
    let error = store.reader().inspect_working_set(&asked).unwrap_err();
    let name = "selection_policy";
    let today = TestMemory::new().reader().pins().unwrap();
    let value = &today.iter().find(|(pin, _)| pin == name).unwrap().1;
    let error = error.to_string();
    assert!(error.contains("PIN") && error.contains(value), "{error}");
    let body = json!({ "name": name, "value": value });
    store.append(EntryKind::Pin, body).unwrap();
    let set = store.build_working_set(&asked).unwrap();
    assert_eq!(set.value()["policy_ids"]["selection_policy_id"], **value);
    assert_eq!(set.value()["selection"]["search_terms"], 2);
    let rebuilt = store.rebuild_asserting(&pins_of_then()).unwrap();
    assert_eq!(rebuilt.shown.same, 8);
    for gate in [Gate::G1, Gate::G6] {
        let report = run_gate(&mut store, gate, &inputs_of_then()).unwrap();
        assert!(report.passed(), "{gate:?}: {:?}", report.faults);
    }
}
