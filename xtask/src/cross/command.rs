//! The command `axilog`, built for this machine and for other platforms.

use std::fs;
use std::path::{Path, PathBuf};

use super::platform::Platform;
use crate::cargo::{build, cargo};
use crate::process::TaskResult;

/// The package of the command.
const PACKAGE: &str = "axilog-harness";

/// The arguments that build the command with every part for this machine: as a part of the tests of
/// the command, so that the build of `cargo test --workspace` is used again.
const HOST_BUILD: &[&str] = &["test", "--workspace", "--test", "cli", "--no-run"];

/// The features of a platform's command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Features {
    /// The memory.
    Memory,
    /// The memory and the live harness.
    MemoryAndX0l,
}

/// Builds the command with every part for this machine, and copies it into `directory`: another build
/// may replace cargo's file at any time.
pub fn build_for_host(directory: &Path) -> TaskResult<PathBuf> {
    let artifacts = build(cargo().args(HOST_BUILD))?;
    let copy = directory.join("axilog");
    fs::copy(artifacts.path("axilog")?, &copy)?;
    Ok(copy)
}

/// Builds the command for a platform.
pub fn build_for(platform: &Platform, features: Features) -> TaskResult<PathBuf> {
    let mut command = platform.cargo("build");
    let list = match features {
        Features::Memory => "memory",
        Features::MemoryAndX0l => "memory,x0l",
    };
    command.args(["-p", PACKAGE, "--bin", "axilog", "--features", list]);
    Ok(build(&mut command)?.path("axilog")?.to_owned())
}
