//! What `axilog ablation compare` takes and refuses, and how a comparison is made again.

use std::sync::OnceLock;

use axilog_ablation::comparison_file_names::COMPARISON_FILES;
use serde_json::{Value, json};

use super::stopping::{calibrate, write_calibration};
use crate::bench::{Bench, Files};

/// A directory with the baseline, run B and run C of two agents in p and i, under two seeds.
fn run_two_agents() -> Bench {
    static FILES: OnceLock<Files> = OnceLock::new();
    Bench::prepared(&FILES, |bench| {
        write_calibration(bench);
        for (agent, out) in [("precedent", "p"), ("indifferent", "i")] {
            let run = format!(
                "ablation run --oracle agent:{agent} --calibration N.json --seeds 1,2 --pilot --episodes 1 --out {out}"
            );
            bench.run(&run).exits(0);
        }
    })
}

/// What the replay of each file of a comparison gave.
fn list_results(report: &Value) -> Vec<[String; 2]> {
    let files = report["comparison"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    files
        .map(|file| [text(&file["file"]), text(&file["replay"])])
        .collect()
}

#[test]
fn a_run_is_replayed_before_it_is_compared() {
    let bench = run_two_agents();
    let document = String::from_utf8(bench.read("p/b/run.json")).unwrap();
    // Every count holds, but the ledger says something else.
    let changed = document.replacen("\"mask_size\":1", "\"mask_size\":3", 1);
    assert_ne!(changed, document);
    bench.write("p/b/run.json", changed);
    for command in ["ablation compare p", "ablation compare i p/b"] {
        let refused = bench.run(command).exits(1);
        refused
            .says("p/b/run.json: is not the document that follows from its ledger")
            .says("--no-replay");
    }
    bench.run("ablation compare i").exits(0);
    let believed = bench
        .run("ablation compare p --no-replay --json")
        .exits(0)
        .json();
    assert_eq!(believed["runs"][1]["ledger_head"], Value::Null);
    bench.write("p/b/run.json", document);
    let found = bench.run("ablation compare p --json").exits(0).json();
    let replayed = bench.run("ablation replay p --json").exits(0).json();
    assert_eq!(found["runs"][1]["ledger_head"], replayed["runs"][1]["head"]);
    assert_eq!(found["runs"][1]["path"], "p/b");
    // A ledger that is gone or damaged gives nothing to replay.
    let ledger = bench.read("p/b/ledger.jsonl");
    let text = String::from_utf8(ledger).unwrap();
    bench.write("p/b/ledger.jsonl", text.replacen("drift", "drIft", 1));
    bench.run("ablation compare p").exits(1).says("ALTERED");
    std::fs::remove_file(bench.path("p/b/ledger.jsonl")).unwrap();
    bench
        .run("ablation compare p")
        .exits(3)
        .says("ledger.jsonl");
}

#[test]
fn only_whole_valid_runs_are_compared() {
    let bench = run_two_agents();
    let document: Value = serde_json::from_slice(&bench.read("p/b/run.json")).unwrap();
    for (verdict, reason, detail) in [
        ("INVALID_RUN", "DEAD_CHANNEL", "the memory holds nothing"),
        ("PARTIAL", "INTERRUPTED", "stopped before this step"),
    ] {
        let mut changed = document.clone();
        changed["status"] = json!({
            "at": { "episode": 0, "seed": 2, "step": 49 },
            "detail": detail,
            "reason": reason,
            "verdict": verdict,
        });
        bench.write("p/b/run.json", changed.to_string());
        let refused = bench.run("ablation compare p --no-replay").exits(1);
        refused
            .says(&format!("p/b/run.json: is {verdict} / {reason} ({detail})"))
            .says("only whole, valid runs are compared");
    }
    std::fs::remove_file(bench.path("p/b/run.json")).unwrap();
    bench
        .run("ablation compare p")
        .exits(1)
        .says("p/b/run.json: is not there: the run was killed");
}

#[test]
fn there_must_be_something_to_compare() {
    let bench = run_two_agents();
    let refused = bench.run("ablation compare p/b --out c").exits(1);
    refused
        .says("p/b: is the only run, and there is nothing to compare it with")
        .says("two runs or more");
    let refused = bench.run("ablation compare p ./p/b").exits(1);
    refused.says("./p/b: is named twice");
    assert!(!bench.exists("c"));
}

/// Runs of one variant and oracle are told apart by their paths.
#[test]
fn runs_of_one_name_have_labels_that_tell_them_apart() {
    let bench = run_two_agents();
    let again = "ablation run --oracle agent:precedent --calibration N.json --seeds 1,2 --episodes 1 --variant baseline --out p2";
    bench.run(again).exits(0);
    let compare = "ablation compare p/baseline p2 p/b --json --out new/cmp";
    let found = bench.run(compare).exits(0).json();
    let labels = |found: &Value| -> Vec<String> {
        let runs = found["runs"].as_array().unwrap().iter();
        runs.map(|run| run["label"].as_str().unwrap().to_owned())
            .collect()
    };
    let expected = [
        "baseline (../../p/baseline)",
        "baseline (../../p2/baseline)",
        "b",
    ];
    assert_eq!(labels(&found), expected);
    assert_eq!(found["reference"], expected[0]);
    let without_out = "ablation compare p/baseline p2 p/b --json";
    let found = bench.run(without_out).exits(0).json();
    assert_eq!(
        labels(&found)[..2],
        ["baseline (p/baseline)", "baseline (p2/baseline)"]
    );
    bench.run("ablation replay new/cmp").exits(0);
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn a_comparison_is_never_overwritten() {
    let bench = run_two_agents();
    let compare = "ablation compare p i --out cmp";
    bench.run(compare).exits(0);
    let names = COMPARISON_FILES.map(|name| format!("cmp/{name}"));
    let written = names.each_ref().map(|name| bench.read(name));
    // The same comparison is done already, and one that lost a file gets it again.
    bench.run(compare).exits(0);
    std::fs::remove_file(bench.path("cmp/summary.md")).unwrap();
    bench.run(compare).exits(0);
    assert_eq!(names.each_ref().map(|name| bench.read(name)), written);
    let refused = bench.run("ablation compare i p --out cmp").exits(3);
    refused.says("is another comparison's, and is never overwritten");
    assert_eq!(names.each_ref().map(|name| bench.read(name)), written);
    // A run asks nothing where its comparison could not be written.
    let run = "ablation run --oracle agent:random --calibration N.json --seeds 1,2 --pilot --episodes 1 --out cmp";
    let refused = bench.run(run).exits(3);
    refused.says("is another comparison's");
    assert!(!bench.exists("cmp/baseline"));
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn a_comparison_follows_from_its_runs_byte_for_byte() {
    let bench = run_two_agents();
    let report = bench.run("ablation replay p --json").exits(0).json();
    let expected = COMPARISON_FILES.map(|name| [format!("p/{name}"), "SAME".to_owned()]);
    assert_eq!(list_results(&report), expected);
    for (name, from, to) in [
        ("comparison.json", "TOO_FEW_SEEDS", "ACTS_OTHERWISE"),
        ("comparison.json", "\"p\":\"0", "\"p\":\"1"),
        (
            "comparison.json",
            "\"ledger_head\":\"",
            "\"ledger_head\":\"0",
        ),
        ("summary.md", "baseline", "Baseline"),
        ("actions.svg", "<rect", "<circle"),
        ("actions.csv", "drift", "moor"),
        ("effects.svg", "<circle", "<rect"),
        ("effects.csv", "TOO_FEW", "too_few"),
        ("trajectories.svg", "baseline", "b"),
        ("trajectories.csv", "last choice", "first choice"),
    ] {
        let name = format!("p/{name}");
        let text = String::from_utf8(bench.read(&name)).unwrap();
        let changed = text.replacen(from, to, 1);
        if changed == text {
            panic!("{from} in {text}");
        }
        bench.write(&name, changed);
        let report = bench.run("ablation replay p --json").exits(1);
        let report = report.says(&format!("{name}: is not what follows from the runs"));
        let differing = list_results(&report.json());
        let differing: Vec<_> = differing.iter().filter(|file| file[1] != "SAME").collect();
        assert_eq!(differing, [&[name.clone(), "DIFFERS".to_owned()]]);
        bench.write(&name, text);
    }
    // A document of another version, or none at all.
    let text = String::from_utf8(bench.read("p/comparison.json")).unwrap();
    let older = text.replace(
        "\"axilog_ablation_comparison\":3",
        "\"axilog_ablation_comparison\":1",
    );
    bench.write("p/comparison.json", older);
    let refused = bench.run("ablation replay p").exits(3);
    refused.says("has version 1; expected version 2 or 3");
    bench.write("p/comparison.json", "[]");
    bench
        .run("ablation replay p")
        .exits(3)
        .says("not a comparison");
    bench.write("p/comparison.json", text);
    // A file that is missing is written again.
    let summary = bench.read("p/summary.md");
    std::fs::remove_file(bench.path("p/summary.md")).unwrap();
    let report = bench.run("ablation replay p").exits(0);
    assert!(report.stdout.contains("WRITTEN"), "{}", report.stdout);
    assert_eq!(bench.read("p/summary.md"), summary);
    // A run that was changed consistently in its document changes what follows; its own replay tells too.
    let document = String::from_utf8(bench.read("p/c/run.json")).unwrap();
    bench.write(
        "p/c/run.json",
        document.replacen("\"mask_size\":1", "\"mask_size\":3", 1),
    );
    let report = bench.run("ablation replay p").exits(1);
    report
        .says("p/c/run.json: byte ")
        .says("p/comparison.json: is not");
}

/// A comparison elsewhere names its runs by paths, so that it can be moved together with them.
#[test]
fn a_comparison_elsewhere_is_made_again_from_the_runs_that_it_names() {
    let bench = run_two_agents();
    bench
        .run("ablation compare p/baseline i/b --out x/y/cmp")
        .exits(0);
    let found: Value = serde_json::from_slice(&bench.read("x/y/cmp/comparison.json")).unwrap();
    assert_eq!(found["runs"][0]["path"], "../../../p/baseline");
    let report = bench.run("ablation replay x/y/cmp --json").exits(0).json();
    assert_eq!(report["runs"].as_array().unwrap().len(), 2);
    assert_eq!(list_results(&report).len(), COMPARISON_FILES.len());
    std::fs::create_dir(bench.path("elsewhere")).unwrap();
    for name in ["p", "i", "x"] {
        std::fs::rename(bench.path(name), bench.path(&format!("elsewhere/{name}"))).unwrap();
    }
    bench.run("ablation replay elsewhere/x/y/cmp").exits(0);
    // One that was made without replays stays as it was made.
    bench
        .run("ablation compare elsewhere/p --no-replay --out believed")
        .exits(0);
    bench.run("ablation replay believed").exits(0);
    // A run that is gone is missed.
    std::fs::remove_dir_all(bench.path("elsewhere/i/b")).unwrap();
    let refused = bench.run("ablation replay elsewhere/x/y/cmp").exits(1);
    refused.says("names the run ../../../i/b").says("deleted");
    std::fs::remove_dir_all(bench.path("elsewhere/p/b")).unwrap();
    bench
        .run("ablation replay elsewhere/p")
        .exits(1)
        .says("names the run b");
}

/// Each ledger lists the arms of its experiment, so that none can be left out of it unseen.
#[test]
fn a_deleted_arm_is_noticed() {
    let bench = calibrate();
    let run = "ablation run --oracle agent:precedent --calibration N.json --seeds 1,2 --pilot --episodes 1 --out r";
    bench.run(run).exits(0);
    for file in COMPARISON_FILES {
        std::fs::remove_file(bench.path(&format!("r/{file}"))).unwrap();
    }
    bench.run("ablation compare r").exits(0);
    std::fs::rename(bench.path("r/c"), bench.path("gone")).unwrap();
    for command in ["compare", "replay"] {
        bench
            .run(&format!("ablation {command} r"))
            .exits(1)
            .says("was planned as one of the arms baseline, b, c, and no run beside it is c");
    }
    // Some runs of an experiment may be compared, as long as the others are there.
    std::fs::rename(bench.path("gone"), bench.path("r/c")).unwrap();
    bench.run("ablation compare r/baseline r/b").exits(0);
    bench.run("ablation replay r").exits(0);
}
