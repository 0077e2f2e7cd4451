//! `cargo xtask miri [--short]`: tests of the core, of the lanes and of the C layer in Miri. The interpreter stops
//! where a program does what Rust forbids: it uses memory out of bounds or uninitialised memory, makes
//! overlapping references, or makes a pointer of an integer.

use std::process::Command;

use crate::cargo::{name_tests_of, nightly_cargo};
use crate::process::{TaskResult, print_heading, require_rustup, run};

/// Flags of Miri. The tests read files, which the isolation would refuse.
const FLAGS: &str =
    "-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation";

/// Test programs that call the C functions, the only ones with `unsafe` code. They run each time, and
/// whole but for [`WITHOUT_C`].
const C_LAYER: &[&str] = &["ffi", "heap"];

/// The module of a program in [`C_LAYER`] that calls no C function; its long texts take Miri long.
const WITHOUT_C: (&str, &str) = ("heap", "rust_functions");

/// Modules of the test program `core` that take Miri minutes.
const CORE: &[&str] = &["agent_failed", "agent_pieces", "policies", "text", "writer"];

/// Parts of the names of tests that Miri leaves out. They try every value of a kind, which takes Miri
/// hours. They run natively and under emulation, and the code that they test is safe.
const SKIPPED: &[&str] = &[
    "a_small_work_buffer_never_stops_an_agent",
    "buffers_hold_all_or_say_so",
    "each_byte_as_a_control",
    "equal_fingerprints_of_different_names_do_no_harm",
    "every_",
    "many_line_ends",
    "one_digit_and_two_digit_texts_at_both_ends",
    "only_plain_characters_are_harmless",
    "powers_of_two_and_ten_and_their_neighbours",
    "random_doubles",
    "raw_characters_give_their_code_units",
    "the_scripts_that_speed_is_for_are_harmless",
];

/// Cases for each property.
const CASES: &str = "4";

/// Runs the C layer's tests and, unless `is_short`, the lanes' and the core's.
///
/// # Errors
/// For a missing tool, a failed test, and anything that Rust forbids.
pub fn run_miri(is_short: bool) -> TaskResult {
    for component in ["miri", "rust-src"] {
        require_rustup("component", "nightly", component)?;
    }
    print_heading("the C layer under Miri");
    let (program, module) = WITHOUT_C;
    let mut c_layer = miri_command("axilog");
    c_layer
        .args(C_LAYER.iter().flat_map(|name| ["--test", name]))
        .args(["--", "--skip", &name_tests_of(program, module)?]);
    run(&mut c_layer)?;
    if is_short {
        return Ok(());
    }
    // Miri has no SHA instructions, so that this is the way of processors without them.
    print_heading("the lanes under Miri");
    run(miri_command("axilog-lanes").arg("--lib"))?;
    print_heading("the core under Miri");
    run(skip_tests(miri_command("axilog").args(["--lib", "--"])))?;
    let mut core = miri_command("axilog");
    core.args(["--test", "core", "--"]);
    for module in CORE {
        core.arg(name_tests_of("core", module)?);
    }
    run(skip_tests(&mut core))
}

fn skip_tests(command: &mut Command) -> &mut Command {
    for name in SKIPPED {
        command.args(["--skip", name]);
    }
    command
}

fn miri_command(package: &str) -> Command {
    let mut command = nightly_cargo();
    command
        .args(["miri", "test", "-p", package])
        .env("MIRIFLAGS", FLAGS)
        .env("PROPTEST_CASES", CASES);
    command
}
