//! Which facts a working set tells where not all of them fit: the plan, and what a query selects.

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{
    EntryKind, FactOrder, Handle, MemoryError, OutputClass, WorkingSet, WorkingSetQuery,
};
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, gate_inputs, machine_pins, open_fact, query};

pub fn tagged(mut fact: Value, tags: &[&str]) -> Value {
    fact["tags"] = json!(tags);
    fact
}

pub fn text_fact(key: &str, text: &str) -> Value {
    open_fact(key, json!({ "text": text }))
}

pub fn build(memory: &TestMemory, asked: &WorkingSetQuery) -> WorkingSet {
    memory.reader().inspect_working_set(asked).unwrap()
}

/// The texts that a working set tells, each with why it came before others.
fn list_told_facts(set: &WorkingSet) -> Vec<(String, Option<String>)> {
    let facts = set.value()["facts_slice"].as_array().unwrap();
    let text = |fact: &Value| {
        let text = fact["payload"]["text"].as_str().or(fact["gist"].as_str());
        text.unwrap().to_owned()
    };
    let why = |fact: &Value| fact["chosen_by"].as_str().map(str::to_owned);
    facts.iter().map(|fact| (text(fact), why(fact))).collect()
}

fn texts(set: &WorkingSet) -> Vec<String> {
    list_told_facts(set)
        .into_iter()
        .map(|(text, _)| text)
        .collect()
}

/// A memory with 200 facts, more than a usual budget holds, and a few that matter among them.
fn large_memory() -> TestMemory {
    let mut memory = TestMemory::new();
    let mut facts = Vec::new();
    for number in 0..200 {
        let key = format!("k{:03}", number * 7 % 200);
        let text = match number {
            3 => "The ferry keeper fears the drowned bell.".to_owned(),
            5 => "Die Brückenwärterin schläft nie.".to_owned(),
            7 => "渡し舟は夜に川を渡る。".to_owned(),
            _ => format!("A stone of no importance, number {number}."),
        };
        let fact = text_fact(&key, &text);
        facts.push((
            EntryKind::Fact,
            match number {
                9 => tagged(fact, &["cellar"]),
                11 => tagged(fact, &["miller", "north"]),
                _ => fact,
            },
        ));
    }
    memory.store.append_all(facts).unwrap();
    memory
}

#[test]
fn the_plan_takes_what_is_pointed_to_then_what_matches_then_the_newest() {
    let mut memory = large_memory();
    memory.append(EntryKind::State, json!({ "threads": ["miller"] }));
    memory.start_scene("cellar");
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    asked.search = Some("Who keeps the ferries?".into());
    let set = build(&memory, &asked);
    assert!(!set.is_complete());
    let why = |number: u32, text: &str| {
        let text = match text {
            "" => format!("A stone of no importance, number {number}."),
            text => text.to_owned(),
        };
        let told = list_told_facts(&set);
        told.into_iter()
            .find(|(found, _)| *found == text)
            .map(|(_, why)| why)
    };
    let because = |why: &str| Some(Some(why.to_owned()));
    assert_eq!(why(9, ""), because("pointed"));
    assert_eq!(why(11, ""), because("pointed"));
    let ferry = "The ferry keeper fears the drowned bell.";
    assert_eq!(why(0, ferry), because("matching"));
    assert_eq!(why(199, ""), Some(None));
    assert_eq!(why(1, ""), None);
    assert_eq!(
        set.value()["selection"],
        json!({ "stages": ["pointed", "matching", "newest"], "search_terms": 8 })
    );
    // They stand in the order of their keys all the same.
    let facts = set.value()["facts_slice"].as_array().unwrap();
    let mut ids: Vec<&Value> = facts.iter().map(|fact| &fact["fact_id"]).collect();
    let all = query(OutputClass::WorkingSet, &[], 1 << 20);
    let all = build(&memory, &all);
    let order = all.value()["facts_slice"].as_array().unwrap().iter();
    let order: Vec<&Value> = order.map(|fact| &fact["fact_id"]).collect();
    ids.retain(|id| order.contains(id));
    assert!(ids.is_sorted_by_key(|id| order.iter().position(|other| other == id)));
    assert_eq!(ids.len(), facts.len());
}

#[test]
fn a_search_finds_words_in_other_forms_and_scripts() {
    let memory = large_memory();
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    asked.order = FactOrder::Matching;
    for (search, found) in [
        (
            "Wer bewacht die BRÜCKE?",
            "Die Brückenwärterin schläft nie.",
        ),
        ("bruckenwarterin", "Die Brückenwärterin schläft nie."),
        ("渡し舟はどこ？", "渡し舟は夜に川を渡る。"),
        (
            "the drowning of bells",
            "The ferry keeper fears the drowned bell.",
        ),
    ] {
        asked.search = Some(search.into());
        let first = list_told_facts(&build(&memory, &asked));
        let found = (found.to_owned(), Some("matching".to_owned()));
        assert!(first.contains(&found), "{search}: {first:?}");
    }
    asked.search = Some("zeppelin".into());
    assert!(list_told_facts(&build(&memory, &asked)).is_empty());
    asked.search = None;
    assert!(list_told_facts(&build(&memory, &asked)).is_empty());
}

#[test]
fn a_query_selects_by_key_tag_handle_and_number_of_a_kind() {
    let mut memory = TestMemory::new();
    let (cup, _) = memory.append_fact(tagged(text_fact("inn-cup", "A cup."), &["inn", "silver"]));
    memory.append_fact(tagged(text_fact("inn-dog", "A dog."), &["inn"]));
    memory.append_fact(tagged(text_fact("mill", "A mill."), &["silver"]));
    memory.append_fact(clue("inn-z", "4711"));
    let asked = query(OutputClass::WorkingSet, &[], 8000);
    let select = |change: &dyn Fn(&mut WorkingSetQuery)| {
        let mut asked = asked.clone();
        change(&mut asked);
        texts(&build(&memory, &asked))
    };
    let silver = select(&|asked| asked.tags = vec!["silver".into()]);
    assert_eq!(silver, ["A cup.", "A mill."]);
    let inn = select(&|asked| asked.key_prefix = Some("inn-".into()));
    assert_eq!(inn, ["A cup.", "A dog.", "Something is written there."]);
    let both = select(&|asked| {
        asked.key_prefix = Some("inn".into());
        asked.tags = vec!["silver".into(), "gold".into()];
    });
    assert_eq!(both, ["A cup."]);
    assert_eq!(select(&|asked| asked.handles = vec![cup]), ["A cup."]);
    let limited = select(&|asked| {
        asked.kind_limits.insert("LOCATION".into(), 1);
    });
    assert_eq!(limited, ["Something is written there.", "A mill."]);
    let none = select(&|asked| {
        asked.kind_limits.insert("LOCATION".into(), 0);
    });
    assert_eq!(none, ["Something is written there."]);
    let mut wrong = asked.clone();
    wrong.tags = vec!["no tag".into()];
    let refused = memory.reader().inspect_working_set(&wrong);
    assert!(matches!(refused, Err(MemoryError::Document { .. })));
    let twice = tagged(text_fact("k", "t"), &["a", "a"]);
    memory.append_refused(EntryKind::Fact, twice);
}

/// A thread points by a tag, a stable key, or the handle of a fact.
#[test]
fn a_thread_points_by_tag_key_and_handle() {
    let mut memory = large_memory();
    let handle = memory.append_fact(text_fact("z", "Last of all.")).0;
    let threads = json!({ "threads": ["k001", "north", handle.to_string()] });
    memory.append(EntryKind::State, threads);
    let pointed = list_told_facts(&build(&memory, &query(OutputClass::WorkingSet, &[], 6000)));
    let pointed = pointed.iter().filter(|(_, why)| why.is_some()).count();
    assert_eq!(pointed, 3);
}

/// A search finds what its audience is told, so a locked string is found by nobody and after its unlock by who may know.
#[test]
fn a_locked_string_is_found_only_once_it_is_open() {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("k1", "moon over Maxwell"));
    memory.append_fact(text_fact("k2", "On the wall: moon over Maxwell."));
    memory.append_fact(text_fact("k3", "The moon is full."));
    let mut asked = query(OutputClass::WorkingSet, &["ana"], 8000);
    asked.order = FactOrder::Matching;
    let find = |memory: &TestMemory, search: &str| {
        let mut asked = asked.clone();
        asked.search = Some(search.into());
        texts(&build(memory, &asked))
    };
    assert_eq!(find(&memory, "moon"), ["The moon is full."]);
    assert!(find(&memory, "Maxwell").is_empty());
    assert!(find(&memory, "moon over Maxwell").is_empty());
    memory.start_scene("tower");
    memory.recall(
        &detail.to_string(),
        Some(true),
        axilog_memory::RecallScope::Scene,
    );
    assert_eq!(
        find(&memory, "Maxwell"),
        ["On the wall: moon over Maxwell."]
    );
}

/// What is searched for is logged without its guesses, which count.
#[test]
fn the_guesses_of_a_search_are_logged_and_limited() {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("k1", "4711"));
    memory.append_fact(text_fact("k2", "A wall with 4711 on it."));
    let mut asked = query(OutputClass::WorkingSet, &["ana"], 8000);
    let mut answers = Vec::new();
    for guess in ["wall 4711", "wall 4712"] {
        asked.search = Some(guess.into());
        let set = memory.store.build_working_set(&asked).unwrap();
        let seq = memory.reader().head().unwrap().seq;
        assert_eq!(memory.body_of(seq)["query"]["search"], "wall [locked]");
        assert_eq!(
            memory.body_of(seq - 1),
            json!({ "guesses": 1, "output": "WORKING_SET", "scene_id": null })
        );
        answers.push(set.bytes().to_vec());
    }
    assert_eq!(answers[0], answers[1]);
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(
        (rebuilt.shown.same, rebuilt.shown.differences.len()),
        (2, 0)
    );
    for _ in 0..62 {
        memory.store.build_working_set(&asked).unwrap();
    }
    let refused = memory.store.build_working_set(&asked);
    assert!(matches!(refused, Err(MemoryError::Guess { .. })));
    asked.search = None;
    memory.store.build_working_set(&asked).unwrap();
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(
        (rebuilt.shown.same, rebuilt.shown.differences.len()),
        (65, 0)
    );
}

/// A prompt searches for the words of its request, and the log need not say them twice.
#[test]
fn a_prompt_searches_for_the_words_of_its_request() {
    let mut memory = large_memory();
    let asked = query(OutputClass::Prompt, &[], 6000);
    let prompt = memory
        .store
        .build_prompt(&asked, "What of the ferry?")
        .unwrap();
    assert!(prompt.text().contains("drowned bell"));
    let seq = memory.reader().head().unwrap().seq;
    assert!(memory.body_of(seq)["query"].get("search").is_none());
    let other = memory
        .store
        .build_prompt(&asked, "A stone of no importance?")
        .unwrap();
    assert!(!other.text().contains("drowned bell"));
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(
        (rebuilt.shown.same, rebuilt.shown.differences.len()),
        (2, 0)
    );
}

/// A memory from before the plan goes on as it was until it has the pin.
#[test]
fn a_memory_without_the_pin_selects_by_key() {
    let memory = large_memory();
    let path = memory.directory.path().join("before.db");
    let mut store =
        axilog_memory::MemoryStore::init(&path, &crate::test_memory::initial_state()).unwrap();
    let pins = store.reader().pins().unwrap();
    let (name, value) = pins
        .iter()
        .find(|(name, _)| name == "selection_policy")
        .unwrap();
    let other = json!({ "name": name, "from": value, "to": "none", "reason": "before the plan" });
    store.append(EntryKind::Revision, other).unwrap();
    let mut bodies = Vec::new();
    let mut visit = |entry: axilog_memory::LogEntry| {
        if entry.kind == EntryKind::Fact {
            bodies.push((entry.kind, entry.body));
        }
        Ok(())
    };
    memory.reader().for_each_entry(&mut visit).unwrap();
    store.append_all(bodies).unwrap();
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    let set = store.reader().inspect_working_set(&asked).unwrap();
    assert!(set.value().get("selection").is_none());
    assert!(
        set.value()["policy_ids"]
            .get("selection_policy_id")
            .is_none()
    );
    assert_eq!(
        texts(&set)[..2],
        [
            "A stone of no importance, number 0.",
            "A stone of no importance, number 143."
        ]
    );
    asked.search = Some("ferry".into());
    let refused = store
        .reader()
        .inspect_working_set(&asked)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("REVISION") && refused.contains(value),
        "{refused}"
    );
    let back = json!({ "name": name, "from": "none", "to": value, "reason": "the plan" });
    store.append(EntryKind::Revision, back).unwrap();
    assert!(
        store
            .reader()
            .inspect_working_set(&asked)
            .unwrap()
            .value()
            .get("selection")
            .is_some()
    );
}

/// The index is derived: G1 finds one that was changed, and a rebuild makes it again.
#[test]
fn a_changed_index_is_found_by_g1_and_made_again() {
    let mut memory = large_memory();
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    asked.order = FactOrder::Matching;
    asked.search = Some("ferry".into());
    let before = build(&memory, &asked);
    memory.change_database("INSERT INTO fact_terms (fact_terms) VALUES ('delete-all')");
    assert_ne!(build(&memory, &asked), before);
    let report = run_gate(&mut memory.store, Gate::G1, &gate_inputs()).unwrap();
    assert!(
        report
            .faults
            .iter()
            .any(|fault| fault.contains("fact_terms")),
        "{report:?}"
    );
    memory.store.rebuild().unwrap();
    assert_eq!(build(&memory, &asked), before);
    for table in ["fact_terms_data", "fact_terms_idx"] {
        memory.change_database(&format!("DELETE FROM {table}"));
    }
    memory.store.rebuild().unwrap();
    assert_eq!(build(&memory, &asked), before);
    let report = run_gate(&mut memory.store, Gate::G1, &gate_inputs()).unwrap();
    assert!(report.passed(), "{report:?}");
}

/// A handle that no fact has selects nothing.
#[test]
fn an_unknown_handle_selects_nothing() {
    let memory = large_memory();
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    asked.handles = vec![Handle::parse(&"0".repeat(64)).unwrap()];
    let set = build(&memory, &asked);
    assert!(texts(&set).is_empty() && set.is_complete());
}
