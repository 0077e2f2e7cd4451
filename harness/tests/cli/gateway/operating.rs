//! Operating the gateway: the inputs that bring a ledger back, readiness, figures, and the time.

use std::fs;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::server::{Act, Server};
use serde_json::json;

use super::{JUDGING, RECORDING, Received, TestGateway, configuration, post};
use crate::bench::Bench;

const KEY: &str = "operator-key-0123456789";

/// A gateway with an operator whose provider performs these acts; `more` stands before the tables.
fn start(bench: Bench, more: &str, ledgers: &str, acts: Vec<Act>) -> TestGateway {
    let provider = Server::new(acts);
    bench.write("policies.toml", super::POLICIES);
    let key = hex(&sha256(KEY.as_bytes()));
    let text = configuration(&provider.base_url, "", ledgers);
    bench.write(
        "gateway.toml",
        format!("{more}\n{text}\n[operator]\nkey_sha256 = [\"{key}\"]\n"),
    );
    TestGateway::serve(bench, provider, |_| ())
}

fn operate(gateway: &TestGateway, path: &str, body: &serde_json::Value) -> Received {
    let head = format!("{}\r\nAuthorization: Bearer {KEY}", post(path));
    gateway.send(&head, &body.to_string())
}

fn get(gateway: &TestGateway, path: &str) -> Received {
    gateway.send(&format!("GET {path} HTTP/1.1"), "")
}

#[test]
fn an_operator_brings_a_ledger_back_while_the_gateway_runs() {
    let acts = ["{\"speed\":71}", "{\"speed\":1}"].map(Act::say).to_vec();
    let mut gateway = start(Bench::new(), "", JUDGING, acts);
    get(&gateway, "/healthz").has_status(200);
    get(&gateway, "/readyz").has_status(200);
    gateway.chat("a").refuses(403, "axilog_breach");
    assert!(
        !get(&gateway, "/readyz")
            .has_status(503)
            .body
            .contains("default")
    );
    gateway.chat("b").refuses(503, "axilog_not_enabled");

    let ledger = json!("default");
    let mitigate = json!({ "ledger": ledger, "input": "mitigate" });
    for head in [
        post("/axilog/control"),
        format!(
            "{}\r\nAuthorization: Bearer another-key-1234",
            post("/axilog/control")
        ),
    ] {
        gateway
            .send(&head, &mitigate.to_string())
            .refuses(401, "authentication_error");
    }
    for (body, status) in [
        (json!({ "ledger": "other", "input": "mitigate" }), 404),
        (json!({ "ledger": ledger, "input": "permit" }), 400),
        (
            json!({ "ledger": ledger, "input": "mitigate", "more": 1 }),
            400,
        ),
        (json!({ "ledger": ledger }), 400),
    ] {
        operate(&gateway, "/axilog/control", &body).has_status(status);
    }
    gateway.chat("b").refuses(503, "axilog_not_enabled");

    // The time is a second after the last one at least.
    let later = json!({ "ledger": ledger, "time": 99_999_999_999_u64 });
    for (path, body, state) in [
        ("/axilog/control", mitigate, "DEGRADED"),
        (
            "/axilog/control",
            json!({ "ledger": ledger, "input": "reset" }),
            "INIT",
        ),
        ("/axilog/time", later.clone(), "ENABLED"),
    ] {
        let recorded = operate(&gateway, path, &body).has_status(200).json();
        assert_eq!(recorded["state"], state, "{recorded}");
    }
    let refused = operate(&gateway, "/axilog/time", &later).has_status(409);
    assert!(
        refused
            .message()
            .contains("is not after the last recorded one")
    );
    get(&gateway, "/readyz").has_status(200);
    gateway.chat("b").has_status(200);
    gateway.stop();
    gateway.audit("default");
    axilog_testkit::harness::client::nowhere(KEY, &gateway.bench.path("."));
}

#[test]
fn a_gateway_without_an_operator_has_nobody_who_may_act() {
    let gateway = TestGateway::with_acts(RECORDING, Vec::new());
    let body = json!({ "ledger": "default", "input": "fault" });
    let refused = operate(&gateway, "/axilog/control", &body).refuses(403, "permission_error");
    assert!(refused.message().contains("[operator]"));
    assert!(!gateway.bench.exists("ledgers/default.jsonl"));
}

#[test]
fn calls_are_counted_by_how_they_ended() {
    let acts = vec![
        Act::say("{\"speed\":1}"),
        Act::Respond(429, "{}".to_owned()),
        Act::say("{\"speed\":2}"),
        Act::say("{\"speed\":71}"),
    ];
    let gateway = start(Bench::new(), "", JUDGING, acts);
    for status in [200, 429, 200, 403, 503] {
        gateway.chat("a").has_status(status);
    }
    let text = get(&gateway, "/metrics").has_status(200).body;
    for line in [
        "axilog_calls_total{ledger=\"default\",end=\"released\"} 2",
        "axilog_calls_total{ledger=\"default\",end=\"provider_error\"} 1",
        "axilog_calls_total{ledger=\"default\",end=\"breach\"} 1",
        "axilog_calls_total{ledger=\"default\",end=\"not_enabled\"} 1",
        "axilog_calls_in_progress 0",
        "axilog_ledger_state{ledger=\"default\",state=\"ALARM\"} 1",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} in\n{text}");
    }
    let head = gateway
        .bench
        .run("head ledgers/default.jsonl --json")
        .exits(0)
        .json();
    let records = format!(
        "axilog_ledger_records{{ledger=\"default\"}} {}",
        head["entries"]
    );
    assert!(text.contains(&records), "{records} in\n{text}");
}

#[test]
fn a_line_for_each_call_says_nothing_of_its_contents() {
    let acts = vec![Act::say("{\"speed\":1}"), Act::say("{\"speed\":71}")];
    let mut gateway = start(Bench::new(), "log_calls = true", JUDGING, acts);
    let received = gateway.chat("a secret").has_status(200);
    gateway.chat("another secret").has_status(403);
    let told = gateway.stop();
    let lines: Vec<serde_json::Value> = told
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert_eq!(lines[0]["end"], "released");
    assert_eq!(
        lines[0]["ledger_seq"].to_string(),
        received.header("x-axilog-seq")
    );
    assert_eq!(lines[1]["end"], "breach");
    assert_eq!(
        (&lines[1]["status"], &lines[1]["state"]),
        (&json!(403), &json!("ALARM"))
    );
    assert!(
        lines
            .iter()
            .all(|line| line["model"] == "model-1" && line["interface"] == "chat/completions")
    );
    assert!(
        !told.contains("secret") && !told.contains("speed"),
        "{told}"
    );
}

#[test]
fn a_ledger_gets_the_time_while_calls_come() {
    let bench = Bench::new();
    fs::create_dir(bench.path("ledgers")).unwrap();
    bench.write("policies.toml", super::POLICIES);
    let init = "init ledgers/default.jsonl --policies policies.toml --time 1000";
    bench.run(init).exits(0);
    let acts = vec![Act::say("{\"speed\":1}"); 3];
    let mut gateway = start(bench, "time_interval = 3600", JUDGING, acts);
    for _ in 0..3 {
        gateway.chat("a").has_status(200);
    }
    gateway.stop();
    gateway.audit("default");
    let shown = gateway
        .bench
        .run("show ledgers/default.jsonl --json --oracle ax.time")
        .exits(0);
    let times = shown
        .stdout
        .lines()
        .filter(|line| line.contains("\"timestamp\\\""));
    assert_eq!(times.count(), 2, "{}", shown.stdout);
}

#[test]
fn a_policy_on_the_time_that_has_passed_refuses_a_call_before_it_is_asked() {
    let bench = Bench::new();
    fs::create_dir(bench.path("ledgers")).unwrap();
    bench.write(
        "stale.toml",
        "[STALE]\npath = \"elapsed\"\nmax = \"3600\"\n",
    );
    let init = "init ledgers/default.jsonl --policies stale.toml --time 1000";
    bench.run(init).exits(0);
    let mut gateway = start(bench, "", RECORDING, vec![Act::say("hi")]);
    gateway.chat("a").refuses(503, "axilog_not_enabled");
    assert!(gateway.provider.requests().is_empty());
    gateway.stop();
    gateway.audit("default");
}
