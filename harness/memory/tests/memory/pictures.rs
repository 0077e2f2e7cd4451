//! PVIBs, and the path of a picture (document, sections 4.6 and 9.2).

use axilog_memory::{CanonicalJson, EntryKind, MemoryError, OutputClass, RecallScope};
use serde_json::json;

use crate::test_memory::{TestMemory, clue, open_fact, query};

#[test]
fn a_brief_holds_only_what_may_be_mentioned_exactly() {
    let mut memory = TestMemory::new();
    let (door, _) = memory.append_fact(open_fact("k1", json!({ "text": "A red door." })));
    let (fact, detail) = memory.append_fact(clue("k2", "seven keys"));
    let query = query(OutputClass::Pvib, &["ana"], 8000);
    for locked in [fact, detail] {
        let error = memory
            .reader()
            .inspect_image_brief(&query, Some(&[locked]))
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("not among the allowmention_handles"),
            "{error}"
        );
    }
    let brief = memory
        .reader()
        .inspect_image_brief(&query, Some(&[door]))
        .unwrap();
    let value = brief.canonical().value().clone();
    assert_eq!(
        value["elements"],
        json!([{ "detail_handle": door.to_string(), "exact": { "text": "A red door." } }])
    );
    let check = |value| {
        memory
            .reader()
            .inspect_foreign_brief(&query, CanonicalJson::from_value("b", value).unwrap())
    };
    check(value.clone()).unwrap();
    let with = |name: &str, part| {
        let mut other = value.clone();
        other[name] = part;
        other
    };
    for (other, expected) in [
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
        assert!(error.contains(expected), "{error}");
    }
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    let brief = memory
        .reader()
        .inspect_image_brief(&query, Some(&[detail]))
        .unwrap();
    assert!(brief.canonical().text().contains("seven keys"));
}

const STAGES: [&str; 7] = [
    "REQUEST_SPEC",
    "ENGINE",
    "QUALITY",
    "ASSET_STORE",
    "POOL",
    "BINDING",
    "DELIVERY",
];

#[test]
fn the_stages_of_a_picture_follow_their_path() {
    let mut memory = TestMemory::new();
    let mut of = None;
    for (number, stage) in STAGES.iter().enumerate() {
        for wrong in STAGES.iter().skip(number + 1) {
            let body = json!({ "stage": wrong, "of": of.clone().unwrap_or("0".repeat(64)), "document": {} });
            memory.append_refused(EntryKind::Asset, body);
        }
        let mut body = json!({ "stage": stage, "document": { "stage": number, "score": 9 } });
        if let Some(of) = &of {
            body["of"] = json!(of);
        }
        let appended = memory.append(EntryKind::Asset, body.clone());
        let handle = appended.handle.unwrap();
        if number == 0 {
            let bytes = CanonicalJson::from_value("d", body["document"].clone()).unwrap();
            assert_eq!(handle, bytes.handle(), "request_hash");
        }
        of = Some(handle.to_string());
    }
}

#[test]
fn a_picture_request_with_a_locked_string_is_refused() {
    let mut memory = TestMemory::new();
    let (_, keys) = memory.append_fact(clue("k1", "seven keys"));
    let (_, friend) = memory.append_fact(clue("k2", "say \"friend\""));
    // JSON writes a line's end and a quotation mark as escapes.
    let documents = [
        json!({ "prompt": "a wall that reads\nseven keys" }),
        json!({ "prompt": "say \"friend\" now" }),
        json!({ "lines": [{ "\tSEVEN  KEYS": 1 }] }),
        json!({ "prompt": "a wall that reads SEVEN  KEYS" }),
    ];
    let body = |document| json!({ "stage": "REQUEST_SPEC", "document": document });
    for document in &documents {
        let before = memory.reader().head().unwrap().seq;
        let error = memory
            .store
            .append(EntryKind::Asset, body(document))
            .unwrap_err();
        assert!(matches!(error, MemoryError::Guess { .. }), "{error}");
        assert_eq!(memory.kinds_from(before + 1), [EntryKind::Guess]);
    }
    memory.start_scene("cellar");
    for detail in [keys, friend] {
        memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    }
    for document in &documents {
        memory.append(EntryKind::Asset, body(document));
    }
}

/// The answer is the same for a right guess and for one too many, names no string, and wrong guesses count too.
#[test]
fn guesses_in_requests_for_pictures_are_counted() {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("k1", "4711"));
    memory.append_fact(clue("k2", "seven keys"));
    memory.start_scene("cellar");
    let mut send = |prompt: &str| {
        let body = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": prompt } });
        memory
            .store
            .append(EntryKind::Asset, body)
            .map_err(|error| error.to_string())
    };
    let right = send("a door with 4711 on it").unwrap_err();
    assert!(
        right.starts_with("the request for a picture is refused") && !right.contains("4711"),
        "{right}"
    );
    assert_eq!(send("a wall that reads seven keys").unwrap_err(), right);
    // The two before count, and each wrong one.
    for number in 0..62 {
        send(&format!("a door with {} on it", 1000 + number)).unwrap();
    }
    assert_eq!(send("a door with 1234 on it").unwrap_err(), right);
    send("a door with nothing on it").unwrap();
    // Several together are refused together, and the guesses stay.
    let picture = |prompt: &str| {
        let body = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": prompt } });
        (EntryKind::Asset, body)
    };
    let before = memory.reader().head().unwrap().seq;
    let both = [picture("a tree"), picture("it is 4711")];
    memory.store.append_all(both).unwrap_err();
    assert_eq!(memory.kinds_from(before + 1), [EntryKind::Guess]);
    let logged = memory.body_of(before + 1);
    assert_eq!(
        logged,
        json!({ "output": "PVIB", "scene_id": "cellar", "guesses": 1 })
    );
}
