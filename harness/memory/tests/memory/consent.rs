//! The notebook: EV-010, EV-011 or EV-012, EV-013 (document, sections 3 and 5A).

use axilog_memory::{EntryKind, Handle, RecallAnswer, RecallScope, UnlockScope};
use serde_json::json;

use crate::test_memory::{TestMemory, clue};

fn memory_with_clue() -> (TestMemory, Handle) {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("k1", "seven keys"));
    (memory, detail)
}

#[test]
fn a_notebook_entry_with_consent_unlocks_for_the_campaign() {
    let (mut memory, detail) = memory_with_clue();
    memory
        .store
        .request_notebook_entry("r1", "table", "ana", &[detail])
        .unwrap();
    assert_eq!(memory.unlock_scope(detail), None);
    assert!(
        memory
            .store
            .answer_notebook_request("r1", "ana", "grant")
            .unwrap()
    );
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
        memory
            .store
            .request_notebook_entry("r1", "table", "ana", &[detail])
            .unwrap();
        if let Some(says) = says {
            assert!(
                !memory
                    .store
                    .answer_notebook_request("r1", "ana", says)
                    .unwrap()
            );
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
            let message = memory
                .store
                .answer_notebook_request("r1", "ana", "grant")
                .unwrap_err()
                .to_string();
            assert!(message.contains("DENIED already"), "{message}");
        }
        assert_eq!(memory.unlock_scope(detail), None);
    }
}

#[test]
fn only_the_player_consents_and_only_to_the_requested_content() {
    let (mut memory, detail) = memory_with_clue();
    let (_, other) = memory.append_fact(clue("k2", "nine locks"));
    memory
        .store
        .request_notebook_entry("r1", "table", "ana", &[detail])
        .unwrap();
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
    memory
        .store
        .request_notebook_entry("r1", "table", "ana", &[other])
        .unwrap_err();
    assert_eq!(memory.unlock_scope(other), None);
}

#[test]
fn a_masked_fact_cannot_be_requested_for_a_notebook() {
    let mut memory = TestMemory::new();
    let mut secret = clue("k1", "seven keys");
    secret["visibility_mask"] = json!("DM_ONLY");
    let (_, detail) = memory.append_fact(secret);
    let masked = memory
        .store
        .request_notebook_entry("r1", "table", "ana", &[detail])
        .unwrap_err()
        .to_string();
    let none = Handle::parse(&"0".repeat(64)).unwrap();
    let absent = memory
        .store
        .request_notebook_entry("r1", "table", "ana", &[none])
        .unwrap_err()
        .to_string();
    assert_eq!(
        masked.replace(&detail.to_string(), "H"),
        absent.replace(&none.to_string(), "H")
    );
}
