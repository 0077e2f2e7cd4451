//! Real processes that are killed.

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
    for n in 0..1000u64 {
        if killed == 300 || begun.elapsed() > Duration::from_secs(20) {
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
