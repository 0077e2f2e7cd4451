//! G3: recall by the table's dice (RR-002; document, section 5).

use axilog_memory::{
    AttemptOutcome, EntryKind, Handle, MemoryStore, RecallAnswer, RecallScope, UnlockScope,
};
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, open_fact};

fn memory_with_clue() -> (TestMemory, Handle, Handle) {
    let mut memory = TestMemory::new();
    let (fact, detail) = memory.append_fact(clue("k1", "seven keys"));
    (memory, fact, detail)
}

/// The bodies of the three entries of a request.
fn read_recall_bodies(memory: &TestMemory, seq: u64) -> [Value; 3] {
    let mut bodies = Vec::new();
    let mut found = |entry: axilog_memory::LogEntry| {
        if (seq..seq + 3).contains(&entry.seq) {
            bodies.push(entry.body);
        }
        Ok(())
    };
    memory.reader().for_each_entry(&mut found).unwrap();
    bodies.try_into().unwrap()
}

#[test]
fn a_success_unlocks_until_the_scene_ends() {
    let (mut memory, fact, detail) = memory_with_clue();
    memory.start_scene("cellar");
    let recall = memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    assert_eq!(recall.answer, RecallAnswer::Exact(json!("seven keys")));
    let [request, attempt, result] = read_recall_bodies(&memory, recall.seq);
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
    assert_eq!(memory.unlock_scope(detail), Some(UnlockScope::Scene));
    let second = memory.recall(&handle, None, RecallScope::Scene);
    assert_eq!(second.attempt, AttemptOutcome::NotNeeded);
    assert_eq!(
        memory.kinds_from(second.seq),
        [
            EntryKind::RecallRequest,
            EntryKind::RecallAttempt,
            EntryKind::RecallResult
        ]
    );
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    assert_eq!(memory.unlock_scope(detail), None);
    // Where a scene begins again, what it had unlocked stays locked.
    memory.start_scene("cellar");
    assert_eq!(memory.unlock_scope(detail), None);
    assert!(matches!(
        memory.recall(&handle, None, RecallScope::Scene).answer,
        RecallAnswer::Fuzzy(_)
    ));
}

#[test]
fn a_success_may_unlock_until_the_session_ends() {
    let (mut memory, _, detail) = memory_with_clue();
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Session);
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    assert_eq!(memory.unlock_scope(detail), Some(UnlockScope::Session));
    memory.append(EntryKind::State, json!({ "session_id": "s2" }));
    assert_eq!(memory.unlock_scope(detail), None);
    memory.append(EntryKind::State, json!({ "session_id": "s1" }));
    assert_eq!(memory.unlock_scope(detail), None);
}

#[test]
fn a_scene_that_outlasts_its_session_keeps_nothing_unlocked() {
    let (mut memory, _, detail) = memory_with_clue();
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    memory.append(EntryKind::State, json!({ "session_id": "s2" }));
    assert_eq!(memory.unlock_scope(detail), None);
}

#[test]
fn there_is_one_attempt_per_detail_and_scene() {
    let (mut memory, _, detail) = memory_with_clue();
    let (_, other) = memory.append_fact(clue("k2", "nine locks"));
    let handle = detail.to_string();
    memory.start_scene("cellar");
    assert_eq!(
        memory.recall(&handle, None, RecallScope::Scene).attempt,
        AttemptOutcome::NotRolled
    );
    assert_eq!(
        memory
            .recall(&handle, Some(false), RecallScope::Scene)
            .attempt,
        AttemptOutcome::Failure
    );
    let second = memory.recall(&handle, Some(true), RecallScope::Scene);
    assert_eq!(second.attempt, AttemptOutcome::AlreadyTried);
    assert_eq!(
        second.answer,
        RecallAnswer::Fuzzy("Something is written there.".into())
    );
    assert_eq!(
        memory
            .recall(&other.to_string(), Some(true), RecallScope::Scene)
            .attempt,
        AttemptOutcome::Success
    );
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    assert_eq!(
        memory
            .recall(&handle, Some(true), RecallScope::Scene)
            .attempt,
        AttemptOutcome::NotRolled
    );
    memory.start_scene("attic");
    assert_eq!(
        memory
            .recall(&handle, Some(true), RecallScope::Scene)
            .attempt,
        AttemptOutcome::Success
    );
}

/// Whoever asks: the table has rolled. A scene that begins again, also in another session and after a restart of the
/// program, is the same scene.
#[test]
fn nobody_rolls_a_second_time_for_a_detail_in_a_scene() {
    type Way = fn(&mut TestMemory);
    let restart: Way = |memory| {
        memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
        memory.start_scene("cellar");
    };
    let ways: [(&str, Way); 6] = [
        ("at once", |_| {}),
        ("in a scene that began again", restart),
        ("after another scene", |memory| {
            memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
            memory.start_scene("attic");
            memory.append(EntryKind::SceneEnd, json!({ "scene_id": "attic" }));
            memory.start_scene("cellar");
        }),
        ("in another session", |memory| {
            memory.append(EntryKind::State, json!({ "session_id": "s2" }));
        }),
        ("after a campaign in between", |memory| {
            memory.append(EntryKind::State, json!({ "campaign_id": "c2" }));
            memory.append(EntryKind::State, json!({ "campaign_id": "c1" }));
        }),
        ("after a restart and a rebuild", |memory| {
            memory.store = MemoryStore::open(&memory.path).unwrap();
            memory.store.rebuild().unwrap();
        }),
    ];
    for (about, way) in ways {
        for whole in [[false, false], [true, false], [false, true]] {
            let (mut memory, fact, detail) = memory_with_clue();
            let [first, second] = whole.map(|whole| if whole { fact } else { detail });
            memory.start_scene("cellar");
            let failed = memory.recall_as("ana", &first.to_string(), false);
            assert_eq!(failed.attempt, AttemptOutcome::Failure);
            way(&mut memory);
            for who in ["ana", "ben"] {
                let recall = memory.recall_as(who, &second.to_string(), true);
                assert_eq!(
                    recall.attempt,
                    AttemptOutcome::AlreadyTried,
                    "{about} {who}"
                );
                assert!(matches!(recall.answer, RecallAnswer::Fuzzy(_)));
            }
            assert!(!memory.reader().is_open(detail).unwrap());
        }
    }
}

/// Else a roll for the fact would be a second one for the detail, and the other way about.
#[test]
fn a_roll_for_a_fact_is_one_for_each_of_its_details() {
    for whole_first in [true, false] {
        let (mut memory, fact, detail) = memory_with_clue();
        let (_, other) = memory.append_fact(clue("k2", "nine locks"));
        let (first, second) = match whole_first {
            true => (fact.to_string(), detail.to_string()),
            false => (detail.to_string(), fact.to_string()),
        };
        memory.start_scene("cellar");
        let roll = |memory: &mut TestMemory, handle: &str, success| {
            memory
                .recall(handle, Some(success), RecallScope::Scene)
                .attempt
        };
        assert_eq!(roll(&mut memory, &first, false), AttemptOutcome::Failure);
        assert_eq!(
            roll(&mut memory, &second, true),
            AttemptOutcome::AlreadyTried
        );
        assert_eq!(memory.unlock_scope(fact), None);
        assert_eq!(memory.unlock_scope(detail), None);
        assert_eq!(
            roll(&mut memory, &other.to_string(), true),
            AttemptOutcome::Success
        );
        memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
        memory.start_scene("attic");
        assert_eq!(roll(&mut memory, &second, true), AttemptOutcome::Success);
    }
}

#[test]
fn an_open_fact_needs_no_roll() {
    let mut memory = TestMemory::new();
    let (fact, _) = memory.append_fact(open_fact("k1", json!({ "text": "A red door." })));
    assert!(memory.reader().is_open(fact).unwrap());
    let recall = memory.recall(&fact.to_string(), None, RecallScope::Scene);
    assert_eq!(recall.attempt, AttemptOutcome::NotNeeded);
    assert_eq!(
        recall.answer,
        RecallAnswer::Exact(json!({ "text": "A red door." }))
    );
}

#[test]
fn a_facts_payload_is_recalled_with_its_details() {
    let (mut memory, fact, detail) = memory_with_clue();
    memory.start_scene("cellar");
    assert!(!memory.reader().is_open(detail).unwrap());
    let recall = memory.recall(&fact.to_string(), Some(true), RecallScope::Scene);
    assert_eq!(
        recall.answer,
        RecallAnswer::Exact(json!({ "text": "It reads seven keys." }))
    );
    assert!(memory.reader().is_open(detail).unwrap());
    assert_eq!(
        memory
            .recall(&detail.to_string(), None, RecallScope::Scene)
            .attempt,
        AttemptOutcome::NotNeeded
    );
}

#[test]
fn a_masked_handle_is_answered_as_an_unknown_one() {
    let mut memory = TestMemory::new();
    let mut secret = clue("k1", "seven keys");
    secret["visibility_mask"] = json!({ "PLAYER": ["ben"] });
    let (_, detail) = memory.append_fact(secret);
    memory.start_scene("cellar");
    let masked = memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    let nothing = memory.recall(&"0".repeat(64), Some(true), RecallScope::Scene);
    assert_eq!(masked.answer, RecallAnswer::Unknown);
    assert_eq!(
        (masked.answer, masked.attempt),
        (nothing.answer, nothing.attempt)
    );
    let handle = detail.to_string();
    let same = |memory: &TestMemory, seq, handle: &str| {
        read_recall_bodies(memory, seq).map(|body| body.to_string().replace(handle, "H"))
    };
    assert_eq!(
        same(&memory, masked.seq, &handle),
        same(&memory, nothing.seq, &"0".repeat(64))
    );
    assert_eq!(memory.unlock_scope(detail), None);
}

#[test]
fn a_success_that_the_dice_deny_is_refused() {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("a1", "seven keys"));
    memory.start_scene("cellar");
    let head = memory.reader().head().unwrap();
    let request = axilog_memory::RecallRequest {
        handle: detail.to_string(),
        requester: "ana".into(),
        listeners: Vec::new(),
        roll: Some(axilog_memory::DiceRoll {
            roller: "ana".into(),
            skill: "lore".into(),
            dc: 12,
            rolled: 11,
            success: true,
        }),
        scope: RecallScope::Scene,
    };
    let error = memory.store.recall(&request).unwrap_err().to_string();
    assert!(error.contains("found 11, expected 12 or more"), "{error}");
    assert_eq!(memory.reader().head().unwrap(), head);
}
