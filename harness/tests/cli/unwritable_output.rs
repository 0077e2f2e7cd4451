//! Output that cannot be written: where something was recorded that is a remark, and the exit code is the
//! decision's.

use std::fs::File;
use std::io::Write;
use std::process::{Output, Stdio};

use crate::bench::{Bench, lines};

/// Runs a command with `stdin`, and a standard output that takes nothing.
fn run_into(bench: &Bench, line: &str, stdin: &[u8], stdout: Stdio) -> Output {
    let mut child = bench
        .command()
        .args(line.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// A disk without space, and a pipe that nobody reads.
fn unwritable() -> [(Stdio, &'static str); 2] {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    [
        (full.into(), "No space left on device"),
        (writer.into(), "Broken pipe"),
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn the_exit_code_of_a_command_that_records_is_the_decisions() {
    for json in ["", " --json"] {
        for index in 0..2 {
            let bench = Bench::ledger();
            let observe = "observe --ledger ledger.jsonl --oracle-id o --model-id m";
            let cases: [(&str, &[u8], i32, usize); 9] = [
                ("init new.jsonl", b"", 0, 0),
                (observe, b"{\"value\":1}", 0, 6),
                ("control fault --ledger ledger.jsonl", b"", 0, 2),
                (observe, b"{\"value\":100}", 1, 6),
                ("time 2000 --ledger ledger.jsonl", b"", 0, 3),
                ("control mitigate --ledger ledger.jsonl", b"", 0, 2),
                ("demo --ledger demo.jsonl", b"", 0, 0),
                ("seal ledger.jsonl", b"", 0, 1),
                // Refused: nothing is recorded, and the exit code is the refusal's.
                ("time --ledger ledger.jsonl", b"", 1, 0),
            ];
            for (line, stdin, code, records) in cases {
                let before = lines(&bench.read("ledger.jsonl")).len();
                let (stdout, why) = unwritable().into_iter().nth(index).unwrap();
                let output = run_into(&bench, &format!("{line}{json}"), stdin, stdout);
                let told = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(code), "{line}: {told}");
                let after = lines(&bench.read("ledger.jsonl")).len();
                if records > 0 {
                    assert!(after > before, "{line}: {before} to {after}");
                }
                // A refusal has nothing for standard output unless it is an object.
                if code != 1 || records > 0 || !json.is_empty() {
                    assert!(
                        told.contains("cannot write to standard output"),
                        "{line}: {told}"
                    );
                    assert!(
                        told.contains(why) && told.contains("stays done"),
                        "{line}: {told}"
                    );
                }
            }
            bench.run("replay ledger.jsonl").exits(0);
            assert!(bench.exists("new.jsonl") && bench.exists("demo.jsonl"));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_is_all_there_is_must_be_written() {
    let bench = Bench::ledger();
    for line in [
        "verify ledger.jsonl",
        "replay ledger.jsonl --json",
        "head ledger.jsonl",
        "show ledger.jsonl",
        "stats ledger.jsonl",
        "export ledger.jsonl --format csv",
        "report ledger.jsonl",
    ] {
        let [(full, why), (pipe, _)] = unwritable();
        let output = run_into(&bench, line, b"", full);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{line}: {told}");
        assert!(told.contains(why), "{line}: {told}");
        // A reader that leaves has what it wanted.
        let output = run_into(&bench, line, b"", pipe);
        assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
    }
}
