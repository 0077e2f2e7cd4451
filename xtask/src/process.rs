//! Running other programs: what is missing is named with the command that installs it.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a task ends with.
pub type Done<T = ()> = Result<T, Box<dyn Error>>;

/// The root of the workspace.
#[must_use]
pub fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// Says on the terminal what is being done.
pub fn say(what: &str) {
    println!("\n-- {what}");
}

/// The stable cargo that runs this task, at the root.
#[must_use]
pub fn cargo() -> Command {
    at_root(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Nightly cargo, at the root. The variables by which the stable one tells its children of itself
/// would contradict it.
#[must_use]
pub fn nightly_cargo() -> Command {
    let mut command = at_root("rustup".into());
    command.args(["run", "nightly", "cargo"]);
    for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(variable);
    }
    command
}

fn at_root(program: OsString) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Fails unless `program` can be run, naming the command that installs it.
///
/// # Errors
/// Where the program is not on the PATH.
pub fn need(program: &str, install: &str) -> Done {
    let found = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match found {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{program} is not there; install it: {install}").into()),
    }
}

/// Fails unless rustup has a component or a target of a toolchain.
///
/// # Errors
/// Where it has not, naming the command that adds it; or where there is no rustup.
pub fn need_rustup(kind: &str, toolchain: &str, name: &str) -> Done {
    need("rustup", "https://rustup.rs")?;
    let install = format!("rustup {kind} add --toolchain {toolchain} {name}");
    let mut list = Command::new("rustup");
    list.args([kind, "list", "--installed", "--toolchain", toolchain]);
    let listed = output(&mut list).map_err(|_| {
        format!("no toolchain {toolchain}; install it: rustup toolchain install {toolchain}")
    })?;
    // Components may carry the host's triple.
    let has = |line: &str| line == name || line.starts_with(&format!("{name}-"));
    if listed.lines().any(has) {
        Ok(())
    } else {
        Err(format!("rustup's {kind} {name} is not there; add it: {install}").into())
    }
}

/// Runs a command whose output goes to the terminal; it must succeed.
///
/// # Errors
/// Where it cannot be run or fails, naming it.
pub fn run(command: &mut Command) -> Done {
    let status = command.stdin(Stdio::null()).status();
    let status = status.map_err(|error| format!("{}: {error}", shown(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} failed: {status}", shown(command)).into())
    }
}

/// Runs a command and gives what it prints; it must succeed.
///
/// # Errors
/// Where it cannot be run or fails, naming it, with what it had to say.
pub fn output(command: &mut Command) -> Done<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", shown(command)))?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        Err(format!("{} failed: {}\n{said}", shown(command), output.status).into())
    }
}

/// The command's program and arguments, without its environment.
fn shown(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect();
    words.join(" ")
}
