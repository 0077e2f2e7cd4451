//! The README and the pages for C and C++, as a newcomer follows them.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::LANGUAGES;
use crate::process::{TaskResult, ensure, read_output, workspace_root};

/// Runs the README's commands, which install below a home directory, build the README's program and
/// replay the ledger that it wrote; then runs the commands of the pages, which build their programs.
pub fn check_pages(directory: &Path) -> TaskResult {
    let home = directory.join("home");
    fs::create_dir(&home)?;
    fs::write(directory.join("program.c"), read_block("README.md", "c")?)?;
    run_shell(
        &read_block("README.md", "sh install")?,
        workspace_root(),
        &home,
    )?;
    let printed = run_shell(&read_block("README.md", "sh build")?, directory, &home)?;
    ensure(
        printed.starts_with("go\nALARM\n") && printed.contains("\nOK "),
        &format!("the README's commands print {printed:?}, expected go, ALARM and a line with OK"),
    )?;
    for (language, _, page) in LANGUAGES {
        fs::remove_file(directory.join("ledger.jsonl"))?; // Of the program before.
        let source = directory.join(format!("decide.{language}"));
        fs::write(source, read_block(page, language)?)?;
        let printed = run_shell(&read_block(page, "sh build")?, directory, &home)?;
        let expected = read_block(page, "text")?;
        ensure(
            printed == expected,
            &format!("the commands of {page} print {printed:?}, expected {expected:?}"),
        )?;
    }
    let project = "cmake_minimum_required(VERSION 3.13)\nproject(decide C)\n";
    let lines = read_block(LANGUAGES[0].2, "cmake")?;
    fs::write(
        directory.join("CMakeLists.txt"),
        format!("{project}{lines}"),
    )?;
    let build = "cmake -S . -B page -DCMAKE_PREFIX_PATH=\"$HOME/.local\" && cmake --build page";
    run_shell(build, directory, &home).map(drop)
}

/// Runs shell commands with another home directory and returns what they print.
fn run_shell(commands: &str, directory: &Path, home: &Path) -> TaskResult<String> {
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", commands]).current_dir(directory);
    // The developer's own library path would hide what the commands set themselves.
    shell.env("HOME", home).env_remove("LD_LIBRARY_PATH");
    // Cargo and rustup keep their own directories below the developer's home.
    for (variable, name) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        if let (None, Some(real_home)) = (env::var_os(variable), env::var_os("HOME")) {
            shell.env(variable, Path::new(&real_home).join(name));
        }
    }
    read_output(&mut shell)
}

/// Reads the first block of a page in `language`.
pub fn read_block(page: &str, language: &str) -> TaskResult<String> {
    let text = fs::read_to_string(workspace_root().join(page))?;
    let opening = format!("\n```{language}\n");
    let block = text
        .split_once(&opening)
        .and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.ok_or_else(|| format!("{page} has no block ```{language}"))?;
    Ok(block.to_owned())
}
