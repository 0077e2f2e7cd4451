//! Running other programs. A missing program is reported with the command that installs it.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

/// The result of a task: its errors are text for the developer who started it.
pub type TaskResult<T = ()> = Result<T, Box<dyn Error>>;

/// The root directory of the workspace.
#[must_use]
pub fn workspace_root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// Prints a heading that names the next part of a task.
pub fn print_heading(text: &str) {
    println!("\n-- {text}");
}

/// Returns an error with `message` unless `condition` holds.
///
/// # Errors
/// `message`, where the condition does not hold.
pub fn ensure(condition: bool, message: &str) -> TaskResult {
    if condition {
        Ok(())
    } else {
        Err(message.into())
    }
}

/// Fails unless `program` can be run; the error names the command that installs it.
///
/// # Errors
/// Where the program is not on the PATH.
pub fn require_program(program: &str, install_command: &str) -> TaskResult {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map(drop)
        .map_err(|_| format!("{program} is not on the PATH; install it: {install_command}").into())
}

/// Fails unless a rustup toolchain has a component or a target; the error names the command that adds it.
///
/// # Errors
/// Where the component, the target, the toolchain or rustup itself is missing.
pub fn require_rustup(kind: &str, toolchain: &str, name: &str) -> TaskResult {
    require_program("rustup", "https://rustup.rs")?;
    let mut list = Command::new("rustup");
    list.args([kind, "list", "--installed", "--toolchain", toolchain]);
    let installed = read_output(&mut list).map_err(|_| {
        format!(
            "rustup has no toolchain {toolchain}; install it: rustup toolchain install {toolchain}"
        )
    })?;
    // The name of a component may be followed by the host's triple.
    let is_named = |line: &str| line == name || line.starts_with(&format!("{name}-"));
    ensure(
        installed.lines().any(is_named),
        &format!(
            "rustup's toolchain {toolchain} has no {kind} {name}; \
             add it: rustup {kind} add --toolchain {toolchain} {name}"
        ),
    )
}

/// Runs a command whose output goes to the terminal.
///
/// # Errors
/// Where the command cannot be started or fails; the error names it.
pub fn run(command: &mut Command) -> TaskResult {
    let status = command.stdin(Stdio::null()).status();
    let status = status.map_err(|error| format!("{}: {error}", command_line(command)))?;
    ensure(
        status.success(),
        &format!("{} failed: {status}", command_line(command)),
    )
}

/// Runs a command and returns what it writes to its standard output.
///
/// # Errors
/// Where the command cannot be started or fails; the error names it and contains its whole output.
pub fn read_output(command: &mut Command) -> TaskResult<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", command_line(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    Err(format!(
        "{} failed: {}\n{text}",
        command_line(command),
        output.status
    )
    .into())
}

/// The command's program and arguments, without its environment.
fn command_line(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect();
    words.join(" ")
}
