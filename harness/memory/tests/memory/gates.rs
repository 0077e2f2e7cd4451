//! Each gate is passed by a good memory, and not by one in which its subject is broken.

use axilog_memory::gate::{Finding, Gate, Given, canonical_query, run};
use axilog_memory::{Handle, Id, RecallScope, Store, compaction_body};
use serde_json::json;

use crate::world::{World, clue, plain};

fn world() -> (World, Handle, Handle) {
    let mut world = World::new();
    let (fact, detail) = world.fact(clue("k1", "seven keys"));
    let (door, _) = world.fact(plain("k2", json!({ "text": "A red door." })));
    world.append(
        Id::Compaction,
        compaction_body("RECAP", &[fact, door]).unwrap(),
    );
    (world, fact, detail)
}

fn gate(world: &mut World, gate: Gate) -> Finding {
    let head = world.lens().head().unwrap();
    let finding = run(&mut world.store, gate, &Given::default()).unwrap();
    assert!(!finding.checked.is_empty());
    assert_eq!(world.lens().head().unwrap(), head);
    finding
}

#[track_caller]
pub fn fails(finding: &Finding, told: &str) {
    assert!(
        finding.faults.iter().any(|fault| fault.contains(told)),
        "{told:?} in {finding:?}"
    );
}

#[test]
fn a_good_memory_passes() {
    let (mut world, _, detail) = world();
    world.scene("cellar");
    world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    for number in [Gate::G1, Gate::G2, Gate::G3, Gate::G4, Gate::G5, Gate::G6] {
        let finding = gate(&mut world, number);
        assert!(finding.passed(), "{finding:?}");
    }
}

#[test]
fn g1_finds_what_the_log_does_not_give() {
    for (change, table) in [
        ("UPDATE fact SET kind = 'RUMOUR'", "fact"),
        ("UPDATE shown SET audience = 'DM_ONLY'", "shown"),
        ("DELETE FROM detail", "detail"),
        (
            "INSERT INTO unlocked VALUES (x'00', 'SCENE', '1', 1)",
            "unlocked",
        ),
        (
            "UPDATE pointer SET value = '\"mars\"' WHERE name = 'world_id'",
            "pointer",
        ),
        (
            "INSERT INTO consent VALUES ('r', 'p', '', 'GRANTED', 1)",
            "consent",
        ),
        ("INSERT INTO attempt VALUES (x'00', 1, 1)", "attempt"),
        ("UPDATE compaction SET output = x'5b5d'", "compaction"),
        ("DELETE FROM pin WHERE name = 'llm'", "pin"),
        ("INSERT INTO asset VALUES (x'00', 'POOL', NULL, 1)", "asset"),
    ] {
        let (mut world, ..) = world();
        world.meddle(change);
        fails(
            &gate(&mut world, Gate::G1),
            &format!("the table {table} is not what the log gives"),
        );
        world.store.rebuild().unwrap();
        assert!(gate(&mut world, Gate::G1).passed());
    }
}

#[test]
fn g1_compares_with_a_golden_hash() {
    let (mut world, ..) = world();
    let id = world.lens().working_set(&canonical_query()).unwrap().id();
    for (golden, passes) in [(id, true), (Handle::of(b""), false)] {
        let given = Given {
            golden: Some(golden),
            ..Given::default()
        };
        assert_eq!(
            run(&mut world.store, Gate::G1, &given).unwrap().passed(),
            passes
        );
    }
}

#[test]
fn g2_finds_a_string_that_is_out_without_an_unlock() {
    let (mut world, _, detail) = world();
    world.scene("cellar");
    world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    let brief = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": "it reads seven keys" } });
    world.append(Id::Asset, brief);
    world.append(Id::SceneEnd, json!({ "scene_id": "cellar" }));
    assert!(gate(&mut world, Gate::G2).passed());
    world.meddle("DELETE FROM unlocked");
    fails(&gate(&mut world, Gate::G2), "holds the exact string of");
}

#[test]
fn g2_finds_a_string_that_the_guard_lets_through() {
    let (mut world, ..) = world();
    world.fact(plain("k3", json!({ "text": "They read SEVEN  keys." })));
    assert!(gate(&mut world, Gate::G2).passed());
    // The guard searches for what this table has.
    world.meddle("DELETE FROM detail");
    world.store = Store::open(&world.path).unwrap();
    let finding = gate(&mut world, Gate::G2);
    for output in ["working set", "prompt", "PVIB"] {
        fails(&finding, &format!("the {output} ("));
    }
}

/// As a writer would that keeps unlocks for too long.
#[test]
fn g2_finds_a_brief_that_was_sent_after_its_unlock_ended() {
    let scene = (Id::SceneEnd, json!({ "scene_id": "cellar" }));
    let session = (Id::State, json!({ "session_id": "s2" }));
    let other = (Id::State, json!({ "threads": [] }));
    for (scope, (id, body), ended) in [
        (RecallScope::Scene, &other, false),
        (RecallScope::Scene, &scene, true),
        (RecallScope::Scene, &session, true),
        (RecallScope::Session, &scene, false),
        (RecallScope::Session, &session, true),
    ] {
        let (mut world, _, detail) = world();
        world.scene("cellar");
        world.ask(&detail.to_string(), Some(true), scope);
        world.append(*id, body.clone());
        let brief = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": "seven keys" } });
        world.forge(Id::Asset, brief);
        let seq = world.lens().head().unwrap().seq;
        world.meddle(&format!(
            "INSERT INTO asset VALUES (zeroblob(32), 'REQUEST_SPEC', NULL, {seq})"
        ));
        let finding = gate(&mut world, Gate::G2);
        assert_eq!(finding.passed(), !ended, "{scope:?} {id} {finding:?}");
    }
}

/// What is unlocked a second time was unlocked before that too.
#[test]
fn g2_passes_a_brief_between_two_unlocks() {
    let (mut world, _, detail) = world();
    for request in ["r1", "r2"] {
        let store = &mut world.store;
        store
            .ask_notebook(request, "table", "ana", &[detail])
            .unwrap();
        store.answer_notebook(request, "ana", "grant").unwrap();
        store.apply_notebook(request, &[detail]).unwrap();
        let brief = json!({ "stage": "REQUEST_SPEC", "document": { request: "seven keys" } });
        world.append(Id::Asset, brief);
    }
    assert!(gate(&mut world, Gate::G2).passed());
}

#[test]
fn g3_finds_an_exact_answer_without_an_unlock() {
    let (mut world, _, detail) = world();
    world.scene("cellar");
    let scene = world.lens().state().unwrap().scene.unwrap().1;
    assert!(gate(&mut world, Gate::G3).passed());
    world.meddle(&format!(
        "INSERT INTO unlocked VALUES (x'{detail}', 'SCENE', '{scene}', 99999)"
    ));
    world.ask(&detail.to_string(), None, RecallScope::Scene);
    fails(
        &gate(&mut world, Gate::G3),
        "an exact answer after NOT_NEEDED, to what is locked",
    );
}

#[test]
fn g3_finds_a_second_attempt() {
    let (mut world, fact, detail) = world();
    world.scene("cellar");
    world.ask(&detail.to_string(), Some(false), RecallScope::Scene);
    assert!(gate(&mut world, Gate::G3).passed());
    for (before, handle) in [fact, detail].into_iter().enumerate() {
        world.meddle("DELETE FROM attempt");
        world.ask(&handle.to_string(), Some(false), RecallScope::Scene);
        let finding = gate(&mut world, Gate::G3);
        fails(&finding, "a second attempt in one scene");
        assert_eq!(finding.faults.len(), before + 1);
    }
}

#[test]
fn g3_finds_requests_that_are_not_whole() {
    let asked = |handle: &str| {
        let body = json!({ "detail_handle": handle, "requester_id": "ana", "scene_id": null });
        (Id::RecallRequest, body)
    };
    let tried = |handle: &str, outcome: &str| {
        let body = json!({ "detail_handle": handle, "roller_id": null, "skill_id": null, "dc": null,
            "roll": null, "outcome": outcome });
        (Id::RecallAttempt, body)
    };
    let told = |handle: &str, outcome: &str, scope: Option<&str>| {
        let body = json!({ "detail_handle": handle, "outcome": outcome, "payload_handle": null,
            "unlock_scope": scope });
        (Id::RecallResult, body)
    };
    let (one, two) = ("1".repeat(64), "2".repeat(64));
    for (entries, fault) in [
        (vec![asked(&one)], "the request is not whole"),
        (
            vec![asked(&one), tried(&one, "NOT_ROLLED")],
            "the request is not whole",
        ),
        (
            vec![asked(&one), told(&one, "FUZZY", None)],
            "EV-002 should follow, and it is EV-003",
        ),
        (
            vec![asked(&one), tried(&two, "NOT_ROLLED")],
            "EV-002 without its EV-001",
        ),
        (
            vec![told(&one, "UNKNOWN", None)],
            "EV-003 without its EV-001 and EV-002",
        ),
        (
            vec![asked(&one), tried(&one, "SUCCESS")],
            "an outcome without a roll",
        ),
        (
            vec![
                asked(&one),
                tried(&one, "NOT_ROLLED"),
                told(&one, "EXACT", None),
            ],
            "an exact answer after NOT_ROLLED, to what is locked",
        ),
        (
            vec![
                asked(&one),
                tried(&one, "NOT_ROLLED"),
                told(&one, "FUZZY", Some("SCENE")),
            ],
            "an unlock without an exact answer",
        ),
    ] {
        let (mut world, ..) = world();
        for (id, body) in entries {
            world.forge(id, body);
        }
        fails(&gate(&mut world, Gate::G3), fault);
    }
}

#[test]
fn g3_finds_a_writing_without_consent_to_it() {
    for (change, player, fault) in [
        (
            "UPDATE consent SET state = 'GRANTED'",
            None,
            "EV-013 without its EV-011",
        ),
        (
            "UPDATE consent SET player = 'ben'",
            Some("ben"),
            "EV-011 without its EV-010",
        ),
        (
            "UPDATE consent SET handles = '{other}'",
            Some("ana"),
            "EV-013 without its EV-011",
        ),
    ] {
        let (mut world, _, detail) = world();
        let (_, other) = world.fact(clue("k3", "nine locks"));
        let store = &mut world.store;
        store.ask_notebook("r1", "table", "ana", &[detail]).unwrap();
        world.meddle(&change.replace("{other}", &other.to_string()));
        if let Some(player) = player {
            world.store.answer_notebook("r1", player, "grant").unwrap();
        }
        let content = if change.contains("{other}") {
            other
        } else {
            detail
        };
        world.store.apply_notebook("r1", &[content]).unwrap();
        fails(&gate(&mut world, Gate::G3), fault);
    }
}

#[test]
fn g4_finds_a_compaction_that_says_something_else() {
    let (mut world, ..) = world();
    world.meddle("UPDATE compaction SET output = x'5b5d'");
    fails(
        &gate(&mut world, Gate::G4),
        "says something else when made again",
    );
    world.meddle("UPDATE compaction SET compaction = zeroblob(32)");
    fails(&gate(&mut world, Gate::G4), "not the hash of its inputs");
}

#[test]
fn g5_finds_a_log_without_its_triggers() {
    for trigger in ["log_no_update", "log_no_delete", "log_in_order"] {
        let (mut world, ..) = world();
        world.meddle(&format!("DROP TRIGGER {trigger}"));
        let finding = gate(&mut world, Gate::G5);
        fails(&finding, &format!("the trigger {trigger} is gone"));
        assert!(
            finding.faults.len() > 1 || trigger == "log_no_delete",
            "{finding:?}"
        );
    }
}

#[test]
fn g6_finds_pins_that_are_others() {
    let (mut world, ..) = world();
    let given = Given {
        pins: vec![("llm".into(), "model-2".into())],
        ..Given::default()
    };
    fails(
        &run(&mut world.store, Gate::G6, &given).unwrap(),
        "the pin llm is model-1 in the log and model-2 here",
    );
    let given = Given {
        pins: vec![("adapter".into(), "a".into())],
        ..Given::default()
    };
    fails(
        &run(&mut world.store, Gate::G6, &given).unwrap(),
        "the pin adapter is not there in the log and a here; if the change is meant, append a PIN of",
    );
    world.append(
        Id::Revision,
        json!({ "name": "ordering_policy", "from": world.lens().pins().unwrap().iter().find(|(n, _)| n == "ordering_policy").unwrap().1,
            "to": "other", "reason": "another build" }),
    );
    fails(
        &gate(&mut world, Gate::G6),
        "the pin ordering_policy is other in the log",
    );
}
