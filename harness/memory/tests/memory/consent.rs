//! The notebook: EV-010, EV-011 or EV-012, EV-013 (document, sections 3 and 5A).

use axilog_memory::{Handle, Id, RecallScope, Recalled, Scope};
use serde_json::json;

use crate::world::{World, clue};

fn world() -> (World, Handle) {
    let mut world = World::new();
    let (_, detail) = world.fact(clue("k1", "seven keys"));
    (world, detail)
}

#[test]
fn a_writing_that_was_consented_to_unlocks_for_the_campaign() {
    let (mut world, detail) = world();
    world
        .store
        .ask_notebook("r1", "table", "ana", &[detail])
        .unwrap();
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
    assert!(world.store.answer_notebook("r1", "ana", "grant").unwrap());
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
    let seq = world.store.apply_notebook("r1", &[detail]).unwrap();
    assert_eq!(
        world.ids(seq - 2),
        [
            Id::NotebookRequested,
            Id::NotebookGranted,
            Id::NotebookApplied
        ]
    );
    world.append(Id::State, json!({ "session_id": "s2" }));
    assert_eq!(
        world.lens().unlocked(detail).unwrap(),
        Some(Scope::Campaign)
    );
    let recall = world.ask(&detail.to_string(), None, RecallScope::Scene);
    assert_eq!(recall.recalled, Recalled::Exact(json!("seven keys")));
    // Of this campaign, not of another.
    world.append(Id::State, json!({ "campaign_id": "c2" }));
    assert_eq!(world.lens().unlocked(detail).unwrap(), None);
    world.append(Id::State, json!({ "campaign_id": "c1" }));
    assert_eq!(
        world.lens().unlocked(detail).unwrap(),
        Some(Scope::Campaign)
    );
}

#[test]
fn silence_denial_and_ambiguity_deny() {
    for says in [
        None,
        Some("no"),
        Some(""),
        Some("Grant"),
        Some("grant?"),
        Some("yes, maybe"),
    ] {
        let (mut world, detail) = world();
        world
            .store
            .ask_notebook("r1", "table", "ana", &[detail])
            .unwrap();
        if let Some(says) = says {
            assert!(!world.store.answer_notebook("r1", "ana", says).unwrap());
            let head = world.lens().head().unwrap().seq;
            assert_eq!(world.ids(head), [Id::NotebookDenied]);
        }
        let told = world
            .store
            .apply_notebook("r1", &[detail])
            .unwrap_err()
            .to_string();
        assert!(told.contains("not GRANTED"), "{told}");
        if says.is_some() {
            let told = world
                .store
                .answer_notebook("r1", "ana", "grant")
                .unwrap_err()
                .to_string();
            assert!(told.contains("DENIED already"), "{told}");
        }
        assert_eq!(world.lens().unlocked(detail).unwrap(), None);
    }
}

#[test]
fn consent_is_the_players_and_to_exactly_this() {
    let (mut world, detail) = world();
    let (_, other) = world.fact(clue("k2", "nine locks"));
    world
        .store
        .ask_notebook("r1", "table", "ana", &[detail])
        .unwrap();
    let told = world
        .store
        .answer_notebook("r1", "ben", "grant")
        .unwrap_err()
        .to_string();
    assert!(told.contains("ana's, who alone may answer"), "{told}");
    world.store.answer_notebook("r1", "ana", "grant").unwrap();
    for content in [vec![other], vec![detail, other]] {
        let told = world
            .store
            .apply_notebook("r1", &content)
            .unwrap_err()
            .to_string();
        assert!(told.contains("not what was consented to"), "{told}");
    }
    world.store.apply_notebook("r1", &[detail]).unwrap();
    world.store.apply_notebook("r1", &[detail]).unwrap_err();
    world.store.apply_notebook("r2", &[detail]).unwrap_err();
    world
        .store
        .ask_notebook("r1", "table", "ana", &[other])
        .unwrap_err();
    assert_eq!(world.lens().unlocked(other).unwrap(), None);
}

#[test]
fn nobody_writes_what_they_may_not_know_of() {
    let mut world = World::new();
    let mut secret = clue("k1", "seven keys");
    secret["visibility_mask"] = json!("DM_ONLY");
    let (_, detail) = world.fact(secret);
    let masked = world
        .store
        .ask_notebook("r1", "table", "ana", &[detail])
        .unwrap_err()
        .to_string();
    let none = Handle::parse(&"0".repeat(64)).unwrap();
    let absent = world
        .store
        .ask_notebook("r1", "table", "ana", &[none])
        .unwrap_err()
        .to_string();
    assert_eq!(
        masked.replace(&detail.to_string(), "H"),
        absent.replace(&none.to_string(), "H")
    );
}
