//! Runs that go on where they stopped.

use axilog_testkit::harness::server::Act;
use serde_json::Value;

use super::agent_server::AgentServer;
use super::stopping::{calibrate, run_until_killed};
use crate::bench::Bench;

const RUN: &str = "ablation run --oracle agent:precedent --calibration N.json --episodes 1";

/// The run document in `run`.
fn read_document(bench: &Bench, run: &str) -> Value {
    serde_json::from_slice(&bench.read(&format!("{run}/run.json"))).unwrap()
}

/// The members of each step in which a run that was stopped is like one that was not: the records of its ledger
/// have other places.
fn list_steps(document: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    for seed in document["seeds"].as_array().unwrap() {
        for episode in seed["episodes"].as_array().unwrap() {
            for step in episode["steps"].as_array().unwrap() {
                let mut step = step.clone();
                for name in ["ledger_seq", "obs_hash"] {
                    step.as_object_mut().unwrap().remove(name).unwrap();
                }
                found.push(step);
            }
        }
    }
    found
}

/// The oracle and the output of each observation in a ledger but the reset and the time.
fn list_observations(bench: &Bench, ledger: &str) -> Vec<(String, String)> {
    let shown = bench.run(&format!("show {ledger} --json")).exits(0).stdout;
    let records = shown
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let observations = records.filter(|record| record["tag"] == "AX:OBS:v1");
    let text =
        |record: &Value, member: &str| record[member].as_str().unwrap_or_default().to_owned();
    observations
        .map(|record| (text(&record, "oracle_id"), text(&record, "output")))
        .filter(|(oracle, _)| !oracle.starts_with("ax.") && !oracle.starts_with("axilog"))
        .collect()
}

#[test]
#[cfg(unix)]
fn a_killed_run_goes_on_where_it_stopped() {
    let bench = calibrate();
    let again = "ablation run --oracle agent:precedent --variant baseline --calibration N.json --episodes 3 --seeds 1,2,3,4,5,6,7,8";
    // Its ledger has then between a third and three quarters of what the whole run writes.
    run_until_killed(&bench, &format!("{again} --out r"));
    assert!(!bench.exists("r/baseline/run.json"));
    let before = bench.read("r/baseline/ledger.jsonl");
    bench
        .run(&format!("{again} --out r"))
        .exits(3)
        .says("or go on with the run by --resume");
    bench.run(&format!("{again} --out r --resume")).exits(0);
    bench.run("ablation replay r").exits(0);
    bench.run("verify r/baseline/ledger.jsonl --blobs").exits(0);
    // What was recorded stays; the first record after it says that the run goes on.
    let whole = bench.read("r/baseline/ledger.jsonl");
    let kept = before.iter().rposition(|byte| *byte == b'\n').unwrap();
    assert_eq!(whole[..kept], before[..kept]);
    let observations = list_observations(&bench, "r/baseline/ledger.jsonl");
    let resumed = observations
        .iter()
        .position(|(oracle, _)| oracle == "ablation.resume");
    let resumed = resumed.expect("the ledger says that the run goes on");
    let answers = observations[..resumed]
        .iter()
        .filter(|(oracle, _)| oracle == "proposer")
        .count();
    assert!(answers > 10);
    let stated: Value = serde_json::from_str(&observations[resumed].1).unwrap();
    assert_eq!(stated["answers"], answers);
    // The same happened as in a run that nobody stopped.
    bench.run(&format!("{again} --out u")).exits(0);
    let [resumed, straight] = ["r/baseline", "u/baseline"].map(|run| read_document(&bench, run));
    assert_eq!(resumed["status"], straight["status"]);
    assert_eq!(list_steps(&resumed), list_steps(&straight));
    assert_eq!(list_steps(&straight).len(), 8 * 3 * 50);
}

#[test]
fn a_whole_run_stays_as_it_is_and_its_document_is_written_again() {
    let bench = calibrate();
    let seeds = "--seeds 1,2 --pilot --out r";
    bench.run(&format!("{RUN} {seeds} --resume")).exits(0);
    let files = ["r/b/ledger.jsonl", "r/b/run.json", "r/comparison.json"];
    let before = files.map(|file| bench.read(file));
    bench.run(&format!("{RUN} {seeds} --resume")).exits(0);
    assert_eq!(files.map(|file| bench.read(file)), before);
    // What follows from the ledgers is written again where it was lost.
    for file in ["comparison.json", "summary.md", "actions.svg", "b/run.json"] {
        std::fs::remove_file(bench.path(&format!("r/{file}"))).unwrap();
    }
    bench.run(&format!("{RUN} {seeds} --resume")).exits(0);
    assert_eq!(files.map(|file| bench.read(file)), before);
    bench.run("ablation replay r").exits(0);
}

/// A kill may come between any two files of a run: each state that it leaves is completed.
#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn every_beginning_of_a_run_is_gone_on_with() {
    let bench = calibrate();
    let line = format!("{RUN} --variant baseline --seeds 1 --out r --resume");
    bench.run(&line).exits(0);
    let document = read_document(&bench, "r/baseline");
    let whole = bench.read("r/baseline/ledger.jsonl");
    for kept in [0, 1, 4, 40] {
        let lines = whole.split_inclusive(|byte| *byte == b'\n').take(kept);
        let mut cut: Vec<u8> = lines.flatten().copied().collect();
        // A torn line behind what is whole.
        cut.extend_from_slice(&whole[cut.len()..cut.len() + 7]);
        bench.write("r/baseline/ledger.jsonl", cut);
        std::fs::remove_file(bench.path("r/baseline/run.json")).unwrap();
        bench.run(&line).exits(0);
        assert_eq!(
            list_steps(&read_document(&bench, "r/baseline")),
            list_steps(&document),
            "{kept}"
        );
        bench.run("ablation replay r").exits(0);
    }
    // The files are written in this order: the calibration, the header, the ledger, the document.
    let mut missing = vec!["run.json"];
    for file in ["ledger.jsonl", "header.json", "calibration.json"] {
        missing.push(file);
        for file in &missing {
            std::fs::remove_file(bench.path(&format!("r/baseline/{file}"))).unwrap();
        }
        bench.run(&line).exits(0);
        assert_eq!(read_document(&bench, "r/baseline"), document, "{missing:?}");
    }
}

#[test]
fn a_run_goes_on_with_its_own_options_only() {
    let bench = calibrate();
    let line = format!("{RUN} --variant b --seeds 1 --out r");
    bench.run(&line).exits(0);
    let ledger = bench.read("r/b/ledger.jsonl");
    for (from, to, expected) in [
        (
            "--seeds 1",
            "--seeds 1,2",
            "was begun with seeds = [1], and the options now give [1,2]",
        ),
        (
            "--episodes 1",
            "--episodes 2",
            "was begun with episodes = 1",
        ),
        ("agent:precedent", "agent:random", "was begun with model_id"),
        (
            "--out r",
            "--out r --temperature 0.5",
            "was begun with sampling = nothing",
        ),
    ] {
        bench
            .run(&format!("{} --resume", line.replace(from, to)))
            .exits(2)
            .says(expected);
    }
    // The arms of the experiment are its own too.
    let cut = bench.copy();
    std::fs::remove_file(cut.path("r/b/run.json")).unwrap();
    let lines: Vec<&[u8]> = ledger.split_inclusive(|byte| *byte == b'\n').collect();
    cut.write("r/b/ledger.jsonl", lines[..60].concat());
    cut.run(&format!(
        "{} --resume",
        line.replace("--variant b ", "--pilot ")
    ))
    .exits(1)
    .says("was begun for the arms b under");
    // A script begins at its first line each time.
    bench.write("s.jsonl", "");
    bench
        .run("ablation run --variant v300 --model m --oracle scripted:s.jsonl --out s --resume")
        .exits(2)
        .says("begins at its first answer again");
    // What does not follow from its ledger is no beginning.
    bench.run(&format!("{line} --resume")).exits(0);
    let document = String::from_utf8(bench.read("r/b/run.json")).unwrap();
    let changed = document.replacen("\"mask_size\":1", "\"mask_size\":2", 1);
    assert_ne!(changed, document);
    bench.write("r/b/run.json", changed);
    bench
        .run(&format!("{line} --resume"))
        .exits(3)
        .says("run.json: does not follow from the ledger");
    assert_eq!(bench.read("r/b/ledger.jsonl"), ledger);
}

/// A server fails in the middle of the night; the run goes on in the morning, at another port and more slowly.
#[test]
fn a_run_goes_on_behind_a_failure_of_its_server() {
    let bench = calibrate();
    let refusal = r#"{"error":{"message":"the quota of today is used up"}}"#;
    let mut calls = 0;
    let server = AgentServer::start(move |answer| {
        calls += 1;
        match calls {
            ..=30 => answer.respond(),
            _ => Act::Respond(403, refusal.to_owned()),
        }
    });
    let line = |base_url: &str, options: &str| {
        format!(
            "ablation run --model gpt-4o --calibration N.json --variant baseline --seeds 1 --episodes 1 \
             --out r --yes --base-url {base_url} {options}"
        )
    };
    let failed = bench.run(&line(&server.base_url, "")).exits(3);
    failed
        .says("the oracle gave no answer (status 403: the quota of today is used up) before the run was whole")
        .says("--resume goes on with it");
    let document = read_document(&bench, "r/baseline");
    assert_eq!(document["status"]["reason"], "NO_ANSWER");
    assert_eq!(document["result"]["steps"], 30);
    bench.run("ablation replay r").exits(0);

    let server = AgentServer::start(|answer| answer.respond());
    bench
        .run(&line(&server.base_url, "--resume --pace 0.001"))
        .exits(0);
    assert_eq!(server.request_count(), 20);
    bench.run("ablation replay r").exits(0);
    let resumed = read_document(&bench, "r/baseline");
    assert_eq!(resumed["status"]["verdict"], "VALID");
    bench
        .run(&format!("{RUN} --variant baseline --seeds 1 --out u"))
        .exits(0);
    assert_eq!(
        list_steps(&resumed),
        list_steps(&read_document(&bench, "u/baseline"))
    );
    // The ledger has the failure, and says by which calls the run went on.
    let observations = list_observations(&bench, "r/baseline/ledger.jsonl");
    let stated = observations
        .iter()
        .find(|(oracle, _)| oracle == "ablation.resume");
    let stated: Value = serde_json::from_str(&stated.unwrap().1).unwrap();
    assert_eq!(stated["answers"], 31);
    assert_eq!(stated["base_url"], server.base_url.as_str());
    assert_eq!(stated["transport"]["pace_ms"], 1);
}

#[test]
fn a_calibration_goes_on_too() {
    let bench = Bench::new();
    let mut calls = 0;
    let server = AgentServer::start(move |answer| {
        calls += 1;
        match calls {
            61 => Act::Respond(401, String::new()),
            _ => answer.respond(),
        }
    });
    let line = format!(
        "ablation calibrate --model gpt-4o --out N.json --base-url {}",
        server.base_url
    );
    bench
        .run(&line)
        .exits(3)
        .says("(status 401) at step 10 under the seed 123");
    bench.run(&line).exits(3).says("already holds a ledger");
    bench.run(&format!("{line} --resume")).exits(0);
    assert_eq!(server.request_count(), 151);
    bench.run("ablation replay N.json").exits(0);
    bench
        .run(&format!("{line} --resume"))
        .exits(3)
        .says("already exists");
}
