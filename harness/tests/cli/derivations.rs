//! `axilog observe --derived-from` and `axilog show --graph`: questions that are made from earlier answers.

use serde_json::{Value, json};

use super::bench::{Bench, Run};

/// Asks `oracle` what `input.json` holds, made from the observations `sources`.
fn derive(bench: &Bench, oracle: &str, options: &str) -> Run {
    let line =
        format!("observe --ledger ledger.jsonl --oracle-id {oracle} --model-id m --json {options}");
    bench.run_with(&line, b"{\"value\":1}")
}

/// The check of the derivations.
fn audit(bench: &Bench) -> Value {
    let report = bench.run("audit ledger.jsonl --json").json();
    let mut checks = report["checks"].as_array().unwrap().iter();
    checks
        .find(|check| check["subject"] == "derivations")
        .unwrap()
        .clone()
}

#[test]
fn a_chain_of_oracles_is_recorded_and_drawn() {
    let bench = Bench::ledger();
    bench.write("in.json", r#"{"q":"and now?"}"#);
    bench.write("in.txt", "which one?");
    let first = bench.run("show ledger.jsonl --seq 5 --json").json()["obs_hash"].clone();
    let planned = derive(
        &bench,
        "planner",
        "--derived-from 5 --input in.json --input-kind json",
    );
    let planned = planned.exits(0).json();
    assert_eq!(planned["ledger_seq"], 8);
    let canonical = format!(r#"{{"derived_from":[{first}],"q":"and now?"}}"#);
    let hash = axilog_ledger::encoding::hex(&axilog::hash::sha256(canonical.as_bytes()));
    assert_eq!(planned["input_hash"], hash);
    derive(&bench, "checker", "--derived-from 8 5 --input in.txt").exits(0);
    assert_eq!(audit(&bench)["finding"], "2 inputs derived from answers");
    assert_eq!(audit(&bench)["result"], "passed");
    let drawn = bench.run("show ledger.jsonl --graph").exits(0).stdout;
    let lines: Vec<Vec<&str>> = drawn
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        lines,
        [
            vec!["8", "planner", "<-", "5", "o"],
            vec!["11", "checker", "<-", "8", "planner"],
            vec!["<-", "5", "o"],
        ]
    );
    let drawn = bench
        .run("show ledger.jsonl --graph --json")
        .exits(0)
        .stdout;
    let calls: Vec<Value> = drawn
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        calls[0],
        json!({
            "ledger_seq": 8,
            "oracle_id": "planner",
            "derived_from_count": 1,
            "faulty_count": 0,
            "derived_from": [{"obs_hash": first, "ledger_seq": 5, "oracle_id": "o", "refused": null}],
            "even_refused": false,
            "unreadable": null,
        })
    );
    bench.run("audit ledger.jsonl").exits(0);
}

#[test]
fn an_unknown_answer_is_refused_and_nothing_is_recorded() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    derive(&bench, "p", "--derived-from 99")
        .exits(2)
        .says("the question is derived from record 99, which is no observation of this ledger");
    derive(&bench, "p", "--derived-from 5 7")
        .exits(2)
        .says("record 7");
    bench.write(
        "in.json",
        format!(r#"{{"derived_from":["{}"]}}"#, "0".repeat(64)),
    );
    derive(&bench, "p", "--input in.json --input-kind json")
        .exits(2)
        .says("the answer with the obs_hash 000");
    derive(
        &bench,
        "p",
        "--derived-from 5 --input in.json --input-kind json",
    )
    .exits(2)
    .says("has a member derived_from already");
    bench.write("in.json", r#"{"derived_from":[]}"#);
    derive(&bench, "p", "--input in.json --input-kind json")
        .exits(2)
        .says("derived_from is empty; it names at least one answer");
    derive(&bench, "p", "--derived-from").exits(2);
    derive(&bench, "p", "--even-refused").exits(2);
    bench.write("in.json", r#"{"derived_from":"the first"}"#);
    derive(&bench, "p", "--input in.json --input-kind json")
        .exits(2)
        .says("derived_from is no array");
    assert_eq!(bench.read("ledger.jsonl"), before);
    // A ledger that does not exist has no answers, and is not begun.
    bench
        .run("observe --ledger other.jsonl --oracle-id o --model-id m --derived-from 1")
        .exits(3);
    assert!(!bench.exists("other.jsonl"));
}

#[test]
fn a_ledger_without_derivations_has_an_empty_graph() {
    let bench = Bench::ledger();
    let drawn = bench.run("show ledger.jsonl --graph").exits(0).stdout;
    assert_eq!(
        drawn,
        "no question of this ledger says that it was made from an answer\n"
    );
    assert_eq!(
        bench
            .run("show ledger.jsonl --graph --json")
            .exits(0)
            .stdout,
        ""
    );
    bench.run("show ledger.jsonl --graph --seq 5").exits(2);
}

#[test]
fn a_graph_that_cannot_be_read_whole_is_no_success() {
    let bench = Bench::ledger();
    bench.write("in.txt", "which one?");
    derive(&bench, "p", "--input in.txt").exits(0);
    std::fs::remove_dir_all(bench.path("ledger.jsonl.blobs")).unwrap();
    bench
        .run("show ledger.jsonl --graph")
        .exits(1)
        .says("questions are not among the blobs");
}

#[test]
fn a_refused_answer_feeds_no_question_unless_that_is_recorded() {
    let bench = Bench::ledger();
    bench.observe(b"{\"value\":32000}").exits(1);
    let before = bench.read("ledger.jsonl");
    derive(&bench, "p", "--derived-from 5 8").exits(2).says(
        "observation 8, which may not be acted on: it is a breach; derive it from answers that",
    );
    let hash = bench.run("show ledger.jsonl --seq 8 --json").json()["obs_hash"].clone();
    bench.write("in.json", format!(r#"{{"derived_from":[{hash}]}}"#));
    derive(&bench, "p", "--input in.json --input-kind json")
        .exits(2)
        .says("in the input the member \"even_refused\":true; nothing was recorded");
    // Record 1 is the reset of the ledger's beginning, record 3 its time.
    for source in [1, 3] {
        derive(
            &bench,
            "p",
            &format!("--derived-from {source} --even-refused"),
        )
        .exits(2)
        .says("which is the time or a control input and no answer; name answers of oracles");
    }
    assert_eq!(bench.read("ledger.jsonl"), before);

    // In ALARM, where a permitted answer may not be acted on.
    let asked = derive(&bench, "p", "--derived-from 5 8 --even-refused");
    let input = asked.exits(1).json()["input_hash"].clone();
    let good = bench.run("show ledger.jsonl --seq 5 --json").json()["obs_hash"].clone();
    let canonical = format!(r#"{{"derived_from":[{good},{hash}],"even_refused":true}}"#);
    let expected = axilog_ledger::encoding::hex(&axilog::hash::sha256(canonical.as_bytes()));
    assert_eq!(input, expected);
    let drawn = bench.run("show ledger.jsonl --graph").exits(0).stdout;
    assert!(
        drawn.contains("<- 8 o REFUSED, as the question says: it is a breach"),
        "{drawn}"
    );
    let drawn = bench.run("show ledger.jsonl --graph --json").json();
    assert_eq!(drawn["even_refused"], true);
    assert_eq!(drawn["derived_from"][0]["refused"], Value::Null);
    assert_eq!(drawn["derived_from"][1]["refused"], "it is a breach");
    let check = audit(&bench);
    assert_eq!(check["result"], "passed");
    assert_eq!(
        check["finding"],
        "1 inputs derived from answers; 1 of their sources may not be acted on, as the inputs say"
    );
    assert_eq!(
        check["details"][0],
        "the input of observation 11 is derived from observation 8, which may not be acted on, and says so: it is a breach"
    );
}

#[test]
fn what_is_said_of_refused_answers_is_said_only_where_there_are_any() {
    let bench = Bench::ledger();
    let plain = derive(&bench, "p", "--derived-from 5").exits(0).json();
    let said = derive(&bench, "p", "--derived-from 5 --even-refused");
    assert_eq!(said.exits(0).json()["input_hash"], plain["input_hash"]);
}
