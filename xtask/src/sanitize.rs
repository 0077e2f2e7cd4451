//! `cargo xtask sanitize`: the C suites with every access checked, in C and in Rust.
//!
//! AddressSanitizer watches both sides of the boundary: the library is compiled with it by nightly,
//! the suites by gcc together with UndefinedBehaviorSanitizer. Then the same programs as the tests
//! build them run under valgrind, which also sees bytes that are read before they were written.

use std::process::Command;

use crate::process::{Done, cargo, need, need_rustup, nightly_cargo, output, run, say};

/// Suites that cannot be built so, and why.
const SKIPPED: &[(&str, &str)] = &[
    (
        "static_programs_need_the_documented_libraries_only",
        "links no library but the documented ones, so no sanitizer either",
    ),
    (
        "cpp_wrappers_cost_nothing",
        "counts instructions, to which the sanitizers add theirs",
    ),
];

/// Any report ends the program with a failure.
const C_FLAGS: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer";

const VALGRIND: &str = "valgrind --quiet --error-exitcode=9 --leak-check=full \
    --errors-for-leak-kinds=all --track-origins=yes";

/// Runs the suites under both.
///
/// # Errors
/// For a missing tool, a failed suite, and a report.
pub fn sanitize() -> Done {
    need("gcc", "apt-get install build-essential")?;
    need("valgrind", "apt-get install valgrind")?;
    need_rustup("component", "nightly", "rustc")?;
    let host = host()?;

    say("the C suites under AddressSanitizer and UndefinedBehaviorSanitizer");
    let mut command = nightly_cargo();
    command
        // The target is named so that build scripts and macros are not instrumented.
        .args(["test", "--quiet", "-p", "axilog", "--target", &host])
        .args(["--test", "c_suites"])
        .env("RUSTFLAGS", "-Zsanitizer=address")
        .env("CFLAGS", C_FLAGS)
        .env("CXXFLAGS", C_FLAGS)
        .env(
            "ASAN_OPTIONS",
            "detect_stack_use_after_return=1:strict_string_checks=1",
        )
        .env("UBSAN_OPTIONS", "print_stacktrace=1");
    run(skipping(&mut command))?;

    say("the C suites under valgrind");
    let mut command = cargo();
    command
        .args(["test", "--quiet", "-p", "axilog", "--test", "c_suites"])
        .env("AXILOG_RUNNER", VALGRIND);
    run(&mut command)?;
    for (name, why) in SKIPPED {
        println!("not under the sanitizers: {name} ({why})");
    }
    Ok(())
}

fn skipping(command: &mut Command) -> &mut Command {
    command.arg("--");
    for (name, _) in SKIPPED {
        command.args(["--skip", name]);
    }
    command
}

/// The triple of this machine.
fn host() -> Done<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host
        .ok_or("rustc does not say what its host is")?
        .to_owned())
}
