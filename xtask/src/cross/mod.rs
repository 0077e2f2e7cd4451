//! `cargo xtask cross`: the core's tests and the C suites on processors of other word sizes and byte
//! orders, under qemu-user, and one digest for all of them; the memory's golden session, and sessions
//! of the live harness that are replayed on one of them.

mod golden;
mod platform;
mod session;

use std::fs;
use std::process::Command;

use platform::{PLATFORMS, Platform};

use crate::process::{Done, cargo, output, root, run, say};

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
        golden::printed(platform)?;
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
    session::replayed(platform)
}

impl Platform {
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
