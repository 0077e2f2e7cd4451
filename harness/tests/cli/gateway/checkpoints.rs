//! The heads of a gateway's ledger, signed while calls are recorded, and a real witness that signs them.

use axilog_testkit::harness::server::{Act, Server};
use serde_json::Value;

use super::TestGateway;
use crate::checkpoints::write_policy;
use crate::witness::{NAME, Serving, plant};

fn ledgers(more: &str) -> String {
    format!(
        "[ledger.default]\n[ledger.default.checkpoint]\nkey = \"plant.key\"\n{more}\nwitnesses = \"witnesses.policy\""
    )
}

/// The value of a figure of the ledger `default`.
fn figure(gateway: &TestGateway, name: &str) -> Option<u64> {
    let text = gateway
        .send("GET /metrics HTTP/1.1", "")
        .has_status(200)
        .body;
    let label = format!("{name}{{ledger=\"default\"");
    let line = text.lines().find(|line| line.starts_with(&label))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Waits until the figure is that of all records of the ledger.
fn wait_for_all(gateway: &TestGateway, name: &str) -> u64 {
    loop {
        let records = figure(gateway, "axilog_ledger_records").unwrap();
        if figure(gateway, name) == Some(records) {
            return records;
        }
    }
}

#[test]
fn heads_are_signed_while_calls_are_answered_and_a_witness_that_is_away_holds_up_none() {
    let bench = plant();
    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let acts = (0..6).map(|n| Act::say(&format!("{n}"))).collect();
    let every = format!("every = \"1\"\norigin = \"{NAME}\"");
    let mut gateway = TestGateway::start(bench, Server::new(acts), "", &ledgers(&every));
    for _ in 0..3 {
        gateway.chat("a").has_status(200);
    }
    let held = wait_for_all(&gateway, "axilog_witnessed_records");
    assert_eq!(figure(&gateway, "axilog_checkpoint_records"), Some(held));
    assert_eq!(figure(&gateway, "axilog_checkpoint_failing"), Some(0));
    assert_eq!(figure(&gateway, "axilog_witness_failing"), Some(0));
    witness.end();
    for _ in 0..3 {
        gateway.chat("a").has_status(200);
    }
    let signed = wait_for_all(&gateway, "axilog_checkpoint_records");
    assert!(signed > held);
    while figure(&gateway, "axilog_witness_failing") != Some(1) {}
    assert_eq!(figure(&gateway, "axilog_witnessed_records"), Some(held));
    let told = gateway.stop();
    assert_eq!(
        told.matches("the witness north has not signed the head of ")
            .count(),
        1,
        "{told}"
    );
    let last = format!(
        "ledgers/default.jsonl: the head of {signed} records is signed; that of {held} records is held by north; north: it is away: "
    );
    assert!(told.contains(&last), "{told}");
    gateway.audit("default");
    let public = String::from_utf8(gateway.bench.read("logs")).unwrap();
    for (suffix, size) in [("checkpoint", signed), ("witnessed", held)] {
        let words = format!(
            "check ledgers/default.jsonl.{suffix} --head --public-key {} --json",
            public.trim_end()
        );
        let shown: Value = gateway.bench.run(&words).exits(0).json();
        assert_eq!(shown["size"], size);
    }
}

#[test]
fn what_cannot_sign_is_refused() {
    for (more, told) in [
        (
            "every = \"0\"",
            "every is \"0\": expected a number of records",
        ),
        ("unknown = 1", "unknown field"),
    ] {
        let bench = plant();
        write_policy(&bench, "127.0.0.1:1");
        let text = super::configuration("http://127.0.0.1:1/v1", "", &ledgers(more));
        bench.write("gateway.toml", text);
        bench.run("gateway check gateway.toml").exits(2).says(told);
    }
    // The gateway begins this ledger, without a name.
    let bench = plant();
    write_policy(&bench, "127.0.0.1:1");
    let provider = Server::new(vec![Act::say("1")]);
    let gateway = TestGateway::start(bench, provider, "", &ledgers(""));
    let refused = gateway.chat("a").refuses(503, "axilog_not_recorded");
    assert!(
        refused.message().contains("was begun without a name"),
        "{}",
        refused.body
    );
}
