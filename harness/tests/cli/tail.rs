//! `axilog tail`.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, lines, program};

/// The command while it follows a ledger.
struct Tail {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Tail {
    fn begin(bench: &Bench, options: &[&str]) -> Tail {
        let mut child = Command::new(program())
            .args(["tail", "ledger.jsonl", "--json"])
            .args(options)
            .current_dir(bench.path(""))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Tail { child, lines }
    }

    /// The sequence of the next record, which may not be there yet.
    fn next(&mut self) -> Option<u64> {
        let line = self.lines.next()?.unwrap();
        let object: Value = serde_json::from_str(&line).unwrap();
        Some(object["seq"].as_u64().unwrap())
    }

    fn code(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

#[test]
fn records_are_shown_as_they_are_appended_up_to_the_seal() {
    let bench = Bench::ledger();
    let mut tail = Tail::begin(&bench, &["--last", "2"]);
    assert_eq!((tail.next(), tail.next()), (Some(6), Some(7)));
    bench.observe(b"{\"value\":100}").exits(1);
    let step = lines(&bench.read("ledger.jsonl")).len() as u64;
    assert!(step > 8);
    for sequence in 8..step {
        assert_eq!(tail.next(), Some(sequence));
    }
    bench.run("seal ledger.jsonl").exits(0);
    assert_eq!(tail.next(), Some(step));
    assert_eq!(tail.next(), None);
    assert_eq!(tail.code(), Some(0));
}

#[test]
fn the_last_records_are_those_of_the_oracle_and_no_more_than_there_are() {
    let bench = Bench::ledger();
    bench.run("seal ledger.jsonl").exits(0);
    let all = bench.run("show ledger.jsonl").exits(0).stdout;
    assert_eq!(
        bench.run("tail ledger.jsonl --last 100").exits(0).stdout,
        all
    );
    let last = bench.run("tail ledger.jsonl --last 1").exits(0).stdout;
    assert_eq!(last.lines().last(), all.lines().last());
    let header = all.lines().next().unwrap();
    let none = bench.run("tail ledger.jsonl --last 0").exits(0).stdout;
    assert_eq!(none.lines().next(), Some(header));
    assert_eq!(none.lines().count(), 2);
    let of_oracle = bench
        .run("show ledger.jsonl --oracle o --json")
        .exits(0)
        .stdout;
    let tail = bench
        .run("tail ledger.jsonl --oracle o --json")
        .exits(0)
        .stdout;
    assert_eq!(tail, of_oracle);
    bench.run("tail absent.jsonl").exits(3);
    bench.run("tail .").exits(3);
}

#[test]
fn the_first_bad_record_ends_the_command() {
    let bench = Bench::ledger();
    let mut all = lines(&bench.read("ledger.jsonl"));
    all[6][200] ^= 1;
    bench.write("ledger.jsonl", all.concat());
    let run = bench.run("tail ledger.jsonl --last 2").exits(1);
    run.says("ALTERED: record 6");
    let mut tail = Tail::begin(&bench, &["--last", "1"]);
    assert_eq!(tail.next(), Some(5));
    // The error of a damaged ledger is an object too.
    let error: Value = serde_json::from_str(&tail.lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(error["verdict"], "ALTERED");
    assert_eq!(tail.code(), Some(1));
}
