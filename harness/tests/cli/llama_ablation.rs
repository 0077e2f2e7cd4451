//! The ablation and a real server, llama.cpp's, in the tokens of its model.
//!
//! `harness/oracle/tests/llama/run` makes what this test needs and runs it; without it the test says that it was
//! skipped.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use axilog_testkit::harness::byte_level_tokenizer::describe_byte_level;
use axilog_testkit::harness::llama_server::{LlamaServer, MODEL, find_python, make_model};
use serde_json::{Value, json};

use crate::bench::Bench;

/// Answers of which each is right wherever its action is feasible.
const RIGHT_ANSWERS: [(&str, &str, &str); 3] = [
    ("moor", "crew-rest", "île-supply"),
    ("drift", "fuel-reserve", "条約"),
    ("escort-by-night", "条約", "night-quiet"),
];

/// The grammar of these answers.
fn grammar_of_right_answers() -> String {
    let answers = RIGHT_ANSWERS.map(|(action, kept, broken)| {
        let answer = format!(
            r#"{{"action":"{action}","authorized_violations":["{broken}"],"conflict_attribution":[["{kept}","{broken}"]],"predicted_effects":{{"satisfies":["{kept}"],"violates":["{broken}"]}},"required_preservations":["{kept}"]}}"#
        );
        format!("\"{}\"", answer.replace('"', "\\\""))
    });
    format!("root ::= {}\n", answers.join(" | "))
}

/// A server with a tiny model whose vocabulary has a token for every byte, as `t.json`, and the grammar of its answers.
fn start_server(bench: &Bench, python: &Path) -> LlamaServer {
    bench.write("t.json", describe_byte_level(&[]));
    bench.write("answer.gbnf", grammar_of_right_answers());
    let model = make_model(python, &bench.path(""), 7);
    LlamaServer::start(python, &model, &[])
}

fn calibrate(bench: &Bench, file: &str, tokenizer: &str) {
    bench
        .run(&format!(
            "ablation calibrate --oracle agent:precedent --model {MODEL} --out {file}.json {tokenizer}"
        ))
        .exits(0);
}

/// Runs the command, and kills it once the ledger of `arm` has more than so many answers.
fn kill_amid(bench: &Bench, line: &str, arm: &str, answers: usize) {
    let mut child = bench
        .command()
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let answered = (0..60_000).any(|_| {
        sleep(Duration::from_millis(20));
        let ledger = std::fs::read(bench.path(&format!("r/{arm}/ledger.jsonl")));
        let ledger = ledger.unwrap_or_default();
        let recorded = String::from_utf8_lossy(&ledger);
        recorded.matches("\"proposer\"").count() > answers
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answered && !bench.exists(&format!("r/{arm}/run.json")));
}

/// Gate P4 in the tokens of a real server, and a night with a kill in it.
#[test]
#[cfg(unix)]
fn an_ablation_run_that_was_killed_goes_on_with_a_real_model() {
    let Some(python) = find_python("an_ablation_run_that_was_killed_goes_on_with_a_real_model")
    else {
        return;
    };
    let bench = Bench::new();
    let server = start_server(&bench, &python);
    calibrate(&bench, "N", "--tokenizer t.json --pad _");
    calibrate(&bench, "O", "--tokenizer o200k_base");
    let line = |calibration: &str, variant: &str| {
        format!(
            "ablation run --oracle openai --model {MODEL} --calibration {calibration}.json --variant {variant} \
             --yes --base-url {} --seeds 1 --episodes 1 --response-format llama-cpp:answer.gbnf --timeout 600 --json",
            server.base_url()
        )
    };
    let to_baseline = format!("{} --out r", line("N", "baseline"));
    kill_amid(&bench, &to_baseline, "baseline", 15);
    let report = bench
        .run(&format!("{to_baseline} --resume"))
        .exits(0)
        .json();
    assert_eq!(report["runs"][0]["steps"], 50);
    let replayed = bench.run("ablation replay r --json").exits(0).json();
    assert_eq!(replayed["runs"][0]["resumed"], 1);
    let document: Value = serde_json::from_slice(&bench.read("r/baseline/run.json")).unwrap();
    let provider = document["provider"].as_array().unwrap();
    assert_eq!(
        provider.len(),
        1,
        "the server counts the same in every prompt"
    );
    assert!(provider[0]["prompt_tokens"].as_u64() > Some(1000));
    assert!(document["result"]["written"].as_u64() > Some(10));

    // In the tokens of another model the prompts have not one length, and the server's count shows it.
    let found = bench
        .run(&format!("{} --out o", line("O", "b")))
        .exits(1)
        .json();
    assert_eq!(found["runs"][0]["reason"], "SHADOW_PERSISTENCE");
    let detail = found["runs"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("the server counts "), "{detail}");
    bench.run("ablation replay o").exits(0);
}

/// An experiment with a model: five arms in turn under two seeds, killed and gone on with, compared, and replayed without
/// the server.
#[test]
#[cfg(unix)]
fn an_experiment_of_all_arms_that_was_killed_is_compared_and_replayed() {
    let Some(python) =
        find_python("an_experiment_of_all_arms_that_was_killed_is_compared_and_replayed")
    else {
        return;
    };
    let bench = Bench::new();
    let server = start_server(&bench, &python);
    calibrate(&bench, "N", "--tokenizer t.json --pad _");
    let line = format!(
        "ablation run --oracle openai --model {MODEL} --calibration N.json --controls --pilot --seeds 1,2 --episodes 1 --yes --base-url {} \
         --response-format llama-cpp:answer.gbnf --timeout 600 --parallel 2 --json --out r",
        server.base_url()
    );
    // Under the second seed, in the middle of an arm.
    kill_amid(&bench, &line, "b", 60);
    bench.run(&format!("{line} --resume")).exits(0);
    drop(server);
    let compared = bench.run("ablation compare r --json").exits(0).json();
    let labels = |member: &str| -> Vec<&str> {
        let list = compared[member].as_array().unwrap().iter();
        list.map(|it| it["run"].as_str().unwrap()).collect()
    };
    assert_eq!(labels("differences"), ["b", "c"]);
    assert_eq!(labels("controls"), ["placebo", "placebo", "replicate"]);
    let replayed = bench.run("ablation replay r --json").exits(0).json();
    let runs = replayed["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 5);
    let resumed: u64 = runs.iter().filter_map(|run| run["resumed"].as_u64()).sum();
    assert_eq!(resumed, 5, "each arm went on once: {replayed}");
    for run in runs {
        assert_eq!(
            (&run["verdict"], &run["replay"]),
            (&json!("VALID"), &json!("SAME"))
        );
    }
}
