//! Rules that the table opened: EV-021, which an explicit revision of the contract admits (document, sections 4.4, 5B
//! and 11, GAP-006).

use axilog_memory::{
    EntryKind, InitialState, MemoryError, MemoryStore, OpenedRule, OutputClass, RecallScope,
    UnlockScope,
};
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, query};

const EXTENDED: &str = "gt-12+ev-021";

fn opening(rule_ref: &str, scene: Option<&str>, scope: &str) -> Value {
    json!({ "rule_ref": rule_ref, "scene_id": scene, "actor_id": "ana", "unlock_scope": scope })
}

fn extend(memory: &mut TestMemory) {
    let pin = json!({ "name": "event_contract", "value": EXTENDED });
    memory.append(EntryKind::Pin, pin);
}

fn working_set(memory: &TestMemory) -> Value {
    let asked = query(OutputClass::WorkingSet, &["ana"], 8000);
    let set = memory.reader().inspect_working_set(&asked).unwrap();
    set.value().clone()
}

fn opened(memory: &TestMemory) -> Vec<(String, UnlockScope)> {
    let rules = memory.reader().opened_rules().unwrap();
    let pair = |rule: OpenedRule| (rule.rule_ref, rule.scope);
    rules.into_iter().map(pair).collect()
}

#[test]
fn a_rule_is_opened_only_under_the_revision_that_admits_it() {
    let mut memory = TestMemory::new();
    let error = memory.append_refused(EntryKind::RuleRefOpened, opening("dmg.42", None, "SESSION"));
    let text = error.to_string();
    assert!(matches!(error, MemoryError::Refused { .. }), "{text}");
    assert!(
        text.contains("event_contract") && text.contains(EXTENDED) && text.contains("PIN"),
        "{text}"
    );
    let before = working_set(&memory);
    assert_eq!(before.get("unlocked_rule_refs"), None);
    assert_eq!(before.get("rule_refs"), None);
    extend(&mut memory);
    memory.append(EntryKind::RuleRefOpened, opening("dmg.42", None, "SESSION"));
    let back = json!({ "name": "event_contract", "from": EXTENDED, "to": "gt-12", "reason": "no" });
    memory.append(EntryKind::Revision, back);
    let error = memory.append_refused(EntryKind::RuleRefOpened, opening("dmg.43", None, "SESSION"));
    assert!(error.to_string().contains("REVISION"), "{error}");
    assert_eq!(working_set(&memory).get("unlocked_rule_refs"), None);
    memory.store.rebuild().unwrap();
}

#[test]
fn the_contract_has_two_values_and_no_other() {
    let mut memory = TestMemory::new();
    let pin = |value: &str| json!({ "name": "event_contract", "value": value });
    for wrong in ["gt-13", "GT-12", "", "gt-12+ev-022"] {
        let error = memory
            .append_refused(EntryKind::Pin, pin(wrong))
            .to_string();
        assert!(
            error.contains("gt-12, gt-12+ev-021") && error.contains(&format!("{wrong:?}")),
            "{error}"
        );
    }
    memory.append(EntryKind::Pin, pin("gt-12"));
    let revision = |to: &str| json!({ "name": "event_contract", "from": "gt-12", "to": to, "reason": "rules" });
    memory.append_refused(EntryKind::Revision, revision("gt-13"));
    memory.append(EntryKind::Revision, revision(EXTENDED));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.db");
    let mut initial = InitialState::new("arden", "c1", "s1").unwrap();
    initial.pins = vec![("event_contract".into(), "gt-13".into())];
    MemoryStore::init(&path, &initial).unwrap_err();
    initial.pins = vec![("event_contract".into(), EXTENDED.into())];
    let mut store = MemoryStore::init(&path, &initial).unwrap();
    store
        .append(EntryKind::RuleRefOpened, opening("dmg.42", None, "SESSION"))
        .unwrap();
}

#[test]
fn an_opened_rule_stays_open_as_long_as_its_scope() {
    let mut memory = TestMemory::new();
    extend(&mut memory);
    memory.append(EntryKind::RuleRefOpened, opening("z.1", None, "SESSION"));
    let error = memory.append_refused(EntryKind::RuleRefOpened, opening("a.1", None, "SCENE"));
    assert!(error.to_string().contains("no scene is on"), "{error}");
    memory.start_scene("cellar");
    for rule in ["b.2", "a.1", "z.1"] {
        let body = opening(rule, Some("cellar"), "SCENE");
        memory.append(EntryKind::RuleRefOpened, body);
    }
    let scene = |rule: &str| (rule.to_owned(), UnlockScope::Scene);
    let session = |rule: &str| (rule.to_owned(), UnlockScope::Session);
    assert_eq!(
        opened(&memory),
        [scene("a.1"), scene("b.2"), session("z.1")]
    );
    assert_eq!(
        working_set(&memory)["unlocked_rule_refs"],
        json!(["a.1", "b.2", "z.1"])
    );
    let campaign = |name: &str| json!({ "campaign_id": name });
    memory.append(EntryKind::State, campaign("c2"));
    assert_eq!(opened(&memory), []);
    memory.append(EntryKind::State, campaign("c1"));
    assert_eq!(opened(&memory).len(), 3);
    // A scene that outlasts its session keeps nothing open.
    memory.append(EntryKind::State, json!({ "session_id": "s2" }));
    assert_eq!(opened(&memory), []);
    memory.append(
        EntryKind::RuleRefOpened,
        opening("a.1", Some("cellar"), "SCENE"),
    );
    assert_eq!(opened(&memory), [scene("a.1")]);
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    assert_eq!(opened(&memory), []);
    assert_eq!(working_set(&memory)["unlocked_rule_refs"], json!([]));
    memory.store.rebuild().unwrap();
}

/// A name in a fact's provenance is no way around the dice.
#[test]
fn an_opened_rule_opens_no_exact_string() {
    let mut memory = TestMemory::new();
    extend(&mut memory);
    let mut rule = clue("a1", "seven keys");
    rule["kind"] = json!("WORLD_RULE");
    rule["provenance"] = json!({ "source": "rulebook", "refs": ["dmg.42"] });
    let (fact, detail) = memory.append_fact(rule);
    memory.start_scene("cellar");
    memory.append(
        EntryKind::RuleRefOpened,
        opening("dmg.42", Some("cellar"), "SESSION"),
    );
    assert!(!memory.reader().is_open(fact).unwrap());
    assert!(!memory.reader().is_open(detail).unwrap());
    let recall = memory.recall(&detail.to_string(), None, RecallScope::Scene);
    assert_eq!(recall.answer.rule_ref().unwrap().as_str(), "RR-002");
}

/// A working set names the rules that bind it, for whoever asks why.
#[test]
fn a_working_set_under_the_revision_names_its_rules() {
    let mut memory = TestMemory::new();
    extend(&mut memory);
    assert_eq!(
        working_set(&memory)["rule_refs"],
        json!({ "allowmention_handles": "PC-006", "locked_precision_handles": "HL-005", "recall": "RR-002" })
    );
}

/// What an exact string names cannot be told as a rule, and no fact may have a rule's name from then on.
#[test]
fn a_rule_with_the_name_of_a_locked_string_is_cut_out() {
    let mut memory = TestMemory::new();
    extend(&mut memory);
    memory.append_fact(clue("a1", "raven-88"));
    memory.append(
        EntryKind::RuleRefOpened,
        opening("raven-88", None, "SESSION"),
    );
    memory.append(
        EntryKind::RuleRefOpened,
        opening("crow-99", None, "SESSION"),
    );
    assert_eq!(
        working_set(&memory)["unlocked_rule_refs"],
        json!(["crow-99", "[locked]"])
    );
    memory.append_refused(EntryKind::Fact, clue("a2", "crow-99"));
}
