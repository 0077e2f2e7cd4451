//! Runs that do not come to their end.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::bench::Bench;

fn calibrated() -> Bench {
    let bench = Bench::new();
    bench
        .run("ablation calibrate --oracle agent:precedent --out N.json")
        .exits(0);
    bench
}

fn status(bench: &Bench, run: &str) -> Value {
    let document: Value = serde_json::from_slice(&bench.read(&format!("{run}/run.json"))).unwrap();
    document["status"].clone()
}

/// A process that runs for long, once it has taken some steps.
#[cfg(unix)]
fn long_run(bench: &Bench) -> std::process::Child {
    let arguments = "ablation run --oracle agent:precedent --variant baseline --calibration N.json --episodes 100000 --out r";
    let child = bench
        .command()
        .args(arguments.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ledger = bench.path("r/baseline/ledger.jsonl");
    let stepped = (0..6000).any(|_| {
        sleep(Duration::from_millis(10));
        std::fs::metadata(&ledger).is_ok_and(|found| found.len() > 100_000)
    });
    assert!(stepped, "it took no steps");
    child
}

#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
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
fn an_interrupt_stops_where_a_step_ends_and_what_there_is_replays() {
    let bench = calibrated();
    let child = long_run(&bench);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("axilog: stopping when this step is done"),
        "{said}"
    );
    assert!(
        said.contains("r/baseline holds what there is, marked PARTIAL"),
        "{said}"
    );
    assert_eq!(status(&bench, "r/baseline")["verdict"], "PARTIAL");
    assert_eq!(status(&bench, "r/baseline")["reason"], "INTERRUPTED");
    let again = bench.run("ablation replay r").exits(0);
    assert!(
        again.stdout.contains("SAME") && again.stdout.contains("INTERRUPTED"),
        "{}",
        again.stdout
    );
    bench.run("verify r/baseline/ledger.jsonl --blobs").exits(0);
    bench
        .run("ablation compare r")
        .exits(1)
        .says("PARTIAL / INTERRUPTED");
}

#[test]
#[cfg(unix)]
fn a_killed_run_is_replayed_from_its_ledger() {
    let bench = calibrated();
    let mut child = long_run(&bench);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!bench.exists("r/baseline/run.json"));
    let found = bench.run("ablation replay r").exits(0);
    assert!(found.stdout.contains("WRITTEN"), "{}", found.stdout);
    assert_eq!(status(&bench, "r/baseline")["reason"], "INTERRUPTED");
    let again = bench.run("ablation replay r").exits(0);
    assert!(again.stdout.contains("SAME"), "{}", again.stdout);
}

const REFUSES: &str = "{\"answer\":\"I would rather not.\"}\n";

#[test]
fn an_invalid_run_stops_says_why_and_exits_1() {
    let bench = calibrated();
    bench.write("no.jsonl", REFUSES);
    let run = "ablation run --model gpt-4o --oracle scripted:no.jsonl --calibration N.json --out r";
    let found = bench.run(&format!("{run} --json")).exits(1).json();
    assert_eq!(found["runs"][0]["verdict"], "INVALID_RUN");
    assert_eq!(found["runs"][0]["reason"], "BASELINE_NOT_INSTANTIATED");
    assert_eq!(found["runs"][0]["steps"], 50);
    assert_eq!(found["comparison"], Value::Null);
    assert_eq!(status(&bench, "r/baseline")["at"]["step"], 49);
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
    let bench = calibrated();
    let script =
        REFUSES.repeat(3) + "{\"faults\":[\"timeout\",\"timeout\",\"timeout\",\"timeout\"]}\n";
    bench.write("late.jsonl", script);
    bench
        .run("ablation run --variant c --model gpt-4o --oracle scripted:late.jsonl --calibration N.json --out r")
        .exits(3)
        .says("the oracle gave no answer before the run was whole");
    let status = status(&bench, "r/c");
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
