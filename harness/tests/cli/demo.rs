//! `axilog demo`.

use crate::bench::Bench;

/// The demonstration's answers, times and rules are fixed, and so is its ledger.
const HEAD: &str = "0a432815dad6f7001977a892cf9b99035ea5b8e92df14e915933e72aec410172";

#[test]
fn every_run_writes_the_same_ledger_and_none_is_overwritten() {
    let bench = Bench::new();
    let first = bench.run("demo").exits(0);
    assert!(first.stdout.contains(HEAD), "{}", first.stdout);
    assert!(first.stdout.contains("axilog-demo.jsonl"));
    // But for the command that a reader may call, whose path may be of any length.
    let lines = first
        .stdout
        .lines()
        .filter(|line| !line.starts_with("    /"));
    let wide = lines.filter(|line| line.chars().count() > 80);
    assert_eq!(wide.count(), 0, "{}", first.stdout);
    let ledger = bench.read("axilog-demo.jsonl");

    let second = bench.run("demo").exits(0);
    assert!(second.stdout.contains("axilog-demo-2.jsonl"));
    assert_eq!(bench.read("axilog-demo.jsonl"), ledger);
    assert_eq!(bench.read("axilog-demo-2.jsonl"), ledger);

    bench
        .run("demo --ledger axilog-demo.jsonl")
        .exits(3)
        .says("already holds a ledger");
    assert_eq!(bench.read("axilog-demo.jsonl"), ledger);
    bench.run("demo --ledger elsewhere.jsonl").exits(0);
    assert_eq!(bench.read("elsewhere.jsonl"), ledger);
    for command in ["verify --blobs", "replay"] {
        bench
            .run(&format!("{command} elsewhere.jsonl --expect-head {HEAD}"))
            .exits(0);
    }
}

#[test]
fn the_script_shows_what_it_should() {
    let bench = Bench::new();
    let report = bench.run("demo --json").exits(0).json();
    assert_eq!(report["verify"], "OK");
    assert_eq!(report["replay"], "OK");
    assert_eq!(report["head"], HEAD);
    let steps = report["steps"].as_array().unwrap();
    let answers: Vec<_> = steps
        .iter()
        .filter(|s| s["oracle_id"] == "demo-oracle")
        .collect();
    assert_eq!(answers.len(), 12);
    let permitted = answers.iter().filter(|s| s["permitted"] == true).count();
    assert_eq!(permitted, 5);
    for (field, value) in [
        ("admitted", "INVALID"),
        ("admitted", "CUT"),
        ("failure_type", "TIMEOUT"),
        ("violation", "POLICY_BREACH"),
        ("prev_state", "ALARM"),
    ] {
        assert!(answers.iter().any(|s| s[field] == value), "{field} {value}");
    }
}
