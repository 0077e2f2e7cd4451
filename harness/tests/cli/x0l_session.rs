//! `axilog x0l preflight`, `run` and `examples`.

use std::fs::File;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use axilog_testkit::harness::client::{KEY, nowhere};
use axilog_testkit::harness::server::{Act, Server, costly};
use serde_json::Value;

use crate::bench::{Bench, Run, program};

const SCRIPTED: &str = "--model m-1 --context-window 8192 --oracle scripted:ex/script.jsonl";

fn bench_with_examples() -> Bench {
    let bench = Bench::new();
    bench.run("x0l examples ex").exits(0);
    bench
}

#[track_caller]
fn assert_fits_terminal(run: &Run) {
    let widest = run.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", run.stdout);
}

#[test]
fn a_session_on_the_examples() {
    let bench = bench_with_examples();
    let preflight = bench.run(&format!("x0l preflight {SCRIPTED}")).exits(1);
    assert_fits_terminal(&preflight);
    let found = bench
        .run(&format!("x0l preflight {SCRIPTED} --json"))
        .exits(1);
    let found = found.json();
    assert_eq!(
        (&found["verdict"], &found["ok"]),
        (&"NOT_READY".into(), &false.into())
    );
    let wrong = found["checks"].as_array().unwrap().iter();
    let wrong: Vec<&Value> = wrong.filter(|check| check["ok"] == false).collect();
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!(wrong[0]["check"], "B2");
    bench
        .run(&format!("x0l run {SCRIPTED}"))
        .exits(1)
        .says("or take what comes with --accept-partial");
    assert!(!bench.exists("axilog-x0l-run"));
    let b2 = &found["needed_b2"];
    bench
        .run(&format!("x0l preflight {SCRIPTED} --b2 {b2}"))
        .exits(0);
    let short = format!("{SCRIPTED} --conditions E,A --cycles 3");
    let run = bench.run(&format!("x0l run {short}")).exits(0);
    assert_fits_terminal(&run);
    assert!(
        run.stderr
            .contains("axilog: L-A 1/3  1 ACTION 0 REFUSE  B1 "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.lines().all(|line| line.chars().count() <= 80));
    bench.run("x0l replay axilog-x0l-run").exits(0);
    bench
        .run("verify axilog-x0l-run/ledger.jsonl --blobs")
        .exits(0);

    // A run is never resumed or overwritten.
    let before = bench.read("axilog-x0l-run/session_metadata.json");
    bench
        .run(&format!("x0l run {short}"))
        .exits(1)
        .says("is not empty");
    assert_eq!(bench.read("axilog-x0l-run/session_metadata.json"), before);

    let json = bench
        .run(&format!("x0l run {short} --out 2/b --json"))
        .exits(0)
        .json();
    assert_eq!(
        (&json["status"], &json["ok"]),
        (&"COMPLETE".into(), &true.into())
    );
    assert_eq!(json["conditions"][0]["id"], "L-A");
    bench
        .run("x0l examples ex")
        .exits(3)
        .says("constitution.toml: cannot write");
}

#[test]
fn equal_settings_and_times_leave_equal_runs() {
    let bench = bench_with_examples();
    for out in ["first", "second"] {
        let line = format!("x0l run {SCRIPTED} --cycles 4 --started 1800000000 --out {out}");
        bench.run(&line).exits(0);
    }
    for name in [
        "ledger.jsonl",
        "cycles.jsonl",
        "report.md",
        "report.json",
        "session_metadata.json",
    ] {
        let read = |out: &str| bench.read(&format!("{out}/{name}"));
        assert_eq!(read("first"), read("second"), "{name}");
    }
}

#[test]
fn wrong_usage_exits_2_and_a_failed_operation_3() {
    let bench = bench_with_examples();
    bench.write("bad.toml", "condition = \"L-A\"\nweight = 1\n");
    for (options, code, message) in [
        ("--conditions F", 2, "expected A, B, C, D or E"),
        ("--tasks A", 2, "as in A=tasks.toml"),
        ("--tasks A=bad.toml", 2, "bad.toml: not a task set"),
        (
            "--tasks A=ex/l-a.toml --tasks A=ex/l-a.toml",
            2,
            "named twice",
        ),
        ("--tasks A=none.toml", 3, "none.toml: cannot read the tasks"),
        ("--constitution ex", 3, "ex: cannot read the constitution"),
        ("--erratum ex/template.txt", 2, "--corrects"),
        (
            "--erratum ex/template.txt --corrects ex",
            2,
            "nothing to correct",
        ),
        ("--corrects ex", 2, "--erratum"),
        ("--b1 5000", 2, "unexpected argument '--b1'"),
        ("--seed 7", 2, "unexpected argument '--seed'"),
        ("--tokenizer gpt2", 2, "--count-tokens"),
        ("--cycles 0", 2, "at least 1"),
        (
            "--accept-partial --out /proc/none/run",
            3,
            "cannot make the directory of the run",
        ),
    ] {
        let line = format!("x0l run {SCRIPTED} {options}");
        bench.run(&line).exits(code).says(message);
    }
    let missing = "x0l run --model m --context-window 9 --oracle scripted:none";
    bench.run(missing).exits(3).says("none: cannot read");
    bench
        .run("x0l run --model m")
        .exits(2)
        .says("--context-window");
    for (command, code) in [("run", 3), ("preflight", 1)] {
        let line = format!("x0l {command} --model m --context-window 8192");
        let run = bench.run(&line).exits(code);
        let output = run.stdout + &run.stderr;
        assert!(output.contains("OPENAI_API_KEY is not set"), "{output}");
    }
    assert!(!bench.exists("axilog-x0l-run"));
}

/// Runs a session of L-A with the key at this server, and puts the process id into `pid`. Its standard error
/// is the file `stderr`.
fn run_over_http(
    bench: &Bench,
    server: &Server,
    pid: &Mutex<Option<u32>>,
) -> (i32, String, String) {
    let line = "x0l run --model m-1 --context-window 8192 --conditions A --accept-partial --json";
    let mut id = pid.lock().unwrap();
    let child = bench
        .command()
        .args(line.split(' '))
        .args(["--base-url", &server.base_url])
        .env("OPENAI_API_KEY", KEY)
        .stdout(Stdio::piped())
        .stderr(File::create(bench.path("stderr")).unwrap())
        .spawn()
        .unwrap();
    *id = Some(child.id());
    drop(id);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(bench.read("stderr")),
    )
}

/// The answer to the call `number` of a session, from 1: the first three calibrate, and six sentinels follow.
fn answer_nothing(number: u64) -> Act {
    let tokens = if number <= 3 { 40 } else { 700 };
    Act::Respond(200, costly("{\"candidates\":[]}", tokens, 5))
}

#[test]
fn the_key_is_used_and_nowhere_to_be_found() {
    // The server quotes it at the end, in an error and in an answer.
    for last in [
        Act::Respond(
            401,
            format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"),
        ),
        Act::Respond(200, costly(KEY, 1, 1)),
    ] {
        let mut acts: Vec<Act> = (1..=11).map(answer_nothing).collect();
        acts.push(last);
        let server = Server::new(acts);
        let bench = Bench::new();
        let (code, stdout, stderr) = run_over_http(&bench, &server, &Mutex::default());
        assert_eq!(code, 1, "{stderr}");
        assert!(stdout.contains("TRANSPORT_FAILURE_ABORT"), "{stdout}");
        let requests = server.requests();
        assert_eq!(requests.len(), 12);
        assert!(requests.iter().all(|request| request.head.contains(KEY)));
        assert!(!stdout.contains(KEY) && !stderr.contains(KEY));
        assert!(nowhere(KEY, &bench.path("")) > 15);
        bench.run("x0l replay axilog-x0l-run").exits(0);
    }
}

/// Sends a signal, and gives whether the process was still there.
#[cfg(unix)]
fn send(signal: &str, id: u32) -> bool {
    let mut kill = std::process::Command::new("kill");
    let kill = kill.args([signal, &id.to_string()]).stderr(Stdio::null());
    kill.status().unwrap().success()
}

/// Ctrl-C or SIGTERM during a call: the cycle is finished, and the run is sealed.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_session_between_cycles() {
    for signal in ["-INT", "-TERM"] {
        check_interrupt(signal);
    }
}

#[cfg(unix)]
fn check_interrupt(signal: &'static str) {
    let bench = Bench::new();
    let pid: Arc<Mutex<Option<u32>>> = Arc::default();
    let (known, stderr, mut calls) = (Arc::clone(&pid), bench.path("stderr"), 0);
    let server = Server::answering(move |_| {
        calls += 1;
        if calls == 12 {
            assert!(send(signal, known.lock().unwrap().unwrap()));
            // The answer comes when the command has noticed the signal, and within five minutes.
            let noticed = (0..30_000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                std::fs::read_to_string(&stderr).is_ok_and(|text| text.contains("Ctrl-C again"))
            });
            assert!(noticed);
        }
        Some(answer_nothing(calls))
    });
    let (code, stdout, stderr) = run_over_http(&bench, &server, &pid);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("Ctrl-C again ends at once"), "{stderr}");
    let outcome: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&outcome["status"], &outcome["voided"]),
        (&"INTERRUPTED".into(), &false.into())
    );
    assert_eq!(outcome["cycles"], 3);
    let replay = bench
        .run("x0l replay axilog-x0l-run --json")
        .exits(0)
        .json();
    assert_eq!(
        (&replay["verdict"], &replay["ended"]),
        (&"REPLAYED".into(), &"INTERRUPTED".into())
    );
}

/// A second signal does not wait for the model.
#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_the_session_at_once() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        check_second_interrupt(signal, code);
    }
}

#[cfg(unix)]
fn check_second_interrupt(signal: &'static str, expected: i32) {
    let pid: Arc<Mutex<Option<u32>>> = Arc::default();
    let (known, mut calls) = (Arc::clone(&pid), 0);
    let server = Server::answering(move |_| {
        calls += 1;
        let id = known.lock().unwrap().unwrap();
        // Two signals at one moment could arrive as one.
        while calls == 12 && send(signal, id) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Some(answer_nothing(calls))
    });
    let bench = Bench::new();
    let (code, _, stderr) = run_over_http(&bench, &server, &pid);
    assert_eq!(code, expected, "{stderr}");
    let replay = bench
        .run("x0l replay axilog-x0l-run --json")
        .exits(1)
        .json();
    assert_eq!(
        (&replay["verdict"], &replay["cycles"]),
        (&"INCOMPLETE".into(), &2.into())
    );
    assert_eq!(replay["differences"], serde_json::json!([]));
}

/// With a limit on file sizes, as on a full disk, the command names the file, and the recorded part replays.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_session_and_the_recorded_part_replays() {
    let bench = bench_with_examples();
    let program = program().display().to_string();
    let script =
        format!("trap '' XFSZ; ulimit -f 200; exec {program} x0l run {SCRIPTED} --accept-partial");
    let mut shell = std::process::Command::new("sh");
    let output = shell
        .args(["-c", &script])
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("axilog-x0l-run/cycles.jsonl: cannot append to the cycle log"),
        "{stderr}"
    );
    let replay = bench
        .run("x0l replay axilog-x0l-run --json")
        .exits(1)
        .json();
    assert_eq!(replay["verdict"], "INCOMPLETE");
    assert_eq!(replay["differences"], serde_json::json!([]));
    assert!(replay["cycles"].as_u64().unwrap() > 5);
}
