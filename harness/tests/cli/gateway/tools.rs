//! Tool calls: each is an observation of its own, and one that may not be acted on refuses the whole answer.

use std::fs;

use axilog_testkit::harness::server::{Act, Server};
use serde_json::{Value, json};

use super::{Received, TestGateway, post, question};
use crate::bench::Bench;

const POLICIES: &str = "[AMOUNT]\noracle = \"tool.pay\"\npath = \"/order/amount\"\nmax = \"250\"\n";
const LEDGER: &str = "[ledger.default]\npolicies = \"tools.toml\"";

/// A chat that calls the tool `pay` once for each amount.
fn chat(amounts: &[u32]) -> String {
    let calls: Vec<Value> = amounts
        .iter()
        .map(|amount| {
            let arguments = format!("{{\"order\": {{\"amount\": {amount}}}, \"to\": \"Ada\"}}");
            json!({ "id": "c", "type": "function", "function": { "name": "pay", "arguments": arguments } })
        })
        .collect();
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }] })
        .to_string()
}

/// The same as a stream, in which arguments come in pieces.
fn chat_stream(amount: u32) -> String {
    let chunk = |call: Value| {
        let chunk = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] });
        format!("data: {chunk}\n\n")
    };
    let begun = json!({ "index": 0, "id": "c", "function": { "name": "pay", "arguments": "{\"order\":{\"amo" } });
    let rest = format!("unt\": {amount}}}}}");
    let ended = json!({ "index": 0, "function": { "arguments": rest } });
    format!("{}{}data: [DONE]\n\n", chunk(begun), chunk(ended))
}

fn message(amount: u32) -> String {
    let input = json!({ "order": { "amount": amount } });
    let block = json!({ "type": "tool_use", "id": "t", "name": "pay", "input": input });
    json!({ "type": "message", "role": "assistant", "content": [{ "type": "text", "text": "I pay" }, block] }).to_string()
}

fn response(amount: u32) -> String {
    let arguments = json!({ "order": { "amount": amount } }).to_string();
    json!({ "output": [{ "type": "function_call", "name": "pay", "arguments": arguments }] })
        .to_string()
}

fn start(acts: Vec<Act>) -> TestGateway {
    let bench = Bench::new();
    bench.write("tools.toml", POLICIES);
    TestGateway::start(bench, Server::new(acts), "", LEDGER)
}

fn ask(gateway: &TestGateway, path: &str) -> Received {
    gateway.send(&post(&format!("/v1/{path}")), &question("a"))
}

#[test]
fn each_tool_call_is_an_observation_with_parsed_arguments_in_order() {
    let acts = vec![
        Act::Respond(200, chat(&[1, 2])),
        Act::Events(chat_stream(3)),
        Act::Respond(200, message(4)),
        Act::Respond(200, response(250)),
    ];
    let mut gateway = start(acts);
    for path in [
        "chat/completions",
        "chat/completions",
        "messages",
        "responses",
    ] {
        let received = ask(&gateway, path).has_status(200);
        assert_eq!(received.header("x-axilog-decision"), "PERMITTED");
    }
    gateway.stop();
    gateway.audit("default");
    let run = gateway
        .bench
        .run("show ledgers/default.jsonl --json --oracle tool.pay")
        .exits(0);
    let records: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let calls: Vec<&str> = records
        .iter()
        .filter_map(|record| record["output"].as_str())
        .collect();
    assert_eq!(
        calls,
        [
            r#"{"order":{"amount":1},"to":"Ada"}"#,
            r#"{"order":{"amount":2},"to":"Ada"}"#,
            r#"{"order":{"amount":3}}"#,
            r#"{"order":{"amount":4}}"#,
            r#"{"order":{"amount":250}}"#,
        ]
    );
    let judged = records
        .iter()
        .filter(|record| record["policy_id"] == "AMOUNT");
    assert_eq!(judged.count(), 5);
}

#[test]
fn a_tool_call_that_breaches_refuses_the_whole_answer() {
    for (path, act) in [
        ("chat/completions", Act::Respond(200, chat(&[1, 251, 2]))),
        ("chat/completions", Act::Events(chat_stream(251))),
        ("messages", Act::Respond(200, message(251))),
        ("responses", Act::Respond(200, response(251))),
    ] {
        let gateway = start(vec![act]);
        let refused = ask(&gateway, path).refuses(403, "axilog_breach");
        let breach = &refused.json()["error"]["axilog"]["policies"][0];
        assert_eq!(breach["selector"], "tool.pay#/order/amount");
        assert_eq!(breach["value"], "251");
    }
}

/// A limit over time holds over tool calls of one answer and of several, and in a replay.
#[test]
fn a_tool_call_beyond_a_running_value_refuses_the_whole_answer() {
    let bench = Bench::new();
    let spend = "[SPEND]\noracle = \"ax.sum.spend\"\nmax = \"300\"\n";
    bench.write("tools.toml", format!("{POLICIES}\n{spend}"));
    let values = r#"{"ax.sum.spend":{"oracle":"tool.pay","path":"/order/amount"}}"#;
    bench.write("values.json", values);
    fs::create_dir(bench.path("ledgers")).unwrap();
    let options = "--policies tools.toml --running-values values.json";
    bench
        .run(&format!("init ledgers/default.jsonl {options}"))
        .exits(0);
    let acts = vec![
        Act::Respond(200, chat(&[150, 50])),
        Act::Respond(200, chat(&[99, 2])),
    ];
    let mut gateway = TestGateway::start(bench, Server::new(acts), "", LEDGER);
    let path = "/v1/chat/completions";
    let send = |gateway: &TestGateway, text| gateway.send(&post(path), &question(text));
    let released = send(&gateway, "a").has_status(200);
    let refused = send(&gateway, "b").refuses(403, "axilog_breach");
    let breach = &refused.json()["error"]["axilog"]["policies"][0];
    assert_eq!(breach["selector"], "ax.sum.spend#value");
    assert_eq!(breach["value"], "301");
    gateway.stop();
    gateway.audit("default");
    let replayed = TestGateway::replay(gateway.take_bench(), "ledgers/default.jsonl");
    assert_eq!(send(&replayed, "a").has_status(200).body, released.body);
    send(&replayed, "b").refuses(403, "axilog_breach");
}

#[test]
fn a_closed_ledger_releases_no_tool_call_that_it_does_not_declare() {
    let bench = Bench::new();
    bench.write("tools.toml", POLICIES);
    fs::create_dir(bench.path("ledgers")).unwrap();
    let declared = "--oracle llm --oracle tool.pay --oracle llm.provider";
    bench
        .run(&format!(
            "init ledgers/default.jsonl --policies tools.toml {declared}"
        ))
        .exits(0);
    let other = chat(&[1]).replace("\"pay\"", "\"shell\"");
    let odd = chat(&[1]).replace("\"pay\"", "\"p\u{430}y\"");
    let acts = [chat(&[1]), other, odd, chat(&[2])].map(|body| Act::Respond(200, body));
    let ledger = format!("{LEDGER}\non_breach = \"flag\"");
    let mut gateway = TestGateway::start(bench, Server::new(acts.to_vec()), "", &ledger);
    ask(&gateway, "chat/completions").has_status(200);
    let refused = ask(&gateway, "chat/completions").refuses(403, "axilog_breach");
    assert!(refused.message().contains("tool.shell"), "{}", refused.body);
    assert_eq!(refused.header("x-axilog-decision"), "BREACH");
    let refused = ask(&gateway, "chat/completions").refuses(403, "axilog_breach");
    assert!(refused.message().contains("U+0430"), "{}", refused.body);
    ask(&gateway, "chat/completions").has_status(200);
    gateway.stop();
    gateway.audit("default");
}
