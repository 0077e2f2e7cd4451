//! The options of the commands that ask a server: what they send, what is recorded of them, what they refuse.

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::client::{KEY, nowhere};
use axilog_testkit::harness::server::{Act, Request, Server, costly, message};
use serde_json::{Value, json};

use crate::bench::{Bench, Run};

const SCHEMA: &str = r#"{"type":"object"}"#;
const GRAMMAR: &str = "root ::= [a-z]*";
const GOOD: &str =
    r#"{"success":true,"confidence":0.9,"interpretation":"fine","recommendation":"proceed"}"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("results.json", r#"{"recall":0.5}"#);
    bench.write("schema.json", SCHEMA);
    bench.write("any.gbnf", GRAMMAR);
    bench
}

/// Runs a command with the key in this variable.
pub fn run_with_key(bench: &Bench, variable: &str, line: &str) -> Run {
    let mut command = bench.command();
    let output = command
        .args(line.split_whitespace())
        .env(variable, KEY)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn ask_bundle(bench: &Bench, server: &Server, options: &str) -> Run {
    bench.run(&format!(
        "bundle ask --step 1 --results results.json --model m-1 --ledger l.jsonl --json \
         --base-url {} {options}",
        server.base_url
    ))
}

#[test]
fn a_bundle_is_asked_as_the_options_say() {
    let named = format!("json_schema:{}", hex(&sha256(SCHEMA.as_bytes())));
    let schema = json!({ "name": "answer", "schema": { "type": "object" }, "strict": true });
    let grammar = format!("grammar:{}", hex(&sha256(GRAMMAR.as_bytes())));
    for (form, place, sent, recorded) in [
        (
            "json_object",
            "/response_format",
            json!({ "type": "json_object" }),
            "json_object",
        ),
        (
            "schema.json",
            "/response_format",
            json!({ "type": "json_schema", "json_schema": schema }),
            &named,
        ),
        ("llama-cpp:any.gbnf", "/grammar", json!(GRAMMAR), &grammar),
        (
            "vllm:any.gbnf",
            "/structured_outputs/grammar",
            json!(GRAMMAR),
            &grammar,
        ),
    ] {
        let bench = bench();
        let server = Server::new(vec![Act::say(GOOD)]);
        let options = format!(
            "--response-format {form} --token-limit-as max_completion_tokens --timeout 600"
        );
        ask_bundle(&bench, &server, &options).exits(0);
        let body = server.requests().remove(0).body;
        assert_eq!(body.pointer(place), Some(&sent), "{form}");
        assert_eq!(body["max_completion_tokens"], 2000);
        assert_eq!(body.get("max_tokens"), None);
        let records = String::from_utf8(bench.read("l.jsonl")).unwrap();
        let member = format!(r#"\"response_format\":\"{recorded}\""#);
        assert!(records.contains(&member), "{records}");
        assert!(records.contains(r#"\"grammar_sent\":false"#), "{records}");
        bench.run("verify l.jsonl --blobs").exits(0);
    }
}

#[test]
fn a_refused_token_limit_tells_the_option() {
    let bench = bench();
    let refusal = json!({ "error": { "message": "Use 'max_completion_tokens' instead." } });
    let server = Server::new(vec![Act::Respond(400, refusal.to_string())]);
    let report = ask_bundle(&bench, &server, "").exits(1).json();
    assert_eq!(report["verdict"], "NO_ANSWER");
    assert_eq!(
        report["reason"],
        "status 400: Use 'max_completion_tokens' instead. (add --token-limit-as max_completion_tokens)"
    );
}

#[test]
fn options_that_make_no_sense_are_refused_before_a_ledger_begins() {
    let bench = bench();
    let server = Server::new(vec![]);
    bench.write("list.json", "[]");
    for (options, code, reason) in [
        ("--timeout 0", 2, "from 0.001 to 3600"),
        ("--pace=-1", 2, "--pace"),
        ("--token-limit-as tokens", 2, "max_completion_tokens"),
        ("--response-format list.json", 2, "not a JSON object"),
        ("--response-format none.json", 3, "none.json"),
        ("--response-format vllm:none.gbnf", 3, "none.gbnf"),
        (
            "--response-format json_object --send-grammar vllm",
            2,
            "cannot be used with",
        ),
    ] {
        ask_bundle(&bench, &server, options)
            .exits(code)
            .says(reason);
    }
    assert!(!bench.exists("l.jsonl"));
}

#[test]
fn anthropics_key_is_its_own_and_nowhere_to_be_found() {
    let bench = bench();
    let ask = "bundle ask --step 1 --results results.json --model m-1 --ledger l.jsonl --oracle anthropic";
    bench.run(ask).exits(3).says("ANTHROPIC_API_KEY is not set");
    assert!(!bench.exists("l.jsonl"));
    let server = Server::new(vec![Act::Respond(200, message(GOOD))]);
    let ask = format!("{ask} --base-url {}", server.base_url);
    let run = run_with_key(&bench, "ANTHROPIC_API_KEY", &ask).exits(0);
    let request: Request = server.requests().remove(0);
    assert!(request.head.starts_with("POST /v1/messages "));
    assert!(request.head.contains(KEY), "{}", request.head);
    bench.write("said", [run.stdout, run.stderr].concat());
    assert!(nowhere(KEY, &bench.path("")) > 3);
}

#[test]
fn a_bundle_that_holds_the_key_is_not_recorded() {
    let bench = bench();
    let server = Server::new(vec![Act::say(GOOD)]);
    // The prompt leaves the run's id out, the bundle does not.
    let ask = format!(
        "bundle ask --step 1 --results results.json --model m-1 --ledger l.jsonl --run-id {KEY} --base-url {}",
        server.base_url
    );
    run_with_key(&bench, "OPENAI_API_KEY", &ask)
        .exits(3)
        .says("the question holds the API key, in the bundle");
    assert!(!bench.exists("l.jsonl"));
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn x0l_asks_an_openai_compatible_server_only() {
    let bench = Bench::new();
    for command in [
        "x0l calibrate --model m",
        "x0l run --model m --context-window 8192 --out run",
        "x0l preflight --model m --context-window 8192",
    ] {
        bench
            .run(&format!("{command} --oracle anthropic"))
            .exits(2)
            .says("OpenAI-compatible chat completion API (B1)");
        // Its 30 s are the document's, and its answers are free.
        for option in ["--timeout 60", "--response-format json_object"] {
            bench.run(&format!("{command} {option}")).exits(2);
        }
    }
    assert!(!bench.exists("run"));
}

#[test]
fn a_session_records_how_its_calls_are_made() {
    let bench = Bench::new();
    let mut calls = 0;
    let server = Server::answering(move |_| {
        calls += 1;
        // What is possible for the calibration's prompts, and for a cycle's.
        let prompt_tokens = if calls <= 3 { 40 } else { 700 };
        let answer = costly(r#"{"candidates":[]}"#, prompt_tokens, 5);
        Some(Act::Respond(200, answer))
    });
    let run = format!(
        "x0l run --model m --context-window 8192 --conditions A --cycles 2 --out run --base-url {} \
         --pace 0.05 --token-limit-as max_completion_tokens --json",
        server.base_url
    );
    bench.run(&run).exits(0);
    let metadata: Value = serde_json::from_slice(&bench.read("run/session_metadata.json")).unwrap();
    let transport = find_member(&metadata, "transport").unwrap();
    assert_eq!(
        *transport,
        json!({
            "timeout_ms": 30000,
            "backoff_ms": [1000, 2000, 4000],
            "max_retry_after_ms": 60000,
            "pace_ms": 50,
            "token_limit_as": "max_completion_tokens",
        })
    );
    for request in server.requests() {
        let is_sentinel = !request.body.to_string().contains("candidates");
        let most = if is_sentinel { 128 } else { 2048 };
        assert_eq!(request.body["max_completion_tokens"], most);
        assert_eq!(request.body.get("response_format"), None);
    }
    bench.run("x0l replay run").exits(0);
}

/// The first member of this name in a document.
fn find_member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let members = value.as_object()?;
    let inner = || members.values().find_map(|value| find_member(value, name));
    members.get(name).or_else(inner)
}

#[test]
fn a_session_whose_settings_hold_the_key_is_not_begun() {
    let bench = Bench::new();
    let server = Server::new(vec![]);
    let run = format!(
        "x0l run --model {KEY} --context-window 8192 --cycles 2 --out run --base-url {}",
        server.base_url
    );
    run_with_key(&bench, "OPENAI_API_KEY", &run)
        .exits(3)
        .says("in the session's settings");
    assert!(!bench.exists("run"));
    let preflight = run.replace("x0l run", "x0l preflight");
    let run = run_with_key(&bench, "OPENAI_API_KEY", &preflight).exits(1);
    let told = "the question holds the API key";
    assert!(
        run.stdout.contains(told) && !run.stdout.contains(KEY),
        "{}",
        run.stdout
    );
}

#[test]
fn a_run_of_the_ablation_records_how_its_calls_are_made() {
    let bench = bench();
    let server = Server::new(vec![Act::Respond(400, String::new())]);
    let run = format!(
        "ablation run --variant v300 --model gpt-4o --seeds 1 --episodes 1 --yes --out r --base-url {} \
         --response-format schema.json --timeout 90 --pace 0.25",
        server.base_url
    );
    // The server refuses the first question, so that the run is a partial one.
    bench.run(&run).exits(3);
    let body = server.requests().remove(0).body;
    assert_eq!(body["response_format"]["type"], "json_schema");
    let header: Value = serde_json::from_slice(&bench.read("r/v300/header.json")).unwrap();
    let named = format!("json_schema:{}", hex(&sha256(SCHEMA.as_bytes())));
    assert_eq!(header["transport"]["response_format"], named);
    assert_eq!(header["transport"]["timeout_ms"], 90_000);
    assert_eq!(header["transport"]["pace_ms"], 250);
    // An agent is not asked over HTTP.
    let agent = "ablation run --variant v300 --oracle agent:random --seeds 1 --episodes 1 --out a";
    bench.run(agent).exits(0);
    let header: Value = serde_json::from_slice(&bench.read("a/v300/header.json")).unwrap();
    assert_eq!(header.get("transport"), None);
    bench.run("ablation replay a").exits(0);
    // What a server has no place for is refused before there is a directory with a ledger.
    let anthropic = format!("{run} --oracle anthropic").replace("--out r", "--out n");
    bench
        .run(&anthropic)
        .exits(3)
        .says("takes no grammar or response_format");
    assert!(!bench.exists("n/v300/ledger.jsonl"));
}
