//! Comparisons between the agents that ship, whose right results are known.

use serde_json::Value;

use super::stopping::calibrate;
use crate::bench::Bench;

/// Runs all three variants of an agent and gives their comparison.
fn run_all(bench: &Bench, agent: &str, episodes: u32) -> Value {
    let command = format!(
        "ablation run --oracle agent:{agent} --calibration N.json --episodes {episodes} --out {agent} --json"
    );
    bench.run(&command).exits(0).json()["comparison"].clone()
}

/// The verdicts on choices, answers and actions of each run that is compared.
fn list_verdicts(comparison: &Value) -> Vec<[&str; 3]> {
    let differences = comparison["differences"].as_array().unwrap();
    let questions = ["choices", "answers", "actions"];
    differences
        .iter()
        .map(|found| questions.map(|question| found[question]["verdict"].as_str().unwrap()))
        .collect()
}

const ALIKE: &str = "NOT_TOLD_APART";
const OTHERWISE: [&str; 3] = ["CHOOSES_OTHERWISE", ALIKE, "ACTS_OTHERWISE"];

#[test]
fn the_agent_that_uses_precedent_is_told_apart_and_the_others_are_not() {
    let bench = calibrate();
    let precedent = run_all(&bench, "precedent", 2);
    assert_eq!(list_verdicts(&precedent), [OTHERWISE; 2]);
    for run in precedent["runs"].as_array().unwrap() {
        assert_eq!(run["token_jitter"], 0);
        assert_eq!(run["steps"], 1000);
        assert_eq!(run["useful_answers"], 1000);
    }
    let indifferent = run_all(&bench, "indifferent", 1);
    assert_eq!(list_verdicts(&indifferent), [[ALIKE; 3]; 2]);
    for found in indifferent["differences"].as_array().unwrap() {
        let choices = &found["choices"];
        assert_eq!(
            choices["resampling_interval"],
            serde_json::json!(["0", "0"])
        );
        assert_eq!(choices["total_variation"], "0");
        assert_eq!(choices["differing_steps"], 0);
        assert_eq!(choices["test"]["p_holm"], "1");
    }
    // The random agent draws other actions in each variant, but by the same law.
    let random = run_all(&bench, "random", 1);
    assert_eq!(list_verdicts(&random), [[ALIKE; 3]; 2]);
    assert_ne!(random["differences"][0]["choices"]["differing_steps"], 0);

    // One agent against another, under the same variant.
    let run = "ablation run --oracle agent:precedent --calibration N.json --episodes 1 --out one";
    bench.run(&format!("{run} --variant baseline")).exits(0);
    bench.run(&format!("{run} --variant b")).exits(0);
    let across = "ablation compare one/baseline indifferent/baseline indifferent/b --json";
    let across = bench.run(across).exits(0).json();
    assert_eq!(list_verdicts(&across), [OTHERWISE; 2]);
    assert_eq!(across["reference"], "agent:precedent baseline");
    // Without writing the two agents choose alike: only the memory tells them apart.
    let without = "ablation compare one/b indifferent/b --json";
    assert_eq!(
        list_verdicts(&bench.run(without).exits(0).json()),
        [[ALIKE; 3]]
    );

    check_files(&bench);
}

/// Checks the files that lie beside the runs.
fn check_files(bench: &Bench) {
    let text = |name: &str| String::from_utf8(bench.read(name)).unwrap();
    let summary = text("precedent/summary.md");
    for part in [
        "| b | 0.",
        "CHOOSES",
        "Answers: the share that was not useful",
        "rejected (no artifact)",
        "proposed | done |",
        "![",
        "(actions.svg)",
        "| escort-by-day |",
    ] {
        assert!(summary.contains(part), "{part} in {summary}");
    }
    let comparison: Value = serde_json::from_str(&text("precedent/comparison.json")).unwrap();
    assert_eq!(comparison["axilog_ablation_comparison"], 3);
    let plot = text("precedent/actions.svg");
    assert!(plot.starts_with("<svg ") && plot.ends_with("</svg>\n"));
    // Three bars for each of ten actions and their legend, and a dot on each for each of ten seeds.
    assert_eq!(plot.matches("<rect ").count(), 1 + 30 + 3);
    assert_eq!(plot.matches("<circle ").count(), 300);
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
        assert!(!has_float(line), "{name}");
    }
}

/// Whether a JSON text holds a number that is not an integer.
fn has_float(text: &str) -> bool {
    fn is_in(value: &Value) -> bool {
        match value {
            Value::Number(n) => !(n.is_u64() || n.is_i64()),
            Value::Array(items) => items.iter().any(is_in),
            Value::Object(members) => members.values().any(is_in),
            _ => false,
        }
    }
    is_in(&serde_json::from_str(text).unwrap())
}

/// An oracle whose answers are never useful shows nothing about its choices, whatever was done.
#[test]
fn a_run_without_useful_answers_is_invalid() {
    let bench = calibrate();
    bench.write("mute.jsonl", "{\"answer\":\"I would rather not.\"}\n");
    let run = "ablation run --model gpt-4o --oracle scripted:mute.jsonl --calibration N.json --episodes 1 --seeds 1 --out mute";
    for variant in ["b", "c"] {
        let found = bench.run(&format!("{run} --variant {variant}")).exits(1);
        assert!(
            found.stdout.contains("INVALID_RUN / NO_USEFUL_ANSWER"),
            "{}",
            found.stdout
        );
    }
    bench.run("ablation replay mute").exits(0);
    bench
        .run("ablation compare mute")
        .exits(1)
        .says("NO_USEFUL_ANSWER");
}

#[test]
fn few_seeds_give_no_verdict() {
    let bench = calibrate();
    let run = "ablation run --oracle agent:precedent --calibration N.json --episodes 1 --out r";
    for (options, expected) in [
        (
            "--seeds 1,2,3,4,5,6",
            "--seeds: are 6, and the comparison of these runs has no verdict, whatever is answered, under fewer than 7; name more seeds, or give --pilot",
        ),
        (
            "--seeds 1,2,3,4,5,6,7,8 --variant baseline --controls",
            "under fewer than 9;",
        ),
    ] {
        bench
            .run(&format!("{run} {options}"))
            .exits(2)
            .says(expected);
        assert!(!bench.exists("r"));
    }
    let found = bench.run(&format!("{run} --seeds 1,2,3 --pilot")).exits(0);
    assert!(found.stdout.contains("TOO_FEW_SEEDS"), "{}", found.stdout);
    assert!(
        found.stdout.lines().all(|line| line.chars().count() <= 80),
        "{}",
        found.stdout
    );
}
