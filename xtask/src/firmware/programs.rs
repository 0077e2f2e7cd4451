//! What runs on each processor: the C suites, the digest over all vectors, the layouts, the device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::target::{Program, Target, target_directory};
use crate::process::{Done, cargo, output, root};

/// RAM for the programs that hold every vector.
const LARGE: u32 = 4 << 20;
/// RAM for the device: state, buffers and stack.
pub const DEVICE_RAM: u32 = 16 << 10;

macro_rules! suites {
    ($($name:ident $checks:literal)*) => {
        /// The C suites and the number of checks in each.
        pub const SUITES: &[(&str, u32)] = &[$((stringify!($name), $checks)),*];
    };
}

for_each_suite!(suites);

pub fn c_test(name: &str) -> PathBuf {
    root().join("c-tests").join(name)
}

/// Writes the vectors as C tables.
pub fn write_vectors() -> Done<PathBuf> {
    let images = target_directory().join("images");
    fs::create_dir_all(&images)?;
    let path = images.join("vectors.c");
    fs::write(&path, crate::c_tables::vectors())?;
    Ok(path)
}

/// A program that uses the C library and holds the vectors.
pub fn with_vectors<'a>(name: &'a str, vectors: &Path, library: &'a Path) -> Program<'a> {
    Program {
        name,
        sources: vec![c_test(&format!("{name}.c")), vectors.to_owned()],
        library,
        libc: true,
        ram: LARGE,
        arguments: Vec::new(),
    }
}

/// Runs every suite; each must pass with as many checks as on the host.
pub fn run_suites(target: &Target, vectors: &Path, library: &Path) -> Done {
    let own_step = [("firmware_step", 332)];
    for &(name, checks) in SUITES.iter().chain(&own_step) {
        let image = target.link(&with_vectors(name, vectors, library))?;
        let printed = target.large.run(&image, &target.place()?, &[])?;
        let expected = format!("{checks} passed, 0 failed");
        if printed.trim() != expected {
            return Err(format!(
                "{name} on {}: expected \"{expected}\", found \"{}\"",
                target.processor,
                printed.trim()
            )
            .into());
        }
    }
    Ok(())
}

/// The digest over everything that the library makes of the vectors; it must be the committed one.
pub fn digest(target: &Target, vectors: &Path, library: &Path) -> Done<String> {
    let image = target.link(&with_vectors("digest", vectors, library))?;
    let printed = target.large.run(&image, &target.place()?, &[])?;
    let expected = fs::read_to_string(c_test("digest.txt"))?;
    if printed.trim() == expected.trim() {
        Ok(printed.trim().to_owned())
    } else {
        Err(format!(
            "the digest on {} is {}, expected {} (c-tests/digest.txt)",
            target.processor,
            printed.trim(),
            expected.trim()
        )
        .into())
    }
}

/// Every public type has the layout in Rust that the C compiler gives it on this processor; the bytes
/// of each struct.
pub fn compare_layouts(target: &Target, built: &Path) -> Done<Vec<(String, u32)>> {
    let place = target.place()?;
    let library = place.join("liblayout.a");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc
        .args(["--edition", "2024", "--crate-type", "staticlib", "-O"])
        .args(["-C", "panic=abort", "--target", target.triple, "--extern"])
        .arg(format!("axilog={}", built.join("libaxilog.rlib").display()))
        .arg("-L")
        .arg(built.join("deps"))
        .arg("-o")
        .arg(&library)
        .arg(c_test("firmware/layout.rs"));
    output(&mut rustc)?;
    let layout = |name, sources, library: &Path| -> Done<String> {
        let image = target.link(&Program {
            name,
            sources,
            library,
            libc: true,
            ram: LARGE,
            arguments: Vec::new(),
        })?;
        target.large.run(&image, &place, &[])
    };
    let in_c = layout("layout_c", vec![c_test("layout.c")], &library)?;
    let in_rust = layout("layout_rust", Vec::new(), &library)?;
    for (c, rust) in in_c.lines().zip(in_rust.lines()) {
        if c != rust {
            return Err(format!("layouts on {}: C {c}, Rust {rust}", target.processor).into());
        }
    }
    if in_c.lines().count() < 100 || in_c != in_rust {
        return Err(format!("layouts on {}: one list is shorter", target.processor).into());
    }
    let sizes = in_c.lines().filter_map(|line| line.split_once(' '));
    let is_struct = |name: &str| in_c.contains(&format!("\n{name}."));
    Ok(sizes
        .filter(|&(name, _)| is_struct(name))
        .filter_map(|(name, size)| Some((name.to_owned(), size.parse().ok()?)))
        .collect())
}

/// The ledger that the device makes on this machine.
pub fn host_ledger() -> Done<Vec<u8>> {
    let place = target_directory().join("images/host");
    fs::create_dir_all(&place)?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--locked", "-p", "axilog"]);
    output(
        build
            .args(["--lib", "--target-dir"])
            .arg(target_directory()),
    )?;
    let program = place.join("device");
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-std=c99", "-I"])
        .arg(root().join("include"))
        .arg("-o")
        .arg(&program)
        .arg(c_test("firmware/device.c"))
        .arg(c_test("firmware/host_stdio.c"))
        .arg(target_directory().join("release/libaxilog.a"));
    output(&mut cc)?;
    output(Command::new(program).current_dir(&place))?;
    let ledger = place.join("ledger.jsonl");
    for subcommand in ["verify", "replay"] {
        let mut axilog = cargo();
        axilog.args(["run", "--quiet", "--release", "--locked", "-p"]);
        axilog.args(["axilog-harness", "--no-default-features", "--", subcommand]);
        axilog.arg(&ledger);
        if subcommand == "replay" {
            axilog.arg("--policies").arg(c_test("firmware/device.json"));
        }
        output(&mut axilog)?;
    }
    Ok(fs::read(ledger)?)
}

/// A library built with `nfc-none` says so and admits ASCII only.
pub fn ascii_only(target: &Target, library: &Path) -> Done {
    let image = target.link(&Program {
        name: "ascii_only",
        sources: vec![c_test("firmware/ascii_only.c")],
        library,
        libc: false,
        ram: DEVICE_RAM,
        arguments: Vec::new(),
    })?;
    target.small.run(&image, &target.place()?, &[])?;
    Ok(())
}

/// The device as it is linked on this processor, and the bytes of RAM of its variables.
pub fn device(target: &Target, library: &Path, name: &str) -> Done<(PathBuf, u32)> {
    let image = target.link(&Program {
        name,
        sources: vec![c_test("firmware/device.c")],
        library,
        libc: false,
        ram: DEVICE_RAM,
        arguments: Vec::new(),
    })?;
    let size = super::size::of(target, &image)?;
    Ok((image, size.ram))
}

/// Runs the device; its ledger must be the host's, byte for byte.
pub fn run_device(target: &Target, image: &Path, expected: &[u8]) -> Done {
    let place = target.place()?;
    let ledger = place.join("ledger.jsonl");
    let _ = fs::remove_file(&ledger);
    target.small.run(image, &place, &[])?;
    if fs::read(&ledger)? == expected {
        Ok(())
    } else {
        Err(format!(
            "the ledger that the device makes on {} is not the host's: {}",
            target.processor,
            ledger.display()
        )
        .into())
    }
}
