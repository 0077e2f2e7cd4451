//! `cargo xtask sanitize` and `cargo xtask valgrind`: the C suites with every memory access checked, in C and in
//! Rust.
//!
//! AddressSanitizer watches both sides of the boundary: nightly compiles the library with it, and gcc
//! compiles the suites with it and with UndefinedBehaviorSanitizer. Under valgrind the programs run as the tests
//! build them; valgrind also reports bytes that are read before they are written.

use std::process::Command;

use crate::cargo::{Metadata, cargo, host_triple, nightly_cargo};
use crate::process::{TaskResult, print_heading, require_program, require_rustup, run};

/// Tests that the sanitizers leave out, and the reason.
const SKIPPED: &[(&str, &str)] = &[
    (
        "static_programs_need_the_documented_libraries_only",
        "links the documented libraries only, so no sanitizer either",
    ),
    (
        "cpp_wrappers_cost_nothing",
        "counts instructions, to which the sanitizers add",
    ),
];

/// Flags of gcc: a program ends with a failure at the first report.
const C_FLAGS: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer";

/// `--track-origins=yes` would also say where a value that nobody wrote comes from, and take 40 % more time.
const VALGRIND: &str =
    "valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=all";

/// Runs the suites under the sanitizers.
///
/// # Errors
/// For a missing tool, a failed suite, and a report.
pub fn run_sanitizers() -> TaskResult {
    require_program("gcc", "apt-get install build-essential")?;
    require_rustup("component", "nightly", "rustc")?;

    print_heading("the C suites under AddressSanitizer and UndefinedBehaviorSanitizer");
    let mut command = nightly_cargo();
    command
        // With a named target, build scripts and macros are built without the sanitizer.
        .args(["test", "-p", "axilog", "--target", &host_triple()?])
        .args(["--test", "c_suites"])
        // A target directory of its own: nightly shares no artifact with stable, and so need not wait
        // while stable builds.
        .arg("--target-dir")
        .arg(Metadata::read()?.target_directory()?.join("sanitize"))
        .env("RUSTFLAGS", "-Zsanitizer=address")
        .env("CFLAGS", C_FLAGS)
        .env("CXXFLAGS", C_FLAGS)
        .env(
            "ASAN_OPTIONS",
            "detect_stack_use_after_return=1:strict_string_checks=1",
        )
        .env("UBSAN_OPTIONS", "print_stacktrace=1");
    run(skip_tests(&mut command))?;
    for (name, reason) in SKIPPED {
        println!("not under the sanitizers: {name} ({reason})");
    }
    Ok(())
}

/// Runs the suites under valgrind; where they are to be short, without the answers of the deployed gateways.
///
/// # Errors
/// For a missing tool, a failed suite, and a report.
pub fn run_valgrind(short: bool) -> TaskResult {
    require_program("valgrind", "apt-get install valgrind")?;
    print_heading("the C suites under valgrind");
    let mut command = cargo();
    command
        // The whole workspace, so that the build of `cargo test --workspace` is used again.
        .args(["test", "--workspace", "--test", "c_suites"])
        .env("AXILOG_RUNNER", VALGRIND)
        // The shared library is made of the same objects, and would take as long again.
        .env("AXILOG_LIBRARY_KIND", "static");
    if short {
        command.args(["--", "--skip", "compat::deployed::"]);
    }
    run(&mut command)
}

fn skip_tests(command: &mut Command) -> &mut Command {
    command.arg("--");
    for (name, _) in SKIPPED {
        command.args(["--skip", name]);
    }
    command
}
