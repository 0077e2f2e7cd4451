//! The command and a real server: llama.cpp's, with a tiny model of random weights.
//!
//! `harness/oracle/tests/llama/run` makes what these tests need and runs them; without it they say that they
//! were skipped.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;

use axilog_testkit::harness::llama_server::{
    LlamaServer, MODEL, candidates_grammar, find_python, make_model,
};
use axilog_testkit::harness::proxy::start_proxy;
use serde_json::{Value, json};

use crate::bench::Bench;

/// A server whose model is held to X-0L's form of answers, with the weights of `seed`.
fn start_candidates(python: &Path, bench: &Bench, seed: u64) -> LlamaServer {
    let model = make_model(python, &bench.path(""), seed);
    let grammar = candidates_grammar();
    LlamaServer::start(python, &model, &["--grammar", grammar.to_str().unwrap()])
}

fn calibrate(bench: &Bench, base_url: &str, ledger: &str, code: i32) -> Value {
    let line =
        format!("x0l calibrate --model {MODEL} --base-url {base_url} --ledger {ledger} --json");
    bench.run(&line).exits(code).json()
}

#[test]
fn a_real_model_is_calibrated_and_its_ledger_replays() {
    let Some(python) = find_python("a_real_model_is_calibrated_and_its_ledger_replays") else {
        return;
    };
    let bench = Bench::new();
    let server = start_candidates(&python, &bench, 7);
    let report = calibrate(&bench, &server.base_url(), "l.jsonl", 0);
    assert_eq!(report["verdict"], "OK");
    for call in report["calls"].as_array().unwrap() {
        assert_eq!(call["model"], MODEL);
        assert_eq!(call["finish_reason"], "stop");
        assert!(call["usage"]["prompt_tokens"].as_u64() > Some(100));
    }
    bench.run("verify l.jsonl --blobs").exits(0);
    bench.run("replay l.jsonl").exits(0);
}

/// What the page on sessions shows of this server.
#[test]
fn the_page_s_session_with_a_real_server() {
    let Some(python) = find_python("the_page_s_session_with_a_real_server") else {
        return;
    };
    let page = fs::read_to_string("../docs/x0l.md").unwrap();
    let (_, section) = page
        .split_once("\n## A session with a real server\n")
        .unwrap();
    let section = section.split("\n## ").next().unwrap();
    let bench = Bench::new();
    let server = start_candidates(&python, &bench, 7);
    let examples = section.split("\n    $ axilog ").skip(1);
    assert_eq!(examples.clone().count(), 2);
    for example in examples {
        let mut shown = example.lines();
        let command = shown.next().unwrap();
        let command = command.replace("http://127.0.0.1:8080/v1", &server.base_url());
        let printed = bench.run(&command).exits(0).stdout;
        let mut lines = printed.lines();
        for line in shown.map_while(|line| line.strip_prefix("    ")) {
            assert!(line == "…" || lines.any(|l| l == line), "{line}\n{printed}");
        }
    }
}

/// One name says nothing of the weights behind it: the answers do.
#[test]
fn two_weights_under_one_name_are_noticed_by_the_calibration() {
    let Some(python) = find_python("two_weights_under_one_name_are_noticed_by_the_calibration")
    else {
        return;
    };
    let bench = Bench::new();
    let servers = [1, 2].map(|seed| start_candidates(&python, &bench, seed));
    // Each by itself is steady, and they differ.
    let reports =
        [0, 1].map(|i| calibrate(&bench, &servers[i].base_url(), &format!("{i}.jsonl"), 0));
    let [first, second] = reports.each_ref().map(|report| &report["calls"][0]);
    assert_eq!(first["model"], second["model"]);
    assert_ne!(first["canonicalized_hash"], second["canonicalized_hash"]);
    // Where both answer in turn, the calibration fails.
    let ports = servers.each_ref().map(|server| server.port);
    let base_url = start_proxy(ports.to_vec(), |body| body);
    let report = calibrate(&bench, &base_url, "both.jsonl", 1);
    assert_eq!(report["verdict"], "MODEL_DRIFT_DETECTED");
}

#[test]
fn a_session_with_a_real_model_replays() {
    let Some(python) = find_python("a_session_with_a_real_model_replays") else {
        return;
    };
    let bench = Bench::new();
    let server = start_candidates(&python, &bench, 7);
    let line = format!(
        "x0l run --model {MODEL} --base-url {} --context-window 32768 --b2 5000000 --cycles 4 \
         --pace 0.01 --out run --json",
        server.base_url()
    );
    let report = bench.run(&line).exits(0).json();
    assert_eq!(report["status"], "COMPLETE");
    drop(server);
    bench.run("x0l replay run").exits(0);

    let cycles = String::from_utf8(bench.read("run/cycles.jsonl")).unwrap();
    let cycles = cycles
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let cycles: Vec<Value> = cycles
        .filter(|line| line.get("condition").is_some())
        .collect();
    assert_eq!(cycles.len(), 20);
    // The logs of L-D are over B1 where each byte is a token: the server counts them, and they are not sent.
    let (sent, unsent): (Vec<_>, Vec<_>) = cycles
        .iter()
        .partition(|cycle| cycle["canonicalization"] != "NOT_ASKED");
    assert!(sent.len() >= 16, "{}", sent.len());
    for cycle in unsent {
        assert_eq!(cycle["condition"], "L-D", "{cycle}");
        assert_eq!(cycle["decision"]["reason"], "BUDGET_EXHAUSTED", "{cycle}");
        assert!(cycle["prompt_tokens"].as_u64() > Some(6000), "{cycle}");
    }
    for cycle in sent {
        // The server's own grammar holds every answer to the form of candidates.
        assert_eq!(cycle["canonicalization"], "OK", "{cycle}");
        assert_eq!(cycle["parse_errors"], 0, "{cycle}");
        assert!(cycle["candidates_reported"].as_u64() > Some(0), "{cycle}");
        assert_eq!(cycle["answered_by"], MODEL);
    }
    let metadata: Value = serde_json::from_slice(&bench.read("run/session_metadata.json")).unwrap();
    let text = metadata.to_string();
    assert!(
        text.contains(r#""pace_ms":10"#) && text.contains(r#""timeout_ms":30000"#),
        "{text}"
    );
}

/// What the replay of `run` gives: its verdict, and the number of its cycles. There is no difference.
fn replay_session(bench: &Bench, code: i32) -> (String, u64) {
    let replay = bench.run("x0l replay run --json").exits(code).json();
    assert_eq!(replay["differences"], json!([]));
    let verdict = replay["verdict"].as_str().unwrap().to_owned();
    (verdict, replay["cycles"].as_u64().unwrap())
}

/// A session in the words of the page, of all conditions, killed when its model has been asked for the tenth cycle; then
/// a whole one, which a person judges until nothing waits.
#[test]
fn a_session_with_a_real_model_is_killed_replayed_and_reviewed() {
    let Some(python) = find_python("a_session_with_a_real_model_is_killed_replayed_and_reviewed")
    else {
        return;
    };
    let bench = Bench::new();
    let server = start_candidates(&python, &bench, 7);
    let (asked, asks) = mpsc::channel();
    let base_url = start_proxy(vec![server.port], move |body| {
        // Nobody listens any more in the second session.
        // The server's tokenizer gets the prompt too, without its roles.
        let _ = asked.send(body.contains("\"messages\"") && body.contains("obs-1"));
        body
    });
    let line = format!(
        "x0l run --model {MODEL} --base-url {base_url} --context-window 32768 --b2 5000000 --cycles 4 --out run"
    );
    let mut session = bench
        .command()
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    asks.iter().filter(|is_cycle| *is_cycle).nth(9).unwrap();
    session.kill().unwrap();
    session.wait().unwrap();
    drop(asks);
    let (verdict, cycles) = replay_session(&bench, 1);
    assert_eq!(verdict, "INCOMPLETE");
    assert!((8..=9).contains(&cycles), "{cycles}");
    bench.run("x0l report run").exits(1);
    assert_eq!(replay_session(&bench, 1), (verdict, cycles));

    fs::rename(bench.path("run"), bench.path("killed")).unwrap();
    bench.run(&line).exits(0);
    drop(server);
    assert_eq!(replay_session(&bench, 0), ("REPLAYED".to_owned(), 20));
    let queue = bench.run("x0l review run --json");
    let waiting: Vec<u64> = queue.json()["waiting"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cycle| cycle["cycle"].as_u64().unwrap())
        .collect();
    for cycle in &waiting {
        let line = format!("x0l report run --dismiss {cycle} --by R. --because Random --json");
        let report = bench.run(&line).json();
        assert_ne!(report["verdict"], "DIVERGED");
    }
    bench.run("x0l review run").exits(0);
    let report: Value = serde_json::from_slice(&bench.read("run/report.json")).unwrap();
    // Random weights do nothing useful: no judgement makes that a success.
    assert_eq!(report["verdict"], "NEGATIVE", "{report}");
    assert_eq!(replay_session(&bench, 0).0, "REPLAYED");
    println!(
        "{cycles} cycles before the kill; {} cycles judged",
        waiting.len()
    );
}

/// The grammars that ship, and the options of a step that uses each.
const GRAMMARS: [(&str, &str); 4] = [
    ("agent_decision.gbnf", "--step 1"),
    ("sieve_analysis.gbnf", "--step 2"),
    ("chapter_13.gbnf", "--step 13"),
    ("json_generic.gbnf", "--step 1 --fallback"),
];

#[test]
fn bundles_are_answered_within_every_grammar_that_ships() {
    let Some(python) = find_python("bundles_are_answered_within_every_grammar_that_ships") else {
        return;
    };
    for (name, _) in axilog_bundle::catalogue::GRAMMARS {
        assert!(
            GRAMMARS.iter().any(|(shipped, _)| *shipped == name),
            "{name}"
        );
    }
    let bench = Bench::new();
    bench.write("results.json", r#"{"recall":0.5,"success":true}"#);
    let mut fitting = [0; GRAMMARS.len()];
    for seed in 1..=4 {
        let model = make_model(&python, &bench.path(""), seed);
        let server = LlamaServer::start(&python, &model, &[]);
        for ((grammar, step), fitting) in GRAMMARS.into_iter().zip(&mut fitting) {
            let run = bench.run(&format!(
                "bundle ask {step} --results results.json --model {MODEL} --base-url {} \
                 --ledger {seed}-{grammar}.jsonl --send-grammar llama-cpp --timeout 600 --json",
                server.base_url()
            ));
            let report = run.json();
            assert_eq!(report["grammar_name"], grammar);
            let verdict = report["verdict"].as_str().unwrap();
            let reason = report["reason"].as_str().unwrap_or_default();
            match verdict {
                "OK" => *fitting += 1,
                // A model without sense may say what no ledger admits, or go on until it is cut off.
                "NOT_ADMITTED" => {}
                // Bytes that are not UTF-8 are one character to the server's grammar, and reach us as several
                // of U+FFFD: more than a repetition may allow.
                "GRAMMAR_MISMATCH" => {
                    let answer = report["answer"].as_str().unwrap();
                    let known = reason.contains("ends") || answer.contains('\u{fffd}');
                    assert!(known, "{seed} {reason}");
                }
                other => panic!("{grammar}: {other} {reason}"),
            }
        }
    }
    assert!(fitting.iter().all(|count| *count > 0), "{fitting:?}");
}

/// llama.cpp's server has Anthropic's interface too.
#[test]
fn a_bundle_is_answered_over_anthropics_interface() {
    let Some(python) = find_python("a_bundle_is_answered_over_anthropics_interface") else {
        return;
    };
    let bench = Bench::new();
    bench.write("results.json", r#"{"recall":0.5,"success":true}"#);
    bench.write(
        "answer.gbnf",
        r#"root ::= "{\"success\":true,\"confidence\":0,\"interpretation\":\"" [a-z ]{1,40} "\",\"recommendation\":\"retry\"}""#,
    );
    let model = make_model(&python, &bench.path(""), 7);
    let grammar = bench.path("answer.gbnf");
    let options = ["--grammar", grammar.to_str().unwrap()];
    let server = LlamaServer::start(&python, &model, &options);
    let ask = format!(
        "bundle ask --step 1 --results results.json --model {MODEL} --oracle anthropic --base-url {} \
         --ledger l.jsonl --json",
        server.base_url()
    );
    let report = bench.run(&ask).exits(0).json();
    assert_eq!(report["verdict"], "OK");
    bench.run("verify l.jsonl --blobs").exits(0);
    // What the interface has no place for is refused before anything is recorded.
    let records = bench.read("l.jsonl");
    bench
        .run(&format!("{ask} --response-format json_object"))
        .exits(3)
        .says("takes no grammar or response_format");
    assert_eq!(bench.read("l.jsonl"), records);
}

/// A grammar of the ablation's answers, for a model that knows nothing of the harbour.
const ABLATION_GRAMMAR: &str = r#"
root ::= (
  "{\"action\":" action ",\"authorized_violations\":" ids ",\"required_preservations\":" ids
  ",\"conflict_attribution\":[],\"predicted_effects\":{\"satisfies\":" ids ",\"violates\":" ids "}}"
)
action ::= "\"drift\"" | "\"moor\"" | "\"relieve\""
ids ::= "[" id? "]"
id ::= "\"crew-rest\"" | "\"fuel-reserve\"" | "\"night-quiet\""
"#;

#[test]
fn an_ablation_run_with_answers_held_to_a_grammar_replays() {
    let Some(python) = find_python("an_ablation_run_with_answers_held_to_a_grammar_replays") else {
        return;
    };
    let bench = Bench::new();
    bench.write("answer.gbnf", ABLATION_GRAMMAR);
    let model = make_model(&python, &bench.path(""), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    let line = format!(
        "ablation run --variant v300 --model {MODEL} --yes --base-url {} --seeds 1 --episodes 1 --out r \
         --response-format llama-cpp:answer.gbnf --timeout 600 --json",
        server.base_url()
    );
    bench.run(&line).exits(0);
    drop(server);
    bench.run("ablation replay r").exits(0);
    let shown = bench.run("show r/v300/ledger.jsonl --oracle proposer --json");
    let shown = shown.exits(0).stdout;
    let records = shown
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answers: Vec<Value> = records
        .filter(|record| record["tag"] == "AX:OBS:v1")
        .collect();
    assert_eq!(answers.len(), 50);
    for answer in answers {
        assert_eq!(answer["completion_state"], "COMPLETE", "{answer}");
        let text = answer["output"].as_str().unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(value.as_object().unwrap().len(), 5, "{text}");
    }
}
