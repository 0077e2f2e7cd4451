//! Sessions of the live harness that are held on this machine and replayed on another.
//!
//! Part of `cargo xtask cross`. Both are of five conditions by a hundred cycles: the one with the shipped
//! script, the other over HTTP with a server that does everything wrong that servers do (the harness's test
//! `x0l_run`). The other machine's `axilog` is the default build, as an auditor has it: it must come to the
//! same verdict, compare the report's bytes, and make the same report where there is none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Done, cargo, output, run, say};

/// A machine that is not this one.
pub(crate) struct Elsewhere<'a> {
    /// Rust's triple.
    pub(crate) triple: &'a str,
    /// The linker for it.
    pub(crate) linker: &'a str,
    /// What runs its programs, and with which arguments.
    pub(crate) runner: &'a str,
}

/// The files of a report.
const REPORT: [&str; 4] = ["report.json", "report.md", "decisions.svg", "tokens.svg"];

/// Holds the sessions here and replays them there.
///
/// # Errors
/// For a build or session that fails, and for a verdict or report that is another.
pub(crate) fn replayed(there: &Elsewhere<'_>) -> Done {
    say(&format!("sessions held here, replayed on {}", there.triple));
    let here = build(&["--features", "oracle"], None)?;
    let foreign = build(&["--target", there.triple], Some(there))?;
    let place = tempfile::tempdir()?;
    let dir = place.path();
    run(axilog(&here, dir).args(["x0l", "examples", "examples"]))?;
    run(axilog(&here, dir).args([
        "x0l",
        "run",
        "--model=scripted",
        "--oracle=scripted:examples/script.jsonl",
        "--context-window=8192",
        "--b2=5000000",
        "--out=run",
    ]))?;
    let mut test = cargo();
    test.args([
        "test",
        "--quiet",
        "-p",
        "axilog-harness",
        "--test",
        "x0l_run",
    ])
    .args(["--", "whole::"])
    .env("AXILOG_KEEP_SESSION", dir);
    run(&mut test)?;
    for name in ["run", "whole/run"] {
        compared(&here, &foreign, there, &dir.join(name))?;
    }
    Ok(())
}

/// Replays the run in `dir` with both programs.
fn compared(here: &Path, foreign: &Path, there: &Elsewhere<'_>, dir: &Path) -> Done {
    let emulated = || {
        let mut words = there.runner.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).arg(foreign).current_dir(dir);
        command
    };
    let ours = output(axilog(here, dir).args(["x0l", "replay", ".", "--json"]))?;
    let theirs = output(emulated().args(["x0l", "replay", ".", "--json"]))?;
    if ours != theirs {
        return Err(format!("here replay says {ours}, there {theirs}").into());
    }
    let made = read(dir)?;
    for name in REPORT {
        fs::remove_file(dir.join(name))?;
    }
    // Exits with 1 where the session does not close positive; what it writes says the rest.
    emulated().args(["x0l", "report", "."]).output()?;
    if read(dir)? != made {
        return Err("the report made there is another".into());
    }
    print!("{theirs}");
    Ok(())
}

/// The report's files.
fn read(dir: &Path) -> Done<Vec<Vec<u8>>> {
    let files = REPORT.map(|name| fs::read(dir.join(name)));
    Ok(files.into_iter().collect::<Result<_, _>>()?)
}

fn axilog(program: &Path, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir);
    command
}

/// Builds `axilog` with these options and says where it is.
fn build(options: &[&str], there: Option<&Elsewhere<'_>>) -> Done<PathBuf> {
    let mut command = cargo();
    command
        .args(["build", "-p", "axilog-harness", "--bin", "axilog"])
        .args(options)
        .arg("--message-format=json-render-diagnostics");
    if let Some(there) = there {
        let triple = there.triple.replace('-', "_").to_uppercase();
        command.env(format!("CARGO_TARGET_{triple}_LINKER"), there.linker);
    }
    let messages = output(&mut command)?;
    let program = messages.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    });
    Ok(program.ok_or("cargo does not say where the program is")?)
}
