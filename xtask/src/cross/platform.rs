//! The Linux platforms other than this machine's: their tools, how cargo builds for them, and how their
//! programs run.

use std::path::Path;
use std::process::Command;

use super::command::Features;
use crate::cargo::cargo;
use crate::process::{TaskResult, ensure, require_program, require_rustup};

/// A Linux platform on which tests run.
pub struct Platform {
    /// Rust's triple.
    pub triple: &'static str,
    /// The prefix of Debian's cross tools and the name of the directory with their libraries.
    debian_triple: &'static str,
    /// The command that runs the platform's programs.
    pub runner: &'static str,
    /// What the platform has that others have not.
    pub purpose: &'static str,
    /// The tests that run on the platform.
    pub coverage: Coverage,
    /// The features of the command on the platform, or `None` where the command is not built: compiling
    /// SQLite takes a minute.
    pub command: Option<Features>,
}

/// The tests that run on a platform.
#[derive(Clone, Copy)]
pub enum Coverage {
    /// All tests of the core.
    All,
    /// The tests that cross the boundary to C, and the golden vectors.
    CInterface,
}

/// The platforms. Every test of the core runs on the big-endian one and on one with 32 bits: on i686,
/// whose programs need no emulator.
pub const PLATFORMS: &[Platform] = &[
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        debian_triple: "aarch64-linux-gnu",
        runner: "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        purpose: "64 bits, plain char unsigned",
        coverage: Coverage::CInterface,
        command: None,
    },
    Platform {
        triple: "armv7-unknown-linux-gnueabihf",
        debian_triple: "arm-linux-gnueabihf",
        runner: "qemu-arm -L /usr/arm-linux-gnueabihf",
        purpose: "32 bits, plain char unsigned",
        coverage: Coverage::CInterface,
        command: Some(Features::Memory),
    },
    Platform {
        triple: "s390x-unknown-linux-gnu",
        debian_triple: "s390x-linux-gnu",
        runner: "qemu-s390x -L /usr/s390x-linux-gnu",
        purpose: "64 bits, big-endian",
        coverage: Coverage::All,
        command: Some(Features::MemoryAndX0l),
    },
    Platform {
        triple: "i686-unknown-linux-gnu",
        debian_triple: "i686-linux-gnu",
        // qemu-i386 7.2 does not end the tests that compare with num-bigint; the processor of an x86-64
        // machine runs these programs itself.
        runner: "/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib",
        purpose: "32 bits, u64 aligned to 4 bytes",
        coverage: Coverage::All,
        command: None,
    },
];

impl Platform {
    /// Fails unless the tools that build for the platform and run its programs are installed.
    ///
    /// # Errors
    /// The missing tool, and the command that installs it.
    pub fn require_tools(&self) -> TaskResult {
        require_rustup("target", "stable", self.triple)?;
        let debian = self.debian_triple;
        let install = format!("apt-get install g++-{debian}");
        require_program(&format!("{debian}-gcc"), &install)?;
        require_program(&format!("{debian}-g++"), &install)?;
        match self.runner.split(' ').next() {
            Some(loader) if loader.starts_with('/') => ensure(
                cfg!(target_arch = "x86_64"),
                &format!("programs for {} run on an x86-64 machine only", self.triple),
            ),
            Some(emulator) => require_program(emulator, "apt-get install qemu-user"),
            None => Ok(()),
        }
    }

    /// A cargo that builds for the platform.
    pub fn cargo(&self, action: &str) -> Command {
        let variable = self.triple.replace('-', "_").to_uppercase();
        let linker = format!("{}-gcc", self.debian_triple);
        let mut command = cargo();
        command
            .args([action, "--target", self.triple])
            .env(format!("CARGO_TARGET_{variable}_LINKER"), linker)
            .env(format!("CARGO_TARGET_{variable}_RUNNER"), self.runner);
        command
    }

    /// A command that runs a program of the platform.
    pub fn command(&self, program: &Path) -> Command {
        let mut words = self.runner.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).arg(program);
        command
    }
}
