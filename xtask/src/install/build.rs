//! Building what is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::describe::VERSION;
use crate::process::{Done, cargo, output, root, run};

/// What was built, and where.
pub struct Built {
    /// `libaxilog.a`.
    pub archive: PathBuf,
    /// `libaxilog.so`, with its SONAME.
    pub shared: PathBuf,
    /// What a static program links besides.
    pub libraries: Vec<String>,
}

/// Builds both libraries in a target directory of their own: the SONAME is the installed library's
/// alone, and a program linked against `target/release/libaxilog.so` must not ask for it.
///
/// # Errors
/// Where cargo fails, or the system is not one whose libraries are ELF files.
pub fn libraries() -> Done<Built> {
    if !cfg!(all(unix, not(target_vendor = "apple"))) {
        return Err("install knows ELF systems; on others use `cargo cinstall` (cargo-c)".into());
    }
    let directory = target_directory()?.join("install");
    let build = |kind: &str, arguments: &[String]| {
        let mut command = cargo();
        command
            .args(["rustc", "--quiet", "--release", "--locked", "-p", "axilog"])
            .args(["--lib", "--crate-type", kind, "--target-dir"])
            .arg(&directory)
            .args(arguments);
        run(&mut command)
    };
    build("staticlib", &[])?;
    let soname = format!("link-arg=-Wl,-soname,{}", VERSION.soname());
    build("cdylib", &["--".into(), "-C".into(), soname])?;
    let built = directory.join("release");
    Ok(Built {
        archive: built.join("libaxilog.a"),
        shared: built.join("libaxilog.so"),
        libraries: native_libraries(&directory)?,
    })
}

/// The command `axilog`.
///
/// # Errors
/// Where cargo fails.
pub fn command() -> Done<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--locked"]);
    run(build.args(["-p", "axilog-harness", "--bin", "axilog"]))?;
    Ok(target_directory()?.join("release/axilog"))
}

/// The manual pages and completions of the command, in a directory of their own.
///
/// # Errors
/// Where cargo fails.
pub fn manual() -> Done<PathBuf> {
    let directory = target_directory()?.join("install/manual");
    // What an older definition had is not there any more.
    let _ = fs::remove_dir_all(&directory);
    let mut write = cargo();
    write.args(["run", "--quiet", "--locked", "-p", "axilog-manual", "--"]);
    run(write.arg(&directory))?;
    Ok(directory)
}

/// What rustc says a static library needs, without libgcc_s: compilers add that, or libgcc_eh to a
/// program that is wholly static, for which there is no libgcc_s.
fn native_libraries(directory: &Path) -> Done<Vec<String>> {
    let source = directory.join("empty.rs");
    fs::write(&source, "")?;
    let list = directory.join("native-static-libs");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc
        .args(["--crate-type=staticlib", "--out-dir"])
        .arg(directory)
        .arg(format!("--print=native-static-libs={}", list.display()))
        .arg(&source);
    output(&mut rustc)?;
    let named = fs::read_to_string(list)?;
    let named = named.split_whitespace().filter(|name| *name != "-lgcc_s");
    Ok(named.map(str::to_owned).collect())
}

/// Where cargo puts what it builds.
fn target_directory() -> Done<PathBuf> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version=1", "--offline"]);
    let metadata = output(&mut command)?;
    let (_, rest) = metadata
        .split_once("\"target_directory\":\"")
        .ok_or("cargo metadata names no target directory")?;
    let path = rest.split('"').next().unwrap_or_default();
    Ok(root().join(path))
}
