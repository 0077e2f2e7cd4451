//! Heads that `axilog x0l run` signs while a session runs, and a real witness that signs them.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use axilog_testkit::harness::client::KEY;
use axilog_testkit::harness::server::{Act, Server};
use serde_json::{Value, json};

use crate::bench::{Bench, Run};
use crate::checkpoints::write_policy;
use crate::witness::Serving;
use crate::x0l_script::{GOOD, answer_line, calibration_line};

const NAME: &str = "example.com/session";

/// Makes a key for each file and name, and a witness that knows them all.
pub fn make_keys(bench: &Bench, keys: &[(String, String)]) {
    let mut logs = String::new();
    for (file, name) in keys {
        let key = bench.run(&format!("key new {file} --name {name}")).exits(0);
        logs.push_str(&key.stdout);
    }
    bench.write("logs", logs);
    bench
        .run("key new witness.key --name example.org/witness --witness")
        .exits(0);
    bench.run("witness init state --key witness.key").exits(0);
}

/// Audits a ledger with the head in `held`, which the witnesses of the policy must have signed.
pub fn audit_witnessed(bench: &Bench, ledger: &str, key: &str) -> String {
    let key = bench.run(&format!("key show {key}")).exits(0).stdout;
    let key = key.trim_end();
    let line = format!(
        "audit {ledger} --checkpoint {ledger}.witnessed --public-key {key} --policy witnesses.policy"
    );
    let audited = bench.run(&line).exits(0).stdout;
    audited.replace("\n                ", " ")
}

/// The address of a server that is away.
pub fn find_free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn prepare() -> Bench {
    let bench = Bench::new();
    make_keys(&bench, &[("session.key".to_owned(), NAME.to_owned())]);
    let script = [calibration_line(), answer_line(json!({}), GOOD, 700)];
    bench.write("script.jsonl", script.concat());
    bench
}

const SIGNED: &str = "--checkpoint-key session.key --checkpoint-origin example.com/session \
                      --checkpoint-every 20,1s --witnesses witnesses.policy";

fn session(out: &str, options: &str) -> String {
    format!(
        "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 3 --conditions A,B \
         --started 1767225600 --out {out} {options}"
    )
}

fn run(bench: &Bench, out: &str, options: &str) -> Run {
    bench.run(&session(out, options))
}

#[test]
fn a_session_says_which_head_somebody_else_holds_and_records_the_same() {
    let bench = prepare();
    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let told = run(&bench, "run", SIGNED).exits(0).stdout;
    let records = bench
        .read("run/ledger.jsonl")
        .split(|&b| b == b'\n')
        .count()
        - 1;
    let row = format!("checkpoint      the head of {records} records is signed; held by north\n");
    assert!(told.ends_with(&row), "{told}");
    let audited = audit_witnessed(&bench, "run/ledger.jsonl", "session.key");
    let first = format!("the first {records} records are those that {NAME}+");
    assert!(audited.contains(&first), "{audited}");
    assert!(
        audited.contains("signed by the witnesses north"),
        "{audited}"
    );
    bench.run("x0l replay run").exits(0);
    witness.end();

    run(&bench, "unsigned", "").exits(0);
    for file in ["ledger.jsonl", "cycles.jsonl", "session_metadata.json"] {
        let [signed, unsigned] =
            ["run", "unsigned"].map(|run| bench.read(&format!("{run}/{file}")));
        assert_eq!(signed, unsigned, "{file}");
    }
    assert!(!bench.exists("unsigned/ledger.jsonl.checkpoint"));
}

/// The witness is away: the session ends as it does with one, and says so.
#[test]
fn a_session_waits_for_no_witness() {
    let bench = prepare();
    write_policy(&bench, &find_free_address());
    let result = run(&bench, "run", &format!("{SIGNED} --json")).exits(0);
    assert!(
        result
            .stderr
            .contains("run/ledger.jsonl: the witness north has not signed the head of "),
        "{}",
        result.stderr
    );
    let result = result.json();
    assert_eq!(
        (&result["status"], &result["ok"]),
        (&json!("COMPLETE"), &json!(true))
    );
    let checkpoint = &result["checkpoint"];
    assert!(checkpoint["size"].as_u64().unwrap() > 20);
    assert_eq!(
        (&checkpoint["held"], &checkpoint["problem"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(checkpoint["missing"][0]["name"], "north");
    let unsigned = run(&bench, "unsigned", "--json").exits(0).json();
    assert_eq!(unsigned.get("checkpoint"), None);
    assert_eq!(unsigned["head"], result["head"]);
}

#[test]
fn what_does_not_fit_is_refused_before_the_session_begins() {
    let bench = prepare();
    bench.write("witnesses.policy", "quorum none\n");
    bench
        .run("key new other.key --name example.com/other")
        .exits(0);
    fs::copy(bench.path("session.key"), bench.path("open.key")).unwrap();
    fs::set_permissions(bench.path("open.key"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(bench.path("folder")).unwrap();
    let origin = format!("--checkpoint-origin {NAME}");
    for (options, code, told) in [
        (
            format!("--checkpoint-key nothing {origin}"),
            3,
            "nothing: cannot",
        ),
        (format!("--checkpoint-key open.key {origin}"), 3, "open.key"),
        (format!("--checkpoint-key folder {origin}"), 3, "folder"),
        (
            format!("--checkpoint-key other.key {origin}"),
            2,
            "the key is that of \"example.com/other\"",
        ),
        (
            "--checkpoint-key session.key".to_owned(),
            2,
            "--checkpoint-origin",
        ),
        (
            format!("--checkpoint-key session.key {origin} --checkpoint-every 0"),
            2,
            "expected a number of records",
        ),
        (
            format!("--checkpoint-key session.key {origin} --witnesses script.jsonl"),
            2,
            "is no policy of witnesses",
        ),
        (origin.clone(), 2, "--checkpoint-key"),
    ] {
        run(&bench, "run", &options).exits(code).says(told);
        assert!(!bench.exists("run"), "{options}");
    }
    // The checks before a session have the same options.
    let preflight = |options: &str| session("run", options).replace("x0l run", "x0l preflight");
    let ready = bench.run(&preflight(SIGNED)).exits(0).stdout;
    assert!(
        ready.contains("signed as example.com/session; no witness is asked"),
        "{ready}"
    );
    let options = format!("--checkpoint-key other.key {origin} --json");
    let checks = bench.run(&preflight(&options)).exits(1).json();
    let checks = checks["checks"].as_array().unwrap().clone();
    let heads = checks.iter().find(|check| check["check"] == "heads");
    assert_eq!(heads.unwrap()["ok"], false);
}

/// A session that is killed is never resumed. Its heads stay what they were, and the ledger goes on from them.
#[test]
fn a_session_that_is_killed_leaves_heads_that_hold() {
    let bench = prepare();
    write_policy(&bench, &find_free_address());
    let server = Server::answering(|_| Some(Act::Hang));
    let line = session("run", &SIGNED.replace("20,1s", "1")).replace(
        "--oracle scripted:script.jsonl",
        &format!("--base-url {}", server.base_url),
    );
    let mut command = bench.command();
    command
        .args(line.split_whitespace())
        .env("OPENAI_API_KEY", KEY)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    while !bench.exists("run/ledger.jsonl.checkpoint") {
        assert_eq!(process.try_wait().unwrap(), None);
        thread::sleep(Duration::from_millis(5));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let replayed = bench.run("x0l replay run --json").exits(1).json();
    assert_eq!(replayed["verdict"], "INCOMPLETE");
    assert_eq!(replayed["differences"], json!([]));
    let key = bench.run("key show session.key").exits(0).stdout;
    let audit = format!(
        "audit run/ledger.jsonl --checkpoint run/ledger.jsonl.checkpoint --public-key {}",
        key.trim_end()
    );
    let held = |text: &str| text.contains("held head       the first ");
    assert!(held(&bench.run(&audit).exits(0).stdout));
    run(&bench, "run", SIGNED)
        .exits(1)
        .says("a run is never resumed");
    let sign = format!("checkpoint run/ledger.jsonl --key session.key --origin {NAME}");
    bench.run(&sign).exits(0);
    assert!(held(&bench.run(&audit).exits(0).stdout));
}

/// The checkpoint's place is taken while the session runs: what is recorded is recorded, and the result says that its last
/// head is not signed.
#[test]
fn a_checkpoint_that_cannot_be_written_holds_up_nothing() {
    let bench = prepare();
    write_policy(&bench, &find_free_address());
    let checkpoint = bench.path("run/ledger.jsonl.checkpoint");
    let mut calls = 0;
    let server = Server::answering(move |_| {
        calls += 1;
        if calls == 1 {
            fs::create_dir_all(&checkpoint).unwrap();
        }
        Some(Act::say("{\"candidates\":[]}"))
    });
    let line = session("run", &SIGNED.replace("20,1s", "3600s")).replace(
        "--oracle scripted:script.jsonl",
        &format!(
            "--base-url {} --count-tokens --tokenizer o200k_base --json",
            server.base_url
        ),
    );
    let mut command = bench.command();
    let output = command
        .args(line.split_whitespace())
        .env("OPENAI_API_KEY", KEY)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["status"], "COMPLETE");
    assert_eq!(result["checkpoint"]["size"], 0);
    let problem = result["checkpoint"]["problem"].as_str().unwrap();
    assert!(problem.contains("run/ledger.jsonl.checkpoint"), "{problem}");
    bench.run("x0l replay run").exits(0);
}
