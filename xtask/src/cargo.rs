//! Running cargo, and reading what it says about the workspace and about what it builds.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::{TaskResult, ensure, read_output, workspace_root};

/// The stable cargo that runs this task, in the root directory.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace_root());
    command
}

/// The nightly cargo, in the root directory. The variables by which the stable cargo names itself to
/// its children are removed: nightly would call the stable compiler by them.
#[must_use]
pub fn nightly_cargo() -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["run", "nightly", "cargo"])
        .current_dir(workspace_root());
    for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(variable);
    }
    command
}

/// The beginning of the names of a module's tests, by which a test program runs or skips them.
///
/// # Errors
/// Where the core's test program in `tests/PROGRAM/` has no such module: a name that fits no test would
/// pass unnoticed.
pub fn name_tests_of(program: &str, module: &str) -> TaskResult<String> {
    let file = format!("tests/{program}/{module}.rs");
    ensure(
        workspace_root().join(&file).exists(),
        &format!("there is no {file}; a list of xtask's names the module {module}"),
    )?;
    Ok(format!("{module}::"))
}

/// The stable rustc.
#[must_use]
pub fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// The triple of this machine.
///
/// # Errors
/// Where rustc cannot be run or does not print its host.
pub fn host_triple() -> TaskResult<String> {
    let version = read_output(rustc().arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host
        .ok_or("rustc -vV prints no line with its host")?
        .to_owned())
}

/// The files that a run of cargo built or found up to date.
pub struct Artifacts(Vec<PathBuf>);

impl Artifacts {
    /// The path of the artifact with this file name.
    ///
    /// # Errors
    /// Where cargo built no such file.
    pub fn path(&self, file_name: &str) -> TaskResult<&Path> {
        let path = self.0.iter().find(|path| path.ends_with(file_name));
        Ok(path.ok_or_else(|| format!("cargo built no {file_name}"))?)
    }
}

/// Runs a cargo command that builds something. Cargo's progress goes to the terminal.
///
/// # Errors
/// Where the build fails; the compiler's errors are on the terminal then.
pub fn build(command: &mut Command) -> TaskResult<Artifacts> {
    let output = command
        .arg("--message-format=json-render-diagnostics")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    ensure(
        output.status.success(),
        "cargo could not build what this task needs; its errors are printed above",
    )?;
    let messages = String::from_utf8(output.stdout)?;
    let mut files = Vec::new();
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: Value = serde_json::from_str(line)?;
        let names = message.get("filenames").and_then(Value::as_array);
        files.extend(
            names
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(PathBuf::from),
        );
    }
    Ok(Artifacts(files))
}

/// What `cargo metadata` says about the workspace.
pub struct Metadata(Value);

impl Metadata {
    /// Asks cargo.
    ///
    /// # Errors
    /// Where cargo fails or prints no JSON.
    pub fn read() -> TaskResult<Metadata> {
        let mut command = cargo();
        command.args(["metadata", "--no-deps", "--format-version=1", "--offline"]);
        Ok(Metadata(serde_json::from_str(&read_output(&mut command)?)?))
    }

    /// The directory into which cargo puts what it builds.
    ///
    /// # Errors
    /// Where the metadata names none.
    pub fn target_directory(&self) -> TaskResult<PathBuf> {
        let directory = self.0.get("target_directory").and_then(Value::as_str);
        Ok(directory
            .ok_or("cargo metadata names no target directory")?
            .into())
    }

    /// The names of a package's features, sorted.
    ///
    /// # Errors
    /// Where the workspace has no such package.
    pub fn features(&self, package: &str) -> TaskResult<Vec<String>> {
        let packages = self.0.get("packages").and_then(Value::as_array);
        let features = packages
            .into_iter()
            .flatten()
            .find(|found| found.get("name").and_then(Value::as_str) == Some(package))
            .and_then(|found| found.get("features")?.as_object())
            .ok_or_else(|| format!("the workspace has no package {package}"))?;
        let mut names: Vec<String> = features.keys().cloned().collect();
        names.sort();
        Ok(names)
    }
}
