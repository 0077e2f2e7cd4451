//! The Linux systems that are not the host's, and how something is built for them and run on them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Done, cargo, need, need_rustup, output};

/// A Linux that the tests run on.
pub struct Platform {
    /// Rust's triple.
    pub triple: &'static str,
    /// What Debian's cross tools for it are called by, and where its libraries are.
    debian: &'static str,
    /// Debian's package with the C++ compiler.
    package: &'static str,
    /// What runs its programs.
    pub runner: &'static str,
    /// Why it is among them.
    pub about: &'static str,
    /// Whether the memory's golden session runs here too: SQLite takes a minute to compile.
    pub has_memory: bool,
}

pub const PLATFORMS: &[Platform] = &[
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        debian: "aarch64-linux-gnu",
        package: "g++-aarch64-linux-gnu",
        runner: "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        about: "64 bits, plain char unsigned",
        has_memory: false,
    },
    Platform {
        triple: "armv7-unknown-linux-gnueabihf",
        debian: "arm-linux-gnueabihf",
        package: "g++-arm-linux-gnueabihf",
        runner: "qemu-arm -L /usr/arm-linux-gnueabihf",
        about: "32 bits",
        has_memory: true,
    },
    Platform {
        triple: "s390x-unknown-linux-gnu",
        debian: "s390x-linux-gnu",
        package: "g++-s390x-linux-gnu",
        runner: "qemu-s390x -L /usr/s390x-linux-gnu",
        about: "64 bits, big-endian",
        has_memory: true,
    },
    Platform {
        triple: "i686-unknown-linux-gnu",
        debian: "i686-linux-gnu",
        package: "g++-i686-linux-gnu",
        // qemu-i386 7.2 does not end the tests that compare with num-bigint; the host's processor
        // runs these programs itself.
        runner: "/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib",
        about: "32 bits, u64 aligned to 4 bytes",
        has_memory: false,
    },
];

impl Platform {
    /// Whether what builds for it and runs its programs is there.
    ///
    /// # Errors
    /// What is missing, and the command that installs it.
    pub fn tools(&self) -> Done {
        need_rustup("target", "stable", self.triple)?;
        let install = format!("apt-get install {}", self.package);
        need(&format!("{}-gcc", self.debian), &install)?;
        need(&format!("{}-g++", self.debian), &install)?;
        match self.runner.split(' ').next() {
            Some(loader) if loader.starts_with('/') => match cfg!(target_arch = "x86_64") {
                true => Ok(()),
                false => Err(format!("{} runs on x86-64 only", self.triple).into()),
            },
            Some(emulator) => need(emulator, "apt-get install qemu-user"),
            None => Ok(()),
        }
    }

    /// A cargo that builds for this platform.
    pub fn cargo(&self, action: &str) -> Command {
        let triple = self.triple.replace('-', "_").to_uppercase();
        let mut command = cargo();
        command
            .args([action, "--quiet", "--target", self.triple])
            .env(
                format!("CARGO_TARGET_{triple}_LINKER"),
                format!("{}-gcc", self.debian),
            )
            .env(format!("CARGO_TARGET_{triple}_RUNNER"), self.runner);
        command
    }

    /// The program, as this platform runs it.
    pub fn command(&self, program: &Path) -> Command {
        let mut words = self.runner.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).arg(program);
        command
    }
}

/// Builds the command with these options of cargo's and says where it is.
///
/// # Errors
/// That it does not build.
pub fn axilog(mut build: Command, options: &[&str]) -> Done<PathBuf> {
    build
        .args(["-p", "axilog-harness", "--bin", "axilog"])
        .args(options)
        .arg("--message-format=json-render-diagnostics");
    let messages = output(&mut build)?;
    let program = messages.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    });
    Ok(program.ok_or("cargo does not say where the program is")?)
}
