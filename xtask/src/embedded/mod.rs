//! `cargo xtask embedded`: the library as a component of ESP-IDF, a module of Zephyr, and a library for Arduino and
//! PlatformIO, each in a folder below `target/embedded`. `--check` builds and runs programs with them.
//!
//! A package is the files of its folder in `embedded/`, with the headers, the sample and the compiled archives added.

mod archives;
mod arduino;
mod check;
mod cmake;
mod manifests;
mod package;

use crate::process::{TaskResult, print_heading, require_rustup};
use archives::{PROCESSORS, build_archives};

/// Makes the packages. With `check`, builds programs with each, and runs those for which there is an emulated machine.
///
/// # Errors
/// For a missing target of Rust, a failed build, and, with `check`, a missing tool and the first check that fails.
pub fn make_packages(check: bool) -> TaskResult {
    for processor in &PROCESSORS {
        require_rustup("target", "stable", processor.triple)?;
    }
    print_heading("the archives");
    let archives = build_archives()?;
    let packages = package::write_packages(&archives)?;
    for package in packages.all() {
        println!("{}", package.display());
    }
    if check {
        check::check_packages(&packages)?;
    }
    Ok(())
}
