//! Pipes and links in the place of a command's files and beside them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use axilog::hash::sha256;
use axilog_ledger::file::blobs::BlobStore;

use crate::bench::Bench;

pub fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

pub const SCRIPT: &str = r#"{"contains":"Answer with this object","answer":"{\"candidates\":[]}","usage":{"prompt_tokens":52,"completion_tokens":5}}
{"answer":"{\"candidates\":[]}","usage":{"prompt_tokens":700,"completion_tokens":5}}
"#;

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
        let verified = bench.run("verify ledger.jsonl --blobs --json").exits(0);
        assert_eq!(verified.json()["blobs"]["unreferenced_count"], 1);
        let observe = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question";
        bench.run_with(observe, b"{\"value\":1}").exits(0);
        // In the place of a blob that a record names it is a damaged one, which the next writer replaces.
        fs::remove_file(&blob).unwrap();
        put(&blob);
        let verified = bench.run("verify ledger.jsonl --blobs --json").exits(1);
        assert_eq!(verified.json()["ok"], false);
        bench.run_with(observe, b"{\"value\":1}").exits(0);
        bench.run("time 2000 --ledger ledger.jsonl").exits(0);
        bench.run("verify ledger.jsonl --blobs").exits(0);
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
