//! Sessions of the live harness that run on this machine and are replayed on another platform. Part of
//! `cargo xtask cross`.
//!
//! Both sessions have five conditions of a hundred cycles each: one is answered by the shipped script, the
//! other over HTTP by a server with every fault that servers have (the harness's test `x0l_run`). The
//! other platform's `axilog` must come to the same verdict, compare the report's bytes, and write the same
//! report after it was removed.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::command::{Features, build_for, build_for_host};
use super::platform::Platform;
use crate::cargo::cargo;
use crate::process::{TaskResult, ensure, print_heading, read_output, run};

/// The arguments that run the test of the session over HTTP; with `AXILOG_KEEP_SESSION` it leaves its
/// session in `whole/run` of the named directory.
const HTTP_SESSION_TEST: &[&str] = &["test", "--workspace", "--test", "x0l_run", "--", "whole::"];

/// The files of a report.
const REPORT: [&str; 4] = ["report.json", "report.md", "decisions.svg", "tokens.svg"];

/// Runs the sessions on this machine and replays them on `platform`.
///
/// # Errors
/// For a build or session that fails, and for a verdict or report that differs.
pub fn check_replay(platform: &Platform) -> TaskResult {
    let triple = platform.triple;
    print_heading(&format!(
        "sessions run on this machine, replayed on {triple}"
    ));
    let directory = tempfile::tempdir()?;
    let directory = directory.path();
    let host_axilog = build_for_host(directory)?;
    let platform_axilog = build_for(platform, Features::MemoryAndX0l)?;
    run(Command::new(&host_axilog)
        .current_dir(directory)
        .args(["x0l", "examples", "examples"]))?;
    run(Command::new(&host_axilog).current_dir(directory).args([
        "x0l",
        "run",
        "--model=scripted",
        "--oracle=scripted:examples/script.jsonl",
        "--context-window=8192",
        "--b2=5000000",
        "--out=run",
    ]))?;
    run(cargo()
        .args(HTTP_SESSION_TEST)
        .env("AXILOG_KEEP_SESSION", directory))?;
    for name in ["run", "whole/run"] {
        let session = directory.join(name);
        compare_replays(&host_axilog, platform, &platform_axilog, &session)?;
        compare_reports(platform, &platform_axilog, &session)?;
    }
    Ok(())
}

/// Replays a session with both programs and compares the verdicts.
fn compare_replays(
    host_axilog: &Path,
    platform: &Platform,
    platform_axilog: &Path,
    session: &Path,
) -> TaskResult {
    let replay = |mut axilog: Command| {
        axilog
            .current_dir(session)
            .args(["x0l", "replay", ".", "--json"]);
        read_output(&mut axilog)
    };
    let expected = replay(Command::new(host_axilog))?;
    let found = replay(platform.command(platform_axilog))?;
    ensure(
        found == expected,
        &format!(
            "x0l replay on {} prints {found}, on this machine {expected}",
            platform.triple
        ),
    )?;
    print!("{found}");
    Ok(())
}

/// Removes a session's report, has the platform write it, and compares the bytes.
fn compare_reports(platform: &Platform, platform_axilog: &Path, session: &Path) -> TaskResult {
    let expected = read_report(session)?;
    for name in REPORT {
        fs::remove_file(session.join(name))?;
    }
    // The exit code is 1 where the session does not end positively; the comparison decides.
    platform
        .command(platform_axilog)
        .current_dir(session)
        .args(["x0l", "report", "."])
        .output()?;
    for (name, (found, expected)) in REPORT
        .iter()
        .zip(read_report(session)?.iter().zip(&expected))
    {
        ensure(
            found == expected,
            &format!(
                "{name}, written on {}, has other bytes than this machine's",
                platform.triple
            ),
        )?;
    }
    Ok(())
}

/// Reads the report's files.
fn read_report(session: &Path) -> TaskResult<Vec<Vec<u8>>> {
    let files = REPORT.map(|name| fs::read(session.join(name)));
    Ok(files.into_iter().collect::<Result<_, _>>()?)
}
