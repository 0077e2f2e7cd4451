//! The primary endpoint: declared before the runs, bound in their ledgers, and judged with a margin.

use serde_json::Value;

use super::stopping::calibrate;
use crate::bench::Bench;

const RUN: &str = "ablation run --calibration N.json --episodes 1";

fn read_primary(bench: &Bench, header: &str) -> Value {
    let header: Value = serde_json::from_slice(&bench.read(header)).unwrap();
    header["primary"].clone()
}

/// The agent draws its choice from the digest of its prompt, precedent included: each action as often with a record as
/// without, and another one at most steps.
#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn a_hash_of_situation_and_precedent_is_told_apart_where_controls_run() {
    let bench = calibrate();
    let run = format!("{RUN} --oracle agent:random --controls --out r");
    let table = bench.run(&run).exits(0).stdout;
    for part in [
        "The primary endpoint is disagreement, declared before the runs",
        "disagreement: other choices at the same step",
        "DIFFERS_MORE",
    ] {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 80));
    let summary = String::from_utf8(bench.read("r/summary.md")).unwrap();
    assert!(summary.contains("What a record says matters."), "{summary}");
    let stored: Value = serde_json::from_slice(&bench.read("r/comparison.json")).unwrap();
    let b = &stored["differences"][0];
    assert_eq!(b["choices"]["verdict"], "NOT_TOLD_APART");
    assert_eq!(b["disagreement"]["replicate_steps"], 0);
    assert_eq!(b["disagreement"]["test"]["p"], "0.001953");
    assert_eq!(read_primary(&bench, "r/b/header.json"), "disagreement");
    bench.run("ablation replay r").exits(0);
    // Whoever declares another endpoint when the answers are known has another header than the ledger.
    let header = String::from_utf8(bench.read("r/b/header.json")).unwrap();
    bench.write(
        "r/b/header.json",
        header.replace("\"primary\":\"disagreement\"", "\"primary\":\"choices\""),
    );
    bench.run("ablation replay r/b").exits(1);
}

/// Under eight seeds the secondary endpoints of five arms can have no verdict, and the primary one can.
#[test]
fn eight_seeds_are_enough_for_the_primary_endpoint() {
    let bench = calibrate();
    let run = format!("{RUN} --oracle agent:random --controls --seeds 1,2,3,4,5,6,7,8 --out r");
    bench.run(&run).exits(0);
    let summary = String::from_utf8(bench.read("r/summary.md")).unwrap();
    assert!(summary.contains("the seeds are too few"), "{summary}");
    let stored: Value = serde_json::from_slice(&bench.read("r/comparison.json")).unwrap();
    let b = &stored["differences"][0];
    assert_eq!(b["disagreement"]["verdict"], "DIFFERS_MORE");
    assert_eq!(b["disagreement"]["test"]["p_holm"], "0.015625");
    assert_eq!(b["choices"]["verdict"], "TOO_FEW_SEEDS");
}

#[test]
fn the_primary_endpoint_is_declared_before_the_runs() {
    let bench = calibrate();
    let run = format!("{RUN} --oracle agent:indifferent --seeds 1,2 --pilot");
    for (options, expected) in [
        ("--variant v300 --primary choices", "leave them out"),
        ("--primary disagreement", "give --controls too"),
        ("--primary size", "there is no endpoint \"size\""),
        (
            "--primary choices --margin 0.1",
            "--margin is a share of steps",
        ),
        ("--margin 2", "more than 0 and at most 1"),
    ] {
        let refused = bench.run(&format!("{run} {options} --out r")).exits(2);
        refused.says(expected);
    }
    assert!(!bench.exists("r"));
    bench.run(&format!("{run} --variant b --out r")).exits(0);
    assert_eq!(read_primary(&bench, "r/b/header.json"), "agreement");
    // An experiment goes on as it was declared.
    bench
        .run(&format!("{run} --primary choices --out r --resume"))
        .exits(2)
        .says("was begun with primary = \"agreement\"");
    bench
        .run(&format!("{run} --out s --variant b --primary actions"))
        .exits(0);
    bench.run(&format!("{run} --out s --resume")).exits(0);
    assert_eq!(read_primary(&bench, "s/baseline/header.json"), "actions");
    // The base harness is as it was.
    let base =
        "ablation run --oracle agent:indifferent --seeds 1 --episodes 1 --variant v300 --out v";
    bench.run(base).exits(0);
    assert_eq!(read_primary(&bench, "v/v300/header.json"), Value::Null);
    // Runs that declare different endpoints have none in common.
    let compared = bench.run("ablation compare s/baseline r/b").exits(0);
    assert!(compared.stdout.contains("There is no primary endpoint"));
    let found = bench
        .run("ablation compare s/baseline r/b --json")
        .exits(0)
        .json();
    assert_eq!(found["axilog_ablation_comparison"], 2);
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn a_margin_makes_little_of_a_small_difference() {
    let bench = calibrate();
    let run = format!("{RUN} --oracle agent:indifferent --out r");
    let table = bench.run(&format!("{run} --margin 0.05")).exits(0).stdout;
    assert_eq!(table.matches("LESS_THAN 0.05").count(), 2, "{table}");
    let replayed = bench.run("ablation replay r").exits(0).stdout;
    assert_eq!(replayed.matches("SAME").count(), 11, "{replayed}");
    let compare = |options: &str| bench.run(&format!("ablation compare r --json {options}"));
    let stored: Value = serde_json::from_slice(&bench.read("r/comparison.json")).unwrap();
    assert_eq!(
        compare("--margin 0.05").exits(0).json()["differences"],
        stored["differences"]
    );
    let without = compare("").exits(0).json();
    let agreement = &without["differences"][0]["agreement"];
    assert_eq!(agreement["verdict"], "NOT_TOLD_APART");
    assert_eq!(
        agreement["confidence_interval"],
        serde_json::json!(["0", "0"])
    );
    assert_eq!(without["statistics"].get("margin"), None);
}
