//! `cargo xtask packaging`: installs the library into a temporary directory and uses it from there as
//! a stranger would.
//!
//! The task needs pkg-config, CMake, a C and a C++ compiler and readelf. The programs that it builds are
//! those of `docs/start-c.md` and `docs/start-cpp.md`, and the README's.

mod cargo_c;
mod pages;
mod programs;
mod tree;

use std::fs;
use std::path::Path;
use std::process::Command;

use clap::Parser;

use crate::install::{InstallOptions, install, uninstall};
use crate::process::{TaskResult, ensure, print_heading, read_output, require_program};

/// The prefix for which the tree is installed; it is staged in another directory, and moved.
const PREFIX: &str = "/opt/axilog";

/// A language, its compiler, and the page whose program is built.
const LANGUAGES: [(&str, &str, &str); 2] = [
    ("c", "cc", "docs/start-c.md"),
    ("cpp", "c++", "docs/start-cpp.md"),
];

/// Installs, uses and uninstalls the library.
///
/// # Errors
/// For a missing tool, and for the first check that fails.
pub fn check_packaging() -> TaskResult {
    require_program("pkg-config", "apt-get install pkg-config")?;
    require_program("cmake", "apt-get install cmake")?;
    require_program("readelf", "apt-get install binutils")?;
    let directory = tempfile::Builder::new()
        .prefix("axilog-packaging-")
        .tempdir()?;
    let directory = directory.path();
    let stage = directory.join("stage");
    let options = parse_options(&stage, &[])?;

    print_heading("install, and install again over it");
    install(&options)?;
    let files = tree::list_files(&stage)?;
    tree::add_stale_file(&options.locations)?;
    install(&options)?;
    ensure(
        tree::list_files(&stage)? == files,
        "the second run of install changes the installed files",
    )?;
    let installed = stage.join(PREFIX.trim_start_matches('/'));
    tree::check_library_names(&installed)?;
    tree::check_command(&installed)?;

    print_heading("programs built from the staged tree");
    programs::check_programs(directory, &installed, &installed.join("lib"))?;
    programs::check_cmake_versions(directory, &installed)?;
    programs::check_compatibility_headers(directory, &installed)?;
    programs::check_own_step(directory, &installed)?;

    print_heading("programs built from the tree after it is moved");
    let moved = directory.join("moved");
    fs::rename(&installed, &moved)?;
    programs::check_programs(directory, &moved, &moved.join("lib"))?;
    fs::rename(&moved, &installed)?;

    print_heading("the library alone, with another libdir and includedir");
    // Debian's libdir, in which CMake searches too.
    let triple = read_output(Command::new("cc").arg("-dumpmachine"))?;
    let libdir = format!("lib/{}", triple.trim());
    let words = [
        "--libdir",
        &libdir,
        "--includedir=include/sub",
        "--library-only",
    ];
    install(&parse_options(&stage, &words)?)?;
    ensure(
        tree::list_files(&stage)?
            .iter()
            .all(|file| !file.contains("opt/axilog/bin")),
        "install --library-only leaves the command of the previous run",
    )?;
    programs::check_programs(directory, &installed, &installed.join(&libdir))?;

    print_heading("the host library");
    install(&parse_options(&stage, &["--host", "--library-only"])?)?;
    programs::check_host_programs(directory, &installed)?;

    print_heading("the commands of the README and of the pages");
    pages::check_pages(directory)?;

    cargo_c::check_cinstall(directory, &files)?;

    print_heading("uninstall");
    uninstall(&options.locations)?;
    let remaining = tree::list_files(&stage)?;
    ensure(
        remaining.is_empty(),
        &format!("uninstall leaves {remaining:?}"),
    )?;
    ensure(
        uninstall(&options.locations).is_err(),
        "a second uninstall succeeds although nothing is installed",
    )?;
    print_heading("the installed library passes every check");
    Ok(())
}

/// Parses the options of an installation for [`PREFIX`] that is staged in `stage`.
fn parse_options(stage: &Path, words: &[&str]) -> TaskResult<InstallOptions> {
    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: InstallOptions,
    }
    let stage = stage.to_str();
    let stage = stage.ok_or("the path of the temporary directory is not UTF-8; set TMPDIR")?;
    let words = [&["install", "--prefix", PREFIX, "--destdir", stage], words].concat();
    Ok(CommandLine::try_parse_from(words)?.options)
}
