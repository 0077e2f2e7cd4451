//! `replay --what-if`: what other policies would have decided.

use serde_json::Value;

use crate::bench::Bench;

/// A policy file with one limit on `value`, in whole units.
fn limit(comparison: &str, threshold: i32) -> String {
    format!(
        r#"{{"value":[{{"comparison":"{comparison}","enabled":true,"policy_id":"LIMIT","threshold":{}}}]}}"#,
        threshold * 65_536
    )
}

/// A ledger under "value above 10 breaches", with answers from 8 to 12 and a reset in between.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ten.json", limit("GT", 10));
    bench
        .run("init ledger.jsonl --time 1 --policies ten.json")
        .exits(0);
    for value in 8..13 {
        let code = i32::from(value > 10);
        bench
            .observe(format!("{{\"value\":{value}}}").as_bytes())
            .exits(code);
    }
    bench.run("control mitigate --ledger ledger.jsonl").exits(0);
    bench.run("control reset --ledger ledger.jsonl").exits(0);
    bench.run("time 2 --ledger ledger.jsonl").exits(0);
    bench.observe(b"{\"value\":9}").exits(0);
    bench
}

/// The differences and the summary.
fn what_if(bench: &Bench, policies: &str, code: i32) -> (Vec<Value>, Value) {
    let run = bench
        .run(&format!(
            "replay ledger.jsonl --policies {policies} --what-if --json"
        ))
        .exits(code);
    let mut objects: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let summary = objects.pop().unwrap();
    assert_eq!(
        summary["what_if"]["differing"].as_u64().unwrap(),
        objects.len() as u64
    );
    (objects, summary)
}

#[test]
fn the_same_rules_differ_nowhere() {
    let bench = bench();
    let (differences, summary) = what_if(&bench, "ten.json", 0);
    assert!(differences.is_empty());
    assert_eq!(summary["ok"], true);
    // A reset, the time, five answers, three inputs and an answer.
    assert_eq!(summary["what_if"]["compared"], 11);
    assert_eq!(
        summary["what_if"]["configuration"],
        summary["configuration"]
    );
    // Another limit that no value tells apart is another configuration and no other decision.
    bench.write("same.json", limit("GE", 11));
    let (differences, summary) = what_if(&bench, "same.json", 0);
    assert!(differences.is_empty());
    assert_ne!(
        summary["what_if"]["configuration"],
        summary["configuration"]
    );
}

#[test]
fn each_decision_that_would_differ_is_listed() {
    let bench = bench();
    let before = bench.read("ledger.jsonl");
    // Stricter: 9 and 10 breach too, and so does the last answer after the reset.
    bench.write("eight.json", limit("GT", 8));
    let (differences, summary) = what_if(&bench, "eight.json", 1);
    let permitted: Vec<(Value, Value)> = differences
        .iter()
        .map(|d| {
            (
                d["recorded"]["permitted"].clone(),
                d["what_if"]["permitted"].clone(),
            )
        })
        .collect();
    assert_eq!(permitted, vec![(true.into(), false.into()); 3]);
    assert_eq!(
        differences[0]["what_if"]["breached"],
        serde_json::json!(["LIMIT"])
    );
    assert_eq!(differences[0]["recorded"]["next_state"], "ENABLED");
    assert_eq!(differences[0]["what_if"]["next_state"], "ALARM");
    assert_eq!(summary["what_if"]["no_longer_permitted"], 3);
    assert_eq!(summary["what_if"]["health"], "ALARM");
    assert_eq!(summary["verdict"], "OK");

    // Laxer: 11 and 12 do not breach, so there is no alarm to mitigate and the reset is another.
    bench.write("all.json", limit("GT", 100));
    let (differences, summary) = what_if(&bench, "all.json", 1);
    assert_eq!(summary["what_if"]["newly_permitted"], 2);
    assert!(differences.len() > 2);
    assert_eq!(bench.read("ledger.jsonl"), before);

    let text = bench
        .run("replay ledger.jsonl --policies eight.json --what-if")
        .exits(1);
    assert!(
        text.stdout
            .contains("3 of 11 decisions: 3 no longer permitted")
    );
    assert!(text.stdout.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn only_a_good_ledger_is_asked() {
    let bench = bench();
    bench.write("eight.json", limit("GT", 8));
    bench.run("replay ledger.jsonl --what-if").exits(2);
    let mut bytes = bench.read("ledger.jsonl");
    let last = bytes.len() - 150;
    bytes[last] ^= 1;
    bench.write("ledger.jsonl", &bytes);
    let run = bench
        .run("replay ledger.jsonl --policies eight.json --what-if --json")
        .exits(1);
    assert_eq!(run.stdout.lines().count(), 1);
    assert_ne!(run.json()["verdict"], "OK");
}

#[test]
fn an_interrupted_last_step_is_left_out() {
    let bench = bench();
    let bytes = bench.read("ledger.jsonl");
    let lines = crate::bench::lines(&bytes);
    bench.write("ledger.jsonl", lines[..lines.len() - 1].concat());
    let (differences, summary) = what_if(&bench, "ten.json", 0);
    assert!(differences.is_empty());
    assert_eq!(summary["interrupted"], true);
    assert_eq!(summary["what_if"]["compared"], 10);
}
