//! What somebody plants in the place of a blob is a damaged blob in every verdict: no command waits for it, reads it,
//! or ends without a verdict.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog::hash::sha256;
use axilog_ledger::file::blobs::BlobStore;
use serde_json::Value;

use crate::bench::Bench;

/// What is planted: its name, and how it comes to a free path. Gives whether this system makes such a thing.
type Plant = (&'static str, fn(&Path) -> bool);

const PLANTS: [Plant; 6] = [
    ("pipe", |path| run("mkfifo", &[path.to_str().unwrap()])),
    ("link to a device", |path| {
        symlink("/dev/zero", path).is_ok()
    }),
    ("link in a circle", |path| symlink(path, path).is_ok()),
    ("socket", |path| {
        // The path of a socket may be short only.
        let short = tempfile::tempdir().unwrap();
        let socket = short.path().join("s");
        UnixListener::bind(&socket).unwrap();
        fs::rename(socket, path).is_ok()
    }),
    ("directory", |path| fs::create_dir(path).is_ok()),
    // Only root makes devices.
    ("device", |path| {
        run("mknod", &[path.to_str().unwrap(), "c", "1", "5"])
    }),
];

fn run(program: &str, words: &[&str]) -> bool {
    let output = Command::new(program).args(words).output().unwrap();
    output.status.success()
}

const QUESTION: &[u8] = b"{\"level\":3}";
const RAW_ANSWER: &[u8] = b"\xff\xfe as it came";
const MANIFEST_SCHEMA: &[u8] = br#"{"type":"object"}"#;

/// A ledger with a manifest and a schema, a question and an answer that is kept raw.
fn make_ledger() -> Bench {
    let bench = Bench::new();
    bench.write("schema.json", MANIFEST_SCHEMA);
    let schema = if cfg!(feature = "schemas") {
        "--schema o=schema.json"
    } else {
        ""
    };
    bench
        .run(&format!(
            "init ledger.jsonl --time 1000 --name pump {schema}"
        ))
        .exits(0);
    bench.write("question", QUESTION);
    ask(&bench, b"{\"value\":1}");
    ask(&bench, RAW_ANSWER);
    bench.run("audit ledger.jsonl").exits(0);
    bench
}

fn ask(bench: &Bench, answer: &[u8]) -> crate::bench::Run {
    let line = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question";
    bench.run_with(line, answer)
}

fn blob(bench: &Bench, bytes: &[u8]) -> PathBuf {
    BlobStore::of_ledger(&bench.path("ledger.jsonl")).path(&sha256(bytes))
}

/// The blobs of the ledger, each with what it is.
fn list_blobs(bench: &Bench) -> Vec<(&'static str, PathBuf)> {
    let report = bench.run("replay ledger.jsonl --json").exits(0).json();
    let configuration = report["configuration"].as_str().unwrap();
    let path = format!("ledger.jsonl.blobs/{}/{configuration}", &configuration[..2]);
    let configuration: Value = serde_json::from_slice(&bench.read(&path)).unwrap();
    let manifest = configuration["manifest"].as_str().unwrap();
    let manifest = format!("ledger.jsonl.blobs/{}/{manifest}", &manifest[..2]);
    let mut blobs = vec![
        ("configuration", bench.path(&path)),
        ("manifest", bench.path(&manifest)),
        ("question", blob(bench, QUESTION)),
        ("raw answer", blob(bench, RAW_ANSWER)),
    ];
    if cfg!(feature = "schemas") {
        blobs.push(("schema", blob(bench, MANIFEST_SCHEMA)));
    }
    blobs
}

#[test]
fn what_is_planted_in_place_of_a_blob_is_a_damaged_blob() {
    let bench = make_ledger();
    for (what, path) in list_blobs(&bench) {
        let bytes = fs::read(&path).unwrap();
        for (plant, put) in PLANTS {
            fs::remove_file(&path).unwrap();
            if put(&path) {
                check_verdicts(&bench, what, plant, &path);
            }
            // A directory is removed by another call than a file.
            let _ = fs::remove_dir(&path).or_else(|_| fs::remove_file(&path));
            fs::write(&path, &bytes).unwrap();
            bench.run("audit ledger.jsonl").exits(0);
        }
    }
}

fn check_verdicts(bench: &Bench, what: &str, plant: &str, path: &Path) {
    let context = format!("{plant} in place of a {what}");
    let audited = bench.run("audit ledger.jsonl --json").exits(1).json();
    assert_eq!(audited["verdict"], "FAILED", "{context}");
    let verified = bench
        .run("verify ledger.jsonl --blobs --json")
        .exits(1)
        .json();
    assert_eq!(verified["verdict"], "FAILED", "{context}");
    let name = path.file_name().unwrap().to_str().unwrap();
    let damaged = verified["blobs"]["altered"][0].as_str().unwrap();
    assert!(damaged.ends_with(name), "{context}: {damaged}");
    assert_eq!(verified["blobs"]["missing_count"], 0, "{context}");
    if what == "configuration" {
        for command in ["replay", "head", "stats"] {
            let run = bench
                .run(&format!("{command} ledger.jsonl --json"))
                .exits(1);
            let told = run.stdout + &run.stderr;
            assert!(
                told.contains("CONFIG_MISMATCH"),
                "{context}: {command}: {told}"
            );
        }
        ask(bench, b"{\"value\":1}")
            .exits(1)
            .says("CONFIG_MISMATCH");
    } else {
        for command in ["replay", "stats", "show"] {
            bench.run(&format!("{command} ledger.jsonl")).exits(0);
        }
        let head = bench.run("head ledger.jsonl");
        let graph = bench.run("show --graph ledger.jsonl");
        match what {
            "manifest" => assert!(head.exits(1).stdout.contains("is not the one named")),
            "question" => drop(graph.exits(1).says("damaged there")),
            _ => drop((head.exits(0), graph.exits(0))),
        }
    }
}

/// The next writer puts the blob in the place of what was planted, also of a directory.
#[test]
fn a_writer_replaces_what_was_planted() {
    for (plant, put) in PLANTS {
        let bench = make_ledger();
        let path = blob(&bench, QUESTION);
        fs::remove_file(&path).unwrap();
        if !put(&path) {
            continue;
        }
        ask(&bench, RAW_ANSWER);
        assert_eq!(fs::read(&path).unwrap(), QUESTION, "{plant}");
        bench.run("audit ledger.jsonl").exits(0);
    }
}

/// In the place of a directory of blobs it makes their blobs missing.
#[test]
fn what_is_planted_in_place_of_a_directory_makes_blobs_missing() {
    for (plant, put) in PLANTS {
        let bench = make_ledger();
        let shard = blob(&bench, QUESTION).parent().unwrap().to_owned();
        for place in [shard.clone(), shard.parent().unwrap().to_owned()] {
            fs::rename(&place, bench.path("away")).unwrap();
            if put(&place) {
                let report = bench.run("audit ledger.jsonl --json").exits(1).json();
                assert_eq!(report["verdict"], "FAILED", "{plant}");
                let report = bench
                    .run("verify ledger.jsonl --blobs --json")
                    .exits(1)
                    .json();
                assert_ne!(report["blobs"]["missing_count"], 0, "{plant}");
                let _ = fs::remove_dir(&place).or_else(|_| fs::remove_file(&place));
            }
            fs::rename(bench.path("away"), &place).unwrap();
        }
        bench.run("audit ledger.jsonl").exits(0);
    }
}
