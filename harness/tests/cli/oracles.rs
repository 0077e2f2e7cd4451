//! A closed world: `axilog init --oracle`, `--oracles-from-policies` and `--require-policy`.

use serde_json::{Value, json};

use super::bench::{Bench, Run};

const POLICIES: &str = "{\"pay#/amount\":[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"PAY\",\"threshold\":6553600}]}\n";

/// Answers as `oracle`.
fn answer(bench: &Bench, oracle: &str, options: &str) -> Run {
    let line =
        format!("observe --ledger ledger.jsonl --oracle-id {oracle} --model-id m --json {options}");
    bench.run_with(&line, b"{\"amount\":1}")
}

/// The check of the oracles.
fn audit(bench: &Bench, options: &str) -> Value {
    let report = bench.run(&format!("audit ledger.jsonl --json {options}"));
    let report = report.json();
    let mut checks = report["checks"].as_array().unwrap().iter();
    checks
        .find(|check| check["subject"] == "oracles")
        .unwrap()
        .clone()
}

#[test]
fn a_mistyped_oracle_is_refused_where_oracles_are_declared() {
    for options in [
        "--oracle pay --oracle plan",
        "--oracle pay plan",
        "--oracles-from-policies --oracle plan",
    ] {
        let bench = Bench::new();
        bench.write("p.json", POLICIES);
        bench
            .run(&format!(
                "init ledger.jsonl --policies p.json --time 1 {options}"
            ))
            .exits(0);
        let before = bench.read("ledger.jsonl");
        answer(&bench, "pai", "").exits(2).says(
            "the oracle \"pai\" is not declared in this ledger, which takes answers of \"pay\", \"plan\" only; correct the id, or begin a ledger that declares it; nothing was recorded",
        );
        assert_eq!(bench.read("ledger.jsonl"), before);
        answer(&bench, "pay", "").exits(0);
        answer(&bench, "plan", "").exits(0);
        assert_eq!(
            audit(&bench, "")["finding"],
            "2 declared, 0 others have records"
        );
        let head = bench.run("head ledger.jsonl --json").exits(0).json();
        assert_eq!(head["manifest"]["oracles"], json!(["pay", "plan"]));
        assert_eq!(head["manifest"]["require_policy"], false);
        // Nothing else is refused.
        bench.run("time 2 --ledger ledger.jsonl").exits(0);
        bench.run("control fault --ledger ledger.jsonl").exits(0);
        bench.run("audit ledger.jsonl").exits(0);
    }
}

#[test]
fn a_mistyped_oracle_does_not_open_the_gate_where_a_policy_is_required() {
    let bench = Bench::new();
    bench.write("p.json", POLICIES);
    bench
        .run("init ledger.jsonl --policies p.json --time 1")
        .exits(0);
    let refused = answer(&bench, "pai", "--require-policy").exits(1).json();
    assert_eq!(
        (
            &refused["permitted"],
            &refused["may_act"],
            &refused["lacks_policy"]
        ),
        (&json!(true), &json!(false), &json!(true))
    );
    assert_eq!(
        refused["why"],
        json!(["no policy judged the answer, and one is required"])
    );
    let line = "observe --ledger ledger.jsonl --oracle-id pai --model-id m --require-policy --derived-from 5";
    bench
        .run_with(line, b"{}")
        .exits(2)
        .says("observation 5, which may not be acted on: no policy judged it");
    let told = bench.run_with(
        "observe --ledger ledger.jsonl --oracle-id pai --model-id m --require-policy",
        b"{}",
    );
    let told = told.exits(1).stdout;
    let words: Vec<&str> = told.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("act no: no policy judged the answer, and one is required"),
        "{told}"
    );
    answer(&bench, "pay", "--require-policy").exits(0);
    bench.run("audit ledger.jsonl").exits(0);
    bench.run("audit ledger.jsonl --require-policy").exits(1);
    let check = audit(&bench, "--require-policy");
    assert_eq!(check["result"], "failed");
    assert_eq!(
        check["details"],
        json!(["2 answers of oracle \"pai\" were permitted without any policy"])
    );
}

#[test]
fn a_ledger_may_require_a_policy_itself() {
    let bench = Bench::new();
    bench.write("p.json", POLICIES);
    bench
        .run("init ledger.jsonl --policies p.json --time 1 --require-policy")
        .exits(0);
    let before = bench.read("ledger.jsonl");
    answer(&bench, "pai", "").exits(2).says(
        "no policy judges the answers of the oracle \"pai\", and this ledger requires one; correct the id",
    );
    assert_eq!(bench.read("ledger.jsonl"), before);
    answer(&bench, "pay", "").exits(0);
    assert_eq!(
        audit(&bench, "")["finding"],
        "none is declared; a policy is required, and 0 answers were permitted without"
    );
}

#[test]
fn what_cannot_be_declared_is_refused_and_no_ledger_is_begun() {
    let bench = Bench::new();
    bench.write("p.json", POLICIES);
    bench.write("general.json", "[]\n");
    bench.write("schema.json", "{}");
    for (options, reason) in [
        (
            "--policies general.json --oracles-from-policies",
            "the policies name no oracle; name the oracles with --oracle",
        ),
        ("--oracle ax.time", "ax.time"),
        (
            "--oracle pay --schema plan=schema.json",
            "a schema of the oracle \"plan\", which is not among the oracles that it declares",
        ),
        ("--oracle b\u{200b}", "character 2 is U+200B"),
        (
            "--policies p.json --require-policy --oracle plan",
            "no policy judges the answers of the oracle \"plan\"",
        ),
    ] {
        bench
            .run(&format!("init ledger.jsonl {options}"))
            .exits(2)
            .says(reason);
        assert!(!bench.exists("ledger.jsonl"), "{options}");
    }
}
