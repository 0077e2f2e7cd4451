//! The core's tests and the C suites: which ones run on which platform, and why.

use std::fs;
use std::process::Command;

use super::platform::{Coverage, Platform};
use crate::cargo::cargo;
use crate::process::{TaskResult, read_output, run, workspace_root};

/// Integration tests that run on every platform: they cross the boundary to C, whose calling
/// convention, layouts and `char` are each platform's own, or compute every golden vector.
const ON_EVERY_PLATFORM: &[&str] = &[
    "c_suites",
    "ffi_agent_memory",
    "ffi_memory",
    "no_heap_ffi",
    "vectors",
];

/// Integration tests that run on this machine only, and the reason.
const ON_HOST_ONLY: &[(&str, &str)] = &[
    (
        "no_panic",
        "it builds for this machine and reads this machine's symbols",
    ),
    (
        "power_failure",
        "it runs programs of the pages hundreds of times, which takes an emulator minutes",
    ),
    ("readme", "its Python program runs on this machine"),
    ("requirements", "it reads the source tree, not the library"),
];

/// Single tests that run on this machine only: they try all of Unicode or every exponent, which takes an
/// emulator minutes, ask cargo for data, or read this machine's code.
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

/// Cases for each property: fewer than the 256 of a run on this machine, since emulation is slow.
const CASES: &str = "64";

/// Runs the tests that concern a platform.
///
/// Tests that are in neither list above concern Rust without `unsafe` that computes bytes. The size of a
/// word or the order of its bytes can change the results of such code; another processor with the same
/// words cannot. Those tests run on one platform of each kind, which has [`Coverage::All`].
pub fn run_suites(platform: &Platform) -> TaskResult {
    let mut command = test_command(platform);
    match platform.coverage {
        Coverage::CInterface => {
            command.args(ON_EVERY_PLATFORM.iter().flat_map(|name| ["--test", name]));
        }
        Coverage::All => {
            command.arg("--lib");
            for name in list_integration_tests()? {
                if !ON_HOST_ONLY.iter().any(|(host_only, _)| *host_only == name) {
                    command.args(["--test", &name]);
                }
            }
        }
    }
    command.arg("--");
    for name in SKIPPED {
        command.args(["--skip", name]);
    }
    run(&mut command)
}

/// A cargo that tests the core for a platform. The emulator runs the tests that cargo compiles, and the
/// C programs that the suites compile.
fn test_command(platform: &Platform) -> Command {
    let mut command = platform.cargo("test");
    command
        .args(["-p", "axilog"])
        .env("AXILOG_TARGET", platform.triple)
        .env("AXILOG_RUNNER", platform.runner)
        .env("PROPTEST_CASES", CASES);
    command
}

/// Lists the files of `tests/`, without `.rs`.
fn list_integration_tests() -> TaskResult<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(workspace_root().join("tests"))? {
        let name = entry?.file_name();
        names.extend(
            name.to_str()
                .and_then(|name| name.strip_suffix(".rs"))
                .map(String::from),
        );
    }
    names.sort();
    Ok(names)
}

/// Prints what does not run under emulation, and the reasons.
pub fn print_skipped() {
    for (test, reason) in ON_HOST_ONLY {
        println!("not under emulation: {test} ({reason})");
    }
    println!(
        "not under emulation, because they take an emulator minutes, ask cargo for data or read this \
         machine's code: {}",
        SKIPPED.join(", ")
    );
}

/// Reads the digest that c-tests/digest.c prints on a platform, or on this machine.
pub fn read_digest(platform: Option<&Platform>) -> TaskResult<String> {
    let mut command = match platform {
        Some(platform) => test_command(platform),
        None => {
            let mut command = cargo();
            // The whole workspace, so that the build of `cargo test --workspace` is used again.
            command.args(["test", "--workspace"]);
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
    let printed = read_output(&mut command)?;
    let is_digest = |line: &&str| line.len() == 64 && line.bytes().all(|b| b.is_ascii_hexdigit());
    let digest = printed.lines().find(is_digest);
    let digest = digest.ok_or("the test `digest` of tests/c_suites.rs printed no digest")?;
    Ok(digest.to_owned())
}
