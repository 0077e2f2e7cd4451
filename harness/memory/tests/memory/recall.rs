//! G3: recall by the table's dice (RR-002; document, section 5).

use axilog_memory::{Handle, Id, RecallScope, Recalled, Scope};
use serde_json::{Value, json};

use crate::world::{World, clue, plain};

fn world() -> (World, Handle, Handle) {
    let mut world = World::new();
    let (fact, detail) = world.fact(clue("k1", "seven keys"));
    (world, fact, detail)
}

/// The bodies of the three entries of a request.
fn logged(world: &World, seq: u64) -> [Value; 3] {
    let mut bodies = Vec::new();
    let mut found = |entry: axilog_memory::Entry| {
        if (seq..seq + 3).contains(&entry.seq) {
            bodies.push(entry.body);
        }
        Ok(())
    };
    world.lens().each_entry(&mut found).unwrap();
    bodies.try_into().unwrap()
}

#[test]
fn a_success_tells_and_unlocks_until_the_scene_ends() {
    let (mut world, fact, detail) = world();
    world.scene("cellar");
    let recall = world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    assert_eq!(recall.recalled, Recalled::Exact(json!("seven keys")));
    let [request, attempt, result] = logged(&world, recall.seq);
    let handle = detail.to_string();
    assert_eq!(
        request,
        json!({ "detail_handle": handle, "requester_id": "ana", "scene_id": "cellar" })
    );
    assert_eq!(
        attempt,
        json!({ "detail_handle": handle, "roller_id": "ana", "skill_id": "lore", "dc": 12,
            "roll": 17, "outcome": "SUCCESS" })
    );
    assert_eq!(
        result,
        json!({ "detail_handle": handle, "outcome": "EXACT", "payload_handle": fact.to_string(),
            "unlock_scope": "SCENE" })
    );
    assert_eq!(world.lens().unlocked(detail).unwrap(), Some(Scope::Scene));
    let again = world.ask(&handle, None, RecallScope::Scene);
    assert_eq!(again.attempt, "NOT_NEEDED");
    assert_eq!(
        world.ids(again.seq),
        [Id::RecallRequest, Id::RecallAttempt, Id::RecallResult]
    );
    world.append(Id::SceneEnd, json!({ "scene_id": "cellar" }));
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
    // The scene of the same name is another scene.
    world.scene("cellar");
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
    assert!(matches!(
        world.ask(&handle, None, RecallScope::Scene).recalled,
        Recalled::Fuzzy(_)
    ));
}

#[test]
fn a_success_may_unlock_until_the_session_ends() {
    let (mut world, _, detail) = world();
    world.scene("cellar");
    world.ask(&detail.to_string(), Some(true), RecallScope::Session);
    world.append(Id::SceneEnd, json!({ "scene_id": "cellar" }));
    assert_eq!(world.lens().unlocked(detail).unwrap(), Some(Scope::Session));
    world.append(Id::State, json!({ "session_id": "s2" }));
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
    world.append(Id::State, json!({ "session_id": "s1" }));
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
}

#[test]
fn a_scene_that_outlasts_its_session_keeps_nothing_unlocked() {
    let (mut world, _, detail) = world();
    world.scene("cellar");
    world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    world.append(Id::State, json!({ "session_id": "s2" }));
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
}

#[test]
fn there_is_one_attempt_per_detail_and_scene() {
    let (mut world, _, detail) = world();
    let (_, other) = world.fact(clue("k2", "nine locks"));
    let handle = detail.to_string();
    world.scene("cellar");
    assert_eq!(
        world.ask(&handle, None, RecallScope::Scene).attempt,
        "NOT_ROLLED"
    );
    assert_eq!(
        world.ask(&handle, Some(false), RecallScope::Scene).attempt,
        "FAILURE"
    );
    let again = world.ask(&handle, Some(true), RecallScope::Scene);
    assert_eq!(again.attempt, "ALREADY_TRIED");
    assert_eq!(
        again.recalled,
        Recalled::Fuzzy("Something is written there.".into())
    );
    assert_eq!(
        world
            .ask(&other.to_string(), Some(true), RecallScope::Scene)
            .attempt,
        "SUCCESS"
    );
    world.append(Id::SceneEnd, json!({ "scene_id": "cellar" }));
    assert_eq!(
        world.ask(&handle, Some(true), RecallScope::Scene).attempt,
        "NOT_ROLLED"
    );
    world.scene("attic");
    assert_eq!(
        world.ask(&handle, Some(true), RecallScope::Scene).attempt,
        "SUCCESS"
    );
}

/// Else a roll for the fact would be a second one for the detail, and the other way about.
#[test]
fn a_roll_for_a_fact_is_one_for_each_of_its_details() {
    for whole_first in [true, false] {
        let (mut world, fact, detail) = world();
        let (_, other) = world.fact(clue("k2", "nine locks"));
        let (first, second) = match whole_first {
            true => (fact.to_string(), detail.to_string()),
            false => (detail.to_string(), fact.to_string()),
        };
        world.scene("cellar");
        let roll = |world: &mut World, handle: &str, success| {
            world.ask(handle, Some(success), RecallScope::Scene).attempt
        };
        assert_eq!(roll(&mut world, &first, false), "FAILURE");
        assert_eq!(roll(&mut world, &second, true), "ALREADY_TRIED");
        assert_eq!(world.lens().unlocked(fact).unwrap(), None);
        assert_eq!(world.lens().unlocked(detail).unwrap(), None);
        assert_eq!(roll(&mut world, &other.to_string(), true), "SUCCESS");
        world.append(Id::SceneEnd, json!({ "scene_id": "cellar" }));
        world.scene("attic");
        assert_eq!(roll(&mut world, &second, true), "SUCCESS");
    }
}

#[test]
fn what_is_not_locked_needs_no_roll() {
    let mut world = World::new();
    let (fact, _) = world.fact(plain("k1", json!({ "text": "A red door." })));
    assert!(world.lens().is_free(fact).unwrap());
    let recall = world.ask(&fact.to_string(), None, RecallScope::Scene);
    assert_eq!(recall.attempt, "NOT_NEEDED");
    assert_eq!(
        recall.recalled,
        Recalled::Exact(json!({ "text": "A red door." }))
    );
}

#[test]
fn a_facts_payload_is_recalled_with_its_details() {
    let (mut world, fact, detail) = world();
    world.scene("cellar");
    assert!(!world.lens().is_free(detail).unwrap());
    let recall = world.ask(&fact.to_string(), Some(true), RecallScope::Scene);
    assert_eq!(
        recall.recalled,
        Recalled::Exact(json!({ "text": "It reads seven keys." }))
    );
    assert!(world.lens().is_free(detail).unwrap());
    assert_eq!(
        world
            .ask(&detail.to_string(), None, RecallScope::Scene)
            .attempt,
        "NOT_NEEDED"
    );
}

#[test]
fn what_is_masked_is_answered_as_what_is_not_there() {
    let mut world = World::new();
    let mut secret = clue("k1", "seven keys");
    secret["visibility_mask"] = json!({ "PLAYER": ["ben"] });
    let (_, detail) = world.fact(secret);
    world.scene("cellar");
    let masked = world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    let nothing = world.ask(&"0".repeat(64), Some(true), RecallScope::Scene);
    assert_eq!(masked.recalled, Recalled::Unknown);
    assert_eq!(
        (masked.recalled, masked.attempt),
        (nothing.recalled, nothing.attempt)
    );
    let handle = detail.to_string();
    let same = |world: &World, seq, handle: &str| {
        logged(world, seq).map(|body| body.to_string().replace(handle, "H"))
    };
    assert_eq!(
        same(&world, masked.seq, &handle),
        same(&world, nothing.seq, &"0".repeat(64))
    );
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
}
