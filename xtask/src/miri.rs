//! `cargo xtask miri [--short]`: tests of the core and of the C layer in Miri. The interpreter stops
//! where a program does what Rust forbids: it uses memory out of bounds or uninitialised memory, makes
//! overlapping references, or makes a pointer of an integer.

use std::process::Command;

use crate::cargo::nightly_cargo;
use crate::process::{TaskResult, print_heading, require_rustup, run};

/// Flags of Miri. The tests read files, which the isolation would refuse.
const FLAGS: &str =
    "-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation";

/// Tests that call the C functions, the only ones with `unsafe` code. They run each time and whole.
const C_LAYER: &[&str] = &["no_heap_ffi", "ffi_memory", "ffi_agent_memory"];

/// Tests of the safe core that take Miri minutes.
const CORE: &[&str] = &[
    "agent_failed",
    "agent_pieces",
    "policies",
    "policy_cycle",
    "text",
    "writer",
];

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

/// Runs the C layer's tests and, unless `is_short`, the core's.
///
/// # Errors
/// For a missing tool, a failed test, and anything that Rust forbids.
pub fn run_miri(is_short: bool) -> TaskResult {
    for component in ["miri", "rust-src"] {
        require_rustup("component", "nightly", component)?;
    }
    print_heading("the C layer under Miri");
    run(miri_command().args(test_arguments(C_LAYER)))?;
    if is_short {
        return Ok(());
    }
    print_heading("the core under Miri");
    let mut core = miri_command();
    core.arg("--lib").args(test_arguments(CORE)).arg("--");
    for name in SKIPPED {
        core.args(["--skip", name]);
    }
    run(&mut core)
}

fn miri_command() -> Command {
    let mut command = nightly_cargo();
    command
        .args(["miri", "test", "-p", "axilog"])
        .env("MIRIFLAGS", FLAGS)
        .env("PROPTEST_CASES", CASES);
    command
}

fn test_arguments(names: &[&'static str]) -> impl Iterator<Item = &'static str> {
    names.iter().flat_map(|name| ["--test", name])
}
