//! Files that options name: pipes and devices do not hold a command up, and none is read without end.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, Run};

/// Runs a command that must end by itself; fails after five minutes.
pub fn run_to_end(bench: &Bench, line: &str) -> Run {
    let mut child = bench
        .command()
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(300) {
            child.kill().unwrap();
            panic!("{line} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The commands that read a file which is not the ledger they write, with FILE in its place.
const READERS: [&str; 31] = [
    "verify FILE",
    "replay FILE",
    "head FILE",
    "show FILE",
    "stats FILE",
    "lint FILE",
    "export FILE --format csv",
    "export FILE --format csv --unverified",
    "report FILE",
    "replay ledger.jsonl --policies FILE",
    "report ledger.jsonl --policies FILE",
    "init new.jsonl --policies FILE",
    "time --ledger ledger.jsonl --policies FILE",
    "observe --ledger ledger.jsonl --oracle-id o --model-id m --input FILE",
    "policy check FILE",
    "policy fmt FILE",
    "policy compile FILE --emit c",
    "x0l calibrate --model m --oracle scripted:FILE --ledger new.jsonl",
    "x0l calibrate --model m --oracle recorded:FILE --ledger new.jsonl",
    "x0l preflight --model m --context-window 8000 --out out --constitution FILE",
    "x0l preflight --model m --context-window 8000 --out out --tasks A=FILE",
    "x0l preflight --model m --context-window 8000 --out out --erratum FILE --corrects run",
    "x0l preflight --model m --context-window 8000 --out out --template FILE",
    "ablation run --model m --seeds 1 --out out --calibration FILE",
    "bundle check FILE",
    "bundle render --step 1 --results FILE",
    "bundle render --step 1 --results ok.json --manifest FILE",
    "bundle render --step 1 --results ok.json --state FILE",
    "memory gate memory.db G7 --patterns FILE --source .",
    "memory fact memory.db FILE",
    "memory working-set memory.db --viewer narrator --narration FILE",
];

#[test]
fn pipes_without_a_writer_and_devices_are_refused_at_once() {
    let bench = Bench::ledger();
    let made = Command::new("mkfifo").arg(bench.path("pipe")).status();
    assert!(made.unwrap().success());
    bench.write("ok.json", "{}");
    let line = "memory init memory.db --world w --campaign c --session s";
    bench.run(line).exits(0);
    let before = bench.read("ledger.jsonl");
    for file in ["pipe", "/dev/zero", "."] {
        for line in READERS {
            let line = line.replace("FILE", file);
            let run = run_to_end(&bench, &line);
            let told = &run.stderr;
            assert_eq!(run.code, 3, "{line}: {told}");
            assert!(
                told.starts_with(&format!("axilog: {file}: ")),
                "{line}: {told}"
            );
            assert!(told.contains("regular file"), "{line}: {told}");
        }
    }
    assert_eq!(bench.read("ledger.jsonl"), before);
    assert!(!bench.exists("new.jsonl"));
    run_to_end(&bench, "verify pipe")
        .exits(3)
        .says("pipe: cannot open the ledger: it is a named pipe");
}

#[test]
fn files_are_read_to_their_bound_and_no_further() {
    let bench = Bench::ledger();
    let sparse = |name: &str, length: u64| {
        let file = std::fs::File::create(bench.path(name)).unwrap();
        file.set_len(length).unwrap();
    };
    sparse("mib", (1 << 20) + 1);
    sparse("large", (64 << 20) + 1);
    for (line, limit) in [
        ("policy check mib", 1 << 20),
        ("replay ledger.jsonl --policies mib", 1 << 20),
        ("init new.jsonl --policies mib", 1 << 20),
        ("lint large", 64 << 20),
        (
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --input large",
            64 << 20,
        ),
        (
            "x0l calibrate --model m --oracle scripted:large --ledger new.jsonl",
            64 << 20,
        ),
    ] {
        let told = format!("is longer than {limit} bytes");
        bench.run(line).exits(3).says(&told);
    }
    assert!(!bench.exists("new.jsonl"));
}

#[cfg(unix)]
#[test]
fn standard_input_and_pipes_of_the_shell_are_read() {
    let bench = Bench::ledger();
    let ledger = bench.read("ledger.jsonl");
    bench.run_with("verify /dev/stdin", &ledger).exits(0);
    let policies = r#"[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":1}]"#;
    let line = "policy check /dev/stdin";
    bench.run_with(line, policies.as_bytes()).exits(0);
}
