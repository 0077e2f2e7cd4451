//! `cargo cinstall` (cargo-c), the other way to install the library.

use std::collections::BTreeSet;
use std::path::Path;

use super::PREFIX;
use super::programs::check_own_step;
use super::tree::{check_soname, list_files};
use crate::cargo::cargo;
use crate::process::{TaskResult, ensure, print_heading, read_output};

/// Checks that `cargo cinstall` installs the same headers and libraries under the same names. Without
/// cargo-c, which takes longer to build than all of axilog, the check is left out and says so.
pub fn check_cinstall(directory: &Path, installed_files: &[String]) -> TaskResult {
    let version = cargo().args(["cinstall", "--version"]).output()?;
    if !version.status.success() {
        print_heading(
            "cargo cinstall: not checked, cargo-c is not installed (cargo install cargo-c)",
        );
        return Ok(());
    }
    print_heading("cargo cinstall");
    let stage = directory.join("cstage");
    let mut command = cargo();
    command
        .args(["cinstall", "-p", "axilog", "--release", "--locked"])
        .args(["--prefix", PREFIX, "--libdir", "lib", "--destdir"])
        .arg(&stage);
    read_output(&mut command)?;
    let installed = stage.join(PREFIX.trim_start_matches('/'));
    check_soname(&installed.join("lib"))?;
    check_own_step(directory, &installed)?;
    let files = list_files(&stage)?;
    let (by_cargo_c, by_install) = (shared_names(&files), shared_names(installed_files));
    let differences: Vec<_> = by_install.symmetric_difference(&by_cargo_c).collect();
    ensure(
        differences.is_empty(),
        &format!("cargo cinstall and cargo xtask install differ in {differences:?}"),
    )
}

/// The paths below the prefix that both ways install: the headers and the libraries.
fn shared_names(files: &[String]) -> BTreeSet<&str> {
    let names = files.iter().filter_map(|file| file.split_once(PREFIX));
    names
        .map(|(_, name)| name)
        .filter(|name| name.starts_with("/include") || name.starts_with("/lib/lib"))
        .collect()
}
