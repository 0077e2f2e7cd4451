//! `axilog bundle ask`: what is recorded, what is sent, what is said of the answer.

use std::fs;

use axilog::hash::sha256;
use axilog_bundle::catalogue::GRAMMARS;
use axilog_ledger::encoding::hex;
use axilog_ledger::jcs;
use axilog_testkit::harness::server::{Act, Server};
use serde_json::{Value, json};

use crate::bench::{Bench, Run};

const GOOD: &str =
    r#"{"success":true,"confidence":0.9,"interpretation":"fine","recommendation":"proceed"}"#;

fn bench(answer: &str) -> Bench {
    let bench = Bench::new();
    bench.write(
        "results.json",
        r#"{"recall":0.5,"success":true,"interpretation":"e\u0301"}"#,
    );
    bench.write("manifest.json", "{}");
    bench.write("script.jsonl", json!({ "answer": answer }).to_string());
    bench
}

const ASK: &str = "bundle ask --step 1 --results results.json --manifest manifest.json --model m-1 \
    --ledger l.jsonl --json";

fn scripted(bench: &Bench) -> Run {
    bench.run(&format!("{ASK} --oracle scripted:script.jsonl"))
}

fn observations(bench: &Bench, oracle: &str) -> Vec<Value> {
    let shown = bench
        .run(&format!("show l.jsonl --oracle {oracle} --json"))
        .exits(0);
    let records = shown
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    records
        .filter(|record: &Value| record["tag"] == "AX:OBS:v1")
        .collect()
}

fn blob(bench: &Bench, hash: &Value) -> Vec<u8> {
    let hash = hash.as_str().unwrap();
    let mut folders = vec![bench.path("l.jsonl.blobs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                if hex(&sha256(&bytes)) == hash {
                    return bytes;
                }
            }
        }
    }
    panic!("no blob {hash}");
}

#[test]
fn the_bundle_is_evidence_before_the_answer() {
    let bench = bench(GOOD);
    let report = scripted(&bench).exits(0).json();
    assert_eq!(report["verdict"], "OK");
    assert_eq!(report["answer"], GOOD);
    bench.run("verify l.jsonl --blobs").exits(0);
    bench.run("replay l.jsonl").exits(0);

    let (bundles, answers) = (observations(&bench, "bundle"), observations(&bench, "llm"));
    let [bundle, answer] = [&bundles[..], &answers[..]].map(|all| {
        assert_eq!(all.len(), 1);
        &all[0]
    });
    assert_eq!(bundle["ledger_seq"], report["bundle_seq"]);
    assert!(bundle["ledger_seq"].as_u64() < answer["ledger_seq"].as_u64());
    // The bundle itself lies beside the ledger, under its hash.
    assert_eq!(bundle["input_hash"], report["bundle_sha256"]);
    let kept = blob(&bench, &bundle["input_hash"]);
    assert_eq!(jcs::canonicalize(&kept).unwrap(), kept);
    let kept: Value = serde_json::from_slice(&kept).unwrap();
    assert_eq!(kept["step_name"], "window_optimizer");
    // What its observation says: where it came from, and what was asked with it.
    let evidence: Value = serde_json::from_str(bundle["output"].as_str().unwrap()).unwrap();
    assert_eq!(evidence["bundle_sha256"], report["bundle_sha256"]);
    assert_eq!(evidence["provenance"], kept["provenance"]);
    assert_eq!(evidence["provenance"][1]["sha256"], hex(&sha256(b"{}")));
    let grammar = GRAMMARS
        .iter()
        .find(|(name, _)| *name == "agent_decision.gbnf")
        .unwrap()
        .1;
    assert_eq!(evidence["grammar_sha256"], hex(&sha256(grammar.as_bytes())));
    assert_eq!(evidence["prompt_sha256"], answer["input_hash"]);
    // The prompt is the bundle's, and the only message.
    let prompt = bench
        .run("bundle render --step 1 --results results.json")
        .exits(0)
        .stdout;
    let asked: Value = serde_json::from_slice(&blob(&bench, &answer["input_hash"])).unwrap();
    assert_eq!(
        asked,
        json!([{ "role": "user", "content": prompt.trim_end() }])
    );
    assert_eq!(answer["output"], GOOD);

    // The ledger goes on, and answers itself.
    scripted(&bench).exits(0);
    let again = bench.run(&format!(
        "{} --oracle recorded:l.jsonl",
        ASK.replace("--ledger l.jsonl", "--ledger m.jsonl")
    ));
    assert_eq!(again.exits(0).json()["answer"], GOOD);
}

/// A record has room for some hundred files; the bundle beside it has them all.
#[test]
fn the_record_of_a_bundle_is_whole_however_many_files() {
    let bench = bench(GOOD);
    let states = " results.json".repeat(1000);
    let line = format!("{ASK} --oracle scripted:script.jsonl --state{states}");
    bench.run(&line).exits(0);
    let bundle = &observations(&bench, "bundle")[0];
    assert_eq!(bundle["completion_state"], "COMPLETE");
    let evidence: Value = serde_json::from_str(bundle["output"].as_str().unwrap()).unwrap();
    assert_eq!(evidence["provenance"], Value::Null);
    let kept: Value = serde_json::from_slice(&blob(&bench, &bundle["input_hash"])).unwrap();
    assert_eq!(kept["provenance"].as_array().unwrap().len(), 1002);
}

#[test]
fn each_verdict() {
    for (answer, verdict, reason) in [
        (
            &GOOD.replace("0.9", "1.9")[..],
            "GRAMMAR_MISMATCH",
            "line 1, column 32: found '9', expected '0'",
        ),
        (
            "I think so.",
            "GRAMMAR_MISMATCH",
            "line 1, column 1: found 'I', expected",
        ),
        ("{\t}", "NOT_ADMITTED", "the ledger holds it as ERROR"),
    ] {
        let report = scripted(&bench(answer)).exits(1).json();
        assert_eq!(report["verdict"], verdict);
        assert_eq!(report["ok"], false);
        assert!(
            report["reason"]
                .as_str()
                .unwrap_or_default()
                .contains(reason),
            "{report}"
        );
        assert_eq!(report["answer"].is_null(), verdict == "NOT_ADMITTED");
    }
    let bench = bench("");
    bench.write("script.jsonl", r#"{"faults":["timeout"]}"#);
    let report = scripted(&bench).exits(1).json();
    assert_eq!(report["verdict"], "NO_ANSWER");
    assert_eq!(observations(&bench, "bundle").len(), 1);
    assert_eq!(observations(&bench, "llm").len(), 1);
    let text = bench
        .run("bundle ask --step 1 --model m-1 --oracle scripted:script.jsonl --ledger t.jsonl");
    let text = text.exits(1).stdout;
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    // Any object will do with the fallback.
    bench.write("script.jsonl", r#"{"answer":"{\"any\":[1]}"}"#);
    scripted(&bench).exits(1);
    let report = bench.run(&format!("{ASK} --oracle scripted:script.jsonl --fallback"));
    assert_eq!(report.exits(0).json()["grammar_name"], "json_generic.gbnf");
}

/// An ambiguous grammar can make any text too much work; that is no mismatch. The record stays.
#[test]
fn an_answer_of_which_nobody_can_tell_has_a_verdict_of_its_own() {
    let bench = bench(&"x".repeat(3000));
    bench.write("own.gbnf", "root ::= a\na ::= \"x\" a a | \"x\" a | \"x\"");
    bench.write(
        "c.toml",
        "contracts = []\n[[step]]\nid = 1\nname = \"a\"\nmission = \"m\"\nschema_excerpt = \"s\"\n\
         grammar = \"own.gbnf\"\nguardrails = []\nkey_metrics = []\n",
    );
    let line = format!("{ASK} --oracle scripted:script.jsonl --catalogue c.toml");
    let report = bench.run(&line).exits(3).json();
    assert_eq!(report["verdict"], "CANNOT_BE_TOLD");
    assert_eq!(report["ok"], false);
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("line 1, column ")
            && reason.ends_with("cannot be told within 10000000 steps"),
        "{reason}"
    );
    assert_eq!(report["answer"], "x".repeat(3000));
    assert_eq!(observations(&bench, "llm").len(), 1);
}

#[test]
fn the_grammar_goes_to_servers_that_take_one() {
    let grammar = GRAMMARS
        .iter()
        .find(|(name, _)| *name == "agent_decision.gbnf")
        .unwrap()
        .1;
    for (option, place, sent) in [
        ("", "/grammar", false),
        ("--send-grammar llama-cpp", "/grammar", true),
        ("--send-grammar vllm", "/structured_outputs/grammar", true),
    ] {
        let server = Server::new(vec![Act::say(GOOD)]);
        let bench = bench(GOOD);
        let line = format!(
            "{ASK} --base-url {} --generation-reserve 700 {option}",
            server.base_url
        );
        bench.run(&line).exits(0);
        let requests = server.requests();
        let body = &requests[0].body;
        assert_eq!(body.pointer(place), sent.then(|| json!(grammar)).as_ref());
        assert_eq!(body["max_tokens"], 700);
        assert_eq!(body["temperature"], 0.0);
        assert_eq!(body["messages"].as_array().unwrap().len(), 1);
        let evidence: Value = serde_json::from_str(
            observations(&bench, "bundle")[0]["output"]
                .as_str()
                .unwrap(),
        )
        .unwrap();
        assert_eq!(evidence["grammar_sent"], sent);
    }
}

#[test]
fn what_cannot_be_asked_leaves_nothing() {
    let bench = bench(GOOD);
    for (line, code, said) in [
        ("--step 9 --oracle scripted:script.jsonl", 2, "no step 9"),
        (
            "--step 1 --context 2001 --oracle scripted:script.jsonl",
            2,
            "never cut",
        ),
        ("--step 1 --oracle scripted:none", 3, "none: cannot read"),
        ("--step 1", 3, "OPENAI_API_KEY is not set"),
        (
            "--step 1 --send-grammar openai --oracle scripted:script.jsonl",
            2,
            "llama-cpp",
        ),
    ] {
        bench
            .run(&format!("bundle ask --model m {line} --ledger l.jsonl"))
            .exits(code)
            .says(said);
        assert!(!bench.path("l.jsonl").exists(), "{line}");
    }
    // What a ledger would not admit, or not whole.
    let marks = format!(r#"{{"interpretation":"e{}"}}"#, "\u{301}".repeat(40));
    bench.write("marks.json", marks);
    let deep = format!(r#"{{"recall":{}{}}}"#, "[".repeat(126), "]".repeat(126));
    bench.write("deep.json", deep);
    let long = format!("--run-id {}", "r".repeat(64 << 10));
    for (option, said) in [
        (
            "--results marks.json",
            "the prompt: the input is not admissible: it is not in Unicode",
        ),
        (
            "--results deep.json",
            "the bundle: the input is not admissible: nested deeper than 128",
        ),
        (long.as_str(), "it takes 65"),
    ] {
        bench
            .run(&format!(
                "bundle ask --step 1 --model m --oracle scripted:script.jsonl --ledger l.jsonl {option}"
            ))
            .exits(2)
            .says(said);
        assert!(!bench.path("l.jsonl").exists(), "{option}");
    }
    // Policies would judge the bundle's record.
    bench.run("init judged.jsonl --time 1").exits(0);
    let before = fs::read(bench.path("judged.jsonl")).unwrap();
    bench
        .run("bundle ask --step 1 --model m --oracle scripted:script.jsonl --ledger judged.jsonl")
        .exits(2)
        .says("the ledger has policies");
    assert_eq!(fs::read(bench.path("judged.jsonl")).unwrap(), before);
    // Another model in the same ledger is refused before the bundle is recorded.
    scripted(&bench).exits(0);
    let before = fs::read(bench.path("l.jsonl")).unwrap();
    let other = ASK.replace("m-1", "m-2");
    bench
        .run(&format!("{other} --oracle scripted:script.jsonl"))
        .exits(1);
    assert_eq!(fs::read(bench.path("l.jsonl")).unwrap(), before);
}

/// What is matched is what the ledger holds, so that whoever reads it finds the same verdict.
#[test]
fn the_answer_is_matched_as_the_ledger_holds_it() {
    let lines = GOOD.replace(",", ",\r\n");
    let bench = bench(&lines);
    let report = scripted(&bench).exits(0).json();
    assert_eq!(report["answer"], lines.replace('\r', ""));
    assert_eq!(observations(&bench, "llm")[0]["output"], report["answer"]);
}

#[test]
fn a_torn_ledger_is_put_right_and_said_to_be() {
    let bench = bench(GOOD);
    scripted(&bench).exits(0);
    let mut bytes = fs::read(bench.path("l.jsonl")).unwrap();
    bytes.extend(b"{\"chain\":");
    bench.write("l.jsonl", bytes);
    scripted(&bench).exits(0).says("the last line was torn");
    bench.run("verify l.jsonl").exits(0);
}
