//! Streams: the events are held until what they add up to is recorded and may be acted on, and are released as they came.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::server::{Act, Server};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::{JUDGING, RECORDING, Received, TestGateway, configuration, post};
use crate::bench::Bench;

/// The events of a chat that says `text`, piece by piece.
pub fn chat(text: &str) -> String {
    chat_in_pieces(text.chars().map(String::from))
}

/// The events of a chat that says these pieces.
pub fn chat_in_pieces(pieces: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut events = String::new();
    for piece in pieces {
        let delta = json!({ "content": piece.as_ref() });
        let chunk =
            json!({ "id": "c", "model": "model-1", "choices": [{ "index": 0, "delta": delta }] });
        events.push_str(&format!("data: {chunk}\n\n"));
    }
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    format!("{events}data: {end}\n\ndata: [DONE]\n\n")
}

fn message(text: &str) -> String {
    [
        json!({ "type": "message_start", "message": { "role": "assistant", "content": [], "model": "model-1" } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_stop" }),
    ]
    .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
    .concat()
}

fn response(text: &str) -> String {
    let item = json!({ "type": "message", "content": [{ "type": "output_text", "text": text }] });
    [
        json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text }),
        json!({ "type": "response.completed", "response": { "output": [item] } }),
    ]
    .map(|event| format!("data: {event}\r\n\r\n"))
    .concat()
}

fn completion(text: &str) -> String {
    let chunk = json!({ "choices": [{ "index": 0, "text": text }] });
    format!("data: {chunk}\n\ndata: [DONE]\n\n")
}

/// A function that gives a stream that says a text.
pub type MakeStream = fn(&str) -> String;

/// Each interface that has streams, and a stream of it that says a text.
pub const INTERFACES: [(&str, MakeStream); 4] = [
    ("chat/completions", chat),
    ("completions", completion),
    ("messages", message),
    ("responses", response),
];

fn body() -> String {
    json!({ "model": "model-1", "stream": true }).to_string()
}

fn ask(gateway: &TestGateway, path: &str) -> Received {
    gateway.send(&post(&format!("/v1/{path}")), &body())
}

#[test]
fn events_are_released_as_they_came_and_judged_as_what_they_add_up_to() {
    let text = "{\"speed\": 70, \"why\": \"caf\u{e9}\"}";
    let acts = INTERFACES.map(|(_, stream)| Act::Events(stream(text)));
    let mut gateway = TestGateway::with_acts(JUDGING, acts.to_vec());
    for (path, stream) in INTERFACES {
        let received = ask(&gateway, path).has_status(200);
        assert_eq!(unchunk(&received), stream(text), "{path}");
        assert_eq!(received.header("content-type"), "text/event-stream");
        assert_eq!(received.header("x-axilog-decision"), "PERMITTED");
    }
    assert_eq!(gateway.provider.requests()[0].body["stream"], true);
    gateway.stop();
    gateway.audit("default");
    assert_eq!(gateway.answers("default"), [text; 4]);
    // The events themselves are bound: they are what the provider's facts are about.
    let records = gateway.observations("default");
    let facts = records
        .iter()
        .filter(|record| record["oracle_id"] == "llm.provider");
    let blobs: Vec<Vec<u8>> = facts
        .map(|record| {
            let hash = record["input_hash"].as_str().unwrap();
            let shard = gateway
                .bench
                .path("ledgers/default.jsonl.blobs")
                .join(&hash[..2]);
            let mut files = std::fs::read_dir(shard).unwrap();
            let file = files.find_map(|file| {
                let path = file.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                hash.ends_with(&name).then_some(path)
            });
            std::fs::read(file.unwrap()).unwrap()
        })
        .collect();
    assert_eq!(blobs.len(), 4);
    assert_eq!(blobs[0], chat(text).as_bytes());
    // Other line ends are no text of a record.
    assert!(blobs[3].starts_with(b"{\"base64\":\""));
}

/// The body of a response whose pieces may have lengths.
pub fn unchunk(received: &Received) -> String {
    if received.header("transfer-encoding") != "chunked" {
        return received.body.clone();
    }
    let (mut rest, mut body) = (received.body.as_str(), String::new());
    while let Some((length, tail)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        body.push_str(&tail[..length]);
        rest = &tail[length + 2..];
    }
    body
}

#[test]
fn a_breach_in_pieces_is_kept_back_whole() {
    for (path, stream) in INTERFACES {
        let acts = vec![Act::Events(stream("{\"speed\": 71}"))];
        let gateway = TestGateway::with_acts(JUDGING, acts);
        let refused = ask(&gateway, path).refuses(403, "axilog_breach");
        assert!(!refused.body.contains("data:"), "{}", refused.body);
    }
}

#[test]
fn a_stream_that_is_cut_at_any_byte_is_a_failure_with_what_came_bound() {
    let whole = chat("ab");
    let cuts = 0..whole.len() - 1;
    let flagging = format!("{RECORDING}\non_breach = \"flag\"");
    let acts = cuts.clone().map(|cut| Act::Events(whole[..cut].to_owned()));
    let mut gateway = TestGateway::with_acts(&flagging, acts.collect());
    for _ in cuts.clone() {
        ask(&gateway, "chat/completions").refuses(502, "axilog_provider_error");
    }
    gateway.stop();
    gateway.audit("default");
    let records = gateway.observations("default");
    let failures: Vec<&Value> = records
        .iter()
        .filter(|record| record["oracle_id"] == "llm")
        .collect();
    assert_eq!(failures.len(), cuts.len());
    assert!(
        failures
            .iter()
            .all(|record| record["failure_type"] == "TRANSPORT_ERROR")
    );
    let facts = records
        .iter()
        .filter(|record| record["oracle_id"] == "llm.provider");
    let hashes = facts.map(|record| record["input_hash"].as_str().unwrap().to_owned());
    let expected = cuts.map(|cut| hex(&sha256(&whole.as_bytes()[..cut])));
    assert!(hashes.eq(expected));
}

#[test]
fn a_provider_that_answers_without_a_stream_or_with_an_error_is_passed_on() {
    let error = json!({ "error": { "type": "overloaded", "message": "later" } }).to_string();
    let acts = vec![Act::say("hi"), Act::Respond(529, error.clone())];
    let gateway = TestGateway::with_acts(RECORDING, acts);
    assert!(
        ask(&gateway, "chat/completions")
            .has_status(200)
            .body
            .contains("\"hi\"")
    );
    assert_eq!(
        ask(&gateway, "chat/completions").has_status(529).body,
        error
    );
}

/// A gateway with short intervals whose provider waits until it is told to perform an act.
fn waiting(ledger: &str) -> (TestGateway, std::sync::mpsc::Sender<Act>) {
    let (go, gone) = channel();
    let provider = Server::answering(move |_| gone.recv().ok());
    let bench = Bench::new();
    bench.write("policies.toml", super::POLICIES);
    let text = configuration(&provider.base_url, "", ledger);
    bench.write("gateway.toml", format!("comment_interval = 1\n{text}"));
    (TestGateway::serve(bench, provider, |_| ()), go)
}

/// Asks for a stream and reads until there is a comment; then performs `act` and reads the rest.
fn ask_late(gateway: &TestGateway, path: &str, act: impl FnOnce()) -> String {
    let mut stream = TcpStream::connect(&gateway.address).unwrap();
    let (head, body) = (post(&format!("/v1/{path}")), body());
    write!(
        stream,
        "{head}\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut reader = BufReader::new(stream);
    let mut all = String::new();
    while !all.contains(": the answer is awaited\n") {
        assert_ne!(reader.read_line(&mut all).unwrap(), 0, "{all}");
    }
    assert!(
        all.starts_with("HTTP/1.1 200") && all.contains("text/event-stream"),
        "{all}"
    );
    act();
    reader.read_to_string(&mut all).unwrap();
    all
}

#[test]
fn a_client_that_waits_gets_comments_and_then_the_events() {
    let (mut gateway, go) = waiting(JUDGING);
    let events = chat("{\"speed\": 1}");
    let all = ask_late(&gateway, "chat/completions", || {
        go.send(Act::Events(events.clone())).unwrap()
    });
    assert!(all.contains(&events), "{all}");
    assert!(all.contains("x-axilog-decision: PERMITTED\n\n"), "{all}");
    // An answer that is no stream cannot follow the comments.
    let all = ask_late(&gateway, "chat/completions", || {
        go.send(Act::say("{\"speed\": 2}")).unwrap();
    });
    assert!(all.contains("answered without a stream"), "{all}");
    assert!(all.contains("x-axilog-decision: PERMITTED\n\n"), "{all}");
    // What comes too late to be a status is an event that official clients raise as an error.
    let error = json!({ "error": { "type": "its_own", "message": "no" } });
    let all = ask_late(&gateway, "chat/completions", || {
        go.send(Act::Respond(500, error.to_string())).unwrap();
    });
    assert!(all.contains(&format!("data: {error}\n\n")), "{all}");
    let all = ask_late(&gateway, "messages", || {
        go.send(Act::Events(message("{\"speed\": 71}"))).unwrap()
    });
    assert!(
        all.contains("event: error\ndata: {\"error\":{") && all.contains("axilog_breach"),
        "{all}"
    );
    assert!(all.contains("x-axilog-decision: BREACH\n\n"), "{all}");
    assert!(!all.contains("content_block"), "{all}");
    gateway.stop();
    gateway.audit("default");
}

#[test]
fn a_stream_that_waits_is_finished_when_the_gateway_is_stopped() {
    let (mut gateway, go) = waiting(RECORDING);
    let events = chat("late");
    let all = ask_late(&gateway, "chat/completions", || {
        gateway.signal(Signal::SIGTERM);
        while TcpStream::connect(&gateway.address).is_ok() {
            std::thread::yield_now();
        }
        go.send(Act::Events(events.clone())).unwrap();
    });
    assert!(all.contains(&events), "{all}");
    assert!(gateway.process.wait().unwrap().success());
    assert_eq!(gateway.answers("default"), ["late"]);
}
