//! `cargo xtask fuzz --seconds N [TARGET…]`: libFuzzer on the parsers, one target after the other.
//!
//! The targets are in `fuzz/targets/`. A run begins with the committed seeds and dictionary and with
//! what earlier runs found (`fuzz/corpus/`, not committed). A finding is kept in `fuzz/artifacts/`
//! and fails the run.

use std::fs;
use std::time::Duration;

use crate::process::{Done, need, need_rustup, nightly_cargo, root, run, say};
use crate::seeds;

/// Bytes of the longest input: any record a ledger line can hold is far below.
const LONGEST_INPUT: usize = 16 * 1024;

/// Every target, by the name of its file, and the dictionary it takes.
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

/// Runs `targets`, or all of them where there is none, `each` long.
///
/// # Errors
/// For an unknown target, a missing tool, and a finding.
pub fn fuzz(each: Duration, targets: &[&str]) -> Done {
    let known = |name: &&str| TARGETS.iter().any(|(target, _)| target == name);
    if let Some(unknown) = targets.iter().find(|name| !known(name)) {
        let all: Vec<&str> = TARGETS.iter().map(|(target, _)| *target).collect();
        let all = all.join(", ");
        return Err(format!("no fuzz target {unknown}; there are {all}").into());
    }
    need_rustup("component", "nightly", "rustc")?;
    need("cargo-fuzz", "cargo install --locked cargo-fuzz")?;
    let wanted = |target: &str| targets.is_empty() || targets.contains(&target);
    for (target, dictionary) in TARGETS.iter().filter(|(target, _)| wanted(target)) {
        say(&format!("fuzzing {target} for {} s", each.as_secs()));
        one(target, dictionary, each)?;
    }
    Ok(())
}

fn one(target: &str, dictionary: &str, each: Duration) -> Done {
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus)?;
    let dictionary = root().join(format!("fuzz/dictionaries/{dictionary}.txt"));
    let mut command = nightly_cargo();
    command
        .args(["fuzz", "run", "--sanitizer", "none", target])
        .arg(&corpus)
        .arg(seeds::directory().join(target))
        .args(["--", "-print_final_stats=1", "-timeout=20"])
        .arg(format!("-max_total_time={}", each.as_secs()))
        .arg(format!("-max_len={LONGEST_INPUT}"))
        .arg(format!("-dict={}", dictionary.display()));
    run(&mut command)
}
