//! Ledgers that were made to exhaust whoever reads them: every command gives the right verdict, soon, and in
//! little memory.

use std::fs::File;
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::bench::{Bench, Run, program};

/// The memory that a command has for its data: 48 MiB, and 8 MiB more for each core.
fn memory_limit() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (48 + 8 * cores) << 20
}

/// Runs a command with little memory, [`memory_limit`], and with so many seconds of processor time. Neither its own code counts, whose size is that of the parts in this build, nor other work. The
/// system kills it after them.
fn run_within_limits(bench: &Bench, line: &str, seconds: u32) -> Run {
    let kib = memory_limit() >> 10;
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "ulimit -d {kib} && ulimit -t {seconds} && exec \"$0\" {line}"
        ))
        .arg(program())
        // The allocator would reserve memory for each thread, which it does not use.
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(bench.path("."))
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A ledger of 12 answers to one question that names an earlier answer 100,000 times, and itself.
fn ledger_of_a_long_question() -> Bench {
    let bench = Bench::ledger();
    let first = bench
        .run("show ledger.jsonl --seq 5 --json")
        .exits(0)
        .json();
    let named = vec![first["obs_hash"].to_string(); 100_000].join(",");
    let question = format!("{{\"derived_from\":[{named}]}}");
    assert!(question.len() > 6_000_000);
    bench.write("question.json", question);
    let ask = "observe --ledger ledger.jsonl --oracle-id planner --model-id m \
               --input question.json --input-kind json";
    for _ in 0..12 {
        bench.run_with(ask, b"{\"value\":1}").exits(0);
    }
    assert!(bench.read("ledger.jsonl").len() < 25_000);
    bench
}

#[cfg(target_os = "linux")]
#[test]
fn a_question_of_a_hundred_thousand_answers_is_read_once_and_told_in_few_lines() {
    let bench = ledger_of_a_long_question();
    for line in [
        "audit ledger.jsonl",
        "audit ledger.jsonl --json",
        "verify ledger.jsonl --blobs --json",
        "show ledger.jsonl --graph",
        "show ledger.jsonl --graph --json",
        "report ledger.jsonl -o page.html",
    ] {
        let run = run_within_limits(&bench, line, 10).exits(0);
        assert!(run.stdout.len() < 500_000, "{line}: {}", run.stdout.len());
    }
    // The page holds the question once, in Base64.
    assert!(bench.read("page.html").len() < 10_000_000);
    let graph = bench.run("show ledger.jsonl --graph").exits(0).stdout;
    assert_eq!(graph.matches("<- 99900 more\n").count(), 12);
    let graph = bench
        .run("show ledger.jsonl --graph --json")
        .exits(0)
        .stdout;
    let first: Value = serde_json::from_str(graph.lines().next().unwrap()).unwrap();
    assert_eq!(first["derived_from_count"], 100_000);
    assert_eq!(first["faulty_count"], 0);
    assert_eq!(first["derived_from"].as_array().unwrap().len(), 100);
}

#[cfg(target_os = "linux")]
#[test]
fn a_flood_of_empty_lines_and_a_line_without_end_are_refused_soon_and_in_little_memory() {
    let bench = Bench::ledger();
    let good = bench.read("ledger.jsonl");
    let flood = vec![b'\n'; 20 << 20];
    bench.write("flood.jsonl", &flood);
    bench.write("after.jsonl", [&good[..], &flood].concat());
    drop(flood);
    // More zeros than the memory holds, without a line feed; they take no space on the disk.
    for (name, begin) in [("line.jsonl", &b""[..]), ("line-behind.jsonl", &good)] {
        bench.write(name, begin);
        let file = File::options().write(true).open(bench.path(name)).unwrap();
        file.set_len(memory_limit() as u64 + (16 << 20)).unwrap();
    }
    // The verdict on a good ledger fits in as little.
    run_within_limits(&bench, "verify ledger.jsonl", 20).exits(0);
    let end = good.len() as u64;
    for (name, sequence, offset) in [
        ("flood.jsonl", 0, 0),
        ("after.jsonl", 8, end),
        ("line.jsonl", 0, 0),
        ("line-behind.jsonl", 8, end),
    ] {
        for command in [
            "verify",
            "replay",
            "head",
            "stats",
            "show",
            "export --format csv",
        ] {
            let line = format!("{command} {name} --json");
            let run = run_within_limits(&bench, &line, 20).exits(1);
            let last = run.stdout.lines().last().unwrap();
            let report: serde_json::Value = serde_json::from_str(last).unwrap();
            assert_eq!(report["verdict"], "NON_CANONICAL", "{line}");
            assert_eq!(report["sequence"], sequence, "{line}");
            assert_eq!(report["offset"], offset, "{line}");
        }
        let line = format!("export {name} --format csv --unverified");
        run_within_limits(&bench, &line, 60).exits(0);
    }
}
