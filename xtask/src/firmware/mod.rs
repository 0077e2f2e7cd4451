//! `cargo xtask firmware`: the library on processors without an operating system, emulated by QEMU.
//!
//! For each target the task builds the library as firmware links it, runs the C suites and the digest
//! over all vectors, compares the layouts of Rust and C, and compares the ledger that a device with
//! 16 KiB of RAM writes with the one that this machine writes. Then it measures flash, stack and
//! instructions, and compares them with their limits. The figures differ between versions of the
//! compilers, so the task writes docs/firmware.md on request only and compares no figures with it.

mod instructions;
mod programs;
mod report;
mod size;
mod stack;
mod stack_bound;
mod target;

use std::collections::BTreeMap;
use std::path::Path;

use report::Measurements;
pub(crate) use target::{Machine, RISCV, arm, build_library};
use target::{TARGETS, Target};

use crate::process::{TaskResult, ensure, print_heading};

/// The limit for the flash of all functions on the first target, in bytes.
const FLASH_LIMIT: u32 = 96 << 10;
/// The same limit with `nfc-none`. The aim is 32 KiB; this limit keeps what has been reached.
const FLASH_LIMIT_ASCII: u32 = 76 << 10;

/// The triples of the targets.
#[must_use]
pub fn target_triples() -> [&'static str; TARGETS.len()] {
    TARGETS.map(|target| target.triple)
}

/// Runs and measures the library on the targets with these triples, or on every target where none is named.
/// With `write`, the tables go into docs/firmware.md.
///
/// # Errors
/// For a missing tool, a failed check, and a figure above its limit.
pub fn check_firmware(write: bool, triples: &[String]) -> TaskResult {
    let is_chosen =
        |target: &&Target| triples.is_empty() || triples.iter().any(|name| name == target.triple);
    let targets: Vec<&Target> = TARGETS.iter().filter(is_chosen).collect();
    for target in &targets {
        target.require_tools()?;
    }
    let vectors = programs::write_vectors()?;
    print_heading("the device's ledger, written on this machine");
    let ledger = programs::write_host_ledger()?;
    let mut measurements = Vec::new();
    for target in targets {
        measurements.push(check_target(target, &vectors, &ledger)?);
    }
    let tables = report::render_tables(&measurements);
    println!("\n{tables}");
    if write {
        report::write_tables(&tables)?;
    }
    let limited = TARGETS[0].triple;
    if let Some(measured) = measurements.iter().find(|m| m.target.triple == limited) {
        check_limit("flash with NFC", measured.whole.flash, FLASH_LIMIT)?;
        check_limit(
            "flash with nfc-none",
            measured.whole_ascii.flash,
            FLASH_LIMIT_ASCII,
        )?;
    }
    Ok(())
}

fn check_target<'a>(
    target: &'a Target,
    vectors: &Path,
    ledger: &[u8],
) -> TaskResult<Measurements<'a>> {
    print_heading(&format!("{}, {}", target.processor, target.triple));
    let functions = size::all_functions();
    let device_functions = size::device_functions();

    let built = build_library(target.triple, "panic-handler,nfc-none")?;
    let library = built.join("libaxilog.a");
    let whole_ascii = size::measure_added(target, &library, "all_ascii", &functions)?;
    let device_ascii = size::measure_added(target, &library, "calls_ascii", &device_functions)?;
    programs::check_ascii_only(target, &library)?;
    let (image, _) = programs::link_device(target, &library, "device_ascii")?;
    programs::run_device(target, &image, ledger)?;

    let built = build_library(target.triple, "panic-handler")?;
    let library = built.join("libaxilog.a");
    let vectors = target.compile_object(vectors)?;
    let structs = programs::compare_layouts(target, &built)?;
    programs::run_suites(target, &vectors, &library)?;
    let digest = programs::check_digest(target, &vectors, &library)?;
    let (image, variables) = programs::link_device(target, &library, "device")?;
    size::check_symbols(target, &image, &device_functions)?;
    programs::run_device(target, &image, ledger)?;
    println!("digest {digest}\nthe layouts, the suites and the device's ledger are as expected");

    let whole = size::measure_added(target, &library, "all", &functions)?;
    let device = size::measure_added(target, &library, "calls", &device_functions)?;
    let stack = stack::measure_stack(target, &vectors, &library)?;
    let stack_bounds = match target.has_thumb2 {
        true => stack::bound_stack(target, &functions, &stack)?,
        false => BTreeMap::new(),
    };
    let instructions = instructions::measure_instructions(target, &library)?;
    Ok(Measurements {
        target,
        digest,
        structs,
        whole,
        whole_ascii,
        device,
        device_ascii,
        variables,
        stack,
        stack_bounds,
        instructions,
    })
}

fn check_limit(what: &str, found: u32, limit: u32) -> TaskResult {
    ensure(
        found <= limit,
        &format!("{what}: {found} bytes, the limit is {limit}"),
    )
}
