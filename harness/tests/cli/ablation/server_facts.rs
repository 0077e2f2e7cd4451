//! What a server says of its answers: recorded, held against the rules, replayed.

use serde_json::{Value, json};

use super::agent_server::AgentServer;
use super::stopping::calibrate;
use crate::bench::Bench;

fn run_line(server: &AgentServer, options: &str) -> String {
    format!(
        "ablation run --model gpt-4o --calibration N.json --seeds 1 --episodes 1 --out r --json \
         --base-url {} {options}",
        server.base_url
    )
}

fn read_document(bench: &Bench, run: &str) -> Value {
    serde_json::from_slice(&bench.read(&format!("{run}/run.json"))).unwrap()
}

#[test]
fn the_ledger_says_who_answered_and_where() {
    let bench = calibrate();
    let mut calls = 0;
    let server = AgentServer::start(move |mut answer| {
        calls += 1;
        if calls > 20 {
            answer.fingerprint = "fp_2".to_owned();
        }
        answer.respond()
    });
    bench.run(&run_line(&server, "--variant baseline")).exits(0);
    let document = read_document(&bench, "r/baseline");
    let provider = document["provider"].as_array().unwrap();
    assert_eq!(provider.len(), 2);
    for (stated, fingerprint) in provider.iter().zip(["fp_1", "fp_2"]) {
        assert_eq!(stated["answered_by"], "gpt-4o-2024-08-06");
        assert_eq!(stated["system_fingerprint"], fingerprint);
        assert_eq!(stated["prompt_tokens"], 1337);
    }
    let shown = bench
        .run("show r/baseline/ledger.jsonl --oracle ablation.run --json")
        .exits(0)
        .stdout;
    let record = shown
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|record| record["tag"] == "AX:OBS:v1");
    let stated: Value = serde_json::from_str(record.unwrap()["output"].as_str().unwrap()).unwrap();
    assert_eq!(stated["base_url"], server.base_url.as_str());
    assert_eq!(stated["arms"], json!(["baseline"]));
    bench.run("ablation replay r").exits(0);
    // The document cannot tell another story.
    let text = String::from_utf8(bench.read("r/baseline/run.json")).unwrap();
    bench.write("r/baseline/run.json", text.replacen("fp_1", "fp_3", 1));
    bench
        .run("ablation replay r")
        .exits(1)
        .says("run.json: byte");
}

/// Gate P4 holds for the tokens that the provider counts too.
#[test]
fn a_prompt_that_the_server_counts_otherwise_is_shadow_persistence() {
    let bench = calibrate();
    let mut calls = 0;
    let server = AgentServer::start(move |mut answer| {
        calls += 1;
        answer.prompt_tokens = match calls {
            // A server may say nothing of an answer.
            3 => None,
            8 => Some(1345),
            _ => Some(1337),
        };
        answer.respond()
    });
    let found = bench.run(&run_line(&server, "")).exits(1).json();
    assert_eq!(found["runs"][0]["reason"], "SHADOW_PERSISTENCE");
    let detail = found["runs"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("counts 1345 tokens in the prompt of record ")
            && detail.contains("and 1337 in that of record "),
        "{detail}"
    );
    assert_eq!(found["runs"][0]["steps"], 7);
    // Nothing was asked behind it, and no other arm was begun.
    assert_eq!(server.request_count(), 8);
    assert!(!bench.exists("r/b"));
    bench.run("ablation replay r").exits(0);
}

#[test]
fn an_answer_of_another_model_makes_a_run_invalid() {
    let bench = calibrate();
    let mut calls = 0;
    let server = AgentServer::start(move |mut answer| {
        calls += 1;
        if calls == 5 {
            answer.model = "gpt-4o-mini".to_owned();
        }
        answer.respond()
    });
    let found = bench.run(&run_line(&server, "--variant b")).exits(1).json();
    assert_eq!(found["runs"][0]["reason"], "MODEL_CHANGED");
    let detail = found["runs"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("\"gpt-4o-mini\" gave the answer in record ")
            && detail.contains("and \"gpt-4o-2024-08-06\" the one in record "),
        "{detail}"
    );
    assert_eq!(server.request_count(), 5);
    bench.run("ablation replay r").exits(0);
}

#[test]
fn the_sampling_parameters_are_sent_and_recorded() {
    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    let options = "--variant b --temperature 0.5 --top-p 0.25 --sampling-seed 7 --max-tokens 300";
    bench.run(&run_line(&server, options)).exits(0);
    let body = &server.take_bodies()[0];
    assert_eq!(
        [
            &body["temperature"],
            &body["top_p"],
            &body["seed"],
            &body["max_tokens"]
        ],
        [&json!(0.5), &json!(0.25), &json!(7), &json!(300)]
    );
    let header = &read_document(&bench, "r/b")["header"];
    assert_eq!(
        header["sampling"],
        json!({ "max_tokens": 300, "seed": 7, "temperature": 32768, "top_p": 16384 })
    );
    bench.run("ablation replay r").exits(0);
    for (option, expected) in [
        ("--temperature=-1", "decimal number from 0 to 32767"),
        ("--top-p 1.5", "decimal number from 0 to 1"),
        ("--max-tokens 0", "--max-tokens"),
        ("--sampling-seed=-1", "--sampling-seed"),
    ] {
        bench
            .run(&run_line(&server, &format!("--variant c {option}")))
            .exits(2)
            .says(expected);
    }
}
