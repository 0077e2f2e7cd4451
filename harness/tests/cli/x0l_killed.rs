//! A session that is killed leaves a run that replays as far as it goes.

use std::process::Stdio;

use crate::bench::Bench;
use crate::traced::TracedCommand;

const SCRIPT: &str = r#"{"contains":"Answer with this object","answer":"{\"candidates\":[]}","usage":{"prompt_tokens":52,"completion_tokens":5}}
{"every":3,"answer":"a\ttab","usage":{"prompt_tokens":700,"completion_tokens":3}}
{"answer":"{\"candidates\":[]}","usage":{"prompt_tokens":700,"completion_tokens":5}}
"#;

/// Starts a session of sixteen cycles that has made no system call.
fn start_session(bench: &Bench) -> TracedCommand {
    bench.write("script.jsonl", SCRIPT);
    let line = "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 8 --conditions A,B --out run";
    let mut command = bench.command();
    command
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    TracedCommand::start(&mut command)
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
