//! `--ledger`: a memory's log whose heads an axilog ledger has.

use std::fs;
use std::process::Command;

use super::commands::{FACT, MemoryDirectory};
use crate::bench::program;

const LEDGER: [&str; 2] = ["--ledger", "heads.jsonl"];

/// The heads in the ledger, as numbers of entries.
fn recorded(place: &MemoryDirectory) -> Vec<u64> {
    let heads = axilog_memory::read_recorded_heads(&place.path().join("heads.jsonl")).unwrap();
    heads.iter().map(|head| head.seq).collect()
}

fn run(place: &MemoryDirectory, code: i32, args: &[&str]) -> (String, String) {
    place.run_with_code(code, &[args, &LEDGER].concat())
}

/// A memory at a scene, whose ledger has its head.
fn place_with_ledger() -> MemoryDirectory {
    let place = MemoryDirectory::new();
    fs::write(place.path().join("fact.json"), FACT).unwrap();
    run(&place, 0, &["fact", "m.db", "fact.json"]);
    run(
        &place,
        0,
        &["event", "m.db", "EV-031", r#"{"scene_id":"x"}"#],
    );
    place
}

#[test]
fn each_command_that_appends_records_the_head() {
    let place = place_with_ledger();
    assert_eq!(recorded(&place), [14, 15]);
    run(&place, 0, &["working-set", "m.db"]);
    // What is refused may log a guess.
    fs::write(place.path().join("n.txt"), "They found seven keys.").unwrap();
    run(&place, 1, &["working-set", "m.db", "--narration", "n.txt"]);
    let heads = recorded(&place);
    assert!(heads.len() == 4 && heads[3] > heads[2], "{heads:?}");
    for args in [
        &["show", "m.db"][..],
        &["unlock", "m.db"],
        &["gate", "m.db", "G1"],
        &["rebuild", "m.db"],
        &["working-set", "m.db", "--unrecorded"],
    ] {
        run(&place, 0, args);
    }
    assert_eq!(recorded(&place), heads);
    // It is a ledger like any other: whoever holds its head holds the log.
    let verified = Command::new(program())
        .args(["audit", "heads.jsonl"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

/// An older copy of the database, its head file removed: nothing inside the files shows that.
#[test]
fn an_older_copy_is_refused_by_the_ledger() {
    let place = place_with_ledger();
    let (db, kept) = (place.path().join("m.db"), place.path().join("kept.db"));
    fs::copy(&db, &kept).unwrap();
    run(
        &place,
        0,
        &["event", "m.db", "EV-032", r#"{"scene_id":"x"}"#],
    );
    fs::copy(&kept, &db).unwrap();
    fs::remove_file(place.path().join("m.db.head")).unwrap();
    place.run_with_code(0, &["show", "m.db"]);
    let heads = recorded(&place);
    for args in [
        &["show", "m.db"][..],
        &["rebuild", "m.db"],
        &["gate", "m.db", "G1"],
        &["working-set", "m.db"],
        &["event", "m.db", "EV-032", r#"{"scene_id":"x"}"#],
    ] {
        let (_, error) = run(&place, 1, args);
        assert!(
            error.contains("entry 16 of the log: it is missing: the ledger heads.jsonl noted"),
            "{error}"
        );
    }
    // Also where the log went on in another way.
    let other = r#"{"playback_id":"p","cause_handle":null}"#;
    place.run_with_code(0, &["event", "m.db", "EV-107", other]);
    let (_, error) = run(&place, 1, &["event", "m.db", "EV-108", other]);
    assert!(
        error.contains("entry 16 of the log: its chain value is"),
        "{error}"
    );
    assert_eq!(recorded(&place), heads);
}

#[test]
fn a_changed_ledger_and_another_memory_s_are_refused() {
    let place = place_with_ledger();
    let begin = ["init", "n.db", "--world", "a", "--campaign", "b"];
    let (_, error) = run(&place, 1, &begin);
    assert!(error.contains("up to 15:"), "{error}");
    assert!(!place.path().join("n.db").exists());
    place.run_with_code(0, &begin);
    let (_, error) = run(&place, 1, &["show", "n.db"]);
    assert!(error.contains("the ledger heads.jsonl noted"), "{error}");
    let ledger = place.path().join("heads.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replace("15", "16")).unwrap();
    let (_, error) = run(&place, 1, &["show", "m.db"]);
    assert!(error.contains("heads.jsonl"), "{error}");
}
