//! `axilog gateway`: a real process between clients and a scripted provider.

mod answers;
mod budgets;
mod calling;
mod checkpoints;
mod configuration;
mod connections;
mod ledgers;
mod operating;
mod page;
mod replaying;
mod stopping;
mod streams;
mod tools;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use axilog_testkit::harness::server::{Act, Request, Server};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::bench::Bench;

/// Policies that refuse a speed beyond 70.
const POLICIES: &str = "[SPEED]\noracle = \"llm\"\npath = \"speed\"\nmax = \"70\"\n";

/// A running gateway in a folder of its own.
struct TestGateway {
    bench: Bench,
    process: Child,
    address: String,
    /// The provider that it asks.
    provider: Server,
}

/// What a client received.
struct Received {
    status: u16,
    head: String,
    body: String,
}

impl Received {
    /// The value of a header; empty where it is absent.
    fn header(&self, name: &str) -> &str {
        let lines = self.head.lines();
        lines
            .filter_map(|line| line.split_once(": "))
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map_or("", |(_, value)| value)
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}\n{}", self.head, self.body))
    }

    #[track_caller]
    fn has_status(self, status: u16) -> Received {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    /// Asserts that the body is an error of this kind, which official clients do not repeat.
    #[track_caller]
    fn refuses(self, status: u16, kind: &str) -> Received {
        let received = self.has_status(status);
        assert_eq!(received.json()["error"]["type"], kind, "{}", received.body);
        assert_eq!(received.header("x-should-retry"), "false");
        received
    }

    fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }
}

/// A request to `address`, and what comes back. The connection ends with it.
fn send(address: &str, head: &str, body: &str) -> Received {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{head}\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    receive(stream)
}

fn receive(mut stream: TcpStream) -> Received {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    Received {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

/// The head of a POST of JSON.
fn post(path: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nContent-Type: application/json")
}

/// A chat request.
fn question(text: &str) -> String {
    json!({ "model": "model-1", "messages": [{ "role": "user", "content": text }] }).to_string()
}

/// The configuration of a gateway for a provider; `ledgers` are the tables of its ledgers.
fn configuration(base_url: &str, upstream: &str, ledgers: &str) -> String {
    format!(
        "listen = \"127.0.0.1:0\"\nledgers = \"ledgers\"\n[upstream]\nbase_url = \"{base_url}\"\n{upstream}\n{ledgers}\n"
    )
}

const RECORDING: &str = "[ledger.default]";
const JUDGING: &str = "[ledger.default]\npolicies = \"policies.toml\"";

impl TestGateway {
    /// Starts a gateway for a provider that performs these acts, one per call.
    fn with_acts(ledgers: &str, acts: Vec<Act>) -> TestGateway {
        TestGateway::start(Bench::new(), Server::new(acts), "", ledgers)
    }

    /// Starts a gateway for a provider that answers each request as `act` says.
    fn answering(
        ledgers: &str,
        mut act: impl FnMut(&Request) -> Act + Send + 'static,
    ) -> TestGateway {
        let provider = Server::answering(move |request| Some(act(request)));
        TestGateway::start(Bench::new(), provider, "", ledgers)
    }

    fn start(bench: Bench, provider: Server, upstream: &str, ledgers: &str) -> TestGateway {
        bench.write("policies.toml", POLICIES);
        bench.write(
            "gateway.toml",
            configuration(&provider.base_url, upstream, ledgers),
        );
        TestGateway::serve(bench, provider, |_| ())
    }

    /// Starts the gateway of a folder, with the command as `change` makes it.
    fn serve(bench: Bench, provider: Server, change: impl FnOnce(&mut Command)) -> TestGateway {
        let mut command = bench.command();
        command.args(["gateway", "serve", "gateway.toml", "--json"]);
        change(&mut command);
        TestGateway::spawn(bench, provider, command)
    }

    /// Starts a gateway that answers from the ledger of a folder alone.
    fn replay(bench: Bench, ledger: &str) -> TestGateway {
        let mut command = bench.command();
        command.args([
            "gateway",
            "replay",
            ledger,
            "--listen",
            "127.0.0.1:0",
            "--json",
        ]);
        TestGateway::spawn(bench, Server::new(Vec::new()), command)
    }

    fn spawn(bench: Bench, provider: Server, mut command: Command) -> TestGateway {
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let Ok(told) = serde_json::from_str::<Value>(&line) else {
            let output = process.wait_with_output().unwrap();
            panic!("{line}{}", String::from_utf8_lossy(&output.stderr));
        };
        let address = told["address"].as_str().unwrap().to_owned();
        TestGateway {
            bench,
            process,
            address,
            provider,
        }
    }

    fn send(&self, head: &str, body: &str) -> Received {
        send(&self.address, head, body)
    }

    /// Asks a chat question.
    fn chat(&self, text: &str) -> Received {
        self.send(&post("/v1/chat/completions"), &question(text))
    }

    /// Ends the gateway in order, and gives what it wrote to standard error.
    fn stop(&mut self) -> String {
        self.signal(Signal::SIGTERM);
        let mut told = String::new();
        let mut stderr = self.process.stderr.take().unwrap();
        stderr.read_to_string(&mut told).unwrap();
        let status = self.process.wait().unwrap();
        assert!(status.success(), "{status}: {told}");
        told
    }

    fn signal(&self, signal: Signal) {
        kill(
            Pid::from_raw(i32::try_from(self.process.id()).unwrap()),
            signal,
        )
        .unwrap();
    }

    /// Audits a ledger of the gateway, which has ended.
    #[track_caller]
    fn audit(&self, ledger: &str) -> Value {
        let run = self
            .bench
            .run(&format!("audit ledgers/{ledger}.jsonl --json"));
        let report = run.exits(0).json();
        assert_eq!(report["verdict"], "OK", "{report}");
        report
    }

    /// What a ledger records of oracles, in order.
    fn observations(&self, ledger: &str) -> Vec<Value> {
        let path = format!("ledgers/{ledger}.jsonl");
        let run = self.bench.run(&format!("show {path} --json")).exits(0);
        let records = run
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        records
            .filter(|record: &Value| {
                record["oracle_id"]
                    .as_str()
                    .is_some_and(|id| id.starts_with("llm"))
            })
            .collect()
    }

    /// The texts that oracles answered, without the provider's facts.
    fn answers(&self, ledger: &str) -> Vec<String> {
        let observations = self.observations(ledger);
        let answers = observations
            .iter()
            .filter(|record| record["oracle_id"] != "llm.provider");
        answers
            .map(|record| record["output"].as_str().unwrap().to_owned())
            .collect()
    }
}

impl TestGateway {
    /// The folder, whose gateway ends.
    fn take_bench(mut self) -> Bench {
        std::mem::replace(&mut self.bench, Bench::new())
    }
}

impl Drop for TestGateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
