//! Runs that stop before their end.

use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::bench::{Bench, Files, program};

/// A directory with the calibration N.json.
pub fn calibrate() -> Bench {
    static FILES: OnceLock<Files> = OnceLock::new();
    Bench::prepared(&FILES, write_calibration)
}

/// Makes the calibration N.json in a directory.
pub fn write_calibration(bench: &Bench) {
    bench
        .run("ablation calibrate --oracle agent:precedent --out N.json")
        .exits(0);
}

/// The status in a run document.
fn read_status(bench: &Bench, run: &str) -> Value {
    let document: Value = serde_json::from_slice(&bench.read(&format!("{run}/run.json"))).unwrap();
    document["status"].clone()
}

/// Runs the command until its ledger has 1024 of the shell's blocks, when the system kills it.
#[cfg(unix)]
pub fn run_until_killed(bench: &Bench, line: &str) {
    let killed = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "ulimit -c 0 && ulimit -f 1024 && exec \"$0\" {line}"
        ))
        .arg(program())
        .current_dir(bench.path("."))
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "{killed:?}");
}

/// Starts a run that would take hours, with these further options, and waits until it has taken some steps.
#[cfg(unix)]
pub fn start_long_run(bench: &Bench, options: &str) -> std::process::Child {
    let arguments = format!(
        "ablation run --oracle agent:precedent --variant baseline --calibration N.json --episodes 100000 --out r {options}"
    );
    let child = bench
        .command()
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ledger = bench.path("r/baseline/ledger.jsonl");
    // Five minutes at most.
    let stepped = (0..30_000).any(|_| {
        sleep(Duration::from_millis(10));
        std::fs::metadata(&ledger).is_ok_and(|found| found.len() > 100_000)
    });
    assert!(stepped, "the run took no steps");
    child
}

#[cfg(unix)]
pub fn send_signal(child: &std::process::Child, name: &str) {
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([name, &id])
            .status()
            .unwrap()
            .success()
    );
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_stops_at_the_end_of_a_step_and_replays() {
    let bench = calibrate();
    let child = start_long_run(&bench, "");
    send_signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("axilog: stopping when this step is done"),
        "{stderr}"
    );
    assert!(
        stderr.contains("r/baseline holds what there is, marked PARTIAL"),
        "{stderr}"
    );
    assert_eq!(read_status(&bench, "r/baseline")["verdict"], "PARTIAL");
    assert_eq!(read_status(&bench, "r/baseline")["reason"], "INTERRUPTED");
    let again = bench.run("ablation replay r").exits(1).says("INCOMPLETE");
    assert!(
        again.stdout.contains("SAME") && again.stdout.contains("INTERRUPTED"),
        "{}",
        again.stdout
    );
    bench.run("verify r/baseline/ledger.jsonl --blobs").exits(0);
    let expect = |head: &str| format!("ablation replay r --expect-head {head}");
    bench
        .run(&expect(&"0".repeat(64)))
        .exits(1)
        .says(", expected 0000");
    bench
        .run("ablation compare r")
        .exits(1)
        .says("PARTIAL / INTERRUPTED");
}

#[test]
#[cfg(unix)]
fn a_killed_run_is_replayed_from_its_ledger() {
    let bench = calibrate();
    let mut child = start_long_run(&bench, "");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!bench.exists("r/baseline/run.json"));
    let found = bench.run("ablation replay r").exits(1);
    assert!(found.stdout.contains("WRITTEN"), "{}", found.stdout);
    assert_eq!(read_status(&bench, "r/baseline")["reason"], "INTERRUPTED");
    let again = bench.run("ablation replay r").exits(1).says("INCOMPLETE");
    assert!(again.stdout.contains("SAME"), "{}", again.stdout);
}

/// The line of a script whose answers hold no artifact.
const REFUSAL: &str = "{\"answer\":\"I would rather not.\"}\n";

#[test]
fn an_invalid_run_stops_with_its_reason_and_exits_1() {
    let bench = calibrate();
    bench.write("no.jsonl", REFUSAL);
    let run = "ablation run --model gpt-4o --oracle scripted:no.jsonl --calibration N.json --out r";
    let found = bench.run(&format!("{run} --json")).exits(1).json();
    assert_eq!(found["runs"][0]["verdict"], "INVALID_RUN");
    assert_eq!(found["runs"][0]["reason"], "BASELINE_NOT_INSTANTIATED");
    assert_eq!(found["runs"][0]["steps"], 50);
    assert_eq!(found["comparison"], Value::Null);
    // After the invalid baseline nobody is asked: of the other arms there is the first seed at most.
    for run in found["runs"].as_array().unwrap() {
        assert!(run["steps"].as_u64().unwrap() <= 150, "{run}");
    }
    bench.run("ablation replay r").exits(0);
    assert_eq!(read_status(&bench, "r/baseline")["at"]["step"], 49);
    bench.run("ablation replay r/baseline").exits(0);
    bench
        .run("ablation compare r")
        .exits(1)
        .says("BASELINE_NOT_INSTANTIATED");
    let text = bench
        .run(&run.replace("--out r", "--variant baseline --out text"))
        .exits(1);
    assert!(text.stdout.contains("INVALID_RUN /"), "{}", text.stdout);
    assert!(
        text.stdout.lines().all(|line| line.chars().count() <= 80),
        "{}",
        text.stdout
    );
}

#[test]
fn an_oracle_without_an_answer_leaves_a_partial_run() {
    let bench = calibrate();
    let script =
        REFUSAL.repeat(3) + "{\"faults\":[\"timeout\",\"timeout\",\"timeout\",\"timeout\"]}\n";
    bench.write("late.jsonl", script);
    bench
        .run("ablation run --variant c --model gpt-4o --oracle scripted:late.jsonl --calibration N.json --out r")
        .exits(3)
        .says("the oracle gave no answer (no whole answer in time) before the run was whole");
    let status = read_status(&bench, "r/c");
    assert_eq!(
        (&status["reason"], &status["detail"]),
        (&"NO_ANSWER".into(), &"TIMEOUT".into())
    );
    assert_eq!(status["at"]["step"], 3);
    bench.run("ablation replay r").exits(0);
    // Calibration needs every answer.
    bench
        .run("ablation calibrate --model gpt-4o --oracle scripted:late.jsonl --out M.json")
        .exits(3)
        .says("no calibration was written");
    assert!(!bench.exists("M.json"));
}
