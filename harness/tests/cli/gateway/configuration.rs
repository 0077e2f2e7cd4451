//! The configuration: what it may say, and what is refused before anything is opened.

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::server::{Act, Server};

use super::{JUDGING, RECORDING, TestGateway, configuration, post, question};
use crate::bench::Bench;

#[test]
fn the_example_can_be_used_as_it_stands() {
    let bench = Bench::new();
    let example = bench.run("gateway example").exits(0).stdout;
    assert_eq!(
        bench.run("gateway example --json").exits(0).json()["configuration"],
        example.as_str()
    );
    bench.write("gateway.toml", &example);
    let checked = bench
        .run("gateway check gateway.toml --json")
        .exits(0)
        .json();
    assert_eq!(checked["listen"], "127.0.0.1:8089");
    assert_eq!(checked["ledgers"][0]["name"], "default");
    assert!(!bench.exists("ledgers"), "a check opens nothing");
    // Every setting in a comment can be made one, and changes nothing where it is no example.
    let uncomment = |with_examples: bool| -> String {
        let mut is_example = false;
        let lines = example.lines().map(|line| {
            let Some(text) = line.strip_prefix("# ") else {
                is_example &= !line.is_empty();
                return format!("{line}\n");
            };
            is_example |= text.ends_with("For example:");
            let is_setting = text.contains(" = ") || text.starts_with('[');
            match is_setting && (with_examples || !is_example) {
                true => format!("{text}\n"),
                false => format!("{line}\n"),
            }
        });
        lines.collect()
    };
    let defaults = uncomment(false);
    assert!(defaults.contains("\nmax_request_bytes = ") && defaults.contains("\non_breach = "));
    bench.write("gateway.toml", &defaults);
    let same = bench
        .run("gateway check gateway.toml --json")
        .exits(0)
        .json();
    assert_eq!(same, checked);
    bench.write("gateway.toml", uncomment(true));
    bench.write("policies.toml", super::POLICIES);
    bench
        .run("key new plant.key --name example.com/plant")
        .exits(0);
    bench.write("witnesses.policy", "quorum none\n");
    let output = bench
        .command()
        .args(["gateway", "check", "gateway.toml", "--json"])
        .env("OPENAI_API_KEY", "sk-0123456789")
        .output()
        .unwrap();
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all["upstream"]["key"], "the gateway's own", "{all}");
    let ledger = &all["ledgers"][0];
    assert_eq!(
        (&ledger["policies"], &ledger["budget"]["calls"]),
        (&1.into(), &1000.into()),
        "{all}"
    );
    let signer = ledger["checkpoint"]["public_key"].as_str().unwrap();
    assert!(signer.starts_with("example.com/plant+"), "{all}");
    assert_eq!(ledger["models"]["gpt-4o-mini"], "llm.small", "{all}");

    let provider = Server::new(vec![Act::say("hi")]);
    let served = example
        .replace("127.0.0.1:8089", "127.0.0.1:0")
        .replace("http://127.0.0.1:9000/v1", &provider.base_url);
    bench.write("gateway.toml", &served);
    let gateway = TestGateway::serve(bench, provider, |_| ());
    gateway.chat("a").has_status(200);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let bench = Bench::new();
    bench.write("policies.toml", super::POLICIES);
    bench.write("all.toml", "[SPEED]\npath = \"speed\"\nmax = \"70\"\n");
    let key = hex(&sha256(b"sk-0123456789"));
    let good = configuration("http://127.0.0.1:9/v1", "", JUDGING);
    bench.write("gateway.toml", &good);
    bench.run("gateway check gateway.toml").exits(0);
    let limited =
        format!("{good}[ledger.default.budget]\ncalls = 7\n[operator]\nkey_sha256 = [\"{key}\"]\n");
    bench.write("gateway.toml", &limited);
    let checked = bench.run("gateway check gateway.toml").exits(0).stdout;
    assert!(
        checked.contains("1 key, named by its SHA-256") && checked.contains("calls 7"),
        "{checked}"
    );
    for (text, told) in [
        (String::new(), "missing field"),
        ("\u{0}".to_owned(), "gateway.toml"),
        (
            good.replace("listen =", "listne ="),
            "line 1: unknown field `listne`",
        ),
        (good.replace("127.0.0.1:0", "localhost"), "line 1"),
        (good.replace("http://127", "ftp://127"), "upstream.base_url"),
        (good.replace("/v1", "/v1?key=secret"), "upstream.base_url"),
        (
            good.replace("[upstream]", "[upstream]\ntimeout = 0"),
            "expected 1 to 86400",
        ),
        (
            good.replace("[upstream]", "[upstream]\nkey_env = \"NO_SUCH\""),
            "NO_SUCH, which is not set",
        ),
        (
            good.replace("[upstream]", "[upstream]\nkey_env = \"SHORT_KEY\""),
            "does not hold an API key",
        ),
        (format!("max_answer_bytes = 3\n{good}"), "expected 1024 to"),
        (
            format!("max_connections = 0\n{good}"),
            "max_connections is 0, expected 1 to",
        ),
        (
            format!("client_time = 0\n{good}"),
            "client_time is 0, expected 1 to 3600 seconds",
        ),
        (
            good.replace("ledger.default", "ledger.Default"),
            "is no name of a ledger",
        ),
        (
            good.replace("ledger.default", "ledger.\"../x\""),
            "is no name of a ledger",
        ),
        (good.replace(JUDGING, "[ledger]"), "names no ledger"),
        (good.replace("policies.toml", "none.toml"), "none.toml"),
        (
            good.replace("policies.toml", "all.toml"),
            "a selector names no oracle",
        ),
        (
            format!("{good}on_breach = \"hide\"\n"),
            "line 8: unknown variant `hide`",
        ),
        (
            format!("{good}key_sha256 = [\"AB\"]\n"),
            "64 lower-case hexadecimal digits",
        ),
        (
            format!("{good}key_sha256 = [\"{key}\"]\n[ledger.b]\nkey_sha256 = [\"{key}\"]\n"),
            "which ledger.b holds too",
        ),
        (
            format!("{good}key_sha256 = [\"{}\"]\n", hex(&sha256(b""))),
            "no key at all",
        ),
        (
            format!("{good}key_sha256 = [\"{key}\"]\n[operator]\nkey_sha256 = [\"{key}\"]\n"),
            "which is an operator's key",
        ),
        (
            format!("hosts = [\"axilog:80\"]\n{good}"),
            "hosts: holds \"axilog:80\"; expected names of hosts without scheme",
        ),
        (
            format!("hosts = [\"\"]\n{good}"),
            "hosts: holds \"\"; expected names of hosts",
        ),
        (
            format!("{good}[ledger.default.budget]\ntokens = 5\n"),
            "ledger.default.budget: limits tokens without tokens_per_call",
        ),
        (
            format!("{good}[ledger.default.budget]\nwindow_calls = 5\n"),
            "limits a window without its length",
        ),
        (
            format!("{good}[ledger.default.budget]\ncall = 5\n"),
            "unknown field `call`",
        ),
        (
            format!("{good}[operator]\nkey_sha256 = [\"x\"]\n"),
            "operator.key_sha256: expected 64",
        ),
        (
            format!("{good}[ledger.default.models]\nm = \"llm.provider\"\n"),
            "oracle of the provider's facts",
        ),
        (
            format!("{good}[ledger.default.models]\nm = \"a b\"\n"),
            "U+0020",
        ),
        (
            good.replace("127.0.0.1:0", "0.0.0.0:0")
                .replace("[upstream]", "[upstream]\nkey_env = \"GOOD_KEY\""),
            "beyond this machine",
        ),
    ] {
        bench.write("gateway.toml", &text);
        for command in ["check", "serve"] {
            let output = bench
                .command()
                .args(["gateway", command, "gateway.toml"])
                .env("SHORT_KEY", "abc")
                .env("GOOD_KEY", "sk-0123456789")
                .output()
                .unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(
                matches!(output.status.code(), Some(2 | 3)),
                "{text}\n{said}"
            );
            assert!(said.contains(told), "{told:?} in {said}");
            assert!(!said.contains("secret") && !said.contains("sk-"), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
    assert!(!bench.exists("ledgers"), "nothing was opened");
    bench
        .run("gateway check none.toml")
        .exits(3)
        .says("none.toml");
}

#[test]
fn the_gateways_own_key_replaces_the_clients() {
    let bench = Bench::new();
    let provider = Server::answering(|request| {
        Some(match request.head.starts_with("POST /v1/messages ") {
            true => Act::Respond(200, axilog_testkit::harness::server::message("hi")),
            false => Act::say("hi"),
        })
    });
    bench.write(
        "gateway.toml",
        configuration(&provider.base_url, "key_env = \"GATEWAY_KEY\"", RECORDING),
    );
    let mut gateway = TestGateway::serve(bench, provider, |command| {
        command.env("GATEWAY_KEY", "sk-of-the-gateway-1");
    });
    for path in ["chat/completions", "messages"] {
        let head = format!(
            "{}\r\nAuthorization: Bearer sk-of-the-client",
            post(&format!("/v1/{path}"))
        );
        gateway.send(&head, &question("a")).has_status(200);
    }
    let heads: Vec<String> = gateway
        .provider
        .requests()
        .into_iter()
        .map(|request| request.head.to_lowercase())
        .collect();
    assert!(
        heads[0].contains("authorization: bearer sk-of-the-gateway-1\r\n"),
        "{heads:?}"
    );
    assert!(
        heads[1].contains("x-api-key: sk-of-the-gateway-1\r\n"),
        "{heads:?}"
    );
    assert!(
        heads.iter().all(|head| !head.contains("sk-of-the-client")),
        "{heads:?}"
    );
    gateway.stop();
    axilog_testkit::harness::client::nowhere("sk-of-the-gateway-1", &gateway.bench.path("."));
}
