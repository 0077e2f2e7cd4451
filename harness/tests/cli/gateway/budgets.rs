//! Budgets: what is spent follows from the ledger, whatever happens to the gateway.

use std::fs;
use std::thread;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::server::{Act, Server, costly};
use serde_json::{Value, json};

use super::{RECORDING, Received, TestGateway, configuration, post, question};
use crate::bench::Bench;

const KEY: &str = "operator-key-0123456789";

/// A ledger with a budget of these limits.
fn ledger(limits: &str) -> String {
    format!("{RECORDING}\n[ledger.default.budget]\n{limits}")
}

/// Starts a gateway in a folder for a provider that always answers.
fn start(bench: Bench, more: &str, ledger: &str) -> TestGateway {
    let provider = Server::answering(|_| Some(Act::Respond(200, costly("hi", 11, 3))));
    let key = hex(&sha256(KEY.as_bytes()));
    let text = configuration(&provider.base_url, "", ledger);
    bench.write(
        "gateway.toml",
        format!("{more}\n{text}\n[operator]\nkey_sha256 = [\"{key}\"]\n"),
    );
    TestGateway::serve(bench, provider, |_| ())
}

fn used_up(received: Received, limit: &str) -> Received {
    let refused = received.refuses(429, "axilog_budget");
    assert_eq!(
        refused.json()["error"]["axilog"]["limit"],
        limit,
        "{}",
        refused.body
    );
    refused
}

#[test]
fn calls_are_spent_for_ever() {
    let limits = ledger("calls = 3");
    let mut gateway = start(Bench::new(), "", &limits);
    for text in ["a", "b"] {
        gateway.chat(text).has_status(200);
    }
    gateway.stop();
    gateway = start(gateway.take_bench(), "", &limits);
    gateway.chat("c").has_status(200);
    for _ in 0..2 {
        let refused = used_up(gateway.chat("d"), "calls");
        assert_eq!(refused.header("retry-after"), "");
        assert_eq!(refused.header("x-axilog-state"), "ENABLED");
    }
    assert_eq!(gateway.provider.requests().len(), 1);
    // Neither another key nor a crash changes it.
    let head = format!(
        "{}\r\nX-Api-Key: another-key-1",
        post("/v1/chat/completions")
    );
    used_up(gateway.send(&head, &question("e")), "calls");
    gateway.process.kill().unwrap();
    gateway.process.wait().unwrap();
    gateway = start(gateway.take_bench(), "", &limits);
    used_up(gateway.chat("f"), "calls");
    gateway.stop();
    gateway.audit("default");
    // Each refusal is recorded, with its question.
    let records = gateway.observations("default");
    let refusals = records.iter().filter(|record| {
        let facts: Value =
            serde_json::from_str(record["output"].as_str().unwrap()).unwrap_or_default();
        facts["fault"] == "budget"
    });
    assert_eq!(refusals.count(), 4);
    assert_eq!(gateway.answers("default").len(), 3);
}

#[test]
fn tokens_are_those_that_answers_say_they_used() {
    let mut gateway = start(
        Bench::new(),
        "",
        &ledger("tokens = 50\ntokens_per_call = 20"),
    );
    for spent in [14, 28, 42] {
        gateway.chat(&format!("{spent}")).has_status(200);
    }
    // A further call could take 20, and 8 are left.
    used_up(gateway.chat("b"), "tokens");
    gateway.stop();
    gateway.audit("default");
}

#[test]
fn a_window_begins_anew_with_the_ledgers_time() {
    let bench = Bench::new();
    fs::create_dir(bench.path("ledgers")).unwrap();
    bench.write("none.json", "[]");
    bench
        .run("init ledgers/default.jsonl --policies none.json --time 7300")
        .exits(0);
    let limits = ledger("window = 3600\nwindow_calls = 1");
    let mut gateway = start(bench, "time_interval = 0", &limits);
    gateway.chat("a").has_status(200);
    let refused = used_up(gateway.chat("b"), "window_calls");
    assert_eq!(refused.header("retry-after"), "3500");
    let head = format!("{}\r\nAuthorization: Bearer {KEY}", post("/axilog/time"));
    let time = json!({ "ledger": "default", "time": 10_800 }).to_string();
    gateway.send(&head, &time).has_status(200);
    gateway.chat("b").has_status(200);
    used_up(gateway.chat("c"), "window_calls");
    gateway.stop();
    gateway.audit("default");
}

#[test]
fn calls_at_a_time_do_not_spend_more_than_there_is() {
    let mut gateway = start(Bench::new(), "", &ledger("calls = 5"));
    let statuses: Vec<u16> = thread::scope(|scope| {
        let asked: Vec<_> = (0..20)
            .map(|client| {
                let address = &gateway.address;
                scope.spawn(move || {
                    let body = question(&format!("client {client}"));
                    super::send(address, &post("/v1/chat/completions"), &body).status
                })
            })
            .collect();
        asked
            .into_iter()
            .map(|asked| asked.join().unwrap())
            .collect()
    });
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        5,
        "{statuses:?}"
    );
    assert!(statuses.iter().all(|status| [200, 429].contains(status)));
    assert_eq!(gateway.provider.requests().len(), 5);
    gateway.stop();
    gateway.audit("default");
}

#[test]
fn a_ledger_without_the_facts_cannot_have_a_budget() {
    let bench = Bench::new();
    fs::create_dir(bench.path("ledgers")).unwrap();
    bench.write("none.json", "[]");
    bench
        .run("init ledgers/default.jsonl --policies none.json --oracle llm")
        .exits(0);
    bench.write(
        "gateway.toml",
        configuration("http://127.0.0.1:9/v1", "", &ledger("calls = 5")),
    );
    bench
        .run("gateway serve gateway.toml")
        .exits(2)
        .says("declare the oracle llm.provider");
}
