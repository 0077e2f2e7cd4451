//! Attacks on the files of a command while it runs: a ledger that is renamed, removed, replaced or cut off, and
//! pipes and links beside it.

use std::fs::{self, OpenOptions};
use std::num::NonZeroU64;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog::hash::sha256;
use axilog_ledger::durability::Durability;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};

use crate::bench::Bench;

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

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

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

/// Waits until a condition holds while a command runs; fails where the command ends before.
fn wait_while_running(child: &mut Child, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "the command ended before the attack");
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Ends a command that was attacked, and asserts that it failed with an error that says `found`.
#[track_caller]
fn assert_fails(child: Child, found: &str, file: &str) {
    let output = child.wait_with_output().unwrap();
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

/// A ledger that takes a command a good part of a second to open.
fn bench_with_long_ledger() -> Bench {
    let bench = Bench::new();
    let path = bench.path("ledger.jsonl");
    let (mut session, _) = Session::open_or_create(&path, None, 1000).unwrap();
    let late = Durability::Interval {
        records: NonZeroU64::MAX,
        within: Duration::from_secs(3600),
    };
    session.set_durability(late).unwrap();
    let call = OracleCall {
        oracle_id: "o".to_owned(),
        model_id: "m".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"", InputKind::Text).unwrap(),
    };
    let answer = format!("{{\"value\":1,\"why\":\"{}\"}}", "x".repeat(16_000));
    for _ in 0..2500 {
        session
            .observe(&call, OracleReply::Answer(answer.as_bytes()))
            .unwrap();
    }
    bench
}

#[test]
fn observe_acknowledges_nothing_into_a_ledger_that_was_replaced_meanwhile() {
    let bench = bench_with_long_ledger();
    let (ledger, aside) = (bench.path("ledger.jsonl"), bench.path("aside"));
    let before = bench.read("ledger.jsonl");
    for (name, found) in ATTACKS {
        let mut child = bench
            .command()
            .args(["observe", "--ledger", "ledger.jsonl", "--json"])
            .args(["--oracle-id", "o", "--model-id", "m"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The lock file appears when the ledger is locked, before it is replayed.
        wait_while_running(&mut child, || bench.exists("ledger.jsonl.lock"));
        attack(name, &ledger, &aside);
        assert_fails(child, found, "ledger.jsonl");
        assert!(
            bench.read("aside") == before,
            "{name}: the step was taken back"
        );
        fs::rename(&aside, &ledger).unwrap();
        assert!(!bench.exists("ledger.jsonl.lock"));
    }
    bench.observe(b"{\"value\":1}").exits(0);
}

const SCRIPT: &str = r#"{"contains":"Answer with this object","answer":"{\"candidates\":[]}","usage":{"prompt_tokens":52,"completion_tokens":5}}
{"answer":"{\"candidates\":[]}","usage":{"prompt_tokens":700,"completion_tokens":5}}
"#;

#[test]
fn a_session_with_a_model_ends_when_its_ledger_or_log_is_replaced() {
    for file in ["ledger.jsonl", "cycles.jsonl"] {
        for (name, found) in ATTACKS {
            let bench = Bench::new();
            bench.write("script.jsonl", SCRIPT);
            let line = "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 500 --conditions A --b2 10000000 --out run --json";
            let mut child = bench
                .command()
                .args(line.split_whitespace())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let count_cycles = || {
                let log = fs::read(bench.path("run/cycles.jsonl")).unwrap_or_default();
                log.iter().filter(|byte| **byte == b'\n').count()
            };
            wait_while_running(&mut child, || count_cycles() > 3);
            attack(name, &bench.path("run").join(file), &bench.path("aside"));
            assert_fails(child, found, file);
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

#[test]
fn a_run_whose_log_is_a_pipe_is_read_without_waiting() {
    let bench = Bench::new();
    bench.write("script.jsonl", SCRIPT);
    let line = "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 2 --conditions A --out run";
    bench.run(line).exits(0);
    for file in ["ledger.jsonl", "cycles.jsonl", "session_metadata.json"] {
        let path = bench.path("run").join(file);
        fs::rename(&path, bench.path("aside")).unwrap();
        make_pipe(&path);
        bench
            .run("x0l replay run")
            .exits(3)
            .says("expected a regular file");
        fs::rename(bench.path("aside"), &path).unwrap();
    }
    bench.run("x0l replay run").exits(0);
}

#[test]
fn what_lies_beside_a_ledger_is_not_waited_for_and_not_written_through() {
    for plant in ["pipe", "link"] {
        let bench = Bench::ledger();
        bench.write("victim", "axilog 1\n");
        let put = |path: &Path| match plant {
            "pipe" => make_pipe(path),
            _ => symlink(bench.path("victim"), path).unwrap(),
        };
        put(&bench.path("ledger.jsonl.lock"));
        bench.write("question", "which speed?");
        let blob = BlobStore::of_ledger(&bench.path("ledger.jsonl")).path(&sha256(b"which speed?"));
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        put(&blob);
        let verified = bench.run("verify ledger.jsonl --blobs --json").exits(1);
        assert_eq!(verified.json()["ok"], false);
        let observe = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question";
        bench.run_with(observe, b"{\"value\":1}").exits(0);
        bench.run("time 2000 --ledger ledger.jsonl").exits(0);
        bench.run("verify ledger.jsonl --blobs").exits(0);
        // Results take the place of what has their name.
        put(&bench.path("out"));
        bench
            .run("export ledger.jsonl --format csv -o out")
            .exits(0);
        assert!(fs::symlink_metadata(bench.path("out")).unwrap().is_file());
        bench.run("seal ledger.jsonl").exits(0);
        assert_eq!(bench.read("victim"), b"axilog 1\n", "{plant}");
        let lock = fs::symlink_metadata(bench.path("ledger.jsonl.lock")).unwrap();
        assert!(!lock.is_file(), "{plant}: it stays as it was");
    }
}

#[test]
fn a_link_to_a_ledger_is_read_and_not_written() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    symlink(bench.path("ledger.jsonl"), bench.path("latest.jsonl")).unwrap();
    for line in [
        "observe --ledger latest.jsonl --oracle-id o --model-id m",
        "control mitigate --ledger latest.jsonl",
        "time 2000 --ledger latest.jsonl",
        "seal latest.jsonl",
        "init latest.jsonl",
    ] {
        bench
            .run_with(line, b"{\"value\":1}")
            .exits(3)
            .says("is a symbolic link to");
    }
    assert_eq!(bench.read("ledger.jsonl"), before);
    for line in [
        "verify latest.jsonl",
        "head latest.jsonl",
        "stats latest.jsonl",
    ] {
        bench.run(line).exits(0);
    }
}
