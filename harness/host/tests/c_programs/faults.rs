//! A disk that fails, and a process that ends, at every call by which a program's library changes files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use axilog::ledger_line;
use axilog_ledger::encoding::hex;

use crate::build::{Linkage, Place, Program, run};
use crate::ledger::check_ledger;

/// What happens at a call; failing_disk.c says it in words.
const KINDS: [&str; 3] = ["once", "always", "kill"];

/// Compiles failing_disk.c.
fn build_failing_disk(place: &Place) -> PathBuf {
    let library = place.path("failing_disk.so");
    let mut command = Command::new("cc");
    command
        .args([
            "-std=gnu11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-shared",
            "-fPIC",
            "-o",
        ])
        .arg(&library)
        .arg("tests/c_programs/failing_disk.c");
    run(command);
    library
}

struct Session {
    program: Program,
    failing_disk: PathBuf,
    durability: &'static str,
}

/// How a run of the program ended.
struct Ended {
    /// The number of records and the head after each step that was acknowledged.
    acknowledged: Vec<(usize, String)>,
    error: Option<String>,
    code: Option<i32>,
    /// How many calls changed files.
    calls: usize,
    /// How many of them were made to fail.
    failed: usize,
}

impl Session {
    fn run(&self, ledger: &Path, at: usize, kind: &str) -> Ended {
        let mut command = self.program.command();
        command.args([ledger.to_str().unwrap(), self.durability]);
        command.env("LD_PRELOAD", &self.failing_disk);
        command
            .env("FAULT_AT", at.to_string())
            .env("FAULT_KIND", kind);
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().unwrap();
        let (stdout, stderr) = (
            String::from_utf8(stdout).unwrap(),
            String::from_utf8(stderr).unwrap(),
        );
        assert!(
            matches!(status.code(), Some(0 | 3 | 9)),
            "{at} {kind}: {status}: {stdout}{stderr}"
        );
        let mut ended = Ended {
            acknowledged: Vec::new(),
            error: None,
            code: status.code(),
            calls: 0,
            failed: 0,
        };
        for line in stdout.lines() {
            match line.strip_prefix("error ") {
                Some(error) => ended.error = Some(error.to_owned()),
                None => {
                    let (entries, head) = line.split_once(' ').unwrap();
                    ended
                        .acknowledged
                        .push((entries.parse().unwrap(), head.to_owned()));
                }
            }
        }
        if let Some((calls, failed)) = stderr.split_once(" calls change files, ") {
            let failed = failed.strip_suffix(" failed\n").unwrap();
            (ended.calls, ended.failed) = (calls.parse().unwrap(), failed.parse().unwrap());
        }
        ended
    }
}

/// Chain value of each record of a ledger, in hexadecimal.
fn read_heads(ledger: &Path) -> Vec<String> {
    let bytes = fs::read(ledger).unwrap();
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| hex(&ledger_line::parse(line).unwrap().chain))
        .collect()
}

fn test_faults(linkage: Linkage, durability: &'static str, stride: usize) -> usize {
    let place = Place::new();
    let session = Session {
        program: place.build(Path::new("tests/c_programs/steps.c"), linkage),
        failing_disk: build_failing_disk(&place),
        durability,
    };
    let data = tempfile::tempdir().unwrap();
    let whole = data.path().join("whole.jsonl");
    let ended = session.run(&whole, 0, "");
    assert_eq!((ended.code, ended.acknowledged.len()), (Some(0), 11));
    let (calls, expected) = (ended.calls, fs::read(&whole).unwrap());
    assert!(calls > 50, "{calls}");
    check_ledger(&whole);
    let mut injected = 0;
    for kind in KINDS {
        for at in (1..=calls).step_by(stride) {
            let ledger = data.path().join(format!("{kind}-{at}.jsonl"));
            let first = session.run(&ledger, at, kind);
            assert!(kind == "kill" || first.failed > 0, "{kind} {at}");
            match kind {
                "kill" => assert_eq!(first.code, Some(9)),
                // The rest of a half write was written; or only the lock, of a closed ledger, was left behind.
                _ if first.code == Some(0) => {
                    assert_eq!(fs::read(&ledger).unwrap(), expected, "{kind} {at}")
                }
                _ => assert!(first.error.is_some()),
            }
            let second = session.run(&ledger, 0, "");
            assert_eq!(second.code, Some(0), "{kind} {at}: {:?}", second.error);
            assert!(
                fs::read(&ledger).unwrap() == expected,
                "{kind} {at}: another ledger"
            );
            let heads = read_heads(&ledger);
            for (entries, head) in first.acknowledged.iter().chain(&second.acknowledged) {
                assert_eq!(heads[entries - 1], *head, "{kind} {at}");
            }
            check_ledger(&ledger);
            injected += 1;
        }
    }
    injected
}

#[test]
fn no_fault_loses_what_a_program_was_told_is_recorded() {
    let wide = std::env::var_os("AXILOG_WIDE").is_some();
    let cases: &[_] = match wide {
        false => &[(Linkage::Shared, "0", 7), (Linkage::Shared, "1", 7)],
        true => &[
            (Linkage::Static, "0", 1),
            (Linkage::Shared, "0", 1),
            (Linkage::Shared, "1", 1),
            (Linkage::Shared, "2", 1),
        ],
    };
    for (linkage, durability, stride) in cases {
        let injected = test_faults(*linkage, durability, *stride);
        println!("{injected} faults, {linkage:?}, durability {durability}");
    }
}
