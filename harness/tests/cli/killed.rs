//! Real processes that are killed, and files that may not be written.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::bench::{Bench, lines};

/// Kills `axilog observe` at another moment each time, from before its start to behind its end.
#[test]
fn what_was_acknowledged_survives_a_kill() {
    let bench = Bench::ledger();
    let begun = Instant::now();
    let mut acknowledged = 8u64;
    let (mut killed, mut finished) = (0u32, 0u32);
    for n in 0..200u64 {
        if begun.elapsed() > Duration::from_secs(8) {
            break;
        }
        let before = bench.read("ledger.jsonl");
        let mut child = bench
            .command()
            .args(["observe", "--ledger", "ledger.jsonl", "--json"])
            .args(["--oracle-id", "o", "--model-id", "m"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let answer = format!("{{\"value\":{n}}}");
        child
            .stdin
            .take()
            .unwrap()
            .write_all(answer.as_bytes())
            .unwrap();
        std::thread::sleep(Duration::from_micros(n * 7919 % 8_000));
        child.kill().unwrap();
        let mut told = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut told)
            .unwrap();
        let code = child.wait().unwrap().code();
        killed += u32::from(code.is_none());
        // Nothing that was there before is lost or altered, whatever the moment.
        let after = bench.read("ledger.jsonl");
        assert!(after.starts_with(&before), "kill {n}");
        if told.ends_with('\n') {
            let decision: serde_json::Value = serde_json::from_str(&told).unwrap();
            acknowledged = decision["entries"].as_u64().unwrap();
            let last = lines(&after)[acknowledged as usize - 1].clone();
            let chain = format!("{{\"chain\":{}", decision["head"]);
            assert!(last.starts_with(chain.as_bytes()), "kill {n}");
            finished += 1;
        }
        assert!(lines(&after).len() as u64 >= acknowledged, "kill {n}");
    }
    bench.run("control mitigate --ledger ledger.jsonl").exits(0);
    let report = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert!(report["entries"].as_u64().unwrap() > acknowledged);
    println!("{killed} processes killed, {finished} decisions acknowledged before");
    assert!(killed > 0);
}

#[test]
fn a_ledger_that_may_only_be_read_says_so() {
    let bench = Bench::ledger();
    let path = bench.path("ledger.jsonl");
    let whole = bench.read("ledger.jsonl");
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    bench.run("verify ledger.jsonl").exits(0);
    bench.run("replay ledger.jsonl").exits(0);
    if std::fs::OpenOptions::new().append(true).open(&path).is_ok() {
        // The superuser writes all the same: then the step is a good one.
        println!("permissions do not bind this user; only reading was tested");
        bench.observe(b"{\"value\":1}").exits(0);
        bench.run("replay ledger.jsonl").exits(0);
    } else {
        let run = bench.observe(b"{\"value\":1}").exits(3);
        run.says("cannot open the ledger");
        assert_eq!(bench.read("ledger.jsonl"), whole);
    }
}

/// A directory in which nobody can create anything, the superuser included.
#[cfg(target_os = "linux")]
#[test]
fn a_ledger_that_cannot_be_created_says_so() {
    let bench = Bench::new();
    bench
        .run("init /proc/ledger.jsonl")
        .exits(3)
        .says("cannot create the ledger");
    bench.run("init /dev/full").exits(3).says("regular file");
}
