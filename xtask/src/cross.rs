//! `cargo xtask cross`: the core's tests and the C suites on processors of other word sizes and byte
//! orders, under qemu-user, and one digest for all of them; the memory's golden session, and sessions
//! of the live harness that are replayed on one of them.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::process::{Done, cargo, need, need_rustup, output, root, run, say};
use crate::session::{Elsewhere, replayed};

/// A Linux that the tests run on.
struct Platform {
    /// Rust's triple.
    triple: &'static str,
    /// What Debian's cross tools for it are called by, and where its libraries are.
    debian: &'static str,
    /// Debian's package with the C++ compiler.
    package: &'static str,
    /// What runs its programs.
    runner: &'static str,
    /// Why it is among them.
    about: &'static str,
    /// Whether the memory's golden session runs here too: SQLite takes a minute to compile.
    has_memory: bool,
}

const PLATFORMS: &[Platform] = &[
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

/// Integration tests that do not run under emulation, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "no_panic",
        "builds for the host and reads the host's symbols",
    ),
    ("readme", "its Python program is the host's"),
    ("requirements", "reads the tree, not the library"),
];

/// Tests of the others that do not: they walk through all of Unicode or all exponents, which takes an
/// emulator minutes each, ask cargo for data, or read the host's machine code.
const SKIPPED: &[&str] = &[
    "cpp_wrappers_cost_nothing",
    "every_character",
    "every_ill_formed_sequence",
    "every_pair_that_may_compose",
    "every_two_marks_on_a_base",
    "only_plain_characters_are_harmless",
    "powers_of_two_and_ten_and_their_neighbours",
    "unicode_conformance_data",
];

/// Cases per property; emulation is slow.
const CASES: &str = "64";

/// Runs the tests on every platform and prints the digests, the host's too.
///
/// # Errors
/// For a missing tool, a failed test, and a digest that is not the host's.
pub fn cross() -> Done {
    for platform in PLATFORMS {
        platform.tools()?;
    }
    let mut digests = vec![("the host".to_owned(), digest(None)?)];
    for platform in PLATFORMS {
        say(&format!("{} ({})", platform.triple, platform.about));
        platform.tests()?;
        digests.push((platform.triple.to_owned(), digest(Some(platform))?));
    }
    for platform in PLATFORMS.iter().filter(|platform| platform.has_memory) {
        say(&format!(
            "the memory's golden session on {}",
            platform.triple
        ));
        platform.memory()?;
    }
    for (test, why) in LEFT_OUT {
        println!("not under emulation: {test} ({why})");
    }
    println!(
        "nor, since they take an emulator minutes, ask cargo or read the host's code: {}",
        SKIPPED.join(", ")
    );
    session()?;
    say("digest over all vectors");
    for (name, digest) in &digests {
        println!("{name:30} {digest}");
    }
    let [(_, first), others @ ..] = digests.as_slice() else {
        return Ok(());
    };
    match others.iter().find(|(_, digest)| digest != first) {
        Some((name, _)) => Err(format!("{name} has another digest than the host").into()),
        None => Ok(()),
    }
}

/// Holds sessions of the live harness here and replays them where every byte is the other way round.
///
/// # Errors
/// For a missing tool, a failed build or session, and a difference.
pub fn session() -> Done {
    let big_endian = PLATFORMS.iter().find(|p| p.triple.starts_with("s390x"));
    let platform = big_endian.ok_or("no big-endian platform")?;
    platform.tools()?;
    replayed(&Elsewhere {
        triple: platform.triple,
        linker: &format!("{}-gcc", platform.debian),
        runner: platform.runner,
    })
}

impl Platform {
    fn tools(&self) -> Done {
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

    /// Runs harness/tests/memory/golden/session.tsv with an `axilog` for this platform and compares what
    /// it prints with the golden bytes.
    fn memory(&self) -> Done {
        let mut build = self.cargo("build");
        build.args([
            "-p",
            "axilog-harness",
            "--no-default-features",
            "--features",
            "memory",
        ]);
        run(&mut build)?;
        let target = env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
        let program = root().join(target).join(self.triple).join("debug/axilog");
        let golden = root().join("harness/tests/memory/golden");
        let place = tempfile::tempdir()?;
        fs::copy(golden.join("facts.jsonl"), place.path().join("facts.jsonl"))?;
        let mut printed = String::new();
        let session = fs::read_to_string(golden.join("session.tsv"))?;
        for line in session.lines().filter(|line| !line.starts_with('#')) {
            let mut words = self.runner.split(' ');
            let output = Command::new(words.next().unwrap_or_default())
                .args(words)
                .arg(&program)
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
        let differs = printed
            .lines()
            .zip(expected.lines())
            .position(|(a, b)| a != b);
        match differs {
            None if printed == expected => {
                println!("{} bytes, as golden", printed.len());
                Ok(())
            }
            line => Err(format!(
                "{}: what the session prints is not golden, from line {} on",
                self.triple,
                line.map_or(printed.lines().count(), |line| line) + 1
            )
            .into()),
        }
    }

    /// A cargo that builds for this platform.
    fn cargo(&self, action: &str) -> Command {
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

    /// A cargo that tests for this platform: what it compiles runs in the emulator, and so do the C
    /// programs that the suites compile.
    fn cargo_test(&self) -> Command {
        let mut command = self.cargo("test");
        command
            .args(["-p", "axilog"])
            .env("AXILOG_TARGET", self.triple)
            .env("AXILOG_RUNNER", self.runner)
            .env("PROPTEST_CASES", CASES);
        command
    }

    fn tests(&self) -> Done {
        let mut command = self.cargo_test();
        command.arg("--lib");
        for name in integration_tests()? {
            if !LEFT_OUT.iter().any(|(left_out, _)| *left_out == name) {
                command.args(["--test", &name]);
            }
        }
        command.arg("--");
        for name in SKIPPED {
            command.args(["--skip", name]);
        }
        run(&mut command)
    }
}

/// The files of `tests/`, without `.rs`.
fn integration_tests() -> Done<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("tests"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(
                path.file_stem()
                    .and_then(|stem| stem.to_str())
                    .map(String::from),
            );
        }
    }
    names.sort();
    Ok(names)
}

/// What c-tests/digest.c prints on a platform, or on the host.
fn digest(platform: Option<&Platform>) -> Done<String> {
    let mut command = match platform {
        Some(platform) => platform.cargo_test(),
        None => {
            let mut command = cargo();
            command.args(["test", "--quiet", "-p", "axilog"]);
            command
        }
    };
    command.args([
        "--test",
        "c_suites",
        "--",
        "--exact",
        "digest",
        "--nocapture",
    ]);
    let printed = output(&mut command)?;
    let is_digest = |line: &&str| line.len() == 64 && line.bytes().all(|b| b.is_ascii_hexdigit());
    let digest = printed.lines().find(is_digest);
    Ok(digest.ok_or("the digest was not printed")?.to_owned())
}
