//! Building what is installed. Cargo's progress goes to the terminal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::features::FeatureSelection;
use super::version::VERSION;
use crate::cargo::{Metadata, build, cargo, rustc};
use crate::process::{TaskResult, ensure, read_output, run};

/// The built libraries.
pub struct Libraries {
    /// The path of `libaxilog.a`.
    pub archive: PathBuf,
    /// The path of `libaxilog.so`, which has its SONAME.
    pub shared: PathBuf,
    /// The options that link what a static program needs besides `libaxilog.a`.
    pub native_libraries: Vec<String>,
}

/// Builds both libraries in a target directory of their own: the SONAME belongs to the installed
/// library alone, and a program linked against `target/release/libaxilog.so` must not ask for it.
///
/// # Errors
/// Where cargo fails, or the system is not one whose libraries are ELF files.
pub fn build_libraries(metadata: &Metadata) -> TaskResult<Libraries> {
    ensure(
        cfg!(all(unix, not(target_vendor = "apple"))),
        "install supports systems with ELF libraries; use `cargo cinstall` (cargo-c) on this one",
    )?;
    let directory = metadata.target_directory()?.join("install");
    let compile = |crate_type: &str, rustc_arguments: &[String]| {
        let mut command = cargo();
        command
            .args(["rustc", "--release", "--locked", "-p", "axilog"])
            .args(["--lib", "--crate-type", crate_type, "--target-dir"])
            .arg(&directory)
            .args(rustc_arguments);
        run(&mut command)
    };
    compile("staticlib", &[])?;
    let soname = format!("link-arg=-Wl,-soname,{}", VERSION.soname());
    compile("cdylib", &["--".into(), "-C".into(), soname])?;
    let release = directory.join("release");
    Ok(Libraries {
        archive: release.join("libaxilog.a"),
        shared: release.join("libaxilog.so"),
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
