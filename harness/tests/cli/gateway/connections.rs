//! Clients that send slowly, read slowly, or open connections and ask nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::Duration;

use axilog_testkit::harness::server::{Act, Server, completion};

use super::{RECORDING, Received, TestGateway, configuration, post, question, receive};
use crate::bench::Bench;

/// A gateway whose file has these settings before its tables, and whose provider performs these acts.
fn start(settings: &str, acts: Vec<Act>) -> TestGateway {
    let bench = Bench::new();
    let provider = Server::new(acts);
    let text = configuration(&provider.base_url, "", RECORDING);
    bench.write("gateway.toml", format!("{settings}\n{text}"));
    TestGateway::serve(bench, provider, |_| ())
}

fn connect(gateway: &TestGateway) -> TcpStream {
    TcpStream::connect(&gateway.address).unwrap()
}

/// Asks something on a connection that stays open.
fn get(connection: &TcpStream, path: &str) -> Received {
    send_get(connection, path);
    read_response(connection)
}

fn send_get(mut connection: &TcpStream, path: &str) {
    // In one piece: the system would hold back a second one until the first is confirmed.
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.write_all(request.as_bytes()).unwrap();
}

/// Reads one response from a connection that stays open.
fn read_response(connection: &TcpStream) -> Received {
    let mut reader = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(
            reader.read_line(&mut head).unwrap(),
            0,
            "closed after {head:?}"
        );
    }
    let mut received = Received {
        status: head[9..12].parse().unwrap(),
        head,
        body: String::new(),
    };
    let length = received.header("content-length").parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    received.body = String::from_utf8(body).unwrap();
    received
}

/// The value of a figure of `/metrics`, on a connection that stays open; 0 where it is absent.
fn figure(connection: &TcpStream, name: &str) -> u64 {
    let text = get(connection, "/metrics").has_status(200).body;
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
    lines
        .next()
        .map_or(0, |value| value.trim().parse().unwrap())
}

#[test]
fn a_connection_on_which_the_head_does_not_come_is_closed() {
    let gateway = start("client_time = 1", Vec::new());
    let sent = [
        "",
        "GET /healthz",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nx-a: ",
    ];
    let connections = sent.map(|sent| {
        let mut connection = connect(&gateway);
        connection.write_all(sent.as_bytes()).unwrap();
        connection
    });
    for connection in connections {
        // It ends when the gateway closes the connection.
        assert_eq!(receive(connection).body, "");
    }
    // So is one on which no further request comes.
    let mut connection = connect(&gateway);
    get(&connection, "/healthz").has_status(200);
    assert_eq!(connection.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_body_that_does_not_come_is_refused_and_nothing_is_asked() {
    let gateway = start("client_time = 1", vec![Act::say("a")]);
    let body = question("a");
    let mut connection = connect(&gateway);
    write!(
        connection,
        "{}\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
        post("/v1/chat/completions"),
        body.len(),
        &body[..body.len() - 1]
    )
    .unwrap();
    let received = receive(connection).has_status(408);
    assert_eq!(received.json()["error"]["type"], "invalid_request_error");
    assert!(received.message().contains("within 1 seconds"));
    assert!(received.message().contains("nothing was recorded"));
    assert!(!gateway.bench.exists("ledgers/default.jsonl"));
    gateway.chat("a").has_status(200);
}

#[test]
fn a_client_that_does_not_read_its_answer_holds_no_connection() {
    // More than the buffers of both ends of a connection take.
    let answer =
        completion("a").replacen('{', &format!("{{\"more\":\"{}\",", "a".repeat(24 << 20)), 1);
    let mut gateway = start("client_time = 1", vec![Act::Respond(200, answer.clone())]);
    let mut silent = connect(&gateway);
    let body = question("a");
    write!(
        silent,
        "{}\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        post("/v1/chat/completions"),
        body.len()
    )
    .unwrap();
    let watching = connect(&gateway);
    while figure(
        &watching,
        "axilog_calls_total{ledger=\"default\",end=\"released\"}",
    ) == 0
        || figure(&watching, "axilog_connections") > 1
    {
        thread::yield_now();
    }
    let mut received = Vec::new();
    let _ = silent.read_to_end(&mut received);
    assert!(!received.is_empty() && received.len() < answer.len());
    gateway.stop();
    gateway.audit("default");
}

#[test]
fn connections_beyond_the_most_wait_for_one_that_ends() {
    let gateway = start("max_connections = 2", Vec::new());
    let (first, second) = (connect(&gateway), connect(&gateway));
    get(&first, "/healthz").has_status(200);
    get(&second, "/healthz").has_status(200);
    let third = connect(&gateway);
    send_get(&third, "/healthz");
    for _ in 0..100 {
        assert_eq!(figure(&first, "axilog_connections"), 2);
    }
    drop(second);
    read_response(&third).has_status(200);
    assert_eq!(figure(&first, "axilog_connections"), 2);
}

#[test]
fn connections_that_ask_nothing_give_way_to_those_that_do() {
    let gateway = start("max_connections = 1\nclient_time = 1", Vec::new());
    let _idle = connect(&gateway);
    for _ in 0..3 {
        get(&connect(&gateway), "/healthz").has_status(200);
    }
}

#[test]
fn a_head_without_end_is_refused() {
    let gateway = start("", Vec::new());
    let mut connection = connect(&gateway);
    let line = format!("x-a: {}\r\n", "a".repeat(1000));
    let head = format!("GET /healthz HTTP/1.1\r\n{}", line.repeat(80));
    // The gateway may close before it has read everything.
    let _ = connection.write_all(head.as_bytes());
    let mut received = [0; 12];
    match connection.read_exact(&mut received) {
        Ok(()) => assert_eq!(&received, b"HTTP/1.1 431"),
        // The system forgets a response to bytes that were never read.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
    }
    gateway.send("GET /healthz HTTP/1.1", "").has_status(200);
}

/// Descriptors that are used up keep clients waiting and end nothing, also where nobody reads standard error.
#[test]
fn a_gateway_without_descriptors_goes_on_when_it_has_some() {
    let bench = Bench::new();
    let provider = Server::new(vec![Act::say("a")]);
    bench.write(
        "gateway.toml",
        configuration(&provider.base_url, "", RECORDING),
    );
    let gateway = bench.command();
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -n 40 && exec \"$@\"", "sh"])
        .arg(gateway.get_program())
        .args(["gateway", "serve", "gateway.toml", "--json"])
        .current_dir(gateway.get_current_dir().unwrap());
    let mut gateway = TestGateway::spawn(bench, provider, limited);
    drop(gateway.process.stderr.take());
    let first = connect(&gateway);
    get(&first, "/healthz").has_status(200);
    let waiting: Vec<TcpStream> = (0..60).map(|_| connect(&gateway)).collect();
    // It takes connections until it has no descriptor for a further one.
    let mut taken = 0;
    loop {
        let count = figure(&first, "axilog_connections");
        if count == taken && count > 10 {
            break;
        }
        taken = count;
        thread::sleep(Duration::from_millis(50));
    }
    assert!(taken < 60, "{taken}");
    drop(waiting);
    drop(first);
    gateway.chat("a").has_status(200);
}
