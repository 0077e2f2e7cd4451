//! PVIBs, and the path of a picture (document, sections 4.6 and 9.2).

use axilog_memory::{Canonical, Id, MemoryError, OutputClass, RecallScope, STAGES};
use serde_json::json;

use crate::world::{World, clue, plain, query};

#[test]
fn a_brief_holds_only_what_may_be_mentioned_exactly() {
    let mut world = World::new();
    let (door, _) = world.fact(plain("k1", json!({ "text": "A red door." })));
    let (fact, detail) = world.fact(clue("k2", "seven keys"));
    let query = query(OutputClass::Pvib, &["ana"], 8000);
    for locked in [fact, detail] {
        let error = world.lens().pvib(&query, &[locked]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("not among the allowmention_handles"),
            "{error}"
        );
    }
    let brief = world.lens().pvib(&query, &[door]).unwrap();
    let value = brief.canonical().value().clone();
    assert_eq!(
        value["elements"],
        json!([{ "detail_handle": door.to_string(), "exact": { "text": "A red door." } }])
    );
    let check = |value| {
        world
            .lens()
            .check_pvib(&query, Canonical::of("b", value).unwrap())
    };
    check(value.clone()).unwrap();
    let with = |name: &str, part| {
        let mut other = value.clone();
        other[name] = part;
        other
    };
    for (other, told) in [
        (with("schema", json!("other/1")), "schema"),
        (with("camera", json!("low")), "camera"),
        (with("elements", json!({})), "elements"),
        (
            with(
                "elements",
                json!([{ "detail_handle": door.to_string(), "exact": "A blue door." }]),
            ),
            "memory's own words",
        ),
        (
            with(
                "elements",
                json!([{ "detail_handle": detail.to_string(), "exact": "seven keys" }]),
            ),
            "not among",
        ),
        (
            with("working_set_id", json!("0".repeat(64))),
            "that of now is",
        ),
    ] {
        let error = check(other).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    world.scene("cellar");
    world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    let brief = world.lens().pvib(&query, &[detail]).unwrap();
    assert!(brief.canonical().text().contains("seven keys"));
}

#[test]
fn a_picture_goes_its_path_and_no_other() {
    let mut world = World::new();
    let mut of = None;
    for (number, stage) in STAGES.iter().enumerate() {
        for wrong in STAGES.iter().skip(number + 1) {
            let body = json!({ "stage": wrong, "of": of.clone().unwrap_or("0".repeat(64)), "document": {} });
            world.refused(Id::Asset, body);
        }
        let mut body = json!({ "stage": stage, "document": { "stage": number, "score": 9 } });
        if let Some(of) = &of {
            body["of"] = json!(of);
        }
        let appended = world.append(Id::Asset, body.clone());
        let handle = appended.handle.unwrap();
        if number == 0 {
            let bytes = Canonical::of("d", body["document"].clone()).unwrap();
            assert_eq!(handle, bytes.handle(), "request_hash");
        }
        of = Some(handle.to_string());
    }
}

#[test]
fn a_request_for_a_picture_says_nothing_that_is_locked() {
    let mut world = World::new();
    let (_, keys) = world.fact(clue("k1", "seven keys"));
    let (_, friend) = world.fact(clue("k2", "say \"friend\""));
    // JSON writes a line's end and a quotation mark as escapes.
    let documents = [
        json!({ "prompt": "a wall that reads\nseven keys" }),
        json!({ "prompt": "say \"friend\" now" }),
        json!({ "lines": [{ "\tSEVEN  KEYS": 1 }] }),
        json!({ "prompt": "a wall that reads SEVEN  KEYS" }),
    ];
    let body = |document| json!({ "stage": "REQUEST_SPEC", "document": document });
    for document in &documents {
        let error = world.refused(Id::Asset, body(document));
        assert!(matches!(error, MemoryError::Leak { .. }), "{error}");
    }
    world.scene("cellar");
    for detail in [keys, friend] {
        world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    }
    for document in &documents {
        world.append(Id::Asset, body(document));
    }
}
