//! Ledgers that were made to exhaust whoever reads them: every command gives the right verdict, soon, and in
//! little memory.

use std::fs::File;
use std::process::Command;
use std::thread;

use crate::bench::{Bench, Run, program};

/// Runs a command in an address space of 64 MiB for the program and 8 MiB for each core, and with so many
/// seconds of processor time, in which no other work counts. The system kills it behind them.
fn run_within_limits(bench: &Bench, line: &str, seconds: u32) -> Run {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let kib = (64 + 8 * cores) << 10;
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "ulimit -v {kib} && ulimit -t {seconds} && exec \"$0\" {line}"
        ))
        .arg(program())
        // The allocator would reserve address space for each thread, which it does not use.
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

#[cfg(target_os = "linux")]
#[test]
fn a_flood_of_empty_lines_and_a_line_without_end_are_refused_soon_and_in_little_memory() {
    let bench = Bench::ledger();
    let good = bench.read("ledger.jsonl");
    let flood = vec![b'\n'; 60 << 20];
    bench.write("flood.jsonl", &flood);
    bench.write("behind.jsonl", [&good[..], &flood].concat());
    drop(flood);
    // 256 MiB of zeros without a line feed, which take no space on the disk.
    for (name, begin) in [("line.jsonl", &b""[..]), ("line-behind.jsonl", &good)] {
        bench.write(name, begin);
        let file = File::options().write(true).open(bench.path(name)).unwrap();
        file.set_len(256 << 20).unwrap();
    }
    // The verdict on a good ledger fits in as little.
    run_within_limits(&bench, "verify ledger.jsonl", 20).exits(0);
    let end = good.len() as u64;
    for (name, sequence, offset) in [
        ("flood.jsonl", 0, 0),
        ("behind.jsonl", 8, end),
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
