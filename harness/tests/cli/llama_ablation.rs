//! The ablation and a real server, llama.cpp's, in the tokens of its model.
//!
//! `harness/oracle/tests/llama/run` makes what this test needs and runs it; without it the test says that it was
//! skipped.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use axilog_testkit::harness::byte_level_tokenizer::describe_byte_level;
use axilog_testkit::harness::llama_server::{LlamaServer, MODEL, find_python, make_model};
use serde_json::Value;

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

/// Gate P4 in the tokens of a real server, and a night with a kill in it.
#[test]
#[cfg(unix)]
fn an_ablation_run_that_was_killed_goes_on_with_a_real_model() {
    let Some(python) = find_python("an_ablation_run_that_was_killed_goes_on_with_a_real_model")
    else {
        return;
    };
    let bench = Bench::new();
    // The model's vocabulary has a token for every byte, as this tokenizer.
    bench.write("t.json", describe_byte_level(&[]));
    bench.write("answer.gbnf", grammar_of_right_answers());
    let model = make_model(&python, &bench.path(""), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    for (file, tokenizer) in [
        ("N", "--tokenizer t.json --pad _"),
        ("O", "--tokenizer o200k_base"),
    ] {
        let line = format!(
            "ablation calibrate --oracle agent:precedent --model {MODEL} --out {file}.json {tokenizer}"
        );
        bench.run(&line).exits(0);
    }
    let line = |calibration: &str, variant: &str| {
        format!(
            "ablation run --oracle openai --model {MODEL} --calibration {calibration}.json --variant {variant} \
             --yes --base-url {} --seeds 1 --episodes 1 --response-format llama-cpp:answer.gbnf --timeout 600 --json",
            server.base_url()
        )
    };
    let mut child = bench
        .command()
        .args(line("N", "baseline").split_whitespace())
        .args(["--out", "r"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let answered = (0..30_000).any(|_| {
        sleep(Duration::from_millis(20));
        let ledger = std::fs::read(bench.path("r/baseline/ledger.jsonl")).unwrap_or_default();
        String::from_utf8_lossy(&ledger)
            .matches("\"proposer\"")
            .count()
            > 15
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answered && !bench.exists("r/baseline/run.json"));
    let line_to_resume = format!("{} --out r --resume", line("N", "baseline"));
    let report = bench.run(&line_to_resume).exits(0).json();
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
    bench.write("t.json", describe_byte_level(&[]));
    bench.write("answer.gbnf", grammar_of_right_answers());
    let model = make_model(&python, &bench.path(""), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    bench
        .run(&format!(
            "ablation calibrate --oracle agent:precedent --model {MODEL} --out N.json --tokenizer t.json --pad _"
        ))
        .exits(0);
    let line = format!(
        "ablation run --oracle openai --model {MODEL} --calibration N.json --controls --pilot --seeds 1,2 --episodes 1 --yes --base-url {} \
         --response-format llama-cpp:answer.gbnf --timeout 600 --parallel 2 --json --out r",
        server.base_url()
    );
    let mut child = bench
        .command()
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Under the second seed, in the middle of an arm.
    let count_answers = |arm: &str| {
        let ledger = std::fs::read(bench.path(&format!("r/{arm}/ledger.jsonl")));
        String::from_utf8_lossy(&ledger.unwrap_or_default())
            .matches("\"proposer\"")
            .count()
    };
    let answered = (0..60_000).any(|_| {
        sleep(Duration::from_millis(20));
        count_answers("b") > 60
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answered && !bench.exists("r/b/run.json"));
    bench.run(&format!("{line} --resume")).exits(0);
    let compared = bench.run("ablation compare r --json").json();
    for arm in ["b", "c", "placebo", "replicate"] {
        let verdicts = compared.to_string();
        assert!(verdicts.contains(&format!("\"{arm}\"")), "{verdicts}");
    }
    assert_ne!(compared["verdict"], "INVALID_COMPARISON", "{compared}");
    drop(server);
    let replayed = bench.run("ablation replay r --json").exits(0).json();
    let runs = replayed["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 5);
    let resumed: u64 = runs.iter().filter_map(|run| run["resumed"].as_u64()).sum();
    assert_eq!(resumed, 5, "each arm went on once: {replayed}");
    for run in runs {
        assert_eq!(run["steps"], 100, "{run}");
    }
}
