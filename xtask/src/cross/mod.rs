//! `cargo xtask cross [PART]`: the tests on processors of other word sizes and byte orders, under
//! qemu-user: the core's tests and the C suites with one digest for all platforms, the memory's golden
//! session, and sessions of the live harness that one of the platforms replays.

mod command;
mod memory_session;
mod platform;
mod suites;
mod x0l_sessions;

use clap::ValueEnum;
use command::Features;
use platform::{PLATFORMS, Platform};

use crate::process::{TaskResult, ensure, print_heading};

/// A part of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The core's tests and the C suites on every platform
    Suites,
    /// The memory's golden session on armv7 and s390x
    Memory,
    /// Sessions of the live harness, run on this machine and replayed on s390x
    Session,
}

/// Runs `part`, or every part where none is named.
///
/// # Errors
/// For a missing tool, a failed test, and a result that differs from this machine's.
pub fn check_platforms(part: Option<Part>) -> TaskResult {
    for platform in PLATFORMS {
        platform.require_tools()?;
    }
    let is_chosen = |candidate: Part| part.is_none_or(|part| part == candidate);
    if is_chosen(Part::Suites) {
        check_suites()?;
    }
    if is_chosen(Part::Memory) {
        for platform in PLATFORMS {
            if let Some(features) = platform.command {
                memory_session::check_memory_session(platform, features)?;
            }
        }
    }
    if is_chosen(Part::Session) {
        let has_x0l = |platform: &&Platform| platform.command == Some(Features::MemoryAndX0l);
        for platform in PLATFORMS.iter().filter(has_x0l) {
            x0l_sessions::check_replay(platform)?;
        }
    }
    Ok(())
}

/// Runs the suites on every platform and compares the digests.
fn check_suites() -> TaskResult {
    let host_digest = suites::read_digest(None)?;
    let mut digests = vec![("this machine", host_digest.clone())];
    for platform in PLATFORMS {
        print_heading(&format!("{} ({})", platform.triple, platform.purpose));
        suites::run_suites(platform)?;
        digests.push((platform.triple, suites::read_digest(Some(platform))?));
    }
    suites::print_skipped();
    print_heading("digest over all vectors");
    for (name, digest) in &digests {
        println!("{name:30} {digest}");
    }
    let different = digests.iter().find(|(_, digest)| *digest != host_digest);
    ensure(
        different.is_none(),
        &format!(
            "{} has another digest than this machine",
            different.map_or("", |(name, _)| name)
        ),
    )
}
