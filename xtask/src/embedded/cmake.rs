//! Programs that CMake builds with the packages, in place of an SDK with the functions of `embedded/stubs`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::archives::Processor;
use crate::process::{TaskResult, read_output, workspace_root};

/// A folder of `embedded/stubs`.
pub fn stub(name: &str) -> PathBuf {
    workspace_root().join("embedded/stubs").join(name)
}

/// Configures and builds the project in `source` for a processor, in `build`.
///
/// # Errors
/// Where CMake refuses the project, or it is not compiled or linked.
pub fn build_project(
    processor: &Processor,
    source: &Path,
    build: &Path,
    definitions: &[String],
) -> TaskResult {
    let prefix = processor.compiler.prefix;
    let flags = processor.compiler.flags.join(" ");
    let mut configure = Command::new("cmake");
    configure
        .arg("-S")
        .arg(source)
        .arg("-B")
        .arg(build)
        .args([
            "-DCMAKE_SYSTEM_NAME=Generic",
            "-DCMAKE_BUILD_TYPE=MinSizeRel",
        ])
        .arg("-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY")
        .arg(format!("-DCMAKE_C_COMPILER={prefix}gcc"))
        .arg(format!("-DCMAKE_CXX_COMPILER={prefix}g++"))
        .arg(format!("-DCMAKE_C_FLAGS={flags} -Wall -Wextra -Werror"))
        .arg(format!("-DCMAKE_CXX_FLAGS={flags} -Wall -Wextra -Werror"))
        .args(
            definitions
                .iter()
                .map(|definition| format!("-D{definition}")),
        )
        .env("IDF_PATH", stub("esp-idf"));
    read_output(&mut configure)?;
    read_output(Command::new("cmake").arg("--build").arg(build))?;
    Ok(())
}
