//! Real processes that are killed, while others read what they write.

use std::fs::File;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::bench::{Bench, lines};
use crate::traced::TracedCommand;

/// The number of processes to kill: 40, or what the environment variable `AXILOG_KILLS` says.
pub fn count_kills() -> usize {
    std::env::var("AXILOG_KILLS").map_or(40, |kills| kills.parse().unwrap())
}

/// How many torn lines were moved aside so far.
fn count_torn_lines(bench: &Bench) -> usize {
    let mut names = (1..).map(|n| format!("ledger.jsonl.torn-{n}"));
    names.position(|name| !bench.exists(&name)).unwrap()
}

/// Runs `axilog audit ledger.jsonl` until `done`: what a killed writer leaves is never a failure.
fn audit_until_done(bench: &Bench, done: &AtomicBool) -> u32 {
    let mut runs = 0;
    loop {
        let is_last = done.load(Ordering::Relaxed);
        let run = bench.run("audit ledger.jsonl --json");
        let report = run.json();
        let verdict = report["verdict"].as_str().unwrap();
        assert!(["OK", "INCOMPLETE"].contains(&verdict), "{report}");
        runs += 1;
        if is_last {
            return runs;
        }
    }
}

/// Runs `axilog COMMAND ledger.jsonl` until `done`, and checks that each run finds every record that was
/// acknowledged before it began. Gives how many runs there were.
fn read_until_done(
    bench: &Bench,
    command: &str,
    acknowledged: &AtomicU64,
    done: &AtomicBool,
) -> u32 {
    let mut runs = 0;
    loop {
        // A last run begins when nobody writes any more.
        let is_last = done.load(Ordering::Relaxed);
        let (least, torn) = (
            acknowledged.load(Ordering::Relaxed),
            count_torn_lines(bench),
        );
        let report = bench.run(&format!("{command} ledger.jsonl --json")).json();
        let verdict = report["verdict"].as_str().unwrap();
        if ["OK", "TORN"].contains(&verdict) {
            // After a torn line's place nothing is counted; before it every record is good.
            let good = report["entries"].as_u64().or(report["sequence"].as_u64());
            assert!(good >= Some(least), "{report}");
            runs += 1;
            if is_last {
                return runs;
            }
        } else {
            // A reader that was in the middle of a torn line when the next writer moved it aside has read
            // the beginning of one line and the end of another. Reading again shows the ledger.
            assert!(count_torn_lines(bench) > torn, "{command}: {report}");
        }
    }
}

/// Ends the readers when the killing ends, and when it fails too.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Three writers race for one ledger, and most of their processes are killed, each at another moment, while the ledger is
/// audited over and over: no audit is FAILED, and in the end a process goes on with the ledger.
#[test]
fn writers_that_race_and_are_killed_fail_no_audit() {
    let bench = Bench::ledger();
    let done = AtomicBool::new(false);
    let wanted = count_kills();
    let killed = AtomicU64::new(0);
    let race = |writer: usize| {
        for turn in (0..10u64).cycle() {
            if killed.load(Ordering::Relaxed) >= wanted as u64 {
                break;
            }
            let value = 3 * turn + writer as u64;
            bench.write(&format!("question-{value}"), format!("question {value}"));
            // A third of them are inadmissible, so that their bytes are blobs.
            let answer: &[u8] = match turn % 3 {
                0 => b"\xff",
                _ => b"{\"value\":1}",
            };
            bench.write(&format!("answer-{value}"), answer);
            let mut command = bench.command();
            command
                .args(["observe", "--ledger", "ledger.jsonl", "--model-id", "m"])
                .args(["--oracle-id", &format!("o-{writer}")])
                .args(["--input", &format!("question-{value}")])
                .stdin(File::open(bench.path(&format!("answer-{value}"))).unwrap())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let mut process = command.spawn().unwrap();
            // Each tenth process goes on to its end, however slow the machine is.
            if turn < 9 {
                std::thread::sleep(Duration::from_millis(2 * turn));
                process.kill().unwrap();
            }
            let status = process.wait().unwrap();
            // The others ended before: recorded, or refused since another writer had the ledger.
            killed.fetch_add(u64::from(status.code().is_none()), Ordering::Relaxed);
        }
    };
    let race = &race;
    let audits = std::thread::scope(|scope| {
        let auditor = scope.spawn(|| audit_until_done(&bench, &done));
        {
            let _ending = Ending(&done);
            std::thread::scope(|writers| {
                for writer in 0..3 {
                    writers.spawn(move || race(writer));
                }
            });
        }
        auditor.join().unwrap()
    });
    println!("{killed:?} killed, {audits} audits meanwhile");
    bench.run("tidy ledger.jsonl").exits(0);
    let before = lines(&bench.read("ledger.jsonl")).len();
    // Whether it may act depends on which of the inadmissible answers were recorded.
    let decision = bench.observe(b"{\"value\":1}").json();
    assert_eq!(decision["admitted"], "AS_GIVEN");
    assert!(lines(&bench.read("ledger.jsonl")).len() > before);
    bench.run("audit ledger.jsonl").exits(0);
}

/// Kills `axilog observe` at another system call each time, from before its start to after its
/// acknowledgement, while `verify` and `replay` read the growing ledger.
#[test]
fn what_was_acknowledged_survives_a_kill() {
    let bench = Bench::ledger();
    let (acknowledged, done) = (AtomicU64::new(8), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let readers = ["verify", "replay"]
            .map(|command| scope.spawn(|| read_until_done(&bench, command, &acknowledged, &done)));
        let auditor = scope.spawn(|| audit_until_done(&bench, &done));
        {
            let _ending = Ending(&done);
            kill_observers(&bench, &acknowledged);
        }
        let runs = readers.map(|reader| reader.join().unwrap());
        println!(
            "{} times verified, {} times replayed and {} times audited meanwhile",
            runs[0],
            runs[1],
            auditor.join().unwrap()
        );
    });
    bench.run("control mitigate --ledger ledger.jsonl").exits(0);
    let report = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert!(report["entries"].as_u64().unwrap() > acknowledged.load(Ordering::Relaxed));
    bench.run("audit ledger.jsonl").exits(0);
    assert!(
        bench.exists("ledger.jsonl.left-behind"),
        "some were killed after a blob"
    );
}

/// `axilog observe`, which will record an answer of this value to a question of its own. Every third answer is
/// inadmissible, so that a RAW record binds it and it is a blob.
fn command_to_observe(bench: &Bench, value: usize) -> Command {
    let answer = format!("{{\"value\":{value}}}");
    match value % 3 {
        0 => bench.write("answer", [answer.as_bytes(), b"\xff"].concat()),
        _ => bench.write("answer", answer),
    }
    bench.write("question", format!("question {value}"));
    let mut command = bench.command();
    command
        .args(["observe", "--ledger", "ledger.jsonl", "--json"])
        .args(["--oracle-id", "o", "--model-id", "m", "--input", "question"])
        .stdin(File::open(bench.path("answer")).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Starts `axilog observe` and gives it so many stops after the opening of the ledger. Gives the command, and
/// how many of the stops there were before its end.
fn start_observing(bench: &Bench, value: usize, stops: usize) -> (TracedCommand, usize) {
    let ledger = bench.path("ledger.jsonl");
    let mut command = TracedCommand::start(&mut command_to_observe(bench, value));
    command.run_until(|command| command.has_open(&ledger));
    let stopped = (0..stops).take_while(|_| command.step()).count();
    (command, stopped)
}

/// Reads an acknowledgement: the number of records, and the beginning of the last one's line.
fn read_acknowledgement(told: &str) -> (u64, String) {
    let decision: serde_json::Value = serde_json::from_str(told).unwrap();
    let chain = format!("{{\"chain\":{}", decision["head"]);
    (decision["entries"].as_u64().unwrap(), chain)
}

fn kill_observers(bench: &Bench, acknowledged: &AtomicU64) {
    let wanted = count_kills();
    let (whole, stops) = start_observing(bench, 1, usize::MAX);
    acknowledged.store(read_acknowledgement(&whole.kill()).0, Ordering::Relaxed);
    TracedCommand::start(&mut command_to_observe(bench, 1)).kill();
    let (mut finished, mut unrecorded, mut unacknowledged) = (0, 0, 0);
    for n in 0..wanted {
        let before = bench.read("ledger.jsonl");
        // The places are spread over a whole run and a quarter more: a run after a killed one has more to do, and each
        // opening looks into one more directory of blobs.
        let (command, _) = start_observing(bench, n, n * (stops + 8 * n) * 5 / 4 / wanted);
        let told = command.kill();
        // Nothing that was there before is lost or altered, whatever the moment: a line that an earlier
        // kill has torn is there still, or was moved aside.
        let after = bench.read("ledger.jsonl");
        let whole = before.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let (whole, torn) = before.split_at(whole);
        let is_kept = || {
            let mut aside = (1..=count_torn_lines(bench)).map(|n| format!("ledger.jsonl.torn-{n}"));
            aside.any(|name| bench.read(&name) == torn)
        };
        assert!(after.starts_with(whole), "kill {n}");
        assert!(
            after.starts_with(&before) || !torn.is_empty() && is_kept(),
            "kill {n}: {:?} is neither there nor aside",
            String::from_utf8_lossy(torn)
        );
        if told.ends_with('\n') {
            let (entries, chain) = read_acknowledgement(&told);
            acknowledged.store(entries, Ordering::Relaxed);
            let last = lines(&after)[entries as usize - 1].clone();
            assert!(last.starts_with(chain.as_bytes()), "kill {n}");
            finished += 1;
        } else if after == before {
            unrecorded += 1;
        } else {
            unacknowledged += 1;
        }
        let least = acknowledged.load(Ordering::Relaxed);
        assert!(lines(&after).len() as u64 >= least, "kill {n}");
    }
    println!(
        "of {wanted} processes, at {stops} places, {unrecorded} were killed before they wrote, \
         {unacknowledged} after that and {finished} after their acknowledgement"
    );
    assert!(unrecorded > 0 && unacknowledged > 0 && finished > 0);
}
