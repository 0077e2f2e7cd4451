//! A log of an earlier version goes on: what was appended then is read, rebuilt and judged as it was then.

use axilog_memory::gate::{Gate, GateInputs, run_gate};
use axilog_memory::{EntryKind, MemoryStore, Mode};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

/// A memory that a build of version 6 made: each event that had other members then, and each kind of output. The same
/// build said that its 7 outputs can be made again, and that it passes the gates.
const VERSION_6: &str = include_str!("logs/version_6.sql");

/// The head that the build of version 6 printed.
const HEAD: (u64, &str) = (
    54,
    "725e3366392197d1eadfe7813fa41d22e4c01b09fbe3d25da3ad8a8e65b531e5",
);

fn load() -> (TempDir, MemoryStore) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute_batch(VERSION_6).unwrap();
    drop(conn);
    let store = MemoryStore::open(&path).unwrap();
    (directory, store)
}

fn head_of(store: &MemoryStore) -> (u64, String) {
    let head = store.reader().head().unwrap();
    let digits = head.chain.unwrap().into_iter().map(|b| format!("{b:02x}"));
    (head.seq, digits.collect())
}

#[test]
fn a_log_of_version_6_is_opened_and_rebuilt_to_the_same_bytes() {
    let (_directory, mut store) = load();
    assert_eq!(head_of(&store), (HEAD.0, HEAD.1.to_owned()));
    let state = store.reader().story_state().unwrap();
    assert_eq!(state.mode, Mode::Notebook);
    assert!(
        state
            .others
            .contains(&("reading_spot".to_owned(), json!("page-4")))
    );
    let rebuilt = store.rebuild_asserting(&[]).unwrap();
    assert_eq!(rebuilt.head.seq, HEAD.0);
    assert_eq!(rebuilt.shown.same, 7);
    assert!(rebuilt.shown.differences.is_empty());
    assert!(rebuilt.shown.other_pins.is_empty());
    assert_eq!(head_of(&store), (HEAD.0, HEAD.1.to_owned()));
}

#[test]
fn a_log_of_version_6_passes_the_gates() {
    let (_directory, mut store) = load();
    for gate in Gate::ALL.into_iter().filter(|gate| *gate != Gate::G7) {
        let report = run_gate(&mut store, gate, &GateInputs::default()).unwrap();
        assert!(report.passed(), "{gate:?}: {:?}", report.faults);
    }
    assert_eq!(head_of(&store), (HEAD.0, HEAD.1.to_owned()));
}

/// What an event lacked then is in no log that goes on.
#[test]
fn a_log_of_version_6_goes_on_with_the_events_of_today() {
    let (_directory, mut store) = load();
    for (kind, earlier) in [
        (EntryKind::ReadingSpot, json!({ "setting": "page-5" })),
        (EntryKind::ModeChanged, json!({ "mode": "PLAY" })),
        (EntryKind::NudgeSelected, json!({ "nudge_id": "listen" })),
        (
            EntryKind::NudgeSuppressed,
            json!({ "nudge_id": "wait", "rule_ref": null }),
        ),
        (EntryKind::PlaybackPaused, json!({ "playback_id": "p1" })),
        (
            EntryKind::ValidationFailed,
            json!({ "playback_id": "p1", "outcome": "VALID" }),
        ),
        (
            EntryKind::RoleplayFallback,
            json!({ "playback_id": "p1", "rule_ref": null }),
        ),
    ] {
        store.append(kind, earlier).unwrap_err();
    }
    assert_eq!(head_of(&store).0, HEAD.0);
    let mode = json!({ "mode": "PLAY", "scene_id": null, "cause_handle": null });
    store.append(EntryKind::ModeChanged, mode).unwrap();
    store.rebuild().unwrap();
    let report = run_gate(&mut store, Gate::G3, &GateInputs::default()).unwrap();
    assert!(report.passed(), "{:?}", report.faults);
}
