//! One call: what is kept before the provider is asked, what is released, and what is refused.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex};

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::server::{Act, completion, message};
use serde_json::json;

use super::{JUDGING, RECORDING, TestGateway, post, question, receive};
use crate::bench::Bench;

/// Each interface, a question and an answer in its form, and what is recorded as the answer.
fn interfaces() -> Vec<(&'static str, String, String, String)> {
    let ask =
        |more: &str| format!("{{\"model\": \"model-1\", \"odd\": [1.50, \"\u{e9}\"], {more}}}");
    let embeddings = json!({ "data": [{ "embedding": [0.5] }], "model": "model-1" }).to_string();
    let digest =
        json!({ "bytes": embeddings.len(), "sha256": hex(&sha256(embeddings.as_bytes())) });
    vec![
        (
            "chat/completions",
            ask("\"messages\": []"),
            completion("hi").replace("\"id\"", "\"unknown\": {\"a\":1.0}, \"id\""),
            "hi".to_owned(),
        ),
        (
            "completions",
            ask("\"prompt\": \"a\""),
            json!({ "choices": [{ "text": "hi" }] }).to_string(),
            "hi".to_owned(),
        ),
        (
            "responses",
            ask("\"input\": \"a\""),
            json!({ "output": [{ "type": "function_call", "name": "f" }] }).to_string(),
            r#"[{"name":"f","type":"function_call"}]"#.to_owned(),
        ),
        (
            "messages",
            ask("\"messages\": []"),
            message("hi"),
            "hi".to_owned(),
        ),
        (
            "embeddings",
            ask("\"input\": \"a\""),
            embeddings,
            digest.to_string(),
        ),
    ]
}

#[test]
fn every_interface_is_passed_through_byte_for_byte_and_recorded() {
    let acts = interfaces()
        .into_iter()
        .map(|(.., answer, _)| Act::RespondWith(200, "X-Request-Id: r-1\r\n", answer));
    let mut gateway = TestGateway::with_acts(RECORDING, acts.collect());
    for (path, question, answer, _) in interfaces() {
        let received = gateway
            .send(&post(&format!("/v1/{path}")), &question)
            .has_status(200);
        assert_eq!(received.body, answer, "{path}");
        assert_eq!(received.header("x-request-id"), "r-1");
        assert_eq!(received.header("x-axilog-ledger"), "default");
        assert_eq!(received.header("x-axilog-decision"), "PERMITTED");
        assert_eq!(received.header("x-axilog-state"), "ENABLED");
        // What was released is in the file already.
        let head = gateway
            .bench
            .run("head ledgers/default.jsonl --json")
            .exits(0)
            .json();
        assert_eq!(received.header("x-axilog-head"), head["head"], "{path}");
    }
    let asked = gateway.provider.requests();
    for (request, (path, question, ..)) in asked.iter().zip(interfaces()) {
        let expected: serde_json::Value = serde_json::from_str(&question).unwrap();
        assert!(
            request.head.starts_with(&format!("POST /v1/{path} ")),
            "{}",
            request.head
        );
        assert_eq!(request.body, expected);
    }
    gateway.stop();
    gateway.audit("default");
    let expected: Vec<String> = interfaces()
        .into_iter()
        .map(|(.., recorded)| recorded)
        .collect();
    assert_eq!(gateway.answers("default"), expected);
}

#[test]
fn the_question_is_durable_before_the_provider_is_asked() {
    let bench = Bench::new();
    let ledgers = bench.path("ledgers");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let provider = axilog_testkit::harness::server::Server::answering(move |request| {
        let question = serde_json::to_string(&request.body).unwrap();
        let name = hex(&sha256(question.as_bytes()));
        let shards = std::fs::read_dir(ledgers.join("default.jsonl.blobs")).unwrap();
        let mut blobs = shards.flat_map(|shard| std::fs::read_dir(shard.unwrap().path()).unwrap());
        let kept = blobs.any(|blob| {
            let blob = blob.unwrap().path();
            std::fs::read(&blob).unwrap() == question.as_bytes()
                && blob.to_string_lossy().contains(&name[4..])
        });
        noted.lock().unwrap().push(kept);
        Some(Act::say("hi"))
    });
    let gateway = TestGateway::start(bench, provider, "", RECORDING);
    for text in ["one", "two"] {
        gateway.chat(text).has_status(200);
    }
    assert_eq!(*seen.lock().unwrap(), [true, true]);
}

#[test]
fn an_answer_that_breaches_is_kept_back_until_an_operator_has_acted() {
    let secret = "{\"speed\": 71, \"note\": \"kept back\"}";
    let acts = ["{\"speed\": 70}", secret, "{\"speed\": 1}"].map(Act::say);
    let mut gateway = TestGateway::with_acts(JUDGING, acts.to_vec());
    gateway.chat("first").has_status(200);
    let refused = gateway.chat("second").refuses(403, "axilog_breach");
    assert!(!refused.body.contains("kept back"), "{}", refused.body);
    assert_eq!(refused.header("x-axilog-decision"), "BREACH");
    assert_eq!(refused.header("x-axilog-state"), "ALARM");
    let details = &refused.json()["error"]["axilog"];
    assert_eq!(
        details["ledger_seq"].to_string(),
        refused.header("x-axilog-seq")
    );
    assert_eq!(details["policies"][0]["value"], "71", "{details}");
    assert_eq!(details["policies"][0]["limit"], "70", "{details}");
    // Nothing is asked now.
    let asked = gateway.provider.requests().len();
    let closed = gateway.chat("third").refuses(503, "axilog_not_enabled");
    assert_eq!((asked, gateway.provider.requests().len()), (2, 0));
    let told = closed.message();
    gateway.stop();
    gateway.audit("default");
    // The steps that the message names.
    for step in [
        "control mitigate --ledger ledgers/default.jsonl",
        "control reset --ledger ledgers/default.jsonl",
        "time --ledger ledgers/default.jsonl",
    ] {
        assert!(told.contains(&format!("`axilog {step}`")), "{told}");
        gateway.bench.run(step).exits(0);
    }
    let TestGateway { bench, .. } = &gateway;
    assert!(bench.exists("ledgers/default.jsonl"));
}

#[test]
fn a_refusal_in_anthropics_form_is_one_for_its_clients() {
    let gateway =
        TestGateway::with_acts(JUDGING, vec![Act::Respond(200, message("{\"speed\":99}"))]);
    let refused = gateway
        .send(&post("/v1/messages"), &question("a"))
        .refuses(403, "axilog_breach");
    assert_eq!(refused.json()["type"], "error");
    let unknown = gateway.send(&post("/l/none/v1/messages"), &question("a"));
    unknown.refuses(404, "not_found_error");
}

#[test]
fn a_flagged_breach_is_released_with_its_header() {
    let ledger = format!("{JUDGING}\non_breach = \"flag\"");
    let mut gateway = TestGateway::answering(&ledger, |_| Act::say("{\"speed\":71}"));
    for state in ["ALARM", "ALARM"] {
        let received = gateway.chat("a").has_status(200);
        assert_eq!(received.body, completion("{\"speed\":71}"));
        assert_eq!(received.header("x-axilog-decision"), "BREACH");
        assert_eq!(received.header("x-axilog-state"), state);
    }
    gateway.stop();
    gateway.audit("default");
}

#[test]
fn each_choice_is_judged_and_one_that_breaches_refuses_all() {
    let choice = |speed: u32| json!({ "message": { "content": format!("{{\"speed\":{speed}}}") } });
    let body = |speeds: &[u32]| {
        let choices: Vec<_> = speeds.iter().map(|speed| choice(*speed)).collect();
        Act::Respond(200, json!({ "choices": choices }).to_string())
    };
    let mut gateway = TestGateway::with_acts(JUDGING, vec![body(&[1, 2, 3]), body(&[4, 71, 5])]);
    gateway.chat("a").has_status(200);
    gateway.chat("b").refuses(403, "axilog_breach");
    gateway.stop();
    gateway.audit("default");
    let speeds: Vec<String> = [1, 2, 3, 4, 71, 5]
        .map(|speed| format!("{{\"speed\":{speed}}}"))
        .to_vec();
    assert_eq!(gateway.answers("default"), speeds);
}

#[test]
fn a_request_that_cannot_be_recorded_is_refused_and_nothing_is_asked() {
    let mut gateway = TestGateway::answering(RECORDING, |_| Act::say("hi"));
    let path = "/v1/chat/completions";
    for (head, body, status, told) in [
        (post(path), String::new(), 400, "not JSON"),
        (
            post(path),
            "{\"model\":\"m\",\"model\":\"m\"}".to_owned(),
            400,
            "JSON",
        ),
        (post(path), "{}".to_owned(), 400, "no model"),
        (
            format!("POST {path} HTTP/1.1"),
            question("a"),
            415,
            "application/json",
        ),
        (
            format!("POST {path} HTTP/1.1\r\nContent-Type: text/plain"),
            question("a"),
            415,
            "application/json",
        ),
        (
            format!("GET {path} HTTP/1.1"),
            String::new(),
            405,
            "takes POST",
        ),
        (post("/v1/audio/speech"), question("a"), 404, "/v1/messages"),
        (post("/"), question("a"), 404, "/v1/messages"),
        (
            post("/l/other/v1/completions"),
            question("a"),
            404,
            "it has default",
        ),
        (
            post(path),
            question(&"x".repeat(17 << 20)),
            413,
            "max_request_bytes",
        ),
    ] {
        let received = gateway.send(&head, &body);
        assert_eq!(received.status, status, "{head} {}", received.body);
        assert!(
            received.message().contains(told),
            "{head}: {}",
            received.body
        );
    }
    // A body that ends before the length that its head promises.
    let mut cut = TcpStream::connect(&gateway.address).unwrap();
    let lines = "Host: localhost\r\nConnection: close\r\nContent-Length: 4096";
    write!(cut, "{}\r\n{lines}\r\n\r\n{}", post(path), question("a")).unwrap();
    cut.shutdown(Shutdown::Write).unwrap();
    let told = receive(cut).has_status(400).message();
    assert!(told.contains("body"), "{told}");
    assert!(gateway.provider.requests().is_empty());
    gateway.stop();
    assert!(
        !gateway.bench.exists("ledgers/default.jsonl"),
        "no call, no ledger"
    );
}

#[test]
fn the_key_stands_in_no_file_and_reaches_the_provider_alone() {
    const KEY: &str = "sk-test-0123456789abcdef";
    let refused = format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}");
    let acts = vec![
        Act::say("hi"),
        Act::Respond(401, refused),
        Act::say("hi"),
        Act::say(&format!("your key is {KEY}")),
    ];
    let mut gateway = TestGateway::with_acts(RECORDING, acts);
    let head = format!(
        "{}\r\nAuthorization: Bearer {KEY}",
        post("/v1/chat/completions")
    );
    let ask = |gateway: &TestGateway| gateway.send(&head, &question("a"));
    ask(&gateway).has_status(200);
    let own = gateway.provider.requests();
    assert!(
        own[0]
            .head
            .to_lowercase()
            .contains(&format!("authorization: bearer {KEY}"))
    );
    // A question with the key in it is not kept and not asked.
    let body = question("my key is \\u0073k-test-0123456789abcdef");
    let told = gateway
        .send(&head, &body)
        .refuses(400, "invalid_request_error");
    assert!(told.message().contains("API key"));
    // A provider's error is no answer, whatever its message holds.
    let refused = ask(&gateway).refuses(401, "axilog_provider_error");
    assert!(!refused.body.contains(KEY), "{}", refused.body);
    assert_eq!(refused.header("x-axilog-state"), "ENABLED");
    ask(&gateway).has_status(200);
    let refused = ask(&gateway).refuses(502, "axilog_provider_error");
    assert!(!refused.body.contains(KEY), "{}", refused.body);
    assert_eq!(refused.header("x-axilog-state"), "ALARM");
    let told = gateway.stop();
    assert!(!told.contains(KEY));
    axilog_testkit::harness::client::nowhere(KEY, &gateway.bench.path("."));
    gateway.audit("default");
}

#[test]
fn a_key_in_pieces_of_a_stream_is_neither_kept_nor_released() {
    const KEY: &str = "sk-test-0123456789abcdef";
    let events = super::streams::chat(KEY);
    let mut gateway = TestGateway::with_acts(RECORDING, vec![Act::Events(events)]);
    let head = format!("{}\r\nX-Api-Key: {KEY}", post("/v1/chat/completions"));
    let body = json!({ "model": "model-1", "stream": true }).to_string();
    let refused = gateway
        .send(&head, &body)
        .refuses(502, "axilog_provider_error");
    assert!(refused.message().contains("holds the API key"));
    gateway.stop();
    gateway.audit("default");
    axilog_testkit::harness::client::nowhere("data: ", &gateway.bench.path("ledgers"));
}
