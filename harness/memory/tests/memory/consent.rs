//! The notebook: EV-010, EV-011 or EV-012, EV-013 (document, sections 3 and 5A).

use axilog_memory::{
    CanonicalJson, ConsentScope, EntryKind, Handle, MaskMatrix, MemoryError, MemoryStore,
    NotebookRequest, RecallAnswer, RecallScope, Result, UnlockScope,
};
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, initial_state, notebook_request, open_fact};

/// A memory with a clue that the table has learned.
fn memory_with_clue() -> (TestMemory, Handle) {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("k1", "seven keys"));
    memory.learn(detail);
    (memory, detail)
}

fn answer(memory: &mut TestMemory, request: &str, says: &str) -> Result<bool> {
    memory.store.answer_notebook_request(request, "ana", says)
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: Result<T>, reason: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, MemoryError::Refused { .. }), "{error}");
    assert!(error.to_string().contains(reason), "{error}");
}

/// Any player opens any visible secret: the working set lists the handle, then one player asks, grants and writes for
/// himself, and another one's recall says 4711.
#[test]
fn a_notebook_is_no_way_around_the_dice() {
    let mut memory = TestMemory::new();
    let (fact, detail) = memory.append_fact(clue("k1", "4711"));
    for content in [detail, fact] {
        let mut request = notebook_request("r1", &[content]);
        request.requester = "ben".to_owned();
        request.player = "ben".to_owned();
        assert_refused(
            memory.store.request_notebook_entry(&request),
            &format!("nobody at the table has learned {content}"),
        );
        memory
            .store
            .answer_notebook_request("r1", "ben", "grant")
            .unwrap_err();
        memory
            .store
            .record_notebook_entry("r1", &[content])
            .unwrap_err();
    }
    let recall = memory.recall(&detail.to_string(), None, RecallScope::Scene);
    assert_eq!(
        recall.answer,
        RecallAnswer::Fuzzy("Something is written there.".into())
    );
}

#[test]
fn a_notebook_holds_what_somebody_at_the_table_learned() {
    let (mut memory, detail) = memory_with_clue();
    let (fact, other) = memory.append_fact(clue("k2", "nine locks"));
    assert_refused(memory.ask("r1", &[detail, other]), "nobody at the table");
    // A roll that fails teaches nothing, and who knows a detail does not know the whole fact.
    memory.start_scene("cellar");
    memory.recall(&other.to_string(), Some(false), RecallScope::Scene);
    assert_refused(memory.ask("r1", &[other]), "nobody at the table");
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    memory.learn(other);
    assert_refused(memory.ask("r1", &[fact]), "nobody at the table");
    // Another campaign has other players.
    memory.append(EntryKind::State, json!({ "campaign_id": "c2" }));
    assert_refused(memory.ask("r1", &[other]), "nobody at the table");
    memory.append(EntryKind::State, json!({ "campaign_id": "c1" }));
    memory.take_note("r1", &[detail, other]);
    // Who knows the whole fact knows its details; what is no secret needs no recall.
    let (fact, third) = memory.append_fact(clue("k3", "ten doors"));
    memory.learn(fact);
    memory.take_note("r2", &[third]);
    let (open, _) = memory.append_fact(open_fact("k4", json!({ "text": "A red door." })));
    memory.take_note("r3", &[open]);
}

/// The word of who leads the game is given with the request, recorded with it, and holds for that request alone.
#[test]
fn who_leads_the_game_may_say_that_content_was_told() {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("k1", "seven keys"));
    let revealed = NotebookRequest {
        revealed_by_dm: true,
        ..notebook_request("r1", &[detail])
    };
    let seq = memory.store.request_notebook_entry(&revealed).unwrap();
    assert_eq!(memory.body_of(seq)["revealed_by_dm"], true);
    answer(&mut memory, "r1", "no").unwrap();
    assert_refused(memory.ask("r2", &[detail]), "nobody at the table");
    let again = NotebookRequest {
        id: "r3".to_owned(),
        ..revealed
    };
    memory.store.request_notebook_entry(&again).unwrap();
    answer(&mut memory, "r3", "grant").unwrap();
    memory.store.record_notebook_entry("r3", &[detail]).unwrap();
    assert_eq!(memory.unlock_scope(detail), Some(UnlockScope::Campaign));
}

/// Not even where the mask matrix lets outputs hold such facts, and somebody learned one.
#[test]
fn no_notebook_holds_a_fact_for_who_leads_the_game() {
    for (mask, precision) in [
        ("DM_ONLY", "LOCKED"),
        ("SYSTEM", "LOCKED"),
        ("DM_ONLY", "UNLOCKED"),
    ] {
        let every = json!(["PUBLIC", "PLAYER", "DM_ONLY", "SYSTEM"]);
        let rows = json!({ "WORKING_SET": every, "PROMPT": every, "NARRATION": every, "RECAP": every,
            "PVIB": every });
        let mut initial = initial_state();
        initial.mask_matrix =
            MaskMatrix::read(CanonicalJson::from_value("m", rows).unwrap()).unwrap();
        let mut memory = TestMemory::new();
        memory.path = memory.directory.path().join("every.db");
        memory.store = MemoryStore::init(&memory.path, &initial).unwrap();
        let mut secret = clue("k1", "seven keys");
        secret["visibility_mask"] = json!(mask);
        secret["precision_tag"] = json!(precision);
        let (_, detail) = memory.append_fact(secret);
        memory.learn(detail);
        let revealed = NotebookRequest {
            revealed_by_dm: true,
            ..notebook_request("r1", &[detail])
        };
        for request in [notebook_request("r1", &[detail]), revealed] {
            assert_refused(
                memory.store.request_notebook_entry(&request),
                &format!("nothing has the handle {detail}"),
            );
        }
    }
}

#[test]
fn one_request_is_open_at_a_time() {
    let (mut memory, detail) = memory_with_clue();
    let (_, other) = memory.append_fact(clue("k2", "nine locks"));
    memory.learn(other);
    memory.ask("r1", &[detail]).unwrap();
    assert_refused(memory.ask("r2", &[other]), "the request r1 is ASKED");
    let mut of_ben = notebook_request("r2", &[other]);
    of_ben.player = "ben".to_owned();
    assert_refused(
        memory.store.request_notebook_entry(&of_ben),
        "the request r1 is ASKED",
    );
    answer(&mut memory, "r1", "grant").unwrap();
    assert_refused(memory.ask("r2", &[other]), "the request r1 is GRANTED");
    memory.store.record_notebook_entry("r1", &[detail]).unwrap();
    memory.ask("r2", &[other]).unwrap();
    answer(&mut memory, "r2", "no").unwrap();
    memory.ask("r3", &[other]).unwrap();
}

#[test]
fn a_consent_can_be_taken_back_until_it_is_written() {
    let (mut memory, detail) = memory_with_clue();
    memory.ask("r1", &[detail]).unwrap();
    answer(&mut memory, "r1", "grant").unwrap();
    assert!(!answer(&mut memory, "r1", "rather not").unwrap());
    let write = memory.store.record_notebook_entry("r1", &[detail]);
    assert_refused(write, "is DENIED, not GRANTED");
    memory.take_note("r2", &[detail]);
    assert_refused(answer(&mut memory, "r2", "no"), "APPLIED already");
}

#[test]
fn a_consent_ends_with_its_scope_and_with_the_campaign() {
    type Change = fn(&mut TestMemory);
    let end_scene: Change = |memory| {
        memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    };
    let restart_scene: Change = |memory| {
        memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
        memory.start_scene("cellar");
    };
    let begin_session: Change = |memory| {
        memory.append(EntryKind::State, json!({ "session_id": "s1" }));
    };
    let begin_campaign: Change = |memory| {
        memory.append(EntryKind::State, json!({ "campaign_id": "c2" }));
    };
    let (scene, session) = (ConsentScope::Scene, ConsentScope::Session);
    for (scope, change, ends) in [
        (scene, end_scene, true),
        (scene, restart_scene, true),
        (scene, begin_session, true),
        (scene, begin_campaign, true),
        (session, end_scene, false),
        (session, restart_scene, false),
        (session, begin_session, true),
        (session, begin_campaign, true),
    ] {
        for is_granted in [true, false] {
            let (mut memory, detail) = memory_with_clue();
            memory.start_scene("cellar");
            let request = NotebookRequest {
                scope,
                ..notebook_request("r1", &[detail])
            };
            let seq = memory.store.request_notebook_entry(&request).unwrap();
            let body = memory.body_of(seq);
            assert_eq!(
                [&body["scope"], &body["scene_id"], &body["session_id"]],
                [&json!(scope), &json!("cellar"), &json!("s1")]
            );
            if is_granted {
                answer(&mut memory, "r1", "grant").unwrap();
            }
            change(&mut memory);
            let next = match is_granted {
                true => memory
                    .store
                    .record_notebook_entry("r1", &[detail])
                    .map(drop),
                false => answer(&mut memory, "r1", "grant").map(drop),
            };
            match ends {
                true => assert_refused(next, "the request r1 ended with its scene"),
                false => next.unwrap(),
            }
            let is_written = is_granted && !ends;
            assert_eq!(memory.unlock_scope(detail).is_some(), is_written);
        }
    }
}

#[test]
fn a_consent_for_a_scene_needs_a_scene() {
    let (mut memory, detail) = memory_with_clue();
    let request = NotebookRequest {
        scope: ConsentScope::Scene,
        ..notebook_request("r1", &[detail])
    };
    assert_refused(
        memory.store.request_notebook_entry(&request),
        "no scene is on; ask with the scope SESSION",
    );
}

#[test]
fn request_and_answer_name_the_hash_of_the_content() {
    let (mut memory, detail) = memory_with_clue();
    let seq = memory.ask("r1", &[detail]).unwrap();
    answer(&mut memory, "r1", "grant").unwrap();
    let content = CanonicalJson::from_value("the content", json!([detail])).unwrap();
    for seq in [seq, seq + 1] {
        let hash: Value = memory.body_of(seq)["content_hash"].clone();
        assert_eq!(hash, json!(content.handle()));
    }
}

/// What a recall opened in one campaign is not open in another, where the dice may fall anew.
#[test]
fn a_campaign_opens_nothing_in_another() {
    for scope in [RecallScope::Scene, RecallScope::Session] {
        let mut memory = TestMemory::new();
        let (_, detail) = memory.append_fact(clue("k1", "seven keys"));
        memory.start_scene("cellar");
        memory.recall(&detail.to_string(), Some(false), RecallScope::Scene);
        memory.append(EntryKind::State, json!({ "campaign_id": "c2" }));
        memory.recall(&detail.to_string(), Some(true), scope);
        assert!(memory.unlock_scope(detail).is_some());
        memory.append(EntryKind::State, json!({ "campaign_id": "c1" }));
        assert_eq!(memory.unlock_scope(detail), None);
    }
}

#[test]
fn a_notebook_entry_with_consent_unlocks_for_the_campaign() {
    let (mut memory, detail) = memory_with_clue();
    memory.ask("r1", &[detail]).unwrap();
    assert_eq!(memory.unlock_scope(detail), None);
    assert!(answer(&mut memory, "r1", "grant").unwrap());
    assert_eq!(memory.unlock_scope(detail), None);
    let seq = memory.store.record_notebook_entry("r1", &[detail]).unwrap();
    assert_eq!(
        memory.kinds_from(seq - 2),
        [
            EntryKind::NotebookRequested,
            EntryKind::NotebookGranted,
            EntryKind::NotebookApplied
        ]
    );
    memory.append(EntryKind::State, json!({ "session_id": "s2" }));
    assert_eq!(memory.unlock_scope(detail), Some(UnlockScope::Campaign));
    let recall = memory.recall(&detail.to_string(), None, RecallScope::Scene);
    assert_eq!(recall.answer, RecallAnswer::Exact(json!("seven keys")));
    // Of this campaign, not of another.
    memory.append(EntryKind::State, json!({ "campaign_id": "c2" }));
    assert_eq!(memory.unlock_scope(detail), None);
    memory.append(EntryKind::State, json!({ "campaign_id": "c1" }));
    assert_eq!(memory.unlock_scope(detail), Some(UnlockScope::Campaign));
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
        let (mut memory, detail) = memory_with_clue();
        memory.ask("r1", &[detail]).unwrap();
        if let Some(says) = says {
            assert!(!answer(&mut memory, "r1", says).unwrap());
            let head = memory.reader().head().unwrap().seq;
            assert_eq!(memory.kinds_from(head), [EntryKind::NotebookDenied]);
        }
        let message = memory
            .store
            .record_notebook_entry("r1", &[detail])
            .unwrap_err()
            .to_string();
        assert!(message.contains("not GRANTED"), "{message}");
        if says.is_some() {
            assert_refused(answer(&mut memory, "r1", "grant"), "DENIED already");
        }
        assert_eq!(memory.unlock_scope(detail), None);
    }
}

#[test]
fn only_the_player_consents_and_only_to_the_requested_content() {
    let (mut memory, detail) = memory_with_clue();
    let (_, other) = memory.append_fact(clue("k2", "nine locks"));
    memory.learn(other);
    memory.ask("r1", &[detail]).unwrap();
    let message = memory
        .store
        .answer_notebook_request("r1", "ben", "grant")
        .unwrap_err()
        .to_string();
    assert!(message.contains("ana's, who alone may answer"), "{message}");
    memory
        .store
        .answer_notebook_request("r1", "ana", "grant")
        .unwrap();
    for content in [vec![other], vec![detail, other]] {
        let message = memory
            .store
            .record_notebook_entry("r1", &content)
            .unwrap_err()
            .to_string();
        assert!(message.contains("not what was consented to"), "{message}");
    }
    memory.store.record_notebook_entry("r1", &[detail]).unwrap();
    memory
        .store
        .record_notebook_entry("r1", &[detail])
        .unwrap_err();
    memory
        .store
        .record_notebook_entry("r2", &[detail])
        .unwrap_err();
    assert_refused(memory.ask("r1", &[other]), "was made before");
    assert_eq!(memory.unlock_scope(other), None);
}

#[test]
fn a_masked_fact_cannot_be_requested_for_a_notebook() {
    let mut memory = TestMemory::new();
    let mut secret = clue("k1", "seven keys");
    secret["visibility_mask"] = json!("DM_ONLY");
    let (_, detail) = memory.append_fact(secret);
    let masked = memory.ask("r1", &[detail]).unwrap_err().to_string();
    let none = Handle::parse(&"0".repeat(64)).unwrap();
    let absent = memory.ask("r1", &[none]).unwrap_err().to_string();
    assert_eq!(
        masked.replace(&detail.to_string(), "H"),
        absent.replace(&none.to_string(), "H")
    );
}
