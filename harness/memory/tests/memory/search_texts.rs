//! What is typed into a search is words and nothing else, whatever signs it has.

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{EntryKind, FactOrder, OutputClass};
use serde_json::json;

use crate::selection::{build, text_fact};
use crate::test_memory::{TestMemory, gate_inputs, machine_pins, query};

/// What SQL, FTS5 or its tokenizer would take for more than words, and which facts it finds by the words in it.
const SEARCHES: [(&str, &[&str]); 24] = [
    ("", &[]),
    (" \n\t ", &[]),
    ("\"", &[]),
    ("\"ferry", &["ferry"]),
    ("\"ferry\" \"\"\" OR \"", &["ferry"]),
    ("ferry AND bell", &["bell", "ferry"]),
    ("NOT ferry", &["ferry"]),
    ("NEAR(ferry bell, 5)", &["bell", "ferry"]),
    ("ferry*", &["ferry"]),
    ("*", &[]),
    ("^ferry", &["ferry"]),
    ("-ferry", &["ferry"]),
    ("--", &[]),
    ("- : ^ + * ( ) { } , . ;", &[]),
    ("terms : ferry", &["ferry"]),
    ("{terms fact_terms} : ferry", &["ferry"]),
    ("ferry + bell", &["bell", "ferry"]),
    ("((((", &[]),
    ("'; DROP TABLE fact; --", &[]),
    ("delete-all rebuild optimize", &[]),
    ("\u{0} ferry \u{0}", &["ferry"]),
    ("🦀🛶 \u{200d}\u{fe0f}", &[]),
    ("渡し舟はどこですか", &["boat"]),
    ("%s ?1 $1 @name \\", &[]),
];

fn memory() -> TestMemory {
    let mut memory = TestMemory::new();
    for (key, text) in [
        ("bell", "A bell of bronze."),
        ("boat", "渡し舟は夜に川を渡る。"),
        ("ferry", "Marten keeps the ferry."),
        ("stone", "🦀 A stone."),
    ] {
        memory.append_fact(text_fact(key, text));
    }
    memory
}

/// The keys of the facts that a search finds.
fn find(memory: &TestMemory, search: &str) -> Vec<&'static str> {
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    asked.order = FactOrder::Matching;
    asked.search = Some(search.to_owned());
    let set = build(memory, &asked);
    let text = set.text();
    let keys = [
        ("bell", "bronze"),
        ("boat", "渡し舟"),
        ("ferry", "Marten"),
        ("stone", "stone."),
    ];
    let told = keys.into_iter().filter(|(_, word)| text.contains(word));
    told.map(|(key, _)| key).collect()
}

#[test]
fn a_search_is_words_whatever_signs_it_has() {
    let memory = memory();
    for (search, found) in SEARCHES {
        assert_eq!(find(&memory, search), found, "{search:?}");
    }
}

/// The first 64 words and beginnings count, and a text of any length is answered.
#[test]
fn a_search_of_many_words_counts_the_first() {
    let memory = memory();
    let many: String = (0..10_000).map(|number| format!("w{number} ")).collect();
    assert!(find(&memory, &many).is_empty());
    assert!(find(&memory, &format!("{many} ferry")).is_empty());
    assert_eq!(find(&memory, &format!("ferry {many}")), ["ferry"]);
    let one = "ferry".repeat(2000);
    // One word of 10,000 letters has a beginning as others do.
    assert_eq!(find(&memory, &one), ["ferry"]);
    assert_eq!(find(&memory, &"渡し舟".repeat(3000)), ["boat"]);
    assert!(find(&memory, &"\"*-".repeat(5000)).is_empty());
}

/// What was searched for is logged as it was typed, and a rebuild searches for it again.
#[test]
fn what_was_searched_for_is_made_again() {
    let mut memory = memory();
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    for (search, _) in SEARCHES {
        asked.search = Some(search.to_owned());
        memory.store.build_working_set(&asked).unwrap();
        let prompt = query(OutputClass::Prompt, &[], 8000);
        memory.store.build_prompt(&prompt, search).unwrap();
    }
    // A word that is a fact's text as well: facts are indexed as they are, too.
    let fact = text_fact("signs", "\"NEAR(* -ferry) OR ^ {terms} : \u{0}");
    memory.append(EntryKind::Fact, fact);
    asked.search = Some("near".to_owned());
    asked.order = FactOrder::Matching;
    let set = memory.store.build_working_set(&asked).unwrap();
    assert_eq!(set.value()["facts_slice"].as_array().unwrap().len(), 1);
    assert_eq!(
        set.value()["facts_slice"][0]["chosen_by"],
        json!("matching")
    );
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(rebuilt.shown.same, 2 * SEARCHES.len() as u64 + 1);
    assert!(rebuilt.shown.differences.is_empty());
    let report = run_gate(&mut memory.store, Gate::G1, &gate_inputs()).unwrap();
    assert!(report.passed(), "{:?}", report.faults);
}
