//! G1: the same state, query and budget give the same bytes, also after everything is derived anew.

use axilog_memory::{EntryKind, MemoryReader, NotebookRequest, OutputClass, RecallScope};
use proptest::prelude::*;
use serde_json::json;

use crate::test_memory::{TestMemory, clue, notebook_request, open_fact, query};

#[derive(Clone, Debug)]
enum Step {
    Fact(u8, bool, u8),
    SceneStart(u8),
    SceneEnd,
    Recall(u8, bool, bool),
    Notebook(u8, bool),
    Mode(u8),
    Session(u8),
    Threads(Vec<u8>),
    Compaction(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (any::<u8>(), any::<bool>(), 0..4u8)
            .prop_map(|(n, locked, mask)| Step::Fact(n, locked, mask)),
        (0..3u8).prop_map(Step::SceneStart),
        Just(Step::SceneEnd),
        (any::<u8>(), any::<bool>(), any::<bool>()).prop_map(|(n, s, w)| Step::Recall(n, s, w)),
        (any::<u8>(), any::<bool>()).prop_map(|(n, granted)| Step::Notebook(n, granted)),
        (0..4u8).prop_map(Step::Mode),
        (0..3u8).prop_map(Step::Session),
        prop::collection::vec(0..9u8, 0..4).prop_map(Step::Threads),
        any::<u8>().prop_map(Step::Compaction),
    ]
}

/// Takes a step; a step that the present state forbids is refused, which is fine.
fn play_step(
    memory: &mut TestMemory,
    number: usize,
    step: &Step,
    details: &mut Vec<[axilog_memory::Handle; 2]>,
) {
    let find = |n: u8, details: &Vec<[axilog_memory::Handle; 2]>| {
        details.get(usize::from(n) % details.len().max(1)).copied()
    };
    match step {
        Step::Fact(n, locked, mask) => {
            let key = format!("k{}", n % 16);
            let mut fact = match locked {
                true => clue(&key, &format!("word {n} of {number}")),
                false => open_fact(&key, json!({ "n": n, "at": number })),
            };
            fact["visibility_mask"] = [
                json!("PUBLIC"),
                json!("DM_ONLY"),
                json!({ "PLAYER": ["ana"] }),
                json!({ "PLAYER": ["ana", "ben"] }),
            ][usize::from(*mask)]
            .clone();
            let (fact, detail) = memory.append_fact(fact);
            details.push([fact, detail]);
        }
        Step::SceneStart(n) => {
            let _ = memory.store.append(
                EntryKind::SceneStart,
                json!({ "scene_id": format!("scene-{n}") }),
            );
        }
        Step::SceneEnd => {
            if let Some(scene) = memory.reader().story_state().unwrap().scene {
                memory.append(EntryKind::SceneEnd, json!({ "scene_id": scene.id }));
            }
        }
        Step::Recall(n, success, whole) => {
            if let Some([fact, detail]) = find(*n, details) {
                let handle = if *whole { fact } else { detail };
                let scope = if n % 2 == 0 {
                    RecallScope::Scene
                } else {
                    RecallScope::Session
                };
                memory.recall(&handle.to_string(), Some(*success), scope);
            }
        }
        Step::Notebook(n, granted) => {
            let request = format!("r{number}");
            if let Some([fact, _]) = find(*n, details)
                && memory
                    .store
                    .request_notebook_entry(&NotebookRequest {
                        revealed_by_dm: *granted,
                        ..notebook_request(&request, &[fact])
                    })
                    .is_ok()
            {
                let answer = if *granted { "grant" } else { "no" };
                memory
                    .store
                    .answer_notebook_request(&request, "ana", answer)
                    .unwrap();
                assert_eq!(
                    memory
                        .store
                        .record_notebook_entry(&request, &[fact])
                        .is_ok(),
                    *granted
                );
            }
        }
        Step::Mode(n) => {
            let mode = ["PLAY", "COMPANION", "REFERENCE", "NOTEBOOK"][usize::from(*n)];
            memory.change_mode(mode);
        }
        Step::Session(n) => {
            memory.append(EntryKind::State, json!({ "session_id": format!("s{n}") }));
        }
        Step::Threads(threads) => {
            let mut names: Vec<String> = threads.iter().map(|n| format!("t{n}")).collect();
            names.sort();
            names.dedup();
            memory.append(EntryKind::State, json!({ "threads": names }));
        }
        Step::Compaction(n) => {
            if let Some([fact, _]) = find(*n, details) {
                let body = axilog_memory::compaction_body("RECAP", &[fact]).unwrap();
                memory.append(EntryKind::Compaction, body);
            }
        }
    }
}

/// The names of the tables that are derived from the log.
fn derived_tables(memory: &TestMemory) -> Vec<String> {
    let conn = rusqlite::Connection::open(&memory.path).unwrap();
    let all = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('log', 'head', 'applied', 'table_digest') AND name NOT LIKE 'fact_term%'";
    let mut all = conn.prepare(all).unwrap();
    let names = all.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

fn working_set_bytes(reader: &MemoryReader) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for class in OutputClass::ALL {
        for viewers in [&[][..], &["ana"], &["ana", "ben"]] {
            for budget in [2800, 3600, 8000] {
                let mut query = query(class, viewers, budget);
                query.purposes = vec!["RECAP".into()];
                query.search = Some("the words of a clue".into());
                all.push(reader.inspect_working_set(&query).unwrap().bytes().to_vec());
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_same_state_query_and_budget_give_the_same_bytes(steps in prop::collection::vec(step(), 0..40)) {
        let mut memory = TestMemory::new();
        let mut twin = TestMemory::new();
        for memory in [&mut memory, &mut twin] {
            let mut details = Vec::new();
            for (number, step) in steps.iter().enumerate() {
                play_step(memory, number, step, &mut details);
            }
        }
        let before = working_set_bytes(memory.reader());
        prop_assert_eq!(&working_set_bytes(memory.reader()), &before);
        prop_assert_eq!(&working_set_bytes(twin.reader()), &before, "a twin");
        prop_assert_eq!(&working_set_bytes(&MemoryReader::open(&memory.path).unwrap()), &before, "another process' view");
        prop_assert_eq!(memory.reader().head().unwrap(), twin.reader().head().unwrap());
        memory.store.rebuild().unwrap();
        prop_assert_eq!(&working_set_bytes(memory.reader()), &before, "rebuilt");
        // Opened after every derived table was emptied.
        for table in derived_tables(&memory) {
            memory.change_database(&format!("PRAGMA foreign_keys = OFF; DELETE FROM {table}"));
        }
        memory.change_database("INSERT INTO fact_terms (fact_terms) VALUES ('delete-all'); UPDATE applied SET seq = 0");
        let path = memory.path.clone();
        let behind = MemoryReader::open(&path).unwrap_err().to_string();
        prop_assert!(behind.contains("axilog memory rebuild"), "{}", behind);
        drop(std::mem::replace(&mut memory.store, axilog_memory::MemoryStore::open(&path).unwrap()));
        prop_assert_eq!(&working_set_bytes(memory.reader()), &before, "opened with nothing derived");
    }
}
