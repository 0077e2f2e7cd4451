//! Sessions of the live harness that are held on this machine and replayed on another.
//!
//! Part of `cargo xtask cross`. Both are of five conditions by a hundred cycles: the one with the shipped
//! script, the other over HTTP with a server that does everything wrong that servers do (the harness's test
//! `x0l_run`). The other machine's `axilog` is the default build, as an auditor has it: it must come to the
//! same verdict, compare the report's bytes, and make the same report where there is none.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::platform::{Platform, axilog};
use crate::process::{Done, cargo, output, run, say};

/// The files of a report.
const REPORT: [&str; 4] = ["report.json", "report.md", "decisions.svg", "tokens.svg"];

/// Holds the sessions here and replays them there.
///
/// # Errors
/// For a build or session that fails, and for a verdict or report that is another.
pub fn replayed(there: &Platform) -> Done {
    say(&format!("sessions held here, replayed on {}", there.triple));
    let mut build = cargo();
    build.args(["build", "--quiet"]);
    let here = axilog(build, &["--features", "oracle"])?;
    let foreign = axilog(there.cargo("build"), &[])?;
    let place = tempfile::tempdir()?;
    let dir = place.path();
    run(Command::new(&here)
        .current_dir(dir)
        .args(["x0l", "examples", "examples"]))?;
    run(Command::new(&here).current_dir(dir).args([
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
fn compared(here: &Path, foreign: &Path, there: &Platform, dir: &Path) -> Done {
    let replay = |mut axilog: Command| {
        output(
            axilog
                .current_dir(dir)
                .args(["x0l", "replay", ".", "--json"]),
        )
    };
    let ours = replay(Command::new(here))?;
    let theirs = replay(there.command(foreign))?;
    if ours != theirs {
        return Err(format!("here replay says {ours}, there {theirs}").into());
    }
    let made = read(dir)?;
    for name in REPORT {
        fs::remove_file(dir.join(name))?;
    }
    // Exits with 1 where the session does not close positive; what it writes says the rest.
    there
        .command(foreign)
        .current_dir(dir)
        .args(["x0l", "report", "."])
        .output()?;
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
