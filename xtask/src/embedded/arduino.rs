//! The sketch, compiled as Arduino's builder would, with the archive of each folder.

use std::path::Path;

use super::archives::PROCESSORS;
use super::check::run_sample;
use super::cmake::{build_project, stub};
use super::package::Packages;
use crate::process::TaskResult;

/// Builds the sketch with the archive of each processor, and runs it.
pub fn check_library(packages: &Packages, directory: &Path, ledger: &str) -> TaskResult {
    let library = &packages.arduino;
    for processor in &PROCESSORS {
        for folder in processor.arduino_folders {
            let build = directory.join("sketch").join(folder.replace('/', "-"));
            let definitions = [
                format!("SKETCH={}", library.join("examples/Motor").display()),
                format!("LIBRARY={}", library.display()),
                format!("ARCHIVE={folder}"),
            ];
            build_project(processor, &stub("arduino"), &build, &definitions)?;
            run_sample(processor, &build.join("sketch.elf"), ledger)?;
        }
    }
    Ok(())
}
