//! A fact that was retracted appears nowhere, and its locks hold.

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{
    CanonicalJson, EntryKind, FactOrder, FactState, Handle, MemoryError, MemoryStore, OutputClass,
    RecallAnswer, RecallScope, WorkingSetQuery, compaction_body, detail_handle, retraction_body,
};
use serde_json::{Value, json};

use crate::hidden_facts::masked;
use crate::selection::{build, tagged, text_fact};
use crate::test_memory::{
    TestMemory, clue, gate_inputs, machine_pins, notebook_request, open_fact, query,
};

fn retraction(fact: Handle) -> Value {
    retraction_body(
        fact,
        "It was never so.",
        "the table",
        &["house-3".to_owned()],
    )
    .unwrap()
}

fn retract(memory: &mut TestMemory, fact: Handle) -> u64 {
    memory.append(EntryKind::Retraction, retraction(fact)).seq
}

/// Queries of every class, for nobody, one and two players, by one order after the other, with a search for the words of
/// the fact and without.
fn all_queries(fact: Handle) -> Vec<WorkingSetQuery> {
    let (mut queries, mut orders) = (Vec::new(), FactOrder::ALL.into_iter().cycle());
    for class in OutputClass::ALL {
        for viewers in [&[][..], &["ana"], &["ana", "ben"]] {
            let mut asked = query(class, viewers, 8000);
            asked.order = orders.next().unwrap();
            asked.purposes = vec!["RECAP".to_owned()];
            queries.push(asked.clone());
            asked.order = orders.next().unwrap();
            asked.search = Some("the gravedigger stole a bell".to_owned());
            queries.push(asked.clone());
            asked.handles = vec![fact];
            asked.tags = vec!["miller".to_owned()];
            queries.push(asked);
        }
    }
    queries
}

/// A memory in which everything that can points to one fact.
struct PointedFact {
    memory: TestMemory,
    fact: Handle,
    other: Handle,
}

impl PointedFact {
    fn new(fact: Value) -> PointedFact {
        let mut memory = TestMemory::new();
        let (fact, _) = memory.append_fact(tagged(fact, &["miller", "cellar"]));
        let naming =
            json!({ "text": "A bell tolls.", "see": fact.to_string(), (fact.to_string()): 1 });
        let (other, _) = memory.append_fact(open_fact("m2", naming));
        memory.append_fact(open_fact(
            "m3",
            json!({ "text": "See", "at": [fact.to_string()] }),
        ));
        let recap = compaction_body("RECAP", &[fact, other]).unwrap();
        memory.append(EntryKind::Compaction, recap);
        let threads = json!({ "threads": ["miller", fact.to_string()] });
        memory.append(EntryKind::State, threads);
        memory.start_scene("cellar");
        PointedFact {
            memory,
            fact,
            other,
        }
    }
}

#[test]
fn a_retracted_fact_is_in_no_output_whatever_the_audience() {
    for mask in [json!("PUBLIC"), json!({ "PLAYER": ["ana", "ben"] })] {
        let body = masked(text_fact("m1", "The gravedigger stole it."), mask);
        let PointedFact {
            mut memory, fact, ..
        } = PointedFact::new(body);
        let handle = fact.to_string();
        let holds = |memory: &TestMemory, asked: &WorkingSetQuery| {
            let set = build(memory, asked);
            let text = set.text();
            text.contains("gravedigger") || text.contains(&handle)
        };
        let queries = all_queries(fact);
        let told = |memory: &TestMemory| {
            let told = queries.iter().filter(|asked| holds(memory, asked));
            told.count()
        };
        assert!(told(&memory) > queries.len() / 3);
        let pvib = query(OutputClass::Pvib, &["ana"], 8000);
        let brief = memory.store.build_image_brief(&pvib, Some(&[fact]));
        let brief = brief.unwrap().canonical().clone();
        let seq = retract(&mut memory, fact);
        assert_eq!(memory.body_of(seq)["fact_id"], *handle);
        assert_eq!(told(&memory), 0);
        for asked in queries.iter().step_by(7) {
            let prompt = memory.store.build_prompt(asked, "Who stole it?").unwrap();
            assert!(!prompt.text().contains("gravedigger") && !prompt.text().contains(&handle));
        }
        let error = memory.store.build_image_brief(&pvib, Some(&[fact]));
        assert!(error.unwrap_err().to_string().contains("allowmention"));
        let error = memory.store.check_image_brief(&pvib, brief).unwrap_err();
        assert!(error.to_string().contains("working set"), "{error}");
        assert!(!error.to_string().contains("gravedigger"));
        let whole = memory.store.build_image_brief(&pvib, None).unwrap();
        assert!(!whole.canonical().text().contains(&handle));
        let recall = memory.recall(&handle, Some(true), RecallScope::Session);
        assert_eq!(recall.answer, RecallAnswer::Unknown);
        assert!(!memory.reader().is_open(fact).unwrap());
        // And after everything is derived anew.
        let head = memory.reader().head().unwrap();
        let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
        assert_eq!(rebuilt.head, head);
        assert!(rebuilt.shown.differences.is_empty(), "{rebuilt:?}");
        assert_eq!(told(&memory), 0);
    }
}

/// What points to it stays, and is told without it.
#[test]
fn what_pointed_to_a_retracted_fact_is_told_without_it() {
    let PointedFact {
        mut memory,
        fact,
        other,
    } = PointedFact::new(text_fact("m1", "The gravedigger stole it."));
    retract(&mut memory, fact);
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    asked.purposes = vec!["RECAP".to_owned()];
    let set = build(&memory, &asked);
    let value = set.value();
    assert_eq!(value["compactions_slice"], json!([]));
    assert_eq!(value["scene_id"], "cellar");
    let threads = &value["state_slice"].as_array().unwrap();
    let threads = threads.iter().find(|item| item["name"] == "threads");
    assert_eq!(threads.unwrap()["value"], json!(["miller", "[locked]"]));
    let facts = value["facts_slice"].as_array().unwrap();
    assert_eq!(facts.len(), 2);
    assert_eq!(facts[0]["fact_id"], *other.to_string());
    // A member's name cannot be replaced, so its object is.
    assert_eq!(facts[0]["payload"], "[locked]");
    assert_eq!(
        facts[1]["payload"],
        json!({ "text": "See", "at": ["[locked]"] })
    );
    // A compaction without it is one more.
    let recap = compaction_body("RECAP", &[other]).unwrap();
    memory.append(EntryKind::Compaction, recap);
    let set = build(&memory, &asked);
    assert_eq!(
        set.value()["compactions_slice"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn the_locks_of_a_retracted_fact_hold_whatever_unlocked_them() {
    let mut memory = TestMemory::new();
    let (fact, detail) = memory.append_fact(clue("k1", "seven keys"));
    let (other, _) = memory.append_fact(text_fact("k2", "They speak of seven keys, and of 4711."));
    let mut open = open_fact("k3", json!({ "text": "The code is 4711." }));
    open["details"] = json!([{ "name": "code", "exact": "4711" }]);
    let (numbered, code) = memory.append_fact(open);
    memory.learn(detail);
    memory.take_note("r1", &[detail]);
    let asked = query(OutputClass::Prompt, &["ana"], 8000);
    assert!(build(&memory, &asked).text().contains("seven keys"));
    let narrate =
        |memory: &mut TestMemory, text: &str| memory.store.check_narration(&["ana"], text);
    narrate(&mut memory, "There are seven keys.").unwrap();
    retract(&mut memory, fact);
    retract(&mut memory, numbered);
    let set = build(&memory, &asked);
    assert_eq!(set.value()["facts_slice"].as_array().unwrap().len(), 1);
    let told = json!({ "text": "They speak of [locked], and of [locked]." });
    assert_eq!(set.value()["facts_slice"][0]["payload"], told);
    for text in [
        "There are seven keys.",
        "It says 4 7 1 1.",
        "c2V2ZW4ga2V5cw==",
    ] {
        let error = narrate(&mut memory, text).unwrap_err();
        assert!(
            matches!(error, MemoryError::Guess { .. }),
            "{text}: {error}"
        );
    }
    // A right guess is answered as a wrong one.
    let mut answers = ["Is it 4711?", "Is it 4712?"].map(|request| {
        let prompt = memory.store.build_prompt(&asked, request).unwrap();
        prompt.text().to_owned()
    });
    assert!(answers[0].ends_with("\"Is it [locked]?\"\n"));
    answers.sort();
    assert_eq!(answers[0], answers[1]);
    let spec = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": "seven keys" } });
    memory.store.append(EntryKind::Asset, spec).unwrap_err();
    for handle in [fact, detail, numbered, code] {
        assert!(!memory.reader().is_open(handle).unwrap());
        assert!(memory.reader().find_unlock(handle).unwrap().is_none());
    }
    assert!(memory.reader().unlocks().unwrap().is_empty());
    assert!(memory.reader().is_open(other).unwrap());
    let locked = memory.reader().find_locked_strings("seven keys").unwrap();
    assert_eq!(locked, [detail]);
    for gate in [Gate::G2, Gate::G3] {
        let report = run_gate(&mut memory.store, gate, &gate_inputs()).unwrap();
        assert!(report.passed(), "{gate:?}: {:?}", report.faults);
    }
}

#[test]
fn what_cannot_be_retracted_is_refused_with_what_to_do() {
    let mut memory = TestMemory::new();
    let body = clue("k1", "seven keys");
    let (fact, detail) = memory.append_fact(body.clone());
    let (elsewhere, _) = memory.append_fact(clue("k2", "nine locks"));
    let nothing = Handle::of(b"nothing");
    let campaign = |id: &str| json!({ "campaign_id": id });
    memory.append(EntryKind::State, campaign("c2"));
    let told_by = memory.reader().head().unwrap().seq - 1;
    let refused = |memory: &mut TestMemory, kind, body: Value, expected: &[&str]| {
        let error = memory.append_refused(kind, body).to_string();
        for part in expected {
            assert!(error.contains(part), "{error}\n{part}");
        }
        assert!(!error.contains("seven keys"), "{error}");
    };
    let entry = format!("(entry {told_by})");
    let expected = ["campaign c1", &entry, "campaign c2 is played", "STATE"];
    let kind = EntryKind::Retraction;
    refused(&mut memory, kind, retraction(elsewhere), &expected);
    memory.append(EntryKind::State, campaign("c1"));
    let unknown = ["nothing has the handle", &nothing.to_string()];
    refused(&mut memory, kind, retraction(nothing), &unknown);
    let of = format!("detail of the fact {fact}");
    refused(
        &mut memory,
        kind,
        retraction(detail),
        &[&of, "name the fact"],
    );
    for (member, value, expected) in [
        ("reason", json!("  "), "not empty"),
        ("reason", json!("x".repeat(4097)), "4096"),
        (
            "provenance",
            json!({ "source": " ", "refs": [] }),
            "who says so",
        ),
        ("provenance", json!(null), "provenance"),
        ("scene", json!("cellar"), "scene"),
    ] {
        let mut body = retraction(fact);
        body[member] = value;
        refused(&mut memory, kind, body, &[expected]);
    }
    memory.learn(detail);
    memory.ask("r1", &[detail]).unwrap();
    memory
        .store
        .answer_notebook_request("r1", "ana", "grant")
        .unwrap();
    let seq = retract(&mut memory, fact);
    let by = format!("by entry {seq}");
    refused(
        &mut memory,
        kind,
        retraction(fact),
        &[&by, "already", "history"],
    );
    refused(&mut memory, EntryKind::Fact, body, &[&by, "provenance"]);
    let recap = compaction_body("RECAP", &[fact]).unwrap();
    refused(
        &mut memory,
        EntryKind::Compaction,
        recap,
        &[&by, "leave it out"],
    );
    let error = memory.store.record_notebook_entry("r1", &[detail]);
    assert!(error.unwrap_err().to_string().contains(&by));
    memory
        .store
        .answer_notebook_request("r1", "ana", "no")
        .unwrap();
    for handle in [fact, detail] {
        let mut request = notebook_request("r2", &[handle]);
        request.revealed_by_dm = true;
        let error = memory.store.request_notebook_entry(&request).unwrap_err();
        assert!(
            error.to_string().contains("nothing has the handle"),
            "{error}"
        );
    }
    // Told anew, for another reason, it is another fact.
    let mut anew = clue("k1", "seven keys");
    anew["provenance"] = json!({ "source": "the table", "refs": [format!("entry {seq}")] });
    let (again, _) = memory.append_fact(anew);
    assert_ne!(again, fact);
    let asked = query(OutputClass::WorkingSet, &[], 8000);
    assert!(build(&memory, &asked).text().contains(&again.to_string()));
    let report = run_gate(&mut memory.store, Gate::G3, &gate_inputs()).unwrap();
    assert!(report.passed(), "{:?}", report.faults);
}

/// An entry that the rules refuse is found in a log into which it was put past them.
#[test]
fn a_forged_retraction_is_found() {
    let mut memory = TestMemory::new();
    let (fact, _) = memory.append_fact(clue("k1", "seven keys"));
    retract(&mut memory, fact);
    memory.forge_entry(EntryKind::Retraction, retraction(fact));
    let error = MemoryStore::open(&memory.path).unwrap_err().to_string();
    assert!(error.contains("already"), "{error}");
}

/// A row of the tables that another program changed is refused: the fact would be told again.
#[test]
fn a_retraction_that_is_taken_out_of_the_tables_is_noticed() {
    for change in [
        "DELETE FROM retracted",
        "INSERT INTO visible SELECT 'PUBLIC', stable_key, fact, kind, seq FROM fact",
    ] {
        let mut memory = TestMemory::new();
        let (fact, _) = memory.append_fact(text_fact("k1", "It was so."));
        retract(&mut memory, fact);
        memory.change_database(change);
        let asked = query(OutputClass::WorkingSet, &[], 8000);
        let error = memory.store.build_working_set(&asked).unwrap_err();
        assert!(matches!(error, MemoryError::Altered { .. }), "{error}");
        memory.store.rebuild().unwrap();
        assert!(!build(&memory, &asked).text().contains("It was so."));
    }
}

#[test]
fn the_history_says_who_told_a_fact_and_who_took_it_back() {
    let PointedFact {
        mut memory, fact, ..
    } = PointedFact::new(clue("m1", "seven keys"));
    let before = memory.reader().fact_history(fact).unwrap();
    assert_eq!((before.state, before.events.len()), (FactState::Told, 1));
    assert_eq!(before.pointed_by, ["cellar", "miller", &*fact.to_string()]);
    assert_eq!(before.compactions.len(), 1);
    memory.append(EntryKind::State, json!({ "session_id": "s2" }));
    let body = retraction_body(fact, "Not seven keys.", "ben", &[]).unwrap();
    let seq = memory.append(EntryKind::Retraction, body).seq;
    let detail = detail_handle(fact, "words");
    let history = memory.reader().fact_history(detail).unwrap();
    assert_eq!(history.state, FactState::Retracted);
    assert_eq!(history.details, [("words".to_owned(), detail)]);
    // Its locks hold for who leads the game too.
    assert_eq!(history.body["payload"]["text"], "It reads [locked].");
    assert_eq!(history.body["gist"], "Something is written there.");
    let [told, retracted] = &history.events[..] else {
        panic!("{history:?}")
    };
    assert_eq!(told, &before.events[0]);
    assert_eq!((told.kind, &*told.source), (EntryKind::Fact, "generator"));
    assert_eq!(told.refs, ["spec-1"]);
    assert_eq!((&*told.session_id, &told.scene_id), ("s1", &None));
    assert_eq!(
        (retracted.kind, retracted.seq),
        (EntryKind::Retraction, seq)
    );
    assert_eq!((&*retracted.source, &*retracted.campaign_id), ("ben", "c1"));
    assert_eq!(retracted.session_id, "s2");
    assert_eq!(retracted.scene_id.as_deref(), Some("cellar"));
    assert_eq!(retracted.reason.as_deref(), Some("Not [locked]."));
    let unknown = memory.reader().fact_history(Handle::of(b"nothing"));
    let error = unknown.unwrap_err();
    assert!(matches!(error, MemoryError::NoFact { .. }));
    assert!(error.to_string().contains("show --log"), "{error}");
    assert!(CanonicalJson::from_value("the body", history.body).is_ok());
}
