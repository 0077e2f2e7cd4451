//! The programs that run on each processor: the C suites, the digest over all vectors, the layouts and
//! the device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::size::measure_image;
use super::target::{Program, Target, output_directory};
use crate::cargo::{build, cargo, rustc};
use crate::process::{TaskResult, ensure, read_output, workspace_root};

/// The RAM of programs that contain every vector.
const LARGE_RAM: u32 = 4 << 20;
/// The RAM of the device: state, buffers and stack.
pub const DEVICE_RAM: u32 = 16 << 10;

macro_rules! suites {
    ($($name:ident $checks:literal)*) => {
        /// The C suites and the number of checks in each.
        pub const SUITES: &[(&str, u32)] = &[$((stringify!($name), $checks)),*];
    };
}

axilog_testkit::for_each_suite!(suites);

/// The path of a file of `c-tests/`.
pub fn c_test_path(name: &str) -> PathBuf {
    workspace_root().join("c-tests").join(name)
}

/// Writes the vectors as C tables and returns the path of the file.
pub fn write_vectors() -> TaskResult<PathBuf> {
    let images = output_directory()?.join("images");
    fs::create_dir_all(&images)?;
    let path = images.join("vectors.c");
    fs::write(&path, axilog_testkit::c_tables::vectors())?;
    Ok(path)
}

/// A program that uses the C library and contains the vectors.
pub fn program_with_vectors<'a>(name: &'a str, vectors: &Path, library: &'a Path) -> Program<'a> {
    Program {
        name,
        sources: vec![c_test_path(&format!("{name}.c")), vectors.to_owned()],
        library,
        uses_libc: true,
        ram_bytes: LARGE_RAM,
        compiler_arguments: Vec::new(),
    }
}

/// Runs every suite, and compares the number of passed checks with the one on this machine.
pub fn run_suites(target: &Target, vectors: &Path, library: &Path) -> TaskResult {
    let own_step = [("firmware_step", 451)];
    for &(name, checks) in SUITES.iter().chain(&own_step) {
        let image = target.link(&program_with_vectors(name, vectors, library))?;
        let printed = target.large.run(&image, &target.image_directory()?, &[])?;
        let expected = format!("{checks} passed, 0 failed");
        ensure(
            printed.trim() == expected,
            &format!(
                "the suite {name} on {} prints {:?}, expected {expected:?}",
                target.processor,
                printed.trim()
            ),
        )?;
    }
    Ok(())
}

/// Computes the digest over everything that the library makes of the vectors, and compares it with the
/// committed one.
pub fn check_digest(target: &Target, vectors: &Path, library: &Path) -> TaskResult<String> {
    let image = target.link(&program_with_vectors("digest", vectors, library))?;
    let printed = target.large.run(&image, &target.image_directory()?, &[])?;
    let expected = fs::read_to_string(c_test_path("digest.txt"))?;
    ensure(
        printed.trim() == expected.trim(),
        &format!(
            "the digest on {} is {}, expected {} (c-tests/digest.txt)",
            target.processor,
            printed.trim(),
            expected.trim()
        ),
    )?;
    Ok(printed.trim().to_owned())
}

/// Compares the layout of every public type in Rust with the one that the C compiler gives it on this
/// processor, and returns the bytes of each struct.
pub fn compare_layouts(target: &Target, built: &Path) -> TaskResult<Vec<(String, u32)>> {
    let directory = target.image_directory()?;
    let library = directory.join("liblayout.a");
    let mut compile = rustc();
    compile
        .args(["--edition", "2024", "--crate-type", "staticlib", "-O"])
        .args(["-C", "panic=abort", "--target", target.triple, "--extern"])
        .arg(format!("axilog={}", built.join("libaxilog.rlib").display()))
        .arg("-L")
        .arg(built.join("deps"))
        .arg("-o")
        .arg(&library)
        .arg(c_test_path("firmware/layout.rs"));
    read_output(&mut compile)?;
    let print_layout = |name, sources, library: &Path| -> TaskResult<String> {
        let image = target.link(&Program {
            name,
            sources,
            library,
            uses_libc: true,
            ram_bytes: LARGE_RAM,
            compiler_arguments: Vec::new(),
        })?;
        target.large.run(&image, &directory, &[])
    };
    let in_c = print_layout("layout_c", vec![c_test_path("layout.c")], &library)?;
    let in_rust = print_layout("layout_rust", Vec::new(), &library)?;
    for (c, rust) in in_c.lines().zip(in_rust.lines()) {
        ensure(
            c == rust,
            &format!("layouts on {}: {c} in C, {rust} in Rust", target.processor),
        )?;
    }
    let (c, rust) = (in_c.lines().count(), in_rust.lines().count());
    ensure(
        c == rust && c >= 100,
        &format!(
            "layouts on {}: {c} lines in C, {rust} in Rust, expected equally many, at least 100",
            target.processor
        ),
    )?;
    let sizes = in_c.lines().filter_map(|line| line.split_once(' '));
    let is_struct = |name: &str| in_c.contains(&format!("\n{name}."));
    Ok(sizes
        .filter(|&(name, _)| is_struct(name))
        .filter_map(|(name, size)| Some((name.to_owned(), size.parse().ok()?)))
        .collect())
}

/// Builds and runs the device on this machine, verifies and replays its ledger with the command, and
/// returns the ledger.
pub fn write_host_ledger() -> TaskResult<Vec<u8>> {
    let directory = output_directory()?.join("images/host");
    fs::create_dir_all(&directory)?;
    let mut library = cargo();
    library.args(["build", "--release", "--locked", "-p", "axilog", "--lib"]);
    let library = build(&mut library)?;
    let program = directory.join("device");
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-std=c99", "-I"])
        .arg(workspace_root().join("include"))
        .arg("-o")
        .arg(&program)
        .arg(c_test_path("firmware/device.c"))
        .arg(c_test_path("firmware/host_stdio.c"))
        .arg(library.path("libaxilog.a")?);
    read_output(&mut cc)?;
    read_output(Command::new(program).current_dir(&directory))?;
    let ledger = directory.join("ledger.jsonl");
    let mut command = cargo();
    // The command that the workspace's tests run: a selection of its own would compile another.
    command.args(["test", "--workspace", "--test", "cli", "--no-run"]);
    let command = build(&mut command)?;
    let axilog = command.path("axilog")?;
    read_output(Command::new(axilog).arg("verify").arg(&ledger))?;
    read_output(
        Command::new(axilog)
            .arg("replay")
            .arg(&ledger)
            .arg("--policies")
            .arg(c_test_path("firmware/device.json")),
    )?;
    Ok(fs::read(ledger)?)
}

/// Checks that a library built with `nfc-none` names no Unicode version and admits ASCII only.
pub fn check_ascii_only(target: &Target, library: &Path) -> TaskResult {
    let image = target.link(&Program {
        name: "ascii_only",
        sources: vec![c_test_path("firmware/ascii_only.c")],
        library,
        uses_libc: false,
        ram_bytes: DEVICE_RAM,
        compiler_arguments: Vec::new(),
    })?;
    target.small.run(&image, &target.image_directory()?, &[])?;
    Ok(())
}

/// Links the device for this processor, and returns its image and the bytes of RAM of its variables.
pub fn link_device(target: &Target, library: &Path, name: &str) -> TaskResult<(PathBuf, u32)> {
    let image = target.link(&Program {
        name,
        sources: vec![c_test_path("firmware/device.c")],
        library,
        uses_libc: false,
        ram_bytes: DEVICE_RAM,
        compiler_arguments: Vec::new(),
    })?;
    let size = measure_image(target, &image)?;
    Ok((image, size.ram))
}

/// Runs the device and compares its ledger with this machine's, byte for byte.
pub fn run_device(target: &Target, image: &Path, expected: &[u8]) -> TaskResult {
    let directory = target.image_directory()?;
    let ledger = directory.join("ledger.jsonl");
    let _ = fs::remove_file(&ledger);
    target.small.run(image, &directory, &[])?;
    ensure(
        fs::read(&ledger)? == expected,
        &format!(
            "the ledger that the device writes on {} differs from this machine's: {}",
            target.processor,
            ledger.display()
        ),
    )
}
