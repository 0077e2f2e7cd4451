//! Real processes that are killed, while others read what they write.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::bench::{Bench, lines};

/// The number of processes to kill: 40, or what the environment variable `AXILOG_KILLS` says.
fn count_kills() -> u32 {
    std::env::var("AXILOG_KILLS").map_or(40, |kills| kills.parse().unwrap())
}

/// Runs `axilog COMMAND ledger.jsonl` until `done`, and checks that each run finds every record that was
/// acknowledged before it began. Gives how many runs there were.
fn audit(bench: &Bench, command: &str, acknowledged: &AtomicU64, done: &AtomicBool) -> u32 {
    let mut runs = 0;
    while !done.load(Ordering::Relaxed) {
        let mut attempts = 0;
        loop {
            let least = acknowledged.load(Ordering::Relaxed);
            let report = bench.run(&format!("{command} ledger.jsonl --json")).json();
            let verdict = report["verdict"].as_str().unwrap().to_owned();
            if ["OK", "TORN"].contains(&verdict.as_str()) {
                // Behind a torn line's place nothing is counted; before it every record is good.
                let good = report["entries"].as_u64().or(report["sequence"].as_u64());
                assert!(good >= Some(least), "{report}");
                break;
            }
            // A reader that was in the middle of a torn line when the next writer moved it aside has read
            // the beginning of one line and the end of another. Reading again shows the ledger.
            attempts += 1;
            assert!(attempts < 3, "{command}: {report}");
        }
        runs += 1;
    }
    runs
}

/// Kills `axilog observe` at another moment each time, from before its start to behind its end, while
/// `verify` and `replay` read the growing ledger.
#[test]
fn what_was_acknowledged_survives_a_kill() {
    let bench = Bench::ledger();
    let (acknowledged, done) = (AtomicU64::new(8), AtomicBool::new(false));
    std::thread::scope(|scope| {
        // Ends the readers when the killing ends, and when it fails too.
        struct Ending<'a>(&'a AtomicBool);
        impl Drop for Ending<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let readers = ["verify", "replay"]
            .map(|command| scope.spawn(|| audit(&bench, command, &acknowledged, &done)));
        {
            let _ending = Ending(&done);
            kill_observers(&bench, &acknowledged);
        }
        let runs = readers.map(|reader| reader.join().unwrap());
        println!(
            "{} times verified and {} times replayed meanwhile",
            runs[0], runs[1]
        );
        assert!(runs.iter().all(|runs| *runs > 0));
    });
    bench.run("control mitigate --ledger ledger.jsonl").exits(0);
    let report = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert!(report["entries"].as_u64().unwrap() > acknowledged.load(Ordering::Relaxed));
}

fn kill_observers(bench: &Bench, acknowledged: &AtomicU64) {
    let wanted = count_kills();
    let (mut killed, mut finished, mut moved) = (0u32, 0u32, 0u32);
    let mut whole_run = Duration::ZERO;
    for n in 0..u64::from(wanted) * 20 {
        if killed == wanted {
            break;
        }
        // The moments are spread over the time that the command takes here and now, and a half more.
        if n % 40 == 0 {
            let begun = Instant::now();
            let decision = bench.observe(b"{\"value\":1}").json();
            whole_run = begun.elapsed();
            acknowledged.store(decision["entries"].as_u64().unwrap(), Ordering::Relaxed);
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
        std::thread::sleep(whole_run.mul_f64((n * 7919 % 1000) as f64 / 1000.0 * 1.5));
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
            let entries = decision["entries"].as_u64().unwrap();
            acknowledged.store(entries, Ordering::Relaxed);
            let last = lines(&after)[entries as usize - 1].clone();
            let chain = format!("{{\"chain\":{}", decision["head"]);
            assert!(last.starts_with(chain.as_bytes()), "kill {n}");
            finished += 1;
        }
        let least = acknowledged.load(Ordering::Relaxed);
        assert!(lines(&after).len() as u64 >= least, "kill {n}");
    }
    println!(
        "{killed} processes killed, {finished} decisions acknowledged before, {moved} torn lines moved aside"
    );
    assert_eq!(killed, wanted);
    assert!(finished > 0, "none was killed behind its acknowledgement");
}
