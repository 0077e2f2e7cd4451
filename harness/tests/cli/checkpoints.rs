//! Heads that `axilog observe`, `mcp` and `gateway` sign while they record, and real witnesses that sign them.

use std::io::Read;
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::bench::{Bench, Run};
use crate::witness::{Serving, plant};

/// Writes the policy of one witness, at `address`.
pub fn write_policy(bench: &Bench, address: &str) {
    let key = bench.run("key show witness.key").exits(0).stdout;
    let line = format!("witness north {} http://{address}\n", key.trim_end());
    bench.write("witnesses.policy", format!("{line}quorum north\n"));
}

const OPTIONS: &str = "--checkpoint-key plant.key --witnesses witnesses.policy";

fn words() -> String {
    format!("observe --ledger ledger.jsonl --oracle-id llm --model-id model-1 {OPTIONS}")
}

fn observe(bench: &Bench, json: &str) -> Run {
    bench.run_with(&format!("{} {json}", words()), b"{\"value\":3}")
}

/// Audits the ledger with the head that enough witnesses have signed.
fn audit(bench: &Bench) -> Run {
    let public = String::from_utf8(bench.read("logs")).unwrap();
    let key = public.trim_end();
    bench.run(&format!(
        "audit ledger.jsonl --checkpoint ledger.jsonl.witnessed --public-key {key} --policy witnesses.policy"
    ))
}

#[test]
fn observe_says_which_head_somebody_else_holds() {
    let bench = plant();
    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let text = observe(&bench, "").exits(0).stdout;
    let told = "checkpoint      the head of 11 records is signed; held by north\n";
    assert!(text.ends_with(told), "{text}");
    let checkpoint = observe(&bench, "--json").exits(0).json()["checkpoint"].clone();
    assert_eq!(checkpoint["size"], 14);
    assert_eq!(checkpoint["held"]["size"], 14);
    assert_eq!(checkpoint["held"]["witnesses"][0]["name"], "north");
    assert_eq!(checkpoint["problem"], Value::Null);
    assert_eq!(checkpoint["missing"], serde_json::json!([]));
    let audited = audit(&bench)
        .exits(0)
        .stdout
        .replace("\n                ", " ");
    assert!(
        audited.contains("the first 14 records are those that example.com/plant+"),
        "{audited}"
    );
    assert!(
        audited.contains("signed by the witnesses north"),
        "{audited}"
    );
    witness.end();

    // It is away: the answer is recorded, and the head that it holds is the older one.
    let run = observe(&bench, "--json").exits(0);
    let away = "the witness north has not signed the head of 17 records: it is away: ";
    assert!(run.stderr.contains(away), "{}", run.stderr);
    let checkpoint = run.json()["checkpoint"].clone();
    assert_eq!(
        (&checkpoint["size"], &checkpoint["held"]["size"]),
        (&17.into(), &14.into())
    );
    assert_eq!(checkpoint["missing"][0]["name"], "north");
    audit(&bench).exits(0);
    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let checkpoint = observe(&bench, "--json").exits(0).json()["checkpoint"].clone();
    assert_eq!(checkpoint["held"]["size"], 20);
    witness.end();
}

#[test]
fn what_is_named_wrongly_is_refused_before_anything_is_recorded() {
    let bench = plant();
    bench.write("witnesses.policy", "quorum none\n");
    bench
        .run("key new other.key --name example.com/other")
        .exits(0);
    bench.write("bad.policy", "witness\n");
    let before = bench.read("ledger.jsonl");
    let line = "observe --ledger ledger.jsonl --oracle-id llm --model-id model-1";
    for (words, code, told) in [
        ("--checkpoint-every 5", 2, "--checkpoint-key"),
        ("--witnesses witnesses.policy", 2, "--checkpoint-key"),
        ("--checkpoint-key nothing", 3, "nothing: cannot"),
        ("--checkpoint-key witness.key", 2, "is the key of a witness"),
        ("--checkpoint-key other.key", 2, "the key is that of"),
        (
            "--checkpoint-key plant.key --checkpoint-origin example.com/o",
            2,
            "the origin that was given",
        ),
        (
            "--checkpoint-key plant.key --checkpoint-every 0",
            2,
            "expected a number of records",
        ),
        (
            "--checkpoint-key plant.key --witnesses bad.policy",
            2,
            "is no policy of witnesses",
        ),
    ] {
        let run = bench.run_with(&format!("{line} {words}"), b"{\"value\":3}");
        run.exits(code).says(told);
        assert_eq!(bench.read("ledger.jsonl"), before, "{words}");
    }
}

/// A process that is killed at any time leaves a ledger and a checkpoint from which the next one goes on, and a witness that
/// signs again.
#[test]
fn a_process_that_is_killed_leaves_heads_that_go_on() {
    let bench = plant();
    // A witness that never answers, so that the process is there to be killed.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    write_policy(&bench, &silent.local_addr().unwrap().to_string());
    thread::spawn(move || {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = silent.accept() {
            let _ = stream.read(&mut [0; 4096]);
            open.push(stream);
        }
    });
    for round in 0..12 {
        let mut command = bench.command();
        command.args(words().split(' '));
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = process.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, b"{\"value\":3}").unwrap();
        drop(stdin);
        thread::sleep(Duration::from_millis(round * 7));
        process.kill().unwrap();
        process.wait().unwrap();
    }
    bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let checkpoint = observe(&bench, "--json").exits(0).json()["checkpoint"].clone();
    assert_eq!(checkpoint["held"]["size"], checkpoint["size"]);
    audit(&bench).exits(0);
    witness.end();
}

#[test]
fn mcp_signs_the_heads_of_its_calls() {
    let bench = plant();
    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let run = bench.run(&format!(
        "mcp --ledger ledger.jsonl {OPTIONS} --checkpoint-every 1 -- true"
    ));
    let told = "ledger.jsonl: the head of ";
    run.exits(0).says(told).says("is signed; held by north");
    audit(&bench).exits(0);
    witness.end();
}
