//! The golden session: commands of the memory, and the bytes that they print.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bench::program;

/// Runs golden/session.tsv and gives what it prints.
fn session(directory: &Path) -> String {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/memory/golden");
    let lines = fs::read_to_string(golden.join("session.tsv")).unwrap();
    fs::copy(golden.join("facts.jsonl"), directory.join("facts.jsonl")).unwrap();
    let mut printed = String::new();
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        let output = Command::new(program())
            .arg("memory")
            .args(line.split('\t'))
            .current_dir(directory)
            .output()
            .unwrap();
        assert!(
            output.stderr.is_empty(),
            "{line}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        printed.push_str(&String::from_utf8(output.stdout).unwrap());
    }
    printed
}

/// The bytes that were made once. `cargo xtask cross` compares them on other processors.
#[test]
fn the_golden_session_prints_the_golden_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let printed = session(directory.path());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/memory/golden/printed.txt");
    if std::env::var_os("AXILOG_WRITE_GOLDEN").is_some() {
        fs::write(&golden, &printed).unwrap();
    }
    assert_eq!(printed, fs::read_to_string(golden).unwrap());
}
