//! `cargo xtask sanitize` and `cargo xtask valgrind`: the C suites of the core and the programs of the host library, in C
//! and C++, with every memory access checked in C and in Rust.
//!
//! AddressSanitizer and ThreadSanitizer watch both sides of the boundary: nightly compiles the library with one of them,
//! and gcc or clang compiles the programs with it; beside AddressSanitizer also with UndefinedBehaviorSanitizer. Under valgrind
//! the programs run as the tests build them; valgrind also reports bytes that are read before they are written.

use std::process::Command;

use crate::cargo::{Metadata, cargo, host_triple, nightly_cargo};
use crate::process::{
    TaskResult, print_heading, read_output, require_program, require_rustup, run,
};

/// Tests that a checker leaves out, by a part of their names, and the reason.
type Skipped = &'static [(&'static str, &'static str)];

const OF_THE_SUITES: Skipped = &[
    (
        "static_programs_need_the_documented_libraries_only",
        "links the documented libraries only, so no sanitizer either",
    ),
    (
        "cpp_wrappers_cost_nothing",
        "counts instructions, to which the sanitizers add",
    ),
];

const OF_THE_HOST_LIBRARY: Skipped = &[
    (
        "faults::",
        "its failing disk and the sanitizers replace the same functions of the system",
    ),
    (
        "python",
        "the interpreter is compiled without the sanitizers",
    ),
    ("exports::", "runs no program"),
];

const UNDER_VALGRIND: Skipped = &[
    (
        "faults::",
        "ends programs in the middle of a call, where valgrind finds memory that is in use",
    ),
    (
        "python",
        "the interpreter would be checked, and leaves memory behind",
    ),
    ("exports::", "runs no program"),
];

/// Flags of gcc: a program ends with a failure at the first report.
const ADDRESS_FLAGS: &str =
    "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer";
/// The programs take nightly's runtime: Rust's code calls functions that older runtimes of gcc and clang lack. The shared
/// library finds it in the program.
const THREAD_FLAGS: &str = "-fsanitize=thread -fno-sanitize-link-runtime -fno-omit-frame-pointer \
    -Wno-unused-command-line-argument -rdynamic -ldl -lm -lrt";
const THREAD_RUNTIME: &str = "librustc-nightly_rt.tsan.a";

/// `--track-origins=yes` would also say where a value that nobody wrote comes from, and take 40 % more time.
const VALGRIND: &str = "valgrind --quiet --error-exitcode=9 --leak-check=full";

/// The core allocates nothing. The host library keeps memory until a program's end, as Rust's standard library does.
const LEAKS_OF_THE_SUITES: &str = "all";
const LEAKS_OF_THE_HOST_LIBRARY: &str = "definite,indirect";

/// Runs the suites and the programs under the sanitizers.
///
/// # Errors
/// For a missing tool, a failed test, and a report.
pub fn run_sanitizers() -> TaskResult {
    require_program("gcc", "apt-get install build-essential")?;
    require_program("clang", "apt-get install clang")?;
    for component in ["rustc", "rust-src"] {
        require_rustup("component", "nightly", component)?;
    }

    print_heading("the C programs under AddressSanitizer and UndefinedBehaviorSanitizer");
    let mut command = sanitized_tests("address", ADDRESS_FLAGS)?;
    command
        .args(["-p", "axilog", "--test", "c_suites"])
        .args(["-p", "axilog-host", "--test", "c_programs"])
        .env(
            "ASAN_OPTIONS",
            "detect_stack_use_after_return=1:strict_string_checks=1",
        )
        .env("UBSAN_OPTIONS", "print_stacktrace=1");
    run(skip_tests(
        &mut command,
        &[OF_THE_SUITES, OF_THE_HOST_LIBRARY],
    ))?;

    print_heading("the programs of the host library under ThreadSanitizer");
    let runtime = nightly_library(THREAD_RUNTIME)?;
    let flags = format!("{THREAD_FLAGS} -Wl,--whole-archive,{runtime},--no-whole-archive");
    let mut command = sanitized_tests("thread", &flags)?;
    command
        .args(["-p", "axilog-host", "--test", "c_programs"])
        // Rust's standard library too, or its locks would be unknown to the sanitizer.
        .arg("-Zbuild-std")
        // A program may start threads after a fork.
        .env("TSAN_OPTIONS", "halt_on_error=1:die_after_fork=0")
        // gcc cannot leave its own runtime out.
        .env("CC", "clang")
        .env("CXX", "clang++");
    run(skip_tests(&mut command, &[OF_THE_HOST_LIBRARY]))?;
    print_skipped("the sanitizers", &[OF_THE_SUITES, OF_THE_HOST_LIBRARY]);
    Ok(())
}

/// Runs the suites and the programs under valgrind; where they are to be short, without the programs of the host library
/// and the answers of the deployed gateways.
///
/// # Errors
/// For a missing tool, a failed test, and a report.
pub fn run_valgrind(short: bool) -> TaskResult {
    require_program("valgrind", "apt-get install valgrind")?;
    print_heading("the C suites under valgrind");
    let mut command = tests_under_valgrind("c_suites", LEAKS_OF_THE_SUITES);
    if short {
        command.args(["--", "--skip", "compat::deployed::"]);
        return run(&mut command);
    }
    run(&mut command)?;
    print_heading("the programs of the host library under valgrind");
    let mut command = tests_under_valgrind("c_programs", LEAKS_OF_THE_HOST_LIBRARY);
    run(skip_tests(&mut command, &[UNDER_VALGRIND]))?;
    print_skipped("valgrind", &[UNDER_VALGRIND]);
    Ok(())
}

/// A command for a test program whose C programs run under valgrind, which fails for leaks of these kinds.
fn tests_under_valgrind(program: &str, leaks: &str) -> Command {
    let mut command = cargo();
    command
        // The whole workspace, so that the build of `cargo test --workspace` is used again.
        .args(["test", "--workspace", "--test", program])
        .env(
            "AXILOG_RUNNER",
            format!("{VALGRIND} --errors-for-leak-kinds={leaks}"),
        )
        // The shared library is made of the same objects, and would take as long again.
        .env("AXILOG_LIBRARY_KIND", "static");
    command
}

/// A command for tests whose Rust is compiled with a sanitizer, and whose C with these flags.
fn sanitized_tests(sanitizer: &str, flags: &str) -> TaskResult<Command> {
    let mut command = nightly_cargo();
    command
        // With a named target, build scripts and macros are built without the sanitizer.
        .args(["test", "--target", &host_triple()?])
        // A target directory of its own: nightly shares no artifact with stable, and so need not wait
        // while stable builds.
        .arg("--target-dir")
        .arg(Metadata::read()?.target_directory()?.join("sanitize"))
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}"))
        .env("CFLAGS", flags)
        .env("CXXFLAGS", flags);
    Ok(command)
}

/// The path of a library of nightly's.
fn nightly_library(name: &str) -> TaskResult<String> {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "rustc", "--print", "target-libdir"]);
    let directory = read_output(command.env_remove("RUSTUP_TOOLCHAIN"))?;
    Ok(format!("{}/{name}", directory.trim_end()))
}

fn skip_tests<'a>(command: &'a mut Command, skipped: &[Skipped]) -> &'a mut Command {
    command.arg("--");
    for (name, _) in skipped.iter().copied().flatten() {
        command.args(["--skip", name]);
    }
    command
}

fn print_skipped(checker: &str, skipped: &[Skipped]) {
    for (name, reason) in skipped.iter().copied().flatten() {
        println!("not under {checker}: {name} ({reason})");
    }
}
