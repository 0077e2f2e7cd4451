//! The agents that ship, whose comparison has known answers.

use serde_json::Value;

use crate::bench::Bench;

fn calibrated() -> Bench {
    let bench = Bench::new();
    bench
        .run("ablation calibrate --oracle agent:precedent --out N.json")
        .exits(0);
    bench
}

fn run_all(bench: &Bench, agent: &str, episodes: u32) -> Value {
    let command = format!(
        "ablation run --oracle agent:{agent} --calibration N.json --episodes {episodes} --out {agent} --json"
    );
    bench.run(&command).exits(0).json()["comparison"].clone()
}

fn verdicts(comparison: &Value) -> Vec<&str> {
    let differences = comparison["differences"].as_array().unwrap();
    differences
        .iter()
        .map(|found| found["verdict"].as_str().unwrap())
        .collect()
}

#[test]
fn the_agent_that_uses_precedent_is_told_apart_and_the_others_are_not() {
    let bench = calibrated();
    let precedent = run_all(&bench, "precedent", 2);
    assert_eq!(verdicts(&precedent), ["TOLD_APART", "TOLD_APART"]);
    for run in precedent["runs"].as_array().unwrap() {
        assert_eq!(run["token_jitter"], 0);
        assert_eq!(run["steps"], 800);
    }
    let indifferent = run_all(&bench, "indifferent", 1);
    assert_eq!(verdicts(&indifferent), ["NOT_TOLD_APART", "NOT_TOLD_APART"]);
    for found in indifferent["differences"].as_array().unwrap() {
        assert_eq!(found["interval"], serde_json::json!(["0", "0"]));
        assert_eq!(found["total_variation"], "0");
    }
    // Its draws are others in each variant, its law is the same.
    let random = run_all(&bench, "random", 1);
    assert_eq!(verdicts(&random), ["NOT_TOLD_APART", "NOT_TOLD_APART"]);
    assert_ne!(random["differences"][0]["total_variation"], "0");

    // One agent against another, under the same variant.
    let run = "ablation run --oracle agent:precedent --calibration N.json --episodes 1 --out one";
    bench.run(&format!("{run} --variant baseline")).exits(0);
    bench.run(&format!("{run} --variant b")).exits(0);
    let across = "ablation compare one/baseline indifferent/baseline indifferent/b --json";
    let across = bench.run(across).exits(0).json();
    assert_eq!(verdicts(&across), ["TOLD_APART", "TOLD_APART"]);
    assert_eq!(across["reference"], "agent:precedent baseline");
    // Without writing they choose alike: what tells them apart is the memory.
    let without = "ablation compare one/b indifferent/b --json";
    assert_eq!(
        verdicts(&bench.run(without).exits(0).json()),
        ["NOT_TOLD_APART"]
    );

    written(&bench);
}

/// What lies beside the runs.
fn written(bench: &Bench) {
    let text = |name: &str| String::from_utf8(bench.read(name)).unwrap();
    let summary = text("precedent/summary.md");
    for part in [
        "| b | 0.",
        "TOLD_APART",
        "![",
        "(actions.svg)",
        "| escort-by-day |",
    ] {
        assert!(summary.contains(part), "{part} in {summary}");
    }
    let comparison: Value = serde_json::from_str(&text("precedent/comparison.json")).unwrap();
    assert_eq!(comparison["axilog_ablation_comparison"], 1);
    let plot = text("precedent/actions.svg");
    assert!(plot.starts_with("<svg ") && plot.ends_with("</svg>\n"));
    // Three bars for each of ten actions and their legend, and a dot on each for each of eight seeds.
    assert_eq!(plot.matches("<rect ").count(), 1 + 30 + 3);
    assert_eq!(plot.matches("<circle ").count(), 240);
    for name in [
        "precedent/b/run.json",
        "precedent/comparison.json",
        "precedent/c/header.json",
    ] {
        let text = text(name);
        let line = text.strip_suffix('\n').unwrap();
        assert!(
            axilog::json::canonical::is_canonical_json(line.as_bytes()),
            "{name}"
        );
        assert!(!number_with_point(line), "{name}");
    }
}

/// Whether a JSON text holds a number that is not an integer.
fn number_with_point(text: &str) -> bool {
    fn found(value: &Value) -> bool {
        match value {
            Value::Number(n) => !(n.is_u64() || n.is_i64()),
            Value::Array(all) => all.iter().any(found),
            Value::Object(all) => all.values().any(found),
            _ => false,
        }
    }
    found(&serde_json::from_str(text).unwrap())
}

#[test]
fn few_seeds_give_no_verdict() {
    let bench = calibrated();
    let run = "ablation run --oracle agent:precedent --calibration N.json --episodes 1 --seeds 1,2,3 --out r";
    let found = bench.run(run).exits(0);
    assert!(found.stdout.contains("TOO_FEW_SEEDS"), "{}", found.stdout);
    assert!(
        found.stdout.lines().all(|line| line.chars().count() <= 80),
        "{}",
        found.stdout
    );
}
