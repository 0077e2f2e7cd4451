//! What a provider sends that is no answer: each has its place in the ledger, and an error for the client.

use std::net::TcpListener;

use axilog_testkit::harness::server::{Act, Server, completion};
use serde_json::{Value, json};

use super::streams;
use super::{JUDGING, RECORDING, TestGateway, configuration};
use crate::bench::Bench;

/// Asks once, and gives the status, the error's type, and the last answer's record, null where there is none.
fn ask(act: Act) -> (u16, Value, String, Value) {
    let mut gateway = TestGateway::with_acts(RECORDING, vec![act]);
    let received = gateway.chat("a");
    gateway.stop();
    gateway.audit("default");
    let records = gateway.observations("default");
    let answers = records.iter().rfind(|record| record["oracle_id"] == "llm");
    let kind = serde_json::from_str(&received.body)
        .map_or(Value::Null, |body: Value| body["error"]["type"].clone());
    (
        received.status,
        kind,
        received.header("x-should-retry").to_owned(),
        answers.cloned().unwrap_or(Value::Null),
    )
}

#[test]
fn what_is_no_answer_is_recorded_as_a_failure_and_not_repeated() {
    let chat = completion("hi");
    for act in [
        Act::Respond(200, "<html>".to_owned()),
        Act::Respond(200, String::new()),
        Act::Respond(200, "{\"choices\":[]}".to_owned()),
        Act::Respond(200, chat.replace('{', "{\"choices\":[],")),
        Act::Drop,
        Act::DropInside(chat.clone()),
        Act::Noise,
        Act::RespondWith(200, "Content-Encoding: gzip\r\n", chat.clone()),
        Act::Endless,
    ] {
        let (status, kind, retry, record) = ask(act);
        assert_eq!(
            (status, kind),
            (502, json!("axilog_provider_error")),
            "{record}"
        );
        assert_eq!(retry, "false");
        assert_eq!(record["completion_state"], "ERROR", "{record}");
        assert_eq!(record["failure_type"], "TRANSPORT_ERROR", "{record}");
    }
}

#[test]
fn a_providers_own_error_is_passed_on_as_it_came() {
    for status in [400, 401, 404, 429, 500, 529] {
        let body = json!({ "error": { "type": "its_own", "message": "no" } }).to_string();
        let act = Act::RespondWith(status, "Retry-After: 7\r\n", body.clone());
        let mut gateway = TestGateway::with_acts(JUDGING, vec![act, Act::say("{\"speed\":1}")]);
        let received = gateway.chat("a").has_status(status);
        assert_eq!(
            (received.body.as_str(), received.header("retry-after")),
            (body.as_str(), "7")
        );
        assert_eq!(received.header("x-should-retry"), "");
        assert_eq!(received.header("x-axilog-decision"), "");
        // Nothing answered, so nothing was judged, and the next call is made.
        gateway.chat("a").has_status(200);
        gateway.stop();
        gateway.audit("default");
        let facts: Value = serde_json::from_str(
            gateway.observations("default")[0]["output"]
                .as_str()
                .unwrap(),
        )
        .unwrap();
        assert_eq!(facts["status"], status);
        assert!(facts.get("message").is_none());
    }
}

#[test]
fn a_redirect_is_not_followed_and_not_passed_on() {
    let act = Act::RespondWith(307, "Location: http://127.0.0.1:1/v1\r\n", String::new());
    let gateway = TestGateway::with_acts(RECORDING, vec![act]);
    let refused = gateway.chat("a").refuses(502, "axilog_provider_error");
    assert_eq!(refused.header("location"), "");
}

#[test]
fn a_provider_that_is_not_there_was_not_asked() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let bench = Bench::new();
    bench.write(
        "gateway.toml",
        configuration(&format!("http://{address}/v1"), "", RECORDING),
    );
    let nobody = Server::new(Vec::new());
    let mut gateway = TestGateway::serve(bench, nobody, |_| ());
    for _ in 0..2 {
        let received = gateway.chat("a").has_status(502);
        assert_eq!(received.header("x-should-retry"), "true");
        assert_eq!(received.header("x-axilog-state"), "ENABLED");
    }
    gateway.stop();
    gateway.audit("default");
    assert!(gateway.answers("default").is_empty());
}

#[test]
fn a_provider_that_is_silent_is_a_timeout() {
    let provider = Server::new(vec![Act::Hang]);
    let mut gateway = TestGateway::start(Bench::new(), provider, "timeout = 1", RECORDING);
    gateway.chat("a").refuses(504, "axilog_provider_error");
    gateway.stop();
    gateway.audit("default");
    let records = gateway.observations("default");
    assert_eq!(records.last().unwrap()["failure_type"], "TIMEOUT");
}

#[test]
fn an_answer_longer_than_a_record_is_released_where_the_ledger_permits_cut_ones() {
    let text = "x".repeat(10 << 20);
    // A record holds the beginning, so that nothing has judged all of it.
    let mut gateway = TestGateway::with_acts(RECORDING, vec![Act::say(&text)]);
    gateway.chat("a").refuses(403, "axilog_breach");
    gateway.stop();
    gateway.audit("default");

    let bench = Bench::new();
    std::fs::create_dir(bench.path("ledgers")).unwrap();
    bench.write("none.json", "[]");
    let init = "init ledgers/default.jsonl --policies none.json --permit-truncated";
    bench.run(init).exits(0);
    let events = streams::chat_in_pieces([&text]);
    let acts = vec![Act::say(&text), Act::Events(events.clone())];
    let mut gateway = TestGateway::start(bench, Server::new(acts), "", RECORDING);
    assert_eq!(gateway.chat("a").has_status(200).body, completion(&text));
    let received = gateway.chat("a").has_status(200);
    assert!(streams::unchunk(&received) == events);
    gateway.stop();
    gateway.audit("default");
}
