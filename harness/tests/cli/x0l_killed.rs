//! A session that is killed leaves a run that replays as far as it goes.

use std::process::Stdio;

use serde_json::json;

use crate::bench::Bench;
use crate::killed::count_kills;
use crate::traced::TracedCommand;
use crate::x0l_run::run_whole_session;

const SCRIPT: &str = r#"{"contains":"Answer with this object","answer":"{\"candidates\":[]}","usage":{"prompt_tokens":52,"completion_tokens":5}}
{"every":3,"answer":"a\ttab","usage":{"prompt_tokens":700,"completion_tokens":3}}
{"answer":"{\"candidates\":[]}","usage":{"prompt_tokens":700,"completion_tokens":5}}
"#;

/// Starts a command that has made no system call, and whose output nobody reads.
fn start(bench: &Bench, line: &str) -> TracedCommand {
    let mut command = bench.command();
    command
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    TracedCommand::start(&mut command)
}

/// Starts a session of sixteen cycles.
fn start_session(bench: &Bench) -> TracedCommand {
    bench.write("script.jsonl", SCRIPT);
    start(
        bench,
        "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 8 --conditions A,B --out run",
    )
}

/// Each session is killed at a later system call, from before its first file to its last.
#[test]
fn a_run_that_is_killed_replays_in_part() {
    let bench = Bench::new();
    let mut whole = start_session(&bench);
    let stops = (0..).take_while(|_| whole.step()).count();
    let (mut cycles, mut last) = (0, 0);
    for n in 0..24 {
        let bench = Bench::new();
        let mut session = start_session(&bench);
        for _ in 0..stops * n / 24 {
            assert!(session.step(), "the session ended before it was killed");
        }
        session.kill();
        let files = ["session_metadata.json", "ledger.jsonl", "cycles.jsonl"];
        if !files
            .iter()
            .any(|name| bench.exists(&format!("run/{name}")))
        {
            bench.run("x0l replay run").exits(3);
            continue;
        }
        let run = bench.run("x0l replay run --json");
        let (code, replay) = (run.code, run.json());
        assert_eq!(replay["differences"], serde_json::json!([]));
        last = replay["cycles"].as_u64().unwrap();
        cycles += last;
        let expected = match replay["sealed"] == true {
            true => ("REPLAYED", 0),
            false => ("INCOMPLETE", 1),
        };
        assert_eq!((replay["verdict"].as_str().unwrap(), code), expected);
        bench.run("x0l report run").exits(1);
        bench.run("x0l replay run").exits(code);
    }
    println!("24 sessions killed at {stops} places, {cycles} cycles replayed");
    assert!(last > 8, "{last} of 16 cycles before the last kill");
}

fn start_confirmation(bench: &Bench, cycle: &str) -> TracedCommand {
    let line = format!("x0l report run --confirm {cycle} --by E. --because Wrong");
    start(bench, &line)
}

/// A judgement that is killed, wherever it is, looks like no tampering: what was recorded counts, and the next report
/// has it.
#[test]
fn a_judgement_that_is_killed_is_no_false_alarm() {
    let bench = run_whole_session();
    let report = bench.run("x0l report run --json").exits(1).json();
    let cycle = report["type_iii"][0].to_string();
    let other = run_whole_session();
    let mut whole = start_confirmation(&other, &cycle);
    let stops = (0..).take_while(|_| whole.step()).count();
    let kills = count_kills();
    let (mut recorded, mut behind) = (0, 0);
    for n in 0..=kills {
        // The first has no review yet, and each further one goes on where the one before was killed.
        let mut confirmation = start_confirmation(&bench, &cycle);
        for _ in 0..stops * n / kills {
            if !confirmation.step() {
                break;
            }
        }
        confirmation.kill();
        let replay = bench.run("x0l replay run --json").exits(0).json();
        assert_eq!(replay["verdict"], "REPLAYED", "{n}: {replay}");
        let notes = replay["notes"].as_array().unwrap().iter();
        let notes: Vec<&str> = notes.map(|note| note.as_str().unwrap()).collect();
        behind += u64::from(
            notes
                .iter()
                .any(|it| it.contains("has not seen the last judgements")),
        );
        if n % 6 == 5 {
            let report = bench.run("x0l report run --json").exits(1).json();
            assert_eq!(report["conflicts"], json!([]), "{n}");
            let is_negative = report["verdict"] == "NEGATIVE";
            assert!(is_negative || recorded == 0, "{n}: a judgement was lost");
            recorded += u64::from(is_negative);
            bench.run("x0l replay run").exits(0);
        }
    }
    println!("{kills} kills at {stops} places: the report was behind after {behind} of them");
    assert!(recorded > 0 && behind > 0, "{recorded}, {behind}");
}

/// Reviewers who judge at one moment wait for each other, and each judgement is in the report.
#[test]
fn six_reviewers_at_once_are_all_heard() {
    let bench = run_whole_session();
    let report = bench.run("x0l report run --json").exits(1).json();
    let cycle = report["type_iii"][0].to_string();
    let reviewers: Vec<_> = (1..=6)
        .map(|n| {
            let line = format!("x0l report run --confirm {cycle} --by R{n} --because Wrong");
            let mut command = bench.command();
            command
                .args(line.split_whitespace())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for reviewer in reviewers {
        let output = reviewer.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), errors.as_str()), (Some(1), ""));
        assert!(text.starts_with("verdict         NEGATIVE\n"), "{text}");
    }
    bench.run("x0l replay run").exits(0);
    assert!(!bench.exists("run/report.lock"));
    let page = String::from_utf8(bench.read("run/report.md")).unwrap();
    for n in 1..=6 {
        assert!(
            page.contains(&format!("CONFIRMED | R{n} | Wrong |")),
            "{page}"
        );
    }
}
