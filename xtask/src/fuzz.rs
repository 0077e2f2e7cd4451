//! `cargo xtask fuzz --seconds N [TARGET…]`: libFuzzer on the parsers.
//!
//! The targets are in `fuzz/targets/`. A run begins with seeds made of `tests/vectors`, with the committed dictionary
//! and with the inputs that earlier runs added to `fuzz/corpus/`, which is not committed. An input that breaks a rule
//! fails the run and stays in `fuzz/artifacts/`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::builder::PossibleValuesParser;

use crate::cargo::nightly_cargo;
use crate::process::{
    TaskResult, print_heading, require_program, require_rustup, run, workspace_root,
};
use crate::seeds::write_seeds;

/// The most bytes of an input: any record that a ledger line can contain is far shorter.
const LONGEST_INPUT: usize = 16 * 1024;

/// The name of each target's file, and the dictionary that the target uses.
pub const TARGETS: &[(&str, &str)] = &[
    ("text", "text"),
    ("number", "number"),
    ("json", "json"),
    ("records", "records"),
    ("admission", "text"),
    ("policies", "policies"),
    ("ledger", "records"),
    ("canonicalizer", "json"),
];

/// A parser of the command line that accepts the names of the targets.
#[must_use]
pub fn target_names() -> PossibleValuesParser {
    PossibleValuesParser::new(TARGETS.iter().map(|(target, _)| *target))
}

/// Runs the named targets one after the other, or all of them where none is named, each for as long as
/// `duration`.
///
/// # Errors
/// For a missing tool, and for an input that breaks a rule.
pub fn run_targets(duration: Duration, names: &[String]) -> TaskResult {
    require_rustup("component", "nightly", "rustc")?;
    require_program("cargo-fuzz", "cargo install --locked cargo-fuzz")?;
    let seeds = tempfile::tempdir()?;
    write_seeds(seeds.path())?;
    let is_chosen = |target: &str| names.is_empty() || names.iter().any(|name| name == target);
    for (target, dictionary) in TARGETS.iter().filter(|(target, _)| is_chosen(target)) {
        print_heading(&format!("fuzzing {target} for {} s", duration.as_secs()));
        run_target(target, dictionary, &seeds.path().join(target), duration)?;
    }
    Ok(())
}

fn run_target(target: &str, dictionary: &str, seeds: &Path, duration: Duration) -> TaskResult {
    let fuzz = workspace_root().join("fuzz");
    let corpus = fuzz.join("corpus").join(target);
    fs::create_dir_all(&corpus)?;
    let dictionary = fuzz.join(format!("dictionaries/{dictionary}.txt"));
    let mut command = nightly_cargo();
    command
        .args(["fuzz", "run", "--sanitizer", "none", target])
        .arg(&corpus)
        .arg(seeds)
        .args(["--", "-print_final_stats=1", "-timeout=20"])
        .arg(format!("-max_total_time={}", duration.as_secs()))
        .arg(format!("-max_len={LONGEST_INPUT}"))
        .arg(format!("-dict={}", dictionary.display()));
    run(&mut command)
}
