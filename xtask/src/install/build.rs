//! Building what is installed. Cargo's progress goes to the terminal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::features::FeatureSelection;
use super::package::Package;
use crate::cargo::{Metadata, build, cargo, rustc};
use crate::process::{TaskResult, ensure, read_output, run};

/// A library that was built, in both its forms.
pub struct BuiltLibrary {
    /// The path of the static library.
    pub archive: PathBuf,
    /// The path of the shared library, which has its SONAME.
    pub shared: PathBuf,
    /// The options that link what a static program needs besides the static library.
    pub native_libraries: Vec<String>,
}

/// Builds both forms of a library in a target directory of their own: the SONAME belongs to the installed
/// library alone, and a program linked against `target/release/libaxilog.so` must not ask for it.
///
/// # Errors
/// Where cargo fails, or the system is not one whose libraries are ELF files.
pub fn build_library(metadata: &Metadata, package: &Package) -> TaskResult<BuiltLibrary> {
    ensure(
        cfg!(all(unix, not(target_vendor = "apple"))),
        "install supports systems with ELF libraries; use `cargo cinstall` (cargo-c) on this one",
    )?;
    let directory = metadata.target_directory()?.join("install");
    let compile = |crate_type: &str, rustc_arguments: &[String]| {
        let mut command = cargo();
        command
            .args(["rustc", "--profile", package.profile, "--locked", "-p"])
            .arg(package.name)
            .args(["--lib", "--crate-type", crate_type, "--target-dir"])
            .arg(&directory)
            .args(rustc_arguments);
        run(&mut command)
    };
    compile("staticlib", &[])?;
    let soname = format!("link-arg=-Wl,-soname,{}", package.soname());
    compile("cdylib", &["--".into(), "-C".into(), soname])?;
    let built = directory.join(package.profile);
    Ok(BuiltLibrary {
        archive: built.join(package.archive_name()),
        shared: built.join(package.link_name()),
        native_libraries: read_native_libraries(&directory)?,
    })
}

/// The command `axilog`, and the directory with its manual pages and completions.
pub struct BuiltCommand {
    pub program: PathBuf,
    pub manual: PathBuf,
}

/// Builds the command and the program that writes its manual together, so that both have the same
/// features and share every crate, and runs the latter.
///
/// # Errors
/// For an unknown feature, and where cargo or the program fails.
pub fn build_command(metadata: &Metadata, features: &FeatureSelection) -> TaskResult<BuiltCommand> {
    features.check(metadata)?;
    let mut command = cargo();
    command.args(["build", "--release", "--locked", "--bins"]);
    command.args(["-p", "axilog-harness", "-p", "axilog-manual"]);
    features.add_to(&mut command);
    let artifacts = build(&mut command)?;
    let manual = metadata.target_directory()?.join("install/manual");
    // An earlier build may have written pages of subcommands that were removed since.
    let _ = fs::remove_dir_all(&manual);
    run(Command::new(artifacts.path("axilog-manual")?).arg(&manual))?;
    Ok(BuiltCommand {
        program: artifacts.path("axilog")?.to_owned(),
        manual,
    })
}

/// Reads from rustc which libraries a static library needs. libgcc_s is left out: a compiler adds it
/// by itself, or adds libgcc_eh to a wholly static program, which cannot use libgcc_s.
fn read_native_libraries(directory: &Path) -> TaskResult<Vec<String>> {
    let source = directory.join("empty.rs");
    fs::write(&source, "")?;
    let list = directory.join("native-static-libs");
    let mut compile = rustc();
    compile
        .args(["--crate-type=staticlib", "--out-dir"])
        .arg(directory)
        .arg(format!("--print=native-static-libs={}", list.display()))
        .arg(&source);
    read_output(&mut compile)?;
    let names = fs::read_to_string(list)?;
    let names = names.split_whitespace().filter(|name| *name != "-lgcc_s");
    Ok(names.map(str::to_owned).collect())
}
