//! `axilog stats`.

use serde_json::json;

use crate::bench::{Bench, lines, offset};

#[test]
fn everything_is_counted() {
    let bench = Bench::ledger();
    bench.observe(b"{\"value\":100.5}").exits(1);
    bench.observe(b"prose").exits(1);
    bench.observe(b"\xff").exits(1);
    let line = "observe --ledger ledger.jsonl --oracle-id p --model-id m2 --failure timeout";
    bench.run(line).exits(1);
    bench.run("time 1010 --ledger ledger.jsonl").exits(0);
    bench.run("time 7 --force --ledger ledger.jsonl").exits(1);
    bench
        .run("time 2000 --ledger ledger.jsonl --force")
        .exits(1);

    let stats = bench.run("stats ledger.jsonl --json").exits(0).json();
    let verified = bench.run("verify ledger.jsonl --json").exits(0).json();
    for (field, value) in verified.as_object().unwrap() {
        assert_eq!(stats[field], *value, "{field}");
    }
    let tags = stats["tags"].as_object().unwrap();
    let sum: u64 = tags.values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(verified["entries"], sum);
    assert_eq!(tags["state"], 1);
    // The refused answer's bytes are bound.
    assert_eq!(tags["proof"], 1);
    assert_eq!(tags["obs"], 10);
    // A stopped agent makes no transition.
    assert_eq!(tags["trans"], 9);

    let none = json!({"INVALID_OUTPUT": 0, "TIMEOUT": 0, "TRANSPORT_ERROR": 0});
    assert_eq!(
        stats["oracles"],
        json!([
            {"oracle_id": "ax.control", "model_id": "ax.control", "observations": 1,
             "complete": 1, "truncated": 0, "error": 0, "failures": none},
            {"oracle_id": "ax.time", "model_id": "ax.time", "observations": 4,
             "complete": 4, "truncated": 0, "error": 0, "failures": none},
            {"oracle_id": "o", "model_id": "m", "observations": 4,
             "complete": 3, "truncated": 0, "error": 1,
             "failures": {"INVALID_OUTPUT": 1, "TIMEOUT": 0, "TRANSPORT_ERROR": 0}},
            {"oracle_id": "p", "model_id": "m2", "observations": 1,
             "complete": 0, "truncated": 0, "error": 1,
             "failures": {"INVALID_OUTPUT": 0, "TIMEOUT": 1, "TRANSPORT_ERROR": 0}},
        ])
    );
    // Of 11, 15 and 5 bytes.
    assert_eq!(
        stats["answers"],
        json!({"count": 3, "size_min": 5, "size_mean": 10, "size_max": 15})
    );
    // Neither the rollback nor what came to a stopped agent was accepted.
    assert_eq!(
        stats["times"],
        json!({"first": 1000, "last": 1010, "span": 10})
    );
    let policies = stats["policies"].as_array().unwrap();
    let of_value = |p: &&serde_json::Value| p["max_decimal"] == "100.5";
    let judged: Vec<_> = policies.iter().filter(of_value).collect();
    assert!(!judged.is_empty(), "{policies:?}");
    for policy in judged {
        assert_eq!(policy["min_decimal"], "1");
        assert_eq!(policy["min"], 65536);
        assert_eq!(policy["evaluated"], 5);
        assert_eq!(policy["no_value"], 3);
        assert!(policy["breaches"].as_u64().unwrap() >= 3);
    }
    let breaches: u64 = policies
        .iter()
        .map(|p| p["breaches"].as_u64().unwrap())
        .sum();
    let shown = bench.run("show ledger.jsonl --tag policy --breaches --json");
    assert_eq!(shown.exits(0).stdout.lines().count() as u64, breaches);
    assert_eq!(
        stats["violations"],
        json!({"POLICY_BREACH": 4, "TIME_ROLLBACK": 1})
    );
    assert_eq!(
        stats["transitions"],
        json!([
            {"prev_state": "UNINIT", "next_state": "INIT", "count": 1},
            {"prev_state": "INIT", "next_state": "ENABLED", "count": 1},
            {"prev_state": "ENABLED", "next_state": "ENABLED", "count": 1},
            {"prev_state": "ENABLED", "next_state": "ALARM", "count": 1},
            {"prev_state": "ALARM", "next_state": "ALARM", "count": 4},
            {"prev_state": "ALARM", "next_state": "STOPPED", "count": 1},
        ])
    );

    let text = bench.run("stats ledger.jsonl").exits(0).stdout;
    for told in [
        "o / m",
        "100.5",
        "1000 to 1010",
        "1 TIMEOUT",
        "POLICY_BREACH",
        "RFC8785",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
    let wide = text.lines().filter(|l| l.chars().count() > 80);
    assert_eq!(wide.count(), 0, "{text}");
}

#[test]
fn an_empty_ledger_has_no_times_and_no_sizes() {
    let bench = Bench::new();
    bench.write("new.jsonl", axilog_ledger::file::genesis_line());
    let stats = bench.run("stats new.jsonl --json").exits(0).json();
    assert_eq!(stats["entries"], 1);
    assert_eq!(stats["times"], json!(null));
    assert_eq!(stats["answers"]["size_mean"], json!(null));
    assert_eq!(stats["policies"], json!([]));
    bench.run("stats new.jsonl").exits(0);
}

#[test]
fn a_damaged_ledger_is_not_counted() {
    let bench = Bench::ledger();
    let mut all = lines(&bench.read("ledger.jsonl"));
    let at = offset(&all, 5);
    all[5][200] ^= 1;
    bench.write("ledger.jsonl", all.concat());
    assert_eq!(
        bench.verdict("stats ledger.jsonl"),
        ("ALTERED".to_owned(), 5, at)
    );
    let report = bench.run("stats ledger.jsonl --json").exits(1).json();
    assert!(report.get("tags").is_none(), "{report}");
}
