//! `axilog init --running-values`: sums, counts and changes that the ledger computes itself.

use serde_json::{Value, json};

use super::bench::{Bench, Run};

const POLICIES: &str = r#"
[SPEND]
oracle = "ax.sum.spend"
max = "100"

[CALLS]
oracle = "ax.count.calls"
max = "2"
"#;

const VALUES: &str = r#"{
    "ax.sum.spend": {"oracle": "tool.pay", "path": "/amount", "window": 3600},
    "ax.count.calls": {"oracle": "tool.pay", "window": 60}
}"#;

fn begin() -> Bench {
    let bench = Bench::new();
    bench.write("p.toml", POLICIES);
    bench.write("v.json", VALUES);
    bench
        .run("init ledger.jsonl --policies p.toml --running-values v.json --time 1")
        .exits(0);
    bench
}

fn pay(bench: &Bench, amount: &str, options: &str) -> Run {
    let line = format!("observe --ledger ledger.jsonl --oracle-id tool.pay --model-id m {options}");
    bench.run_with(&line, format!(r#"{{"amount":{amount}}}"#).as_bytes())
}

#[test]
fn a_payment_beyond_the_sum_may_not_be_acted_on() {
    let bench = begin();
    let first = pay(&bench, "60.5", "--json").exits(0).json();
    assert_eq!(first["may_act"], true);
    let values = first["running_values"].as_array().unwrap();
    let told = |value: &Value| (value["oracle_id"].clone(), value["answer"].clone());
    assert_eq!(
        told(&values[0]),
        (json!("ax.count.calls"), json!(r#"{"value":1}"#))
    );
    assert_eq!(
        told(&values[1]),
        (json!("ax.sum.spend"), json!(r#"{"value":60.5}"#))
    );
    assert_eq!(values[1]["policies"][0]["policy_id"], "SPEND");
    assert_eq!(values[1]["permitted"], true);
    let second = pay(&bench, "39.6", "").exits(1).stdout;
    for line in [
        "running         BREACH ax.sum.spend {\"value\":100.1}, observation ",
        "why             ax.sum.spend#value 100.1 is above 100 (SPEND)",
    ] {
        assert!(second.contains(line), "{second}");
    }
    assert!(second.starts_with("BREACH "), "{second}");
    // A person acts; then 39.5 fits, and it is the second call that counts.
    for line in ["control mitigate", "control reset", "time 2"] {
        bench.run(&format!("{line} --ledger ledger.jsonl")).exits(0);
    }
    pay(&bench, "39.5", "").exits(0);
    let third = pay(&bench, "-1", "").exits(1).stdout;
    assert!(
        third.contains("ax.count.calls#value 3 is above 2 (CALLS)"),
        "{third}"
    );
    // What of the sum was judged is in the ledger, and an audit computes it again.
    let shown = bench
        .run("show ledger.jsonl --oracle ax.sum.spend")
        .exits(0)
        .stdout;
    assert!(
        shown.contains(r#"{"value":100.1}"#) && shown.contains(r#"{"value":100}"#),
        "{shown}"
    );
    let audited = bench.run("audit ledger.jsonl --json").exits(0).json();
    let mut checks = audited["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["subject"] == "derivations");
    assert_eq!(
        check.unwrap()["finding"],
        "no input says that it was derived from an answer; 7 running values computed again, and the same"
    );
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    let declared: Value = serde_json::from_str(VALUES).unwrap();
    assert_eq!(head["manifest"]["running_values"], declared);
    // Nobody asked for the values: the graph of questions has none.
    let drawn = bench.run("show ledger.jsonl --graph").exits(0).stdout;
    assert!(!drawn.contains("ax.sum.spend"), "{drawn}");
    for command in ["verify", "replay", "stats"] {
        bench.run(&format!("{command} ledger.jsonl")).exits(0);
    }
}

#[test]
fn a_file_that_declares_no_running_values_is_refused_with_its_place() {
    for (text, reason) in [
        ("", "v.json: found at byte 0: "),
        ("[]", "v.json: invalid type: sequence, expected a map"),
        (
            r#"{"ax.sum.a":{"oracle":"o","path":"p"},"ax.sum.a":{"oracle":"o","path":"q"}}"#,
            "v.json: found at byte 38: ",
        ),
        (
            r#"{"ax.sum.a":{"oracle":"o","pat":"p"}}"#,
            "unknown field `pat`",
        ),
        (
            r#"{"ax.sum.a":{"oracle":"o"}}"#,
            "the running value \"ax.sum.a\": the path is missing",
        ),
        (
            r#"{"ax.sum.a":{"oracle":"o","path":"p"}}"#,
            "the running value ax.sum.a: no enabled policy has it as its oracle; add one, oracle = \"ax.sum.a\"",
        ),
    ] {
        let bench = Bench::new();
        bench.write("p.toml", POLICIES);
        bench.write("v.json", text);
        bench
            .run("init ledger.jsonl --policies p.toml --running-values v.json")
            .exits(2)
            .says(reason);
        assert!(!bench.path("ledger.jsonl").exists());
    }
    let bench = Bench::new();
    for missing in ["absent.json", "."] {
        bench
            .run(&format!("init ledger.jsonl --running-values {missing}"))
            .exits(3);
    }
}

#[test]
fn nobody_answers_as_a_running_value_and_declared_oracles_need_not_name_it() {
    let bench = Bench::new();
    bench.write(
        "p.toml",
        format!("{POLICIES}\n[SINGLE]\noracle = \"tool.pay\"\npath = \"/amount\"\nmax = \"90\"\n"),
    );
    bench.write("v.json", VALUES);
    bench
        .run("init ledger.jsonl --policies p.toml --running-values v.json --oracles-from-policies --require-policy --time 1")
        .exits(0);
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    assert_eq!(head["manifest"]["oracles"], json!(["tool.pay"]));
    let before = bench.read("ledger.jsonl");
    bench
        .run_with(
            "observe --ledger ledger.jsonl --oracle-id ax.sum.spend --model-id axilog",
            br#"{"value":-1000}"#,
        )
        .exits(2)
        .says("the oracle id \"ax.sum.spend\" is that of a running value, which the ledger computes and records itself");
    assert_eq!(bench.read("ledger.jsonl"), before);
    pay(&bench, "60", "").exits(0);
    bench.run("audit ledger.jsonl").exits(0);
}
