//! The memory's golden session (harness/tests/memory/golden) on another machine.

use std::fs;

use super::platform::{Platform, axilog};
use crate::process::{Done, root};

/// Runs the session's commands there and compares what they print with the golden bytes.
///
/// # Errors
/// That the command does not build, a command that complains, and the first line that is another.
pub fn printed(there: &Platform) -> Done {
    let options = ["--no-default-features", "--features", "memory"];
    let program = axilog(there.cargo("build"), &options)?;
    let golden = root().join("harness/tests/memory/golden");
    let place = tempfile::tempdir()?;
    fs::copy(golden.join("facts.jsonl"), place.path().join("facts.jsonl"))?;
    let mut printed = String::new();
    let session = fs::read_to_string(golden.join("session.tsv"))?;
    for line in session.lines().filter(|line| !line.starts_with('#')) {
        let output = there
            .command(&program)
            .arg("memory")
            .args(line.split('\t'))
            .current_dir(place.path())
            .output()?;
        printed.push_str(std::str::from_utf8(&output.stdout)?);
        if !output.stderr.is_empty() {
            return Err(format!("{line}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    let expected = fs::read_to_string(golden.join("printed.txt"))?;
    if printed == expected {
        println!("{} bytes, as golden", printed.len());
        return Ok(());
    }
    let equal = printed
        .split('\n')
        .zip(expected.split('\n'))
        .take_while(|(found, golden)| found == golden)
        .count();
    Err(format!(
        "{}: what the session prints is not golden from line {} on: \"{}\", expected \"{}\"",
        there.triple,
        equal + 1,
        printed.split('\n').nth(equal).unwrap_or_default(),
        expected.split('\n').nth(equal).unwrap_or_default()
    )
    .into())
}
