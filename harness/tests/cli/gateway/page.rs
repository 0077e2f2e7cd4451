//! The page at `/`: what it tells, and who may look.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_testkit::harness::server::{Act, Server};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{
    JUDGING, POLICIES, RECORDING, Received, TestGateway, configuration, post, question, receive,
};
use crate::bench::Bench;

const KEY: &str = "operator-key-0123456789";

/// Everything that the page consists of.
const PATHS: [&str; 5] = [
    "/",
    "/axilog/page.css",
    "/axilog/page.js",
    "/axilog/ledgers",
    "/axilog/calls",
];

/// A gateway whose file is changed by `change`.
fn start(ledgers: &str, acts: Vec<Act>, change: impl FnOnce(String) -> String) -> TestGateway {
    let bench = Bench::new();
    let provider = Server::new(acts);
    bench.write("policies.toml", POLICIES);
    let text = change(configuration(&provider.base_url, "", ledgers));
    bench.write("gateway.toml", text);
    TestGateway::serve(bench, provider, |_| ())
}

/// Asks for a path with these lines in the head, which begin with the host.
fn get(gateway: &TestGateway, path: &str, lines: &str) -> Received {
    let mut stream = TcpStream::connect(&gateway.address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{lines}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    receive(stream)
}

fn local(gateway: &TestGateway, path: &str) -> Received {
    get(gateway, path, "Host: 127.0.0.1:8089")
}

/// The calls as they end, read event by event.
struct Calls(BufReader<TcpStream>);

impl Calls {
    fn open(gateway: &TestGateway) -> Calls {
        let mut stream = TcpStream::connect(&gateway.address).unwrap();
        stream
            .write_all(b"GET /axilog/calls HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let mut calls = Calls(BufReader::new(stream));
        assert_eq!(calls.read_data("begin"), "{}");
        calls
    }

    /// The data of the next event, which is one of this kind.
    fn read_data(&mut self, kind: &str) -> String {
        let mut line = String::new();
        let mut event = String::new();
        loop {
            line.clear();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream ended");
            if let Some(kind) = line.strip_prefix("event: ") {
                event = kind.trim().to_owned();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                assert_eq!(event, kind);
                return data.trim().to_owned();
            }
        }
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.read_data("call")).unwrap()
    }
}

#[test]
fn a_browser_on_this_machine_sees_ledgers_and_calls_as_they_end() {
    let budget = "[ledger.default.budget]\ncalls = 10";
    let acts = ["{\"speed\":1}", "{\"speed\":71}"].map(Act::say).to_vec();
    let mut gateway = start(&format!("{JUDGING}\n{budget}\n[ledger.b]"), acts, |text| {
        text
    });
    let mut calls = Calls::open(&gateway);
    let released = gateway.chat("a secret").has_status(200);
    let breach = gateway.chat("another secret").has_status(403);

    let (first, second) = (calls.next(), calls.next());
    assert_eq!(
        (&first["end"], &first["why"]),
        (&"released".into(), &Value::Null)
    );
    assert_eq!(
        first["ledger_seq"].to_string(),
        released.header("x-axilog-seq")
    );
    assert_eq!(
        (&second["end"], &second["state"]),
        (&"breach".into(), &"ALARM".into())
    );
    assert_eq!(second["why"], breach.message());
    // One who comes later sees the same.
    let mut later = Calls::open(&gateway);
    assert_eq!((later.next(), later.next()), (first, second.clone()));
    assert!(!second.to_string().contains("secret"));

    let told = local(&gateway, "/axilog/ledgers").has_status(200).json();
    let (b, default) = (&told["ledgers"][0], &told["ledgers"][1]);
    assert_eq!(
        (&b["name"], &b["begun"], &b["takes_calls"]),
        (&"b".into(), &false.into(), &true.into())
    );
    assert_eq!(default["state"], "ALARM");
    assert_eq!(default["takes_calls"], false);
    assert_eq!(
        default["limits"][0].to_string(),
        "{\"limit\":\"calls\",\"most\":10,\"spent\":2}"
    );
    let head = gateway
        .bench
        .run("head ledgers/default.jsonl --json")
        .exits(0)
        .json();
    assert_eq!(default["records"], head["entries"]);
    assert_eq!(default["head"], head["head"]);

    // It ends although somebody reads.
    gateway.stop();
    let mut rest = String::new();
    later.0.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("event"), "{rest}");
}

/// The report is the command's own page, and its scripts run in an origin that is not the gateway's.
#[test]
fn a_report_of_each_ledger_is_linked() {
    let acts = vec![Act::say("{\"speed\":71}")];
    let gateway = start(&format!("{JUDGING}\n[ledger.b]"), acts, |text| {
        format!("reports = true\n{text}")
    });
    gateway.chat("how fast?").has_status(403);
    let told = local(&gateway, "/axilog/ledgers").has_status(200).json();
    assert_eq!(
        (&told["ledgers"][0]["report"], &told["ledgers"][1]["report"]),
        (&false.into(), &true.into())
    );

    let report = local(&gateway, "/axilog/ledgers/default/report").has_status(200);
    assert_eq!(report.header("content-type"), "text/html; charset=utf-8");
    let policy = report.header("content-security-policy");
    assert!(
        policy.starts_with("sandbox allow-scripts allow-downloads; default-src 'none'"),
        "{policy}"
    );
    assert!(
        !policy.contains("allow-same-origin") && !policy.contains("connect-src"),
        "{policy}"
    );
    let by_command = gateway
        .bench
        .run("report ledgers/default.jsonl")
        .exits(0)
        .stdout;
    assert_eq!(report.body, by_command);

    for (path, told) in [
        ("/axilog/ledgers/b/report", "is not begun"),
        (
            "/axilog/ledgers/c/report",
            "the gateway has no ledger \"c\"",
        ),
        (
            "/axilog/ledgers/..%2Fdefault/report",
            "the gateway has no ledger",
        ),
    ] {
        let refused = local(&gateway, path)
            .refuses(404, "not_found_error")
            .message();
        assert!(refused.contains(told), "{refused}");
    }
    get(
        &gateway,
        "/axilog/ledgers/default/report",
        "Host: axilog.example",
    )
    .has_status(403);
}

#[test]
fn the_key_of_a_client_stands_in_no_page_figure_or_log() {
    const KEY: &str = "sk-test-0123456789abcdef";
    let refused = format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}");
    let acts = vec![
        Act::say("{\"speed\":1}"),
        Act::Respond(401, refused),
        Act::say(&format!("your key is {KEY}")),
    ];
    let mut gateway = start(JUDGING, acts, |text| {
        format!("reports = true\nlog_calls = true\n{text}")
    });
    let head = format!(
        "{}\r\nAuthorization: Bearer {KEY}",
        post("/v1/chat/completions")
    );
    for status in [200, 401, 502] {
        gateway.send(&head, &question("a")).has_status(status);
    }
    // The model's name stands in the log, and in the page.
    let body = question("a").replace("model-1", KEY);
    gateway.send(&head, &body).has_status(400);
    let mut calls = Calls::open(&gateway);
    for _ in 0..4 {
        let call = calls.next().to_string();
        assert!(!call.contains(KEY), "{call}");
    }
    for path in [
        "/",
        "/metrics",
        "/readyz",
        "/axilog/ledgers",
        "/axilog/ledgers/default/report",
    ] {
        let page = local(&gateway, path);
        assert!(
            !page.head.contains(KEY) && !page.body.contains(KEY),
            "{path}"
        );
    }
    let told = gateway.stop();
    assert!(!told.contains(KEY), "{told}");
}

/// A report holds what was asked and answered, which a ledger's file may keep from other users of the machine.
#[test]
fn there_is_no_report_unless_the_configuration_says_so() {
    let gateway = start(RECORDING, vec![Act::say("hi")], |text| text);
    gateway.chat("a secret").has_status(200);
    let told = local(&gateway, "/axilog/ledgers").has_status(200).json();
    assert_eq!(told["ledgers"][0]["report"], false);
    let refused = local(&gateway, "/axilog/ledgers/default/report").refuses(404, "not_found_error");
    assert!(refused.message().contains("reports = false"));
}

/// Not the page alone: no path of a gateway on this machine is reached by a name that a site may have chosen.
#[test]
fn a_site_in_the_browser_reaches_nothing_else() {
    let with_host = |text: String| format!("hosts = [\"axilog\", \"proxy.example\"]\n{text}");
    let gateway = start(RECORDING, vec![Act::say("hi")], with_host);
    let body = question("spend");
    let ask = |host: &str| {
        let mut stream = TcpStream::connect(&gateway.address).unwrap();
        let head = post("/v1/chat/completions");
        let length = body.len();
        let end = format!("Host: {host}\r\nConnection: close\r\nContent-Length: {length}");
        write!(stream, "{head}\r\n{end}\r\n\r\n{body}").unwrap();
        receive(stream)
    };
    for host in ["rebound.example:8089", "axilog.example", "xaxilog", ""] {
        let told = ask(host).refuses(403, "permission_error").message();
        assert!(told.contains("hosts"), "{told}");
        for path in ["/metrics", "/v1/models", "/l/default/v1/models", "/healthz"] {
            get(&gateway, path, &format!("Host: {host}")).has_status(403);
        }
    }
    assert_eq!(gateway.provider.requests().len(), 0);
    get(&gateway, "/metrics", "Host: Proxy.example:80").has_status(200);
    ask("axilog").has_status(200);
}

#[test]
fn a_site_in_the_browser_does_not_see_the_page() {
    let gateway = start(RECORDING, Vec::new(), |text| text);
    for path in PATHS {
        for host in [
            "axilog.example",
            "127.0.0.1.example:8089",
            "localhost.example",
            "10.0.0.1",
            "",
            "a b",
        ] {
            get(&gateway, path, &format!("Host: {host}")).has_status(403);
        }
    }
    for host in [
        "localhost:8089",
        "LOCALHOST",
        "127.0.0.1",
        "127.1.2.3:1",
        "[::1]:8089",
    ] {
        get(&gateway, "/", &format!("Host: {host}")).has_status(200);
    }
    for path in &PATHS[..4] {
        let received = local(&gateway, path).has_status(200);
        let policy = received.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'")
        );
        assert_eq!(
            received.header("cross-origin-resource-policy"),
            "same-origin"
        );
        assert_eq!(received.header("x-content-type-options"), "nosniff");
        assert_eq!(received.header("access-control-allow-origin"), "");
    }
    // What the page names is what there is, and it names nothing elsewhere.
    let html = local(&gateway, "/").body;
    assert!(PATHS[1..3].iter().all(|path| html.contains(path)));
    assert!(!html.contains("http"));
}

#[test]
fn beyond_this_machine_the_page_is_for_operators() {
    let everywhere = |text: String| text.replace("127.0.0.1:0", "0.0.0.0:0");
    let gateway = start(RECORDING, Vec::new(), everywhere);
    for path in PATHS {
        local(&gateway, path).has_status(403);
    }

    let key = hex(&sha256(KEY.as_bytes()));
    let gateway = start(RECORDING, Vec::new(), |text| {
        format!(
            "{}\n[operator]\nkey_sha256 = [\"{key}\"]\n",
            everywhere(text)
        )
    });
    let basic = |password: &str| {
        let pair = STANDARD.encode(format!("anybody:{password}"));
        format!("Host: gateway.example\r\nAuthorization: Basic {pair}")
    };
    for path in &PATHS[..4] {
        for lines in ["Host: 127.0.0.1", &basic("another-key-1234"), &basic("")] {
            let refused = get(&gateway, path, lines).has_status(401);
            assert!(refused.header("www-authenticate").starts_with("Basic "));
        }
        get(&gateway, path, &basic(KEY)).has_status(200);
        get(
            &gateway,
            path,
            &format!("Host: a\r\nAuthorization: Bearer {KEY}"),
        )
        .has_status(200);
    }
}

#[test]
fn a_gateway_without_the_page_has_nothing_there() {
    let gateway = start(RECORDING, Vec::new(), |text| {
        format!("page = false\n{text}")
    });
    for path in PATHS {
        let refused = local(&gateway, path).refuses(404, "not_found_error");
        assert!(refused.message().contains("page = false"));
    }
    local(&gateway, "/healthz").has_status(200);
}
