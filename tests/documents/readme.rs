//! The README's program in Python is complete and does what the README says. That in C is a test of `harness/host`.

use std::fs;
use std::path::Path;
use std::process::Command;

use axilog::ledger_line;
use axilog::policy::Rules;
use axilog::policy::builtin::BUILTIN;
use axilog::replay::{Replay, Verdict};

use crate::build::{Place, libraries};

/// The one block of the README in `language`.
fn block(language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(path).unwrap();
    let opening = format!("```{language}\n");
    assert_eq!(text.matches(&opening).count(), 1);
    let (_, rest) = text.split_once(&opening).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Whether the ledger at `path` has `entries` records and replays under the built-in policies.
fn replays(path: &Path, entries: u64) -> bool {
    let ledger = fs::read(path).unwrap();
    let registry = BUILTIN;
    let rules = Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    let mut replay = Replay::new();
    for line in ledger.split_inclusive(|&b| b == b'\n') {
        let entry = ledger_line::parse(line).unwrap();
        assert_eq!(replay.feed(&entry, Some(&rules)), Verdict::Ok);
    }
    replay.finish(Some(entries), None) == Verdict::Ok
}

#[test]
fn the_python_program_alarms_and_its_ledger_replays() {
    // The package as it stands in the tree: installing it needs the network, and the Python tests
    // do that.
    let place = Place::new("readme-python");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bindings/python/src");
    let python = Command::new("python3")
        .args(["-B", "-c", &block("python")])
        .env("PYTHONPATH", source)
        .env("AXILOG_LIBRARY", libraries().join("libaxilog.so"))
        .current_dir(&place.0)
        .output();
    let Ok(output) = python else {
        eprintln!("there is no python3 here: the Python program was not run");
        return;
    };
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, "ENABLED\nALARM\n", "{:?}", output.stderr);
    assert!(replays(&place.0.join("answers.jsonl"), 11));
}
