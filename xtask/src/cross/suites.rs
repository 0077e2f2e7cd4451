//! The core's tests, the lanes' and the C suites: which ones run on which platform, and why.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use super::platform::{Coverage, Platform};
use crate::cargo::{cargo, name_tests_of};
use crate::process::{TaskResult, read_output, run, workspace_root};

/// Test programs that run on every platform: they cross the boundary to C, whose calling convention,
/// layouts and `char` are each platform's own, or compute every golden vector.
const ON_EVERY_PLATFORM: &[&str] = &["c_suites", "ffi", "heap", "vectors"];

/// The module of a program in [`ON_EVERY_PLATFORM`] that calls no C function.
const WITHOUT_C: (&str, &str) = ("heap", "rust_functions");

/// Test programs that run on this machine only, and the reason.
const PROGRAMS_ON_HOST_ONLY: &[(&str, &str)] = &[(
    "no_panic",
    "it builds for this machine and reads this machine's symbols",
)];

/// Modules of the test program `documents` that run on this machine only, and the reason.
const DOCUMENTS_ON_HOST_ONLY: &[(&str, &str)] = &[
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
/// Tests that are in no list above concern Rust without `unsafe` that computes bytes. The size of a word or
/// the order of its bytes can change the results of such code; another processor with the same words
/// cannot. Those tests run on one platform of each kind, which has [`Coverage::All`].
///
/// # Errors
/// For a failed test, and where a list above names a module that does not exist.
pub fn run_suites(platform: &Platform) -> TaskResult {
    // Its instructions are each processor's own.
    run(test_command(platform, "axilog-lanes").arg("--lib"))?;
    let mut command = test_command(platform, "axilog");
    let mut skipped: Vec<String> = SKIPPED.iter().map(|&name| name.to_owned()).collect();
    match platform.coverage {
        Coverage::CInterface => {
            command.args(ON_EVERY_PLATFORM.iter().flat_map(|name| ["--test", name]));
            let (program, module) = WITHOUT_C;
            skipped.push(name_tests_of(program, module)?);
        }
        Coverage::All => {
            command.arg("--lib");
            let is_on_host_only = |name: &str| {
                let mut programs = PROGRAMS_ON_HOST_ONLY.iter();
                programs.any(|(program, _)| *program == name)
            };
            for name in list_test_programs()? {
                if !is_on_host_only(&name) {
                    command.args(["--test", &name]);
                }
            }
            for (module, _) in DOCUMENTS_ON_HOST_ONLY {
                skipped.push(name_tests_of("documents", module)?);
            }
        }
    }
    command.arg("--");
    for name in &skipped {
        command.args(["--skip", name]);
    }
    run(&mut command)
}

/// A cargo that tests `package` for a platform. The emulator runs the tests that cargo compiles, and the
/// C programs that the suites compile.
fn test_command(platform: &Platform, package: &str) -> Command {
    let mut command = platform.cargo("test");
    command
        .args(["-p", package])
        .env("AXILOG_TARGET", platform.triple)
        .env("AXILOG_RUNNER", platform.runner)
        .env("PROPTEST_CASES", CASES);
    command
}

/// Lists the core's test programs: the files of `tests/`, and its folders that have a `main.rs`.
fn list_test_programs() -> TaskResult<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(workspace_root().join("tests"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs")
            || path.join("main.rs").exists()
        {
            names.extend(path.file_stem().and_then(OsStr::to_str).map(String::from));
        }
    }
    names.sort();
    Ok(names)
}

/// Prints what does not run under emulation, and the reasons.
pub fn print_skipped() {
    for (test, reason) in PROGRAMS_ON_HOST_ONLY.iter().chain(DOCUMENTS_ON_HOST_ONLY) {
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
        Some(platform) => test_command(platform, "axilog"),
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
    let digest = digest.ok_or("the test `digest` of tests/c_suites/ printed no digest")?;
    Ok(digest.to_owned())
}
