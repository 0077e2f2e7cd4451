//! Who may see what: masks, audiences, the matrix (document, sections 4.1 and 4.5; GAP-005).

use axilog_memory::{
    CanonicalJson, EntryKind, FactOrder, Handle, MaskKind, MaskMatrix, MemoryError, MemoryStore,
    OutputClass, compaction_body,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, initial_state, open_fact, query};

fn masked(key: &str, mask: Value) -> Value {
    let mut fact = open_fact(key, json!({ "key": key }));
    fact["visibility_mask"] = mask;
    fact
}

fn visible_keys(memory: &TestMemory, viewers: &[&str], class: OutputClass) -> Vec<String> {
    let set = memory
        .reader()
        .inspect_working_set(&query(class, viewers, 8000))
        .unwrap();
    let facts = set.value()["facts_slice"].as_array().unwrap();
    facts
        .iter()
        .map(|fact| fact["payload"]["key"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_output_holds_what_every_viewer_may_see() {
    let mut memory = TestMemory::new();
    let mut handles = Vec::new();
    for (key, mask) in [
        ("k1", json!("DM_ONLY")),
        ("k2", json!({ "PLAYER": ["ana", "ben"] })),
        ("k3", json!("PUBLIC")),
        ("k4", json!({ "PLAYER": ["ana"] })),
        ("k5", json!("SYSTEM")),
    ] {
        handles.push(memory.append_fact(masked(key, mask)).0);
    }
    for class in OutputClass::ALL {
        assert_eq!(visible_keys(&memory, &[], class), ["k3"]);
        assert_eq!(visible_keys(&memory, &["ana"], class), ["k2", "k3", "k4"]);
        assert_eq!(visible_keys(&memory, &["ben"], class), ["k2", "k3"]);
        assert_eq!(
            visible_keys(&memory, &["ben", "ana", "ana"], class),
            ["k2", "k3"]
        );
        assert_eq!(visible_keys(&memory, &["ana", "cleo"], class), ["k3"]);
        // Not even as a handle.
        let set = memory
            .reader()
            .inspect_working_set(&query(class, &["ben"], 8000))
            .unwrap();
        for hidden in [0, 3, 4] {
            assert!(!set.text().contains(&handles[hidden].to_string()));
        }
    }
}

#[test]
fn a_compaction_is_visible_where_all_of_its_facts_are() {
    let mut memory = TestMemory::new();
    let (one, _) = memory.append_fact(masked("k1", json!("PUBLIC")));
    let (two, _) = memory.append_fact(masked("k2", json!({ "PLAYER": ["ana"] })));
    memory.append(
        EntryKind::Compaction,
        compaction_body("RECAP", &[one, two]).unwrap(),
    );
    let slice = |viewers: &[&str], purposes: &[&str]| {
        let mut query = query(OutputClass::Recap, viewers, 8000);
        query.purposes = purposes.iter().map(|p| (*p).to_owned()).collect();
        memory.reader().inspect_working_set(&query).unwrap().value()["compactions_slice"].clone()
    };
    assert_eq!(
        slice(&["ana"], &["RECAP"])[0]["lines"],
        json!([{ "key": "k1" }, { "key": "k2" }])
    );
    for (viewers, purposes) in [
        (vec!["ben"], vec!["RECAP"]),
        (vec![], vec!["RECAP"]),
        (vec!["ana"], vec![]),
    ] {
        assert_eq!(slice(&viewers, &purposes), json!([]));
    }
    let none = Handle::parse(&"0".repeat(64)).unwrap();
    memory.append_refused(
        EntryKind::Compaction,
        compaction_body("RECAP", &[none]).unwrap(),
    );
}

#[test]
fn the_mask_matrix_is_pinned_and_can_be_revised() {
    let rows = OutputClass::ALL.map(|class| (class.as_str().to_owned(), json!(["PUBLIC"])));
    let mut rows: serde_json::Map<String, Value> = rows.into_iter().collect();
    rows.insert("WORKING_SET".into(), json!(["PUBLIC", "DM_ONLY"]));
    let matrix =
        MaskMatrix::read(CanonicalJson::from_value("m", Value::Object(rows.clone())).unwrap())
            .unwrap();
    let mut other = initial_state();
    other.mask_matrix = matrix.clone();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.db");
    let store = MemoryStore::init(&path, &other).unwrap();
    let mut memory = TestMemory {
        store,
        path,
        directory,
    };
    memory.append_fact(masked("k1", json!("DM_ONLY")));
    memory.append_fact(masked("k2", json!({ "PLAYER": ["ana"] })));
    memory.append_fact(masked("k3", json!("PUBLIC")));
    assert_eq!(
        visible_keys(&memory, &["ana"], OutputClass::WorkingSet),
        ["k1", "k3"]
    );
    assert_eq!(visible_keys(&memory, &["ana"], OutputClass::Prompt), ["k3"]);
    let set = memory
        .reader()
        .inspect_working_set(&query(OutputClass::Prompt, &[], 8000))
        .unwrap();
    let id = matrix.canonical().handle().to_string();
    assert_eq!(set.value()["policy_ids"]["mask_matrix_id"], json!(id));
    assert_eq!(set.value()["pins"]["mask_matrix"], json!(id));
    for (class, row) in [
        ("PVIB", json!(["EVERYBODY"])),
        ("PVIB", json!("PUBLIC")),
        ("TELEPATHY", json!([])),
    ] {
        let mut wrong = rows.clone();
        wrong.insert(class.into(), row);
        let wrong = MaskMatrix::read(CanonicalJson::from_value("m", Value::Object(wrong)).unwrap());
        assert!(matches!(wrong, Err(MemoryError::Document { .. })));
    }
    // A revision brings another matrix, with its bytes.
    let players = MaskMatrix::players().unwrap();
    let revision = json!({ "name": "mask_matrix", "from": id, "to": players.canonical().handle().to_string(),
        "reason": "players", "document": players.canonical().value() });
    let mut other = revision.clone();
    other["document"] = json!({});
    memory.append_refused(EntryKind::Revision, other.clone());
    // Nor can a matrix become what is none.
    other["to"] = json!(
        CanonicalJson::from_value("m", json!({}))
            .unwrap()
            .handle()
            .to_string()
    );
    memory.append_refused(EntryKind::Revision, other.clone());
    other.as_object_mut().unwrap().remove("document");
    memory.append_refused(EntryKind::Revision, other);
    memory.append(EntryKind::Revision, revision);
    assert_eq!(
        visible_keys(&memory, &["ana"], OutputClass::WorkingSet),
        ["k2", "k3"]
    );
}

fn mask() -> impl Strategy<Value = (String, Vec<&'static str>)> {
    let players = prop::sample::subsequence(vec!["ana", "ben", "cleo", "dan"], 1..=4);
    (0..4usize, players).prop_map(|(at, players)| {
        let kind = MaskKind::ALL[at];
        let players = if kind == MaskKind::Player {
            players
        } else {
            Vec::new()
        };
        (kind.to_string(), players)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..Default::default() })]

    /// A working set holds exactly the facts that the rule in one sentence gives, in their order; and
    /// with less budget a beginning of them, where it is asked for them by key.
    #[test]
    fn the_facts_slice_follows_the_visibility_rule(
        masks in prop::collection::vec(mask(), 0..40),
        viewers in prop::sample::subsequence(vec!["ana", "ben", "cleo"], 0..=3),
        budget in 2400u64..12000,
    ) {
        let mut memory = TestMemory::new();
        let (mut expected, mut entries) = (Vec::new(), Vec::new());
        for (number, (mask, players)) in masks.iter().enumerate() {
            let key = format!("k{:03}", number * 37 % 101);
            let value = if mask == "PLAYER" { json!({ "PLAYER": players }) } else { json!(mask) };
            entries.push((EntryKind::Fact, masked(&key, value)));
            let seen = match mask.as_str() {
                "PUBLIC" => true,
                "PLAYER" => !viewers.is_empty() && viewers.iter().all(|v| players.contains(v)),
                _ => false,
            };
            if seen {
                expected.push(key);
            }
        }
        memory.store.append_all(entries).unwrap();
        expected.sort();
        prop_assert_eq!(visible_keys(&memory, &viewers, OutputClass::Prompt), expected.clone());
        let mut asked = query(OutputClass::Prompt, &viewers, budget);
        asked.order = FactOrder::Key;
        let set = memory.reader().inspect_working_set(&asked).unwrap();
        prop_assert!(set.tokens() <= budget);
        let facts = set.value()["facts_slice"].as_array().unwrap();
        let keys: Vec<&str> = facts.iter().map(|f| f["payload"]["key"].as_str().unwrap()).collect();
        prop_assert_eq!(&keys[..], &expected[..keys.len()]);
        prop_assert_eq!(set.is_complete(), keys.len() == expected.len());
    }
}

#[test]
fn a_budget_that_is_too_small_says_by_how_much() {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("k1", "seven keys"));
    let error = memory
        .reader()
        .inspect_working_set(&query(OutputClass::Prompt, &[], 10))
        .unwrap_err();
    let MemoryError::Budget { needed, given: 10 } = error else {
        panic!("{error}")
    };
    let least = memory
        .reader()
        .inspect_working_set(&query(OutputClass::Prompt, &[], needed))
        .unwrap();
    assert!(!least.is_complete() && least.tokens() <= needed);
    memory
        .reader()
        .inspect_working_set(&query(OutputClass::Prompt, &[], needed - 1))
        .unwrap_err();
}

#[test]
fn a_query_selects_facts_by_kind() {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("k1", "seven keys"));
    memory.append_fact(open_fact("k2", json!({ "key": "k2" })));
    let mut query = query(OutputClass::Prompt, &["ana"], 8000);
    query.kinds = vec!["LOCATION".into()];
    let set = memory.reader().inspect_working_set(&query).unwrap();
    let facts = set.value()["facts_slice"].as_array().unwrap();
    assert_eq!(facts.len(), 1);
    assert_eq!(facts[0]["kind"], json!("LOCATION"));
    query.kinds = vec!["no kind".into()];
    assert!(matches!(
        memory.reader().inspect_working_set(&query),
        Err(MemoryError::Document { .. })
    ));
}
