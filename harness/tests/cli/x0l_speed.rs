//! `axilog x0l preflight` and `run` with `--measure`: a server that is too slow is named before anything is spent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use axilog_testkit::harness::server::{Act, Server, costly};

use crate::bench::{Bench, Run};
use crate::server_options::run_with_key;

const SESSION: &str = "--model m --context-window 128000 --b2 5000000 --cycles 2 --out run";

/// A server whose long answers take `time` and have 32 tokens, and the number of its answers.
fn start_server(time: Duration) -> (Server, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let server = Server::answering(move |request| {
        counter.fetch_add(1, Ordering::Relaxed);
        let messages = request.body["messages"].as_array()?;
        let texts = messages.iter().filter_map(|it| it["content"].as_str());
        let bytes: usize = texts.map(str::len).sum();
        let (tokens, time) = match request.body["max_tokens"].as_u64()? {
            8 => (8, Duration::ZERO),
            _ => (32, time),
        };
        thread::sleep(time);
        let answer = costly("one two", bytes as u64 * 10 / 35, tokens);
        Some(Act::Respond(200, answer))
    });
    (server, asked)
}

fn run_with_server(bench: &Bench, server: &Server, line: &str) -> Run {
    let line = format!("{line} --base-url {}", server.base_url);
    run_with_key(bench, "OPENAI_API_KEY", &line)
}

/// A token takes about 22 ms here: the long answers of L-D, 1536 tokens, take longer than a call may.
#[test]
fn a_server_that_is_too_slow_is_named_before_anything_is_spent() {
    let bench = Bench::new();
    let (server, asked) = start_server(Duration::from_millis(700));
    let line = format!("x0l preflight {SESSION} --conditions A,D --measure --json");
    let preflight = run_with_server(&bench, &server, &line).exits(1);
    assert_eq!(preflight.stderr, "");
    let preflight = preflight.json();
    assert_eq!(
        (&preflight["verdict"], &preflight["speed"]["ok"]),
        (&"NOT_READY".into(), &false.into())
    );
    let conditions = preflight["speed"]["conditions"].as_array().unwrap().iter();
    let in_time = conditions.map(|it| (it["condition"].as_str().unwrap(), it["ok"] == true));
    assert_eq!(in_time.collect::<Vec<_>>(), [("L-A", true), ("L-D", false)]);
    assert_eq!(asked.load(Ordering::Relaxed), 2);

    let line = format!("x0l run {SESSION} --conditions A,D --measure");
    run_with_server(&bench, &server, &line)
        .exits(1)
        .says("these conditions need more: L-D");
    assert_eq!(asked.load(Ordering::Relaxed), 4);
    assert!(!bench.exists("run"));

    // Without the slow condition the session may begin.
    let line = format!("x0l preflight {SESSION} --conditions A --measure");
    run_with_server(&bench, &server, &line).exits(0);
}

#[test]
fn a_speed_that_is_not_measured_is_said_to_be_unknown() {
    let bench = Bench::new();
    let (server, asked) = start_server(Duration::ZERO);
    let line = format!("x0l preflight {SESSION}");
    run_with_server(&bench, &server, &line)
        .exits(0)
        .says("the speed of the server is not measured");
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    // Nobody has a speed where a script answers.
    bench.write("script.jsonl", "{\"answer\":\"{}\"}\n");
    let line = format!("x0l preflight {SESSION} --oracle scripted:script.jsonl");
    assert_eq!(bench.run(&line).exits(0).stderr, "");
}
