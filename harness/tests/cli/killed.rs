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
    let (mut killed, mut finished, mut moved) = (0u32, 0u32, 0u32);
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
        // Nothing that was there before is lost or altered, whatever the moment: a line that an earlier
        // kill has torn is there still, or was moved aside.
        let after = bench.read("ledger.jsonl");
        let whole = before.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let (whole, torn) = before.split_at(whole);
        let is_kept = || {
            let aside = (1..).map(|n| format!("ledger.jsonl.torn-{n}"));
            let mut aside = aside.take_while(|name| bench.exists(name));
            aside.any(|name| bench.read(&name) == torn)
        };
        assert!(after.starts_with(whole), "kill {n}");
        assert!(
            after.starts_with(&before) || !torn.is_empty() && is_kept(),
            "kill {n}: {:?} is neither there nor aside",
            String::from_utf8_lossy(torn)
        );
        moved += u32::from(!after.starts_with(&before));
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
    println!(
        "{killed} processes killed, {finished} decisions acknowledged before, {moved} torn lines moved aside"
    );
    assert!(killed > 0);
}
