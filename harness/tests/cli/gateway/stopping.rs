//! How the gateway and its clients end: in order, by a signal, or in the middle of a call.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use axilog_testkit::harness::server::{Act, Request, Server};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{RECORDING, TestGateway, post, question};
use crate::bench::Bench;

/// A gateway whose provider answers once it is told to. Gives what tells it, and what tells that it was asked.
fn waiting() -> (TestGateway, Sender<()>, Receiver<()>) {
    let (go, gone) = channel();
    let (asked, was_asked) = channel();
    let gateway = TestGateway::answering(RECORDING, move |_| {
        asked.send(()).unwrap();
        gone.recv().unwrap();
        Act::say("late")
    });
    (gateway, go, was_asked)
}

#[test]
fn a_call_that_was_begun_is_finished_when_the_gateway_is_stopped() {
    let (mut gateway, go, was_asked) = waiting();
    let address = gateway.address.clone();
    let client =
        thread::spawn(move || super::send(&address, &post("/v1/chat/completions"), &question("a")));
    was_asked.recv().unwrap();
    gateway.signal(Signal::SIGTERM);
    // It takes no further call, once it has noticed.
    while TcpStream::connect(&gateway.address).is_ok() {
        thread::yield_now();
    }
    go.send(()).unwrap();
    let received = client.join().unwrap().has_status(200);
    assert!(received.body.contains("late"));
    let status = gateway.process.wait().unwrap();
    assert!(status.success(), "{status}");
    gateway.audit("default");
    assert_eq!(gateway.answers("default"), ["late"]);
}

#[test]
fn a_second_signal_ends_at_once() {
    let (mut gateway, _go, was_asked) = waiting();
    let address = gateway.address.clone();
    thread::spawn(move || super::send(&address, &post("/v1/chat/completions"), &question("a")));
    was_asked.recv().unwrap();
    gateway.signal(Signal::SIGINT);
    while TcpStream::connect(&gateway.address).is_ok() {
        thread::yield_now();
    }
    gateway.signal(Signal::SIGINT);
    assert_eq!(gateway.process.wait().unwrap().code(), Some(130));
    gateway.audit("default");
}

#[test]
fn an_answer_is_recorded_whose_client_has_gone() {
    let (mut gateway, go, was_asked) = waiting();
    let mut stream = TcpStream::connect(&gateway.address).unwrap();
    let body = question("a");
    write!(
        stream,
        "{}\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        post("/v1/chat/completions"),
        body.len()
    )
    .unwrap();
    was_asked.recv().unwrap();
    drop(stream);
    go.send(()).unwrap();
    gateway.stop();
    gateway.audit("default");
    assert_eq!(gateway.answers("default"), ["late"]);
}

#[test]
fn what_a_client_has_received_survives_a_kill() {
    let mut bench = Bench::new();
    let mut received = Vec::new();
    for round in 0..5 {
        let provider = Server::answering(|request| Some(repeat_question(request)));
        let mut gateway = TestGateway::start(bench, provider, "", RECORDING);
        let (told, answers) = channel();
        thread::scope(|scope| {
            for client in 0..8 {
                let (address, told) = (gateway.address.clone(), told.clone());
                let name = format!("{round}-{client}");
                scope.spawn(move || ask_until_it_ends(&address, &name, &told));
            }
            // Each client has received something.
            for _ in 0..20 {
                received.push(answers.recv().unwrap());
            }
            gateway.process.kill().unwrap();
        });
        drop(told);
        received.extend(answers.iter());
        gateway.process.wait().unwrap();
        let recorded = gateway.answers("default");
        for text in &received {
            assert!(
                recorded.contains(text),
                "{text} was released and is not recorded"
            );
        }
        bench = gateway.take_bench();
        bench.run("tidy ledgers/default.jsonl").exits(0);
        let report = bench
            .run("audit ledgers/default.jsonl --json")
            .exits(0)
            .json();
        assert_eq!(report["verdict"], "OK", "{report}");
    }
}

#[test]
fn what_clients_have_received_is_recorded_when_the_gateway_is_stopped_under_load() {
    let mut gateway = TestGateway::answering(RECORDING, repeat_question);
    let (told, answers) = channel();
    let mut received = Vec::new();
    thread::scope(|scope| {
        for client in 0..16 {
            let (address, told) = (gateway.address.clone(), told.clone());
            scope.spawn(move || ask_until_it_ends(&address, &client.to_string(), &told));
        }
        for _ in 0..100 {
            received.push(answers.recv().unwrap());
        }
        gateway.stop();
    });
    drop(told);
    received.extend(answers.iter());
    gateway.audit("default");
    // Each call that was begun is finished, so that its client has the answer.
    let mut recorded = gateway.answers("default");
    recorded.sort();
    received.sort();
    assert_eq!(recorded, received);
}

/// Answers with the question.
fn repeat_question(request: &Request) -> Act {
    Act::say(request.body["messages"][0]["content"].as_str().unwrap())
}

/// Asks one question after the other until the gateway is not there any more, and tells each that was answered.
fn ask_until_it_ends(address: &str, client: &str, told: &Sender<String>) {
    for call in 0.. {
        let text = format!("{client}-{call}");
        let Some(answer) = try_chat(address, &text) else {
            return;
        };
        if answer.starts_with("HTTP/1.1 200") && answer.ends_with("}}") {
            told.send(text).unwrap();
        }
    }
}

/// Asks a question; `None` where the gateway is not there any more.
fn try_chat(address: &str, text: &str) -> Option<String> {
    use std::io::Read;
    let mut stream = TcpStream::connect(address).ok()?;
    let body = question(text);
    let head = post("/v1/chat/completions");
    write!(
        stream,
        "{head}\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    (!answer.is_empty()).then_some(answer)
}

#[test]
fn an_address_that_is_taken_is_told() {
    let gateway = TestGateway::answering(RECORDING, |_| Act::say("hi"));
    let text = String::from_utf8(gateway.bench.read("gateway.toml")).unwrap();
    let bench = Bench::new();
    bench.write(
        "gateway.toml",
        text.replace("127.0.0.1:0", &gateway.address),
    );
    bench
        .run("gateway serve gateway.toml")
        .exits(3)
        .says("name a free port of this machine");
}

#[test]
fn a_gateway_serves_where_nobody_reads_its_output() {
    let bench = Bench::new();
    let provider = Server::new(vec![Act::say("hi")]);
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let text = super::configuration(&provider.base_url, "", RECORDING);
    bench.write("gateway.toml", text.replace("127.0.0.1:0", &address));
    let mut gateway = Command::new("sh")
        .args(["-c", "exec \"$@\" >&-", "sh"])
        .arg(crate::bench::program())
        .args(["gateway", "serve", "gateway.toml"])
        .current_dir(bench.path("."))
        .spawn()
        .unwrap();
    while TcpStream::connect(&address).is_err() {
        assert!(
            gateway.try_wait().unwrap().is_none(),
            "the gateway has ended"
        );
        thread::yield_now();
    }
    let chat = post("/v1/chat/completions");
    super::send(&address, &chat, &question("a")).has_status(200);
    let process = Pid::from_raw(i32::try_from(gateway.id()).unwrap());
    kill(process, Signal::SIGTERM).unwrap();
    assert!(gateway.wait().unwrap().success());
}
