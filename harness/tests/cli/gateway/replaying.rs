//! A ledger of the gateway answers again, without the provider.

use std::fs;
use std::io::Write;
use std::net::TcpStream;

use axilog_testkit::harness::server::{Act, Server, completion, message};
use serde_json::json;

use super::streams::{INTERFACES, chat};
use super::{JUDGING, RECORDING, Received, TestGateway, post, question, receive};
use crate::bench::Bench;

const LEDGER: &str = "ledgers/default.jsonl";

/// Every file of the ledger, by its path.
fn files(bench: &Bench) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = axilog_testkit::harness::client::files(&bench.path("ledgers"));
    files.sort();
    files
}

fn ask_streamed(gateway: &TestGateway, path: &str) -> Received {
    let body = json!({ "model": "model-1", "stream": true }).to_string();
    gateway.send(&post(&format!("/v1/{path}")), &body)
}

#[test]
fn recorded_answers_are_given_byte_for_byte_in_their_order() {
    let text = "{\"speed\": 7, \"why\": \"caf\u{e9}\"}";
    let mut acts: Vec<Act> = INTERFACES
        .iter()
        .map(|(_, stream)| Act::Events(stream(text)))
        .collect();
    acts.extend(["one", "two"].map(Act::say));
    // A client repeats what its provider has refused.
    acts.extend([Act::Respond(429, "{}".to_owned()), Act::say("three")]);
    acts.push(Act::Respond(200, message("four")));
    let mut gateway = TestGateway::with_acts(RECORDING, acts);
    let ask_all = |gateway: &TestGateway| {
        let mut all: Vec<String> = INTERFACES
            .iter()
            .map(|(path, _)| ask_streamed(gateway, path).body)
            .collect();
        all.extend(["a", "a"].map(|text| gateway.chat(text).has_status(200).body));
        let mut third = gateway.chat("b");
        if third.status == 429 {
            third = gateway.chat("b");
        }
        all.push(third.has_status(200).body);
        all.push(
            gateway
                .send(&post("/v1/messages"), &question("a"))
                .has_status(200)
                .body,
        );
        all
    };
    let first = ask_all(&gateway);
    assert!(first[0].contains("[DONE]"), "{first:?}");
    gateway.stop();
    gateway.audit("default");
    let bench = gateway.take_bench();
    let before = files(&bench);

    let mut replayed = TestGateway::replay(bench, LEDGER);
    assert_eq!(ask_all(&replayed), first);
    let models = replayed.send("GET /v1/models HTTP/1.1", "").has_status(200);
    assert_eq!(models.json()["data"][0]["id"], "model-1");
    // Each answer is given once.
    let told = replayed.chat("a").refuses(404, "axilog_not_in_ledger");
    assert!(told.message().contains("holds 2 answers"), "{}", told.body);
    // A question that differs is told with the nearest one and the difference.
    let told = replayed
        .chat("bb")
        .refuses(404, "axilog_not_in_ledger")
        .message();
    assert!(
        told.contains("-      \"content\": \"b\",\n+      \"content\": \"bb\","),
        "{told}"
    );
    let other = replayed.send(&post("/v1/embeddings"), &question("a"));
    assert!(
        other
            .refuses(404, "axilog_not_in_ledger")
            .message()
            .contains("no call of /v1/embeddings")
    );
    replayed
        .send(&post("/l/other/v1/messages"), &question("a"))
        .refuses(404, "not_found_error");
    // A replaying gateway is on this machine, and answers only by this machine's names.
    for (host, status) in [("rebound.example", 403), ("127.0.0.1:8089", 200)] {
        let mut stream = TcpStream::connect(&replayed.address).unwrap();
        let head = format!("GET /v1/models HTTP/1.1\r\nHost: {host}\r\nConnection: close");
        write!(stream, "{head}\r\n\r\n").unwrap();
        receive(stream).has_status(status);
    }
    replayed.stop();
    assert_eq!(files(&replayed.bench), before, "nothing is recorded");
}

#[test]
fn what_was_kept_back_or_failed_ends_in_the_same_way() {
    let ledger = format!("{JUDGING}\non_breach = \"flag\"");
    let whole = chat("{\"speed\":1}");
    let acts = vec![
        Act::say("{\"speed\":70}"),
        Act::Events(whole[..40].to_owned()),
        Act::say("{\"speed\":71}"),
    ];
    let mut gateway = TestGateway::with_acts(&ledger, acts);
    gateway.chat("good").has_status(200);
    gateway.chat("cut").has_status(502);
    gateway.chat("breach").has_status(200);
    gateway.stop();
    let replayed = TestGateway::replay(gateway.take_bench(), LEDGER);
    let good = replayed.chat("good").has_status(200);
    assert_eq!(good.body, completion("{\"speed\":70}"));
    assert_eq!(good.header("x-axilog-replayed"), "true");
    assert_eq!(good.header("x-axilog-decision"), "PERMITTED");
    replayed.chat("cut").refuses(502, "axilog_provider_error");
    // It was flagged and released; a test suite that has no setting for that does not get it.
    let kept = replayed.chat("breach").refuses(403, "axilog_breach");
    assert_eq!(kept.header("x-axilog-decision"), "BREACH");
}

#[test]
fn a_tool_call_that_the_ledger_did_not_take_is_kept_back_again() {
    let bench = Bench::new();
    fs::create_dir(bench.path("ledgers")).unwrap();
    let policies = "[]";
    bench.write("none.json", policies);
    let declared = "--oracle llm --oracle llm.provider --policies none.json";
    bench.run(&format!("init {LEDGER} {declared}")).exits(0);
    let call = json!({ "function": { "name": "shell", "arguments": "{}" } });
    let body = json!({ "choices": [{ "message": { "content": null, "tool_calls": [call] } }] });
    let provider = Server::new(vec![Act::Respond(200, body.to_string())]);
    let mut gateway = TestGateway::start(bench, provider, "", RECORDING);
    gateway.chat("a").refuses(403, "axilog_breach");
    gateway.stop();
    let replayed = TestGateway::replay(gateway.take_bench(), LEDGER);
    let kept = replayed.chat("a").refuses(403, "axilog_breach");
    assert!(!kept.body.contains("shell"), "{}", kept.body);
}

#[test]
fn what_is_missing_is_asked_and_recorded() {
    let mut gateway = TestGateway::with_acts(RECORDING, vec![Act::say("one")]);
    gateway.chat("a").has_status(200);
    gateway.stop();
    let mut bench = gateway.take_bench();
    // The first run asks for what is new; the second one asks for nothing.
    for (asked, answers) in [(vec!["two", "again"], 3), (Vec::new(), 3)] {
        let provider = Server::new(asked.iter().map(|text| Act::say(text)).collect());
        let text = super::configuration(&provider.base_url, "", RECORDING);
        bench.write("gateway.toml", text);
        let mut gateway = TestGateway::serve(bench, provider, |command| {
            command.arg("--record-missing");
        });
        for (question, expected) in [("a", "one"), ("b", "two"), ("a", "again")] {
            let received = gateway.chat(question).has_status(200);
            assert!(received.body.contains(expected), "{}", received.body);
            let is_new = asked.contains(&expected);
            assert_eq!(
                received.header("x-axilog-replayed") == "true",
                !is_new,
                "{expected}"
            );
        }
        assert_eq!(gateway.provider.requests().len(), asked.len());
        gateway.stop();
        gateway.audit("default");
        assert_eq!(gateway.answers("default").len(), answers);
        bench = gateway.take_bench();
    }
}

#[test]
fn what_a_ledger_held_is_given_also_after_it_was_opened_again() {
    let mut gateway = TestGateway::with_acts(RECORDING, vec![Act::say("one")]);
    gateway.chat("a").has_status(200);
    gateway.stop();
    let bench = gateway.take_bench();
    // The first answer comes when its ledger has been moved away.
    let provider = Server::new(vec![Act::say("lost"), Act::say("new")]);
    bench.write(
        "gateway.toml",
        super::configuration(&provider.base_url, "", RECORDING),
    );
    let gateway = TestGateway::serve(bench, provider, |command| {
        command.arg("--record-missing");
    });
    let (path, moved) = (
        gateway.bench.path(LEDGER),
        gateway.bench.path("ledgers/moved.jsonl"),
    );
    fs::rename(&path, &moved).unwrap();
    gateway.chat("b").refuses(503, "axilog_not_recorded");
    fs::rename(&moved, &path).unwrap();
    gateway.chat("b").has_status(200);
    let recorded = gateway.chat("a").has_status(200);
    assert!(recorded.body.contains("one"), "{}", recorded.body);
}

#[test]
fn a_ledger_that_cannot_answer_is_refused() {
    let mut gateway = TestGateway::with_acts(RECORDING, vec![Act::say("one"), Act::say("two")]);
    gateway.chat("a").has_status(200);
    gateway.chat("b").has_status(200);
    gateway.stop();
    let bench = gateway.take_bench();
    bench
        .run("gateway replay none.jsonl")
        .exits(3)
        .says("none.jsonl");
    // A response that was changed among the blobs is not given.
    for (path, bytes) in files(&bench) {
        if String::from_utf8_lossy(&bytes).contains("\"one\"")
            && path.parent() != Some(&bench.path("ledgers"))
        {
            fs::write(path, "{}").unwrap();
        }
    }
    let replayed = TestGateway::replay(bench, LEDGER);
    let told = replayed.chat("a").refuses(503, "axilog_not_recorded");
    assert!(
        told.message()
            .contains("missing among its blobs, or damaged"),
        "{}",
        told.body
    );
    replayed.chat("b").has_status(200);
    let bench = replayed.take_bench();
    let ledger = String::from_utf8(bench.read(LEDGER)).unwrap();
    bench.write(LEDGER, ledger.replace("two", "tow"));
    bench
        .run(&format!("gateway replay {LEDGER}"))
        .exits(1)
        .says("record");
}
