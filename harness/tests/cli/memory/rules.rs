//! What the command says of rules: those that the table opened, and those by which it refuses.

use serde_json::json;

use super::commands::{FACT, MemoryDirectory};

const OPENING: &str =
    r#"{"rule_ref":"dmg.42","scene_id":null,"actor_id":"ana","unlock_scope":"SESSION"}"#;

#[test]
fn a_rule_is_opened_where_the_contract_says_so() {
    let place = MemoryDirectory::new();
    let (_, error) = place.run_with_code(1, &["event", "m.db", "EV-021", OPENING]);
    assert!(
        error.contains("the PIN event_contract with the value gt-12+ev-021"),
        "{error}"
    );
    let contract = r#"{"name":"event_contract","value":"gt-12+ev-021"}"#;
    place.run_with_code(0, &["event", "m.db", "PIN", contract]);
    place.run_with_code(0, &["event", "m.db", "EV-021", OPENING]);
    let unlocked = place.run_json(0, &["unlock", "m.db"]);
    let expected = json!([{ "rule_ref": "dmg.42", "scope": "SESSION", "seq": 15 }]);
    assert_eq!(unlocked["unlocked_rule_refs"], expected);
    let (text, _) = place.run_with_code(0, &["unlock", "m.db"]);
    assert!(
        text.contains("SESSION") && text.contains("rule dmg.42"),
        "{text}"
    );
    let set = place.run_json(0, &["working-set", "m.db"]);
    assert_eq!(set["working_set"]["unlocked_rule_refs"], json!(["dmg.42"]));
    assert_eq!(set["working_set"]["rule_refs"]["recall"], "RR-002");
    let rebuilt = place.run_json(0, &["rebuild", "m.db"]);
    assert_eq!(rebuilt["shown"]["same"], 1);
}

/// Each answer that says why names the rule, and no answer that is exact does.
#[test]
fn what_says_why_names_its_rule() {
    let place = MemoryDirectory::new();
    std::fs::write(place.path().join("fact.json"), FACT).unwrap();
    let fact = place.run_json(0, &["fact", "m.db", "fact.json"]);
    let handle = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let detail = handle(&fact["facts"][0]["details"][0]["detail_handle"]);
    let fact = handle(&fact["facts"][0]["fact_id"]);
    let recall = place.run_json(1, &["recall", "m.db", &detail, "--requester", "ana"]);
    assert_eq!(recall["rule_ref"], "RR-002");
    let locked = place.run_json(1, &["unlock", "m.db", &detail]);
    assert_eq!(locked["rule_ref"], "HL-005");
    std::fs::write(place.path().join("n.txt"), "They found seven keys.").unwrap();
    let (_, error) = place.run_with_code(1, &["working-set", "m.db", "--narration", "n.txt"]);
    assert!(error.contains("(rule HL-005)"), "{error}");
    let (_, error) = place.run_with_code(1, &["pvib", "m.db", &fact]);
    assert!(error.contains("(rule PC-006)"), "{error}");
    place.run_with_code(0, &["event", "m.db", "EV-031", r#"{"scene_id":"cellar"}"#]);
    let roll = [
        "--roller", "ana", "--skill", "lore", "--dc", "12", "--roll", "17",
    ];
    let asked = [
        "recall",
        "m.db",
        &detail,
        "--requester",
        "ana",
        "--outcome",
        "success",
    ];
    let told = place.run_json(0, &[&asked[..], &roll[..]].concat());
    assert_eq!(told["rule_ref"], json!(null));
    let unlocked = place.run_json(0, &["unlock", "m.db", &detail]);
    assert_eq!(unlocked["rule_ref"], json!(null));
}
