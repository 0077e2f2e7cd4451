//! `cargo xtask miri [--short]`: the core's and the C layer's tests in an interpreter that knows what
//! Rust forbids: memory out of bounds or not initialised, references that overlap, pointers made of
//! integers.

use crate::process::{Done, need_rustup, nightly_cargo, run, say};

/// The tests read files, which the interpreter would otherwise keep from them.
const FLAGS: &str =
    "-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation";

/// What calls the C functions, where `unsafe` is. All of it runs each time.
const C_LAYER: &[&str] = &["no_heap_ffi", "ffi_memory", "ffi_agent_memory"];

/// Tests of the safe core that end in minutes.
const CORE: &[&str] = &[
    "agent_failed",
    "agent_pieces",
    "policies",
    "policy_cycle",
    "text",
    "writer",
];

/// Tests that walk through all of something, which takes an interpreter hours. They run natively and
/// under emulation, and what they walk through is safe code.
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

/// Cases per property.
const CASES: &str = "4";

/// Runs the C layer's tests, and unless `short` the core's.
///
/// # Errors
/// For a missing tool, a failed test, and anything that Rust forbids.
pub fn miri(short: bool) -> Done {
    for component in ["miri", "rust-src"] {
        need_rustup("component", "nightly", component)?;
    }
    say("the C layer under Miri");
    run(command().args(tests(C_LAYER)))?;
    if short {
        return Ok(());
    }
    say("the core under Miri");
    let mut core = command();
    core.arg("--lib").args(tests(CORE)).arg("--");
    for name in SKIPPED {
        core.args(["--skip", name]);
    }
    run(&mut core)
}

fn command() -> std::process::Command {
    let mut command = nightly_cargo();
    command
        .args(["miri", "test", "--quiet", "-p", "axilog"])
        .env("MIRIFLAGS", FLAGS)
        .env("PROPTEST_CASES", CASES);
    command
}

fn tests(names: &[&'static str]) -> impl Iterator<Item = &'static str> {
    names.iter().flat_map(|name| ["--test", name])
}
