//! The memory's golden session on another platform. Part of `cargo xtask cross`.

use std::fs;

use super::command::{Features, build_for};
use super::platform::Platform;
use crate::process::{TaskResult, print_heading, workspace_root};

/// The directory of the golden session, in the tests of the memory.
const GOLDEN: &str = "harness/tests/cli/memory/golden";

/// Runs the session's commands on a platform and compares what they print with the golden bytes.
///
/// # Errors
/// Where the command does not build or reports an error; where a line differs, the first such line.
pub fn check_memory_session(platform: &Platform, features: Features) -> TaskResult {
    print_heading(&format!(
        "the memory's golden session on {}",
        platform.triple
    ));
    let program = build_for(platform, features)?;
    let golden = workspace_root().join(GOLDEN);
    let directory = tempfile::tempdir()?;
    fs::copy(
        golden.join("facts.jsonl"),
        directory.path().join("facts.jsonl"),
    )?;
    let mut printed = String::new();
    let session = fs::read_to_string(golden.join("session.tsv"))?;
    for line in session.lines().filter(|line| !line.starts_with('#')) {
        let output = platform
            .command(&program)
            .arg("memory")
            .args(line.split('\t'))
            .current_dir(directory.path())
            .output()?;
        printed.push_str(std::str::from_utf8(&output.stdout)?);
        if !output.stderr.is_empty() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(format!("axilog memory {line} on {}: {text}", platform.triple).into());
        }
    }
    compare(&printed, &fs::read_to_string(golden.join("printed.txt"))?)
        .map_err(|difference| format!("{GOLDEN} on {}: {difference}", platform.triple))?;
    println!("{} bytes, equal to the golden ones", printed.len());
    Ok(())
}

/// Compares two texts; the error names the first line that differs.
fn compare(found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let lines = found.split('\n').zip(expected.split('\n'));
    let equal = lines
        .take_while(|(found, expected)| found == expected)
        .count();
    Err(format!(
        "line {} is \"{}\", expected \"{}\"",
        equal + 1,
        found.split('\n').nth(equal).unwrap_or_default(),
        expected.split('\n').nth(equal).unwrap_or_default()
    ))
}
