//! Replaying runs from their ledgers, without a model.

use std::sync::OnceLock;

use serde_json::Value;

use super::stopping::write_calibration;
use crate::bench::{Bench, Files, Run};

/// A directory with the runs of all variants in r.
fn run_every_variant() -> Bench {
    static FILES: OnceLock<Files> = OnceLock::new();
    Bench::prepared(&FILES, |bench| {
        write_calibration(bench);
        let run = "ablation run --oracle agent:precedent --calibration N.json --seeds 7,8 --pilot --episodes 2 --out r";
        bench.run(run).exits(0);
        bench
            .run("ablation run --variant v300 --oracle agent:random --seeds 7 --episodes 1 --out r")
            .exits(0);
    })
}

fn replay(bench: &Bench, code: i32) -> Run {
    bench.run("ablation replay r --json").exits(code)
}

/// What the replay of each run gave.
fn list_results(report: &Value) -> Vec<&str> {
    let runs = report["runs"].as_array().unwrap().iter();
    runs.map(|run| run["replay"].as_str().unwrap()).collect()
}

#[test]
fn every_document_is_reproduced_byte_for_byte() {
    let bench = run_every_variant();
    let report = replay(&bench, 0).json();
    assert_eq!(list_results(&report), ["SAME"; 4]);
    assert_eq!(report["runs"][0]["variant"], "baseline");
    for run in ["baseline", "b", "c", "v300"] {
        bench
            .run(&format!("verify r/{run}/ledger.jsonl --blobs"))
            .exits(0);
        bench.run(&format!("replay r/{run}/ledger.jsonl")).exits(0);
    }
    // A run is replayed by itself too, and a run that lost its document gets the same one again.
    let head = report["runs"][1]["head"].as_str().unwrap();
    let line = format!("ablation replay r/b --expect-head {head}");
    bench.run(&line).exits(0);
    let line = format!("ablation replay r --expect-head {head}");
    bench.run(&line).exits(2);
    let document = bench.read("r/b/run.json");
    std::fs::remove_file(bench.path("r/b/run.json")).unwrap();
    let again = bench.run("ablation replay r/b").exits(0);
    assert!(again.stdout.contains("WRITTEN"), "{}", again.stdout);
    assert_eq!(bench.read("r/b/run.json"), document);
}

#[test]
fn changed_files_are_detected() {
    let bench = run_every_variant();
    let document = String::from_utf8(bench.read("r/c/run.json")).unwrap();
    bench.write(
        "r/c/run.json",
        document.replacen("\"mask_size\":1", "\"mask_size\":2", 1),
    );
    let report = replay(&bench, 1);
    for expected in [
        "c/run.json: byte ",
        "found ...",
        "\"mask_size\":2,",
        "\"mask_size\":1,",
    ] {
        assert!(
            report.stderr.contains(expected),
            "{expected} in {}",
            report.stderr
        );
    }
    let report = report.json();
    assert_eq!(report["ok"], false);
    assert_eq!(list_results(&report), ["SAME", "SAME", "DIFFERS", "SAME"]);
    bench.write("r/c/run.json", document);

    // A changed header asks other questions, or is refused by itself.
    let header = String::from_utf8(bench.read("r/c/header.json")).unwrap();
    const CHANGED: &str = "was recorded under a header with SHA-256";
    for (from, to, code, expected) in [
        ("\"seeds\":[7,8]", "\"seeds\":[8,7]", 1, CHANGED),
        ("\"seeds\":[7,8]", "\"seeds\":[7]", 1, CHANGED),
        ("\"episodes\":2", "\"episodes\":1", 1, CHANGED),
        ("\"variant\":\"c\"", "\"variant\":\"b\"", 1, CHANGED),
        (
            "\"precedent_length\":512",
            "\"precedent_length\":544",
            1,
            CHANGED,
        ),
        (
            "\"model_id\":\"agent:precedent\"",
            "\"model_id\":\"gpt-4o\"",
            1,
            CHANGED,
        ),
        // No answer depends on these.
        (
            "\"provider\":\"agent:precedent\"",
            "\"provider\":\"openai\"",
            1,
            CHANGED,
        ),
        (
            "\"seeds\"",
            "\"sampling\":{\"max_tokens\":1024,\"seed\":null,\"temperature\":0,\"top_p\":null},\"seeds\"",
            1,
            CHANGED,
        ),
        (
            "\"precedent_length\":512",
            "\"precedent_length\":1152921504606846976",
            3,
            "more than 32768 tokens",
        ),
        (
            "commitment-trap/1",
            "commitment-trap/2",
            3,
            "no environment of that id ships",
        ),
        (
            "tiktoken-rs 0.12.1",
            "tiktoken-rs 0.1.0",
            3,
            "made with tiktoken-rs 0.1.0",
        ),
        (
            "\"axilog_ablation_run\":1",
            "\"axilog_ablation_run\":2",
            3,
            "has version 2; expected version 1",
        ),
        (
            "\"seeds\"",
            "\"more\":1,\"seeds\"",
            3,
            "header.json: not a run header: at `more`: unknown field `more`",
        ),
        (
            "\"steps_per_episode\":50",
            "\"steps_per_episode\":51",
            3,
            "made with 51 as its episode length, and this build has 50",
        ),
        (
            "\"skeleton_hash\":\"",
            "\"skeleton_hash\":\"0",
            3,
            "as its skeleton",
        ),
        (
            "\"pad_tokens\":[",
            "\"pad_tokens\":[1,",
            3,
            "as its padding tokens",
        ),
        (
            "\"variant\":\"c\"",
            "\"variant\":\"v300\"",
            3,
            "the base harness, and no other",
        ),
    ] {
        let changed = header.replace(from, to);
        assert_ne!(changed, header, "{from}");
        bench.write("r/c/header.json", changed);
        bench.run("ablation replay r/c").exits(code).says(expected);
    }
    bench.write("r/c/header.json", header);

    // So is a calibration that is not the run's, or does not follow from its ledger.
    let calibration = String::from_utf8(bench.read("r/c/calibration.json")).unwrap();
    let ledger = bench.read("r/c/calibration.json.ledger.jsonl");
    bench
        .run("ablation calibrate --oracle agent:random --out R.json")
        .exits(0);
    let copy = |file: &str| {
        bench.write("r/c/calibration.json", bench.read(file));
        let ledger = bench.read(&format!("{file}.ledger.jsonl"));
        bench.write("r/c/calibration.json.ledger.jsonl", ledger);
    };
    copy("R.json");
    bench
        .run("ablation replay r/c")
        .exits(3)
        .says("and the run took its lengths from the calibration");
    bench.write("r/c/calibration.json", &calibration);
    bench
        .run("ablation replay r/c")
        .exits(1)
        .says("was recorded under a header");
    bench.write("r/c/calibration.json.ledger.jsonl", &ledger);
    std::fs::remove_file(bench.path("r/c/calibration.json")).unwrap();
    bench
        .run("ablation replay r/c")
        .exits(3)
        .says("calibration.json");
    bench.write("r/c/calibration.json", &calibration);
    bench.run("ablation replay r/c").exits(0);

    // An answer that nobody asked for is found.
    let whole = bench.read("r/c/ledger.jsonl");
    bench
        .run_with(
            "observe --ledger r/c/ledger.jsonl --oracle-id proposer --model-id agent:precedent",
            b"{}",
        )
        .exits(0);
    bench
        .run("ablation replay r/c")
        .exits(1)
        .says("found 1 answers more than the run asks for");
    bench.write("r/c/ledger.jsonl", &whole);

    // A damaged ledger answers nothing.
    let ledger = String::from_utf8(bench.read("r/c/ledger.jsonl")).unwrap();
    bench.write("r/c/ledger.jsonl", ledger.replacen("drift", "drIft", 1));
    bench.run("ablation replay r/c").exits(1).says("ALTERED");
}

/// A calibration is replayed like a run, and neither its file nor its ledger can be another.
#[test]
fn a_calibration_is_replayed_from_its_ledger() {
    let bench = Bench::new();
    let calibrate = |name: &str, oracle: &str| {
        let line = format!("ablation calibrate --oracle {oracle} --out {name}.json");
        bench.run(&line).exits(0);
    };
    calibrate("N", "agent:precedent");
    calibrate("R", "agent:random");
    let found = bench.run("ablation replay N.json --json").exits(0).json();
    assert_eq!(found["replay"], "SAME");
    let head = found["head"].as_str().unwrap();
    bench
        .run(&format!("ablation replay N.json --expect-head {head}"))
        .exits(0);
    let other = "0".repeat(64);
    bench
        .run(&format!("ablation replay N.json --expect-head {other}"))
        .exits(1)
        .says("expected 0000");
    let run = "ablation run --oracle agent:random --variant b --seeds 1 --episodes 1 --out r --calibration N.json";
    let ledger = bench.read("N.json.ledger.jsonl");
    bench.write("N.json.ledger.jsonl", bench.read("R.json.ledger.jsonl"));
    for line in ["ablation replay N.json", run] {
        bench
            .run(line)
            .exits(1)
            .says("was recorded under a header with SHA-256");
    }
    std::fs::remove_file(bench.path("N.json.ledger.jsonl")).unwrap();
    bench.run(run).exits(3).says("N.json.ledger.jsonl");
    assert!(!bench.exists("r"));
    bench.write("N.json.ledger.jsonl", ledger);
    bench.run(run).exits(0);
}
