//! A session that is killed leaves a run that replays as far as it goes.

use std::process::Stdio;
use std::time::Duration;

use crate::bench::Bench;

const SCRIPT: &str = r#"{"contains":"Answer with this object","answer":"{\"candidates\":[]}","usage":{"prompt_tokens":52,"completion_tokens":5}}
{"every":3,"answer":"a\ttab","usage":{"prompt_tokens":700,"completion_tokens":3}}
{"answer":"{\"candidates\":[]}","usage":{"prompt_tokens":700,"completion_tokens":5}}
"#;

/// Each session is killed at a later moment, from before its first file to its last.
#[test]
fn a_run_that_is_killed_replays_in_part() {
    let (mut killed, mut cycles) = (0, 0);
    for n in 0..24u64 {
        let bench = Bench::new();
        bench.write("script.jsonl", SCRIPT);
        let line = "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 8 --conditions A,B --out run";
        let mut child = bench
            .command()
            .args(line.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(n * n));
        child.kill().unwrap();
        killed += u64::from(child.wait().unwrap().code().is_none());
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
        cycles += replay["cycles"].as_u64().unwrap();
        let expected = match replay["sealed"] == true {
            true => ("REPLAYED", 0),
            false => ("INCOMPLETE", 1),
        };
        assert_eq!((replay["verdict"].as_str().unwrap(), code), expected);
        bench.run("x0l report run").exits(1);
        bench.run("x0l replay run").exits(code);
    }
    println!("{killed} sessions killed, {cycles} cycles replayed");
    assert!(killed > 0);
}
