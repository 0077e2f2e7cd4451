//! What `axilog x0l` says of runs that are still being written, and of pipes in the place of files.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use axilog_testkit::harness::client::KEY;
use axilog_testkit::harness::server::{Act, Server, costly};
use serde_json::json;

use crate::bench::{Bench, Run};
use crate::input_files::run_to_end;
use crate::x0l_show::{assert_shows, run_session};

fn make_pipe(path: PathBuf) {
    let _ = fs::remove_file(&path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Nobody writes to these pipes: who opened one would wait for ever.
#[test]
fn pipes_in_place_of_files_are_said_to_be_pipes() {
    for file in [
        "cycles.jsonl",
        "session_metadata.json",
        "ledger.jsonl",
        "inputs/constitution.toml",
        "report.json",
    ] {
        let bench = run_session();
        assert!(bench.exists(&format!("run/{file}")), "{file}");
        make_pipe(bench.path(&format!("run/{file}")));
        for line in ["x0l replay run", "x0l report run", "x0l show run 1"] {
            let run = run_to_end(&bench, line).exits(3);
            let told = &run.stderr;
            assert!(
                told.starts_with(&format!("axilog: run/{file}: "))
                    && told.contains("found a named pipe, expected a regular file"),
                "{line}: {told}"
            );
        }
    }
    let bench = run_session();
    make_pipe(bench.path("pipe"));
    for option in [
        "--oracle scripted:pipe",
        "--oracle scripted:script.jsonl --constitution pipe",
        "--oracle scripted:script.jsonl --tasks A=pipe",
        "--oracle scripted:script.jsonl --template pipe",
        "--oracle recorded:pipe",
    ] {
        let line = format!("x0l run --model m --context-window 128000 --out new {option}");
        let run = run_to_end(&bench, &line).exits(3);
        let told = &run.stderr;
        assert!(
            told.starts_with("axilog: pipe: ") && told.contains("named pipe"),
            "{option}: {told}"
        );
        assert!(!bench.exists("new"));
    }
    let device = "x0l run --model m --context-window 128000 --out new --oracle scripted:/dev/zero";
    run_to_end(&bench, device).exits(3).says("a device");
}

/// Runs the commands of `lines` while the server is about to give the twelfth answer of a session, that of its third cycle.
fn run_during_session(lines: &'static [&'static str]) -> (Arc<Bench>, u32, Vec<Run>) {
    let bench = Arc::new(Bench::new());
    // The server's thread may outlast this test, and must not keep its directory.
    let (inside, runs) = (Arc::downgrade(&bench), Arc::new(Mutex::new(Vec::new())));
    let (seen, mut calls) = (Arc::clone(&runs), 0);
    let server = Server::answering(move |_| {
        calls += 1;
        if calls == 12 {
            let bench = inside.upgrade().unwrap();
            let found: Vec<Run> = lines.iter().map(|line| bench.run(line)).collect();
            seen.lock().unwrap().extend(found);
        }
        let tokens = if calls <= 3 { 40 } else { 700 };
        Some(Act::Respond(200, costly("{\"candidates\":[]}", tokens, 5)))
    });
    let line = "x0l run --model m --context-window 128000 --cycles 4 --conditions A --out run";
    let mut session = bench
        .command()
        .args(line.split_whitespace())
        .args(["--base-url", &server.base_url])
        .env("OPENAI_API_KEY", KEY)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = session.id();
    assert_eq!(session.wait().unwrap().code(), Some(0));
    let runs = std::mem::take(&mut *runs.lock().unwrap());
    (bench, id, runs)
}

#[test]
fn a_run_that_is_being_written_is_said_to_be_live() {
    let (bench, id, runs) = run_during_session(&[
        "x0l replay run --json",
        "x0l report run --json",
        "x0l replay run",
        "x0l report run",
        "x0l show run 2 --json",
        "x0l show run 2",
        "x0l show run 3",
    ]);
    assert_eq!(runs.len(), 7);
    let mut runs = runs.into_iter();
    for _ in 0..2 {
        let live = runs.next().unwrap().exits(1).json();
        assert_eq!(
            (&live["verdict"], &live["ok"], &live["process"]),
            (&json!("LIVE"), &json!(false), &json!(id))
        );
    }
    for _ in 0..2 {
        let live = runs.next().unwrap().exits(1);
        assert!(
            live.stdout.starts_with("verdict         LIVE\n"),
            "{}",
            live.stdout
        );
        assert_shows(&live, &format!("written by process {id}"));
        assert_shows(&live, "the session is still going on");
    }
    // The cycles that have ended are shown, and no others.
    let shown = runs.next().unwrap().exits(0).json();
    assert_eq!(
        (
            &shown["live"],
            &shown["process"],
            &shown["cycle"]["condition_cycle"]
        ),
        (&json!(true), &json!(id), &json!(2))
    );
    let shown = runs.next().unwrap().exits(0);
    assert_shows(
        &shown,
        &format!("written by process {id}; the session is still going on"),
    );
    runs.next().unwrap().exits(2).says(
        "found no cycle 3, expected one from 1 to 2 so far, since the session is still going on",
    );
    // The session was not disturbed, and is not live any more.
    let replay = bench.run("x0l replay run --json").exits(0).json();
    assert_eq!(
        (&replay["verdict"], &replay["cycles"]),
        (&json!("REPLAYED"), &json!(4))
    );
    assert_eq!(
        bench.run("x0l show run 4 --json").exits(0).json()["live"],
        false
    );
}

/// What a killed session leaves behind names a process too, which is not there any more.
#[test]
fn a_lock_file_that_was_left_behind_makes_no_run_live() {
    let bench = run_session();
    bench.write(
        "run/ledger.jsonl.lock",
        format!("axilog {}\n", std::process::id()),
    );
    let replay = bench.run("x0l replay run --json").exits(0).json();
    assert_eq!(replay["verdict"], "REPLAYED");
    assert_eq!(
        bench.run("x0l show run 1 --json").exits(0).json()["live"],
        false
    );
}
