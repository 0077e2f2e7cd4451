//! The working sets of random queries say nothing of facts that their viewers may not see.

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{EntryKind, FactOrder, OutputClass, WorkingSetQuery};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::selection::{build, tagged, text_fact};
use crate::test_memory::{TestMemory, clue, gate_inputs, query};

pub fn masked(mut fact: Value, mask: Value) -> Value {
    fact["visibility_mask"] = mask;
    fact
}

const WORDS: [&str; 14] = [
    "lantern",
    "bell",
    "miller",
    "river",
    "bridge",
    "letter",
    "keeper",
    "tower",
    "Brücke",
    "Mühle",
    "Tor",
    "渡し舟",
    "灯台",
    "나룻배",
];

pub fn sentence() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 1..5);
    words.prop_map(|words| words.join(" "))
}

fn asked() -> impl Strategy<Value = WorkingSetQuery> {
    let order = prop::sample::select(&FactOrder::ALL[..]);
    let tag = prop::option::of(prop::sample::select(&["north", "cellar"][..]));
    let prefix = prop::option::of(prop::sample::select(&["k", "k1"][..]));
    (
        order,
        prop::option::of(sentence()),
        tag,
        prefix,
        3200..7000_u64,
        prop::option::of(0..6_u64),
    )
        .prop_map(|(order, search, tag, prefix, budget, limit)| {
            let mut asked = query(OutputClass::WorkingSet, &["ana"], budget);
            asked.order = order;
            asked.search = search;
            asked.tags = tag.into_iter().map(str::to_owned).collect();
            asked.key_prefix = prefix.map(str::to_owned);
            asked
                .kind_limits
                .extend(limit.map(|limit| ("LOCATION".to_owned(), limit)));
            asked
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() })]

    /// The working sets of random queries are the same bytes whether or not there are facts that the viewer may not see, and
    /// after everything is derived anew; and the gate's own count gives the same.
    #[test]
    fn hidden_facts_change_no_byte_whatever_the_query(
        facts in prop::collection::vec((sentence(), 0..5_u8, any::<bool>()), 1..40),
        queries in prop::collection::vec(asked(), 1..8),
    ) {
        let (mut memory, mut without) = (TestMemory::new(), TestMemory::new());
        for memory in [&mut memory, &mut without] {
            memory.append(EntryKind::State, json!({ "threads": ["north"] }));
            memory.start_scene("cellar");
        }
        let mut entries = [Vec::new(), Vec::new()];
        for (number, (text, mask, is_tagged)) in facts.iter().enumerate() {
            let key = format!("k{}-{number}", number % 3);
            let mask = match mask {
                0 => json!("DM_ONLY"),
                1 => json!({ "PLAYER": ["ben"] }),
                2 => json!({ "PLAYER": ["ana", "ben"] }),
                _ => json!("PUBLIC"),
            };
            let is_hidden = mask == json!("DM_ONLY") || mask == json!({ "PLAYER": ["ben"] });
            let fact = masked(text_fact(&key, text), mask);
            let fact = match (is_tagged, number % 2) {
                (true, 0) => tagged(fact, &["north"]),
                (true, _) => tagged(fact, &["cellar", "north"]),
                _ => fact,
            };
            entries[0].push((EntryKind::Fact, fact.clone()));
            if !is_hidden {
                entries[1].push((EntryKind::Fact, fact));
            }
        }
        let [all, visible] = entries;
        memory.store.append_all(all).unwrap();
        without.store.append_all(visible).unwrap();
        let bytes = |memory: &TestMemory| -> Vec<Vec<u8>> {
            queries.iter().map(|asked| build(memory, asked).bytes().to_vec()).collect()
        };
        let before = bytes(&memory);
        prop_assert_eq!(&bytes(&without), &before, "without what is hidden");
        memory.store.rebuild().unwrap();
        prop_assert_eq!(&bytes(&memory), &before, "rebuilt");
        let report = run_gate(&mut memory.store, Gate::G1, &gate_inputs()).unwrap();
        prop_assert!(report.passed(), "{:?}", report.faults);
    }
}

/// More hidden facts than are counted of a term and than are read of the index at a time. They are newer, have every word that
/// is searched for, and the tag, the key and the handle by which a thread points.
#[test]
fn many_hidden_facts_change_no_byte() {
    let (mut memory, mut without) = (TestMemory::new(), TestMemory::new());
    let visible = (0..300).map(|number| {
        let words = match number % 100 {
            7 => "A lantern by the bell.",
            _ => "The bell of the mill.",
        };
        let fact = text_fact(
            &format!("k{number:03}"),
            &format!("{words} Number {number}."),
        );
        match number % 50 {
            3 => tagged(fact, &["north"]),
            _ => fact,
        }
    });
    let visible: Vec<(EntryKind, Value)> = visible.map(|fact| (EntryKind::Fact, fact)).collect();
    let hidden = (0..700).map(|number| {
        let key = ["north", "cellar", "k003"][number % 3];
        let text = format!("A lantern by the bell, hidden as number {number}.");
        let fact = match number % 70 {
            0 => {
                let mut locked = clue(key, &format!("seven red doors of {number}"));
                locked["gist"] = json!(text);
                locked
            }
            _ => text_fact(key, &text),
        };
        let mask = [
            json!("DM_ONLY"),
            json!("SYSTEM"),
            json!({ "PLAYER": ["ben"] }),
        ];
        let fact = masked(fact, mask[number % 3].clone());
        (EntryKind::Fact, tagged(fact, &["north", "cellar"]))
    });
    let mut handles = Vec::new();
    for memory in [&mut memory, &mut without] {
        memory.store.append_all(visible.clone()).unwrap();
    }
    for receipt in memory.store.append_all(hidden).unwrap() {
        handles.extend(receipt.handle);
    }
    for memory in [&mut memory, &mut without] {
        let threads = json!({ "threads": ["north", handles[0].to_string()] });
        memory.append(EntryKind::State, threads);
        memory.start_scene("cellar");
    }
    for (class, viewers) in [
        (OutputClass::WorkingSet, &["ana"][..]),
        (OutputClass::Pvib, &[]),
        (OutputClass::Prompt, &["ana", "cleo"]),
    ] {
        for order in FactOrder::ALL {
            let mut asked = query(class, viewers, 8000);
            asked.order = order;
            let mut all = vec![asked.clone()];
            asked.search = Some("The lanterns, a bell, number 7?".into());
            all.push(asked.clone());
            asked.tags = vec!["north".into()];
            all.push(asked.clone());
            asked.handles.clone_from(&handles);
            all.push(asked);
            for asked in all {
                let (set, other) = (build(&memory, &asked), build(&without, &asked));
                assert_eq!(set.text(), other.text(), "{asked:?}");
            }
        }
    }
    let asked = query(OutputClass::Prompt, &["ana"], 8000);
    let ask = |memory: &mut TestMemory| {
        let prompt = memory.store.build_prompt(&asked, "Who has the lantern?");
        prompt.unwrap().text().to_owned()
    };
    assert_eq!(ask(&mut memory), ask(&mut without));
}
