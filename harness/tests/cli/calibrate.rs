//! `axilog x0l calibrate`.

use axilog_testkit::harness::client::{KEY, nowhere};
use axilog_testkit::harness::server::{Act, Server};

use crate::bench::{Bench, Run};
use serde_json::{Value, json};

const SAME: &str =
    r#"{"answer":"{\"candidates\":[]}","usage":{"prompt_tokens":40,"completion_tokens":5}}"#;

fn calibrated(bench: &Bench, script: &str) -> Run {
    bench.write("script.jsonl", script);
    bench.run("x0l calibrate --model m-1 --oracle scripted:script.jsonl --ledger l.jsonl --json")
}

#[test]
fn a_steady_model_passes_and_its_answers_are_in_the_ledger() {
    let bench = Bench::new();
    let run = calibrated(&bench, SAME).exits(0);
    assert!(
        run.stderr.ends_with("axilog: call 3 of 3\n"),
        "{}",
        run.stderr
    );
    let report = run.json();
    assert_eq!(report["verdict"], "OK");
    assert_eq!(report["ok"], true);
    let calls = report["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 3);
    for call in calls {
        assert_eq!(call["status"], "OK");
        assert_eq!(call["canonicalized_hash"], calls[0]["canonicalized_hash"]);
        let usage = json!({ "prompt_tokens": 40, "completion_tokens": 5 });
        assert_eq!(call["usage"], usage);
        assert_eq!(call["attempts"].as_array().unwrap().len(), 1);
    }
    bench.run("verify l.jsonl --blobs").exits(0);
    bench.run("replay l.jsonl").exits(0);
    let shown = bench
        .run("show l.jsonl --oracle llm --json")
        .exits(0)
        .stdout;
    let records: Vec<Value> = shown
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let asked = records.iter().filter(|record| record["tag"] == "AX:OBS:v1");
    let hashes: Vec<&Value> = asked.map(|record| &record["input_hash"]).collect();
    assert_eq!(hashes, [&report["input_hash"]; 3]);

    // The ledger goes on, and answers the same questions itself.
    calibrated(&bench, SAME).exits(0);
    let again = "x0l calibrate --model m-1 --oracle recorded:l.jsonl --ledger again.jsonl --json";
    let again = bench.run(again).exits(0).json();
    assert_eq!(
        again["calls"][2]["canonicalized_hash"],
        calls[0]["canonicalized_hash"]
    );
    let text =
        bench.run("x0l calibrate --model m-1 --oracle scripted:script.jsonl --ledger t.jsonl");
    let text = text.exits(0).stdout;
    assert!(
        text.contains("OK") && text.lines().all(|l| l.chars().count() <= 80),
        "{text}"
    );
}

/// F3: what differs around the object is not drift.
#[test]
fn layout_does_not_matter() {
    let script = [
        r#"{"answer":"{\"a\":1,\"b\":2}"}"#,
        r#"{"answer":"Sure:\n{\"b\": 2, \"a\": 1.0}"}"#,
        r#"{"answer":"```json\n{ \"a\":1 , \"b\":2 }\n```","faults":[429]}"#,
    ];
    let report = calibrated(&Bench::new(), &script.join("\n"))
        .exits(0)
        .json();
    let attempts = &report["calls"][2]["attempts"];
    assert_eq!(attempts[0]["fault"], "status 429");
    assert_eq!(attempts[1]["fault"], Value::Null);
}

/// What admission does to an answer is no drift: it is not compared as the ledger holds it, but as it came.
#[test]
fn a_tab_and_a_decomposed_accent_are_steady() {
    for answer in ["{\\\"a\\\":\\t1}", "{\\\"a\\\":\\\"e\u{301}\\\"}"] {
        let line = format!("{{\"answer\":\"{answer}\"}}");
        let report = calibrated(&Bench::new(), &line).exits(0).json();
        assert_eq!(report["verdict"], "OK");
        assert_eq!(report["calls"][2]["status"], "OK");
    }
}

#[test]
fn drift_is_found_in_any_of_the_three() {
    for (odd, status) in [
        (r#"{"answer":"{\"candidates\":[1]}"}"#, "OK"),
        (r#"{"answer":"I would rather not."}"#, "NO_JSON"),
        (
            r#"{"answer":"{\"candidates\":[]}\t{}"}"#,
            "AMBIGUOUS_MULTI_BLOCK",
        ),
    ] {
        for at in 0..3 {
            let mut script = [SAME; 3];
            script[at] = odd;
            let report = calibrated(&Bench::new(), &script.join("\n"))
                .exits(1)
                .json();
            assert_eq!(report["verdict"], "MODEL_DRIFT_DETECTED");
            assert_eq!(report["calls"][at]["status"], status, "{odd}");
        }
    }
    // Three times no object is not steady either.
    let none = r#"{"answer":"{}{}"}"#;
    let report = calibrated(&Bench::new(), none).exits(1).json();
    assert_eq!(report["verdict"], "MODEL_DRIFT_DETECTED");
}

#[test]
fn a_call_that_fails_ends_it_and_is_recorded() {
    let bench = Bench::new();
    let script = format!("{SAME}\n{{\"faults\":[\"timeout\"]}}");
    let report = calibrated(&bench, &script).exits(1).json();
    assert_eq!(report["verdict"], "TRANSPORT_FAILURE_ABORT");
    let calls = report["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1]["status"], Value::Null);
    assert_eq!(calls[1]["attempts"].as_array().unwrap().len(), 4);
    let stats = bench.run("stats l.jsonl --json").exits(0).json();
    assert_eq!(stats["violations"]["POLICY_BREACH"], 1);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let bench = Bench::new();
    let calibrate = "x0l calibrate --model m --ledger l.jsonl";
    bench
        .run(&format!("{calibrate} --oracle gemini"))
        .exits(2)
        .says("scripted:FILE");
    bench
        .run(&format!("{calibrate} --oracle scripted:none"))
        .exits(3)
        .says("none: cannot read");
    bench
        .run(&format!("{calibrate} --base-url nowhere"))
        .exits(3)
        .says("is not a URL");
    bench
        .run(calibrate)
        .exits(3)
        .says("OPENAI_API_KEY is not set");
    assert!(!bench.exists("l.jsonl"));
    // A second model in one ledger is refused before it is asked.
    calibrated(&bench, SAME).exits(0);
    bench
        .run("x0l calibrate --model m-2 --oracle scripted:script.jsonl --ledger l.jsonl")
        .exits(1);
}

#[test]
fn over_http_the_key_is_used_and_nowhere_to_be_found() {
    let server = Server::new(vec![Act::say("{\"candidates\":[]}"); 3]);
    let bench = Bench::new();
    let arguments = [
        "x0l",
        "calibrate",
        "--model",
        "m-1",
        "--json",
        "--base-url",
        &server.base_url,
    ];
    let output = bench
        .command()
        .args(arguments)
        .env("OPENAI_API_KEY", KEY)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        assert!(request.head.contains(KEY));
        assert_eq!(request.body["temperature"], 0.0);
        assert_eq!(request.body["max_tokens"], 2048);
        assert_eq!(request.body.get("seed"), None);
    }
    bench.write("said", [output.stdout, output.stderr].concat());
    assert!(nowhere(KEY, &bench.path("")) > 3);
}
