//! Replaying runs from their ledgers, without a model.

use serde_json::Value;

use crate::bench::{Bench, Run};

/// A directory with the runs of all variants in r.
fn run_every_variant() -> Bench {
    let bench = Bench::new();
    bench
        .run("ablation calibrate --oracle agent:precedent --out N.json")
        .exits(0);
    let run = "ablation run --oracle agent:precedent --calibration N.json --seeds 7,8 --episodes 2 --out r";
    bench.run(run).exits(0);
    bench
        .run("ablation run --variant v300 --oracle agent:random --seeds 7 --episodes 1 --out r")
        .exits(0);
    bench
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
    for (from, to, expected) in [
        ("\"seeds\":[7,8]", "\"seeds\":[8,7]", "not the run's ledger"),
        (
            "\"variant\":\"c\"",
            "\"variant\":\"b\"",
            "not the run's ledger",
        ),
        (
            "\"precedent_length\":512",
            "\"precedent_length\":544",
            "not the run's ledger",
        ),
        (
            "\"model_id\":\"agent:precedent\"",
            "\"model_id\":\"gpt-4o\"",
            "not the run's ledger",
        ),
        (
            "\"precedent_length\":512",
            "\"precedent_length\":1152921504606846976",
            "more than 32768 tokens",
        ),
        (
            "commitment-trap/1",
            "commitment-trap/2",
            "no environment of that id ships",
        ),
        (
            "tiktoken-rs 0.12.1",
            "tiktoken-rs 0.1.0",
            "made with tiktoken-rs 0.1.0",
        ),
        (
            "\"axilog_ablation_run\":1",
            "\"axilog_ablation_run\":2",
            "has version 2; expected version 1",
        ),
        (
            "\"seeds\"",
            "\"more\":1,\"seeds\"",
            "header.json: not a run header: at `more`: unknown field `more`",
        ),
        // The ledger holds nothing of these.
        (
            "\"steps_per_episode\":50",
            "\"steps_per_episode\":51",
            "made with 51 as its episode length, and this build has 50",
        ),
        (
            "\"skeleton_hash\":\"",
            "\"skeleton_hash\":\"0",
            "as its skeleton",
        ),
        (
            "\"pad_tokens\":[",
            "\"pad_tokens\":[1,",
            "as its padding tokens",
        ),
        (
            "\"variant\":\"c\"",
            "\"variant\":\"v300\"",
            "the base harness, and no other",
        ),
    ] {
        let changed = header.replace(from, to);
        assert_ne!(changed, header, "{from}");
        bench.write("r/c/header.json", changed);
        bench.run("ablation replay r/c").exits(3).says(expected);
    }
    // With fewer episodes the next answer is to another question; with fewer seeds answers are left over.
    bench.write(
        "r/c/header.json",
        header.replace("\"episodes\":2", "\"episodes\":1"),
    );
    bench
        .run("ablation replay r/c")
        .exits(3)
        .says("not the run's ledger");
    bench.write("r/c/header.json", header.replace("[7,8]", "[7]"));
    bench
        .run("ablation replay r/c")
        .exits(1)
        .says("found 100 answers more than the run asks for");
    bench.write("r/c/header.json", header);

    // A damaged ledger answers nothing.
    let ledger = String::from_utf8(bench.read("r/c/ledger.jsonl")).unwrap();
    bench.write("r/c/ledger.jsonl", ledger.replacen("drift", "drIft", 1));
    bench.run("ablation replay r/c").exits(1).says("ALTERED");
}
