//! Attacks on the files of a command while it runs: a ledger that is renamed, removed, replaced or cut off.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use crate::bench::Bench;
use crate::replaced::{SCRIPT, make_pipe};
use crate::traced::TracedCommand;

/// What another program does to a file while a command has it open, and what the command says then.
const ATTACKS: [(&str, &str); 7] = [
    ("rename", "found no file"),
    ("unlink", "found no file"),
    ("replace", "found another file"),
    ("recreate", "found another file"),
    ("link", "found another file"),
    ("pipe", "found another file"),
    ("truncate", " bytes, expected "),
];

/// Carries out an attack on a file, which stays reachable as `aside`.
fn attack(name: &str, file: &Path, aside: &Path) {
    if name == "truncate" {
        fs::copy(file, aside).unwrap();
        let file = OpenOptions::new().write(true).open(file).unwrap();
        return file.set_len(0).unwrap();
    }
    if name == "unlink" {
        fs::hard_link(file, aside).unwrap();
        return fs::remove_file(file).unwrap();
    }
    if name == "rename" {
        return fs::rename(file, aside).unwrap();
    }
    // What takes the place takes it at once, so that nobody finds no file between.
    let other = &aside.with_extension("other");
    match name {
        "replace" => drop(fs::copy(file, other).unwrap()),
        "recreate" => fs::write(other, "").unwrap(),
        "link" => symlink(aside, other).unwrap(),
        "pipe" => make_pipe(other),
        unknown => panic!("{unknown}"),
    }
    fs::hard_link(file, aside).unwrap();
    fs::rename(other, file).unwrap();
}

/// Ends a command that was attacked, and asserts that it failed with an error that says `found`.
#[track_caller]
fn assert_fails(command: TracedCommand, found: &str, file: &str) {
    let output = command.finish();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    for part in [file, "is not the file that was opened", found, "expected"] {
        assert!(stderr.contains(part), "{part:?} in {stderr}");
    }
    // Nothing is acknowledged: the one object is the error.
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["exit_code"], 3);
    assert_eq!(printed.as_object().unwrap().len(), 2, "{printed}");
}

#[test]
fn observe_acknowledges_nothing_into_a_ledger_that_was_replaced_meanwhile() {
    let bench = Bench::ledger();
    let (ledger, aside) = (bench.path("ledger.jsonl"), bench.path("aside"));
    let before = bench.read("ledger.jsonl");
    for (name, found) in ATTACKS {
        let mut command = bench.command();
        command
            .args(["observe", "--ledger", "ledger.jsonl", "--json"])
            .args(["--oracle-id", "o", "--model-id", "m"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut command = TracedCommand::start(&mut command);
        // The ledger is locked and replayed.
        command.run_until(|command| command.is_about_to_write(&ledger));
        assert!(bench.exists("ledger.jsonl.lock"));
        attack(name, &ledger, &aside);
        assert_fails(command, found, "ledger.jsonl");
        assert!(
            bench.read("aside") == before,
            "{name}: the step was taken back"
        );
        fs::rename(&aside, &ledger).unwrap();
        assert!(!bench.exists("ledger.jsonl.lock"));
    }
    bench.observe(b"{\"value\":1}").exits(0);
}

#[test]
fn a_session_with_a_model_ends_when_its_ledger_or_log_is_replaced() {
    for file in ["ledger.jsonl", "cycles.jsonl"] {
        for (name, found) in ATTACKS {
            let bench = Bench::new();
            bench.write("script.jsonl", SCRIPT);
            let line = "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 20 --conditions A --b2 10000000 --out run --json";
            let mut command = bench.command();
            command
                .args(line.split_whitespace())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            let mut command = TracedCommand::start(&mut command);
            let count_cycles = || {
                let log = fs::read(bench.path("run/cycles.jsonl")).unwrap_or_default();
                log.iter().filter(|byte| **byte == b'\n').count()
            };
            command.run_until(|_| count_cycles() > 3);
            attack(name, &bench.path("run").join(file), &bench.path("aside"));
            assert_fails(command, found, file);
            // Nothing says that the session ended.
            let metadata = String::from_utf8(bench.read("run/session_metadata.json")).unwrap();
            assert!(metadata.contains("\"outcome\":null"), "{metadata}");
            // What the opened file holds replays, without its end, once it is back in its place.
            if name != "truncate" {
                fs::rename(bench.path("aside"), bench.path("run").join(file)).unwrap();
                let replay = bench.run("x0l replay run --json").json();
                assert_eq!(replay["verdict"], "INCOMPLETE", "{replay}");
            }
        }
    }
}
