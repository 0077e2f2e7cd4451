//! Which ledger a call belongs to, and what becomes of a ledger under the gateway.

use std::fs;
use std::process::Command;
use std::thread;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::server::{Act, Server};

use super::{JUDGING, RECORDING, TestGateway, configuration, post, question};
use crate::bench::Bench;

const KEY: &str = "sk-of-the-team-a-0001";

fn three_ledgers() -> String {
    let key = hex(&sha256(KEY.as_bytes()));
    format!("[ledger.default]\n[ledger.other]\n[ledger.team-a]\nkey_sha256 = [\"{key}\"]")
}

#[test]
fn a_call_names_its_ledger_by_path_header_or_key() {
    let mut gateway = TestGateway::answering(&three_ledgers(), |_| Act::say("hi"));
    let chat = post("/v1/chat/completions");
    let named = post("/l/other/v1/chat/completions");
    let of_key = format!("Authorization: Bearer {KEY}");
    for (head, status, ledger) in [
        (chat.clone(), 200, "default"),
        (named.clone(), 200, "other"),
        (format!("{chat}\r\nx-axilog-ledger: other"), 200, "other"),
        (format!("{chat}\r\n{of_key}"), 200, "team-a"),
        (format!("{chat}\r\nX-Api-Key: {KEY}"), 200, "team-a"),
        (
            format!("{chat}\r\n{of_key}\r\nx-axilog-ledger: team-a"),
            200,
            "team-a",
        ),
        (
            format!("{chat}\r\n{of_key}\r\nx-axilog-ledger: other"),
            403,
            "",
        ),
        (format!("{chat}\r\nx-axilog-ledger: team-a"), 401, ""),
        (
            format!("{chat}\r\nAuthorization: Bearer sk-another-one\r\nx-axilog-ledger: team-a"),
            401,
            "",
        ),
        (format!("{named}\r\nx-axilog-ledger: default"), 400, ""),
        (format!("{chat}\r\nx-axilog-ledger: ../other"), 404, ""),
    ] {
        let received = gateway.send(&head, &question("a"));
        assert_eq!(received.status, status, "{head}: {}", received.body);
        assert_eq!(received.header("x-axilog-ledger"), ledger, "{head}");
    }
    gateway.stop();
    for (ledger, count) in [("default", 1), ("other", 2), ("team-a", 3)] {
        gateway.audit(ledger);
        assert_eq!(gateway.answers(ledger).len(), count, "{ledger}");
    }
}

#[test]
fn two_hundred_clients_on_three_ledgers_lose_nothing() {
    let mut gateway = TestGateway::answering(&three_ledgers(), |request| {
        Act::say(request.body["messages"][0]["content"].as_str().unwrap())
    });
    let heads = ["/v1", "/l/other/v1", "/l/team-a/v1"].map(|base| {
        format!(
            "{}\r\nX-Api-Key: {KEY}",
            post(&format!("{base}/chat/completions"))
        )
    });
    // The key belongs to one ledger, and the others take calls without one.
    let heads = [
        heads[0].replace(KEY, "another-key"),
        heads[1].replace(KEY, "another-key"),
        heads[2].clone(),
    ];
    thread::scope(|scope| {
        for client in 0..200 {
            let (address, head) = (&gateway.address, &heads[client % 3]);
            scope.spawn(move || {
                let text = format!("client {client}");
                let received = super::send(address, head, &question(&text)).has_status(200);
                assert!(received.body.contains(&text));
            });
        }
    });
    gateway.stop();
    let mut all = Vec::new();
    for ledger in ["default", "other", "team-a"] {
        gateway.audit(ledger);
        all.extend(gateway.answers(ledger));
    }
    all.sort();
    let mut expected: Vec<String> = (0..200).map(|client| format!("client {client}")).collect();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
fn a_further_model_needs_an_oracle_of_its_own() {
    let ask = |gateway: &TestGateway, model: &str| {
        gateway.send(
            &post("/v1/chat/completions"),
            &question("a").replace("model-1", model),
        )
    };
    let gateway = TestGateway::answering(RECORDING, |_| Act::say("hi"));
    ask(&gateway, "model-1").has_status(200);
    let told = ask(&gateway, "model-2").refuses(400, "invalid_request_error");
    assert!(
        told.message().contains("[ledger.default.models]"),
        "{}",
        told.body
    );
    assert_eq!(gateway.provider.requests().len(), 1);

    let models = format!("{RECORDING}\n[ledger.default.models]\n\"model-2\" = \"llm.second\"");
    let mut gateway = TestGateway::answering(&models, |_| Act::say("hi"));
    for model in ["model-1", "model-2"] {
        ask(&gateway, model).has_status(200);
    }
    gateway.stop();
    gateway.audit("default");
    let oracles: Vec<String> = gateway
        .observations("default")
        .iter()
        .map(|record| record["oracle_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        oracles,
        ["llm.provider", "llm", "llm.provider", "llm.second"]
    );
}

#[test]
fn a_ledger_that_declares_its_oracles_stays_closed() {
    let bench = Bench::new();
    bench.write("policies.toml", super::POLICIES);
    fs::create_dir(bench.path("ledgers")).unwrap();
    bench
        .run("init ledgers/default.jsonl --policies policies.toml --oracle llm --require-policy")
        .exits(0);
    let provider = Server::answering(|_| Some(Act::say("{\"speed\":1}")));
    let ledger = format!("{JUDGING}\n[ledger.default.models]\n\"model-2\" = \"llm.second\"");
    let mut gateway = TestGateway::start(bench, provider, "", &ledger);
    gateway.chat("a").has_status(200);
    let other = question("a").replace("model-1", "model-2");
    let told = gateway
        .send(&post("/v1/chat/completions"), &other)
        .refuses(400, "invalid_request_error");
    assert!(told.message().contains("not declared"), "{}", told.body);
    let told = gateway
        .send(&post("/v1/embeddings"), &question("a"))
        .refuses(400, "invalid_request_error");
    assert!(told.message().contains("not declared"), "{}", told.body);
    assert_eq!(gateway.provider.requests().len(), 1);
    gateway.stop();
    gateway.audit("default");
    // The facts have no oracle here.
    assert_eq!(gateway.observations("default").len(), 1);
}

#[test]
fn a_ledger_has_one_writer_and_its_own_policies() {
    let gateway = TestGateway::answering(RECORDING, |_| Act::say("hi"));
    gateway.chat("a").has_status(200);
    let bench = &gateway.bench;
    bench
        .run("gateway serve gateway.toml")
        .exits(3)
        .says("is writing to this ledger");
    drop(
        bench
            .run("control mitigate --ledger ledgers/default.jsonl")
            .exits(3),
    );
    let mut gateway = gateway;
    gateway.stop();
    let bench = &gateway.bench;
    bench.write(
        "gateway.toml",
        configuration("http://127.0.0.1:9/v1", "", JUDGING),
    );
    bench
        .run("gateway serve gateway.toml")
        .exits(2)
        .says("has other policies than the configuration names");
}

#[test]
fn a_ledger_that_was_moved_away_is_not_begun_anew() {
    let mut gateway = TestGateway::answering(RECORDING, |_| Act::say("hi"));
    gateway.chat("a").has_status(200);
    let (path, moved) = (
        gateway.bench.path("ledgers/default.jsonl"),
        gateway.bench.path("ledgers/moved.jsonl"),
    );
    fs::rename(&path, &moved).unwrap();
    for text in ["a", "b"] {
        let told = gateway.chat(text).refuses(503, "axilog_not_recorded");
        assert!(told.message().contains("default.jsonl"), "{}", told.body);
    }
    assert!(!path.exists());
    let ready = |gateway: &TestGateway| gateway.send("GET /readyz HTTP/1.1", "").status;
    assert_eq!(ready(&gateway), 503);
    // Where it is back, it goes on.
    fs::rename(&moved, &path).unwrap();
    assert_eq!(ready(&gateway), 200);
    gateway.chat("c").has_status(200);
    gateway.stop();
    gateway.audit("default");
    assert_eq!(gateway.answers("default").len(), 2);
}

#[test]
fn a_full_disk_is_told_and_left_behind() {
    let bench = Bench::new();
    let provider = Server::answering(|_| Some(Act::say("hi")));
    bench.write(
        "gateway.toml",
        configuration(&provider.base_url, "", RECORDING),
    );
    // A write beyond the limit is an error here, and no signal that ends the process.
    let mut gateway = TestGateway::serve(bench, provider, |command| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
        shell.arg(command.get_program()).args(command.get_args());
        shell.current_dir(command.get_current_dir().unwrap());
        *command = shell;
    });
    gateway.chat("a").has_status(200);
    // No file of the gateway may become longer, as on a full disk.
    let process = nix::unistd::Pid::from_raw(i32::try_from(gateway.process.id()).unwrap());
    let limit = |bytes: u64| {
        let status = Command::new("prlimit")
            .args([
                format!("--pid={process}"),
                format!("--fsize={bytes}:unlimited"),
            ])
            .status();
        assert!(status.unwrap().success());
    };
    let length = fs::metadata(gateway.bench.path("ledgers/default.jsonl"))
        .unwrap()
        .len();
    limit(length);
    for text in ["b", "c"] {
        gateway.chat(text).refuses(503, "axilog_not_recorded");
    }
    limit(1 << 30);
    gateway.chat("d").has_status(200);
    gateway.stop();
    gateway.audit("default");
}
