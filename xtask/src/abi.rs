//! `cargo xtask abi [--bless]`: the interface that the C headers describe, compared with the committed
//! one.
//!
//! `include/abi/axilog.abi` is libabigail's description of every function, object and type of the
//! headers on x86-64 Linux. The description is made from a C library that defines what the headers
//! declare, and not from the debug information of libaxilog.so: that information contains Rust's own
//! types too, whose names and shapes change with each compiler, and Rust's unions where C has enums.
//! The C library is enough: the headers are generated from the source, the suite `layout` compares the
//! layouts of Rust and C, and this task compares the symbols that libaxilog.so exports.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog_testkit::declarations::{compat_functions, is_implementation, statements};

use crate::cargo::{build, cargo};
use crate::process::{
    TaskResult, print_heading, read_output, require_program, run, workspace_root,
};

const APT: &str = "apt-get install abigail-tools";

/// Compares the headers with the committed description; with `bless`, writes the description anew.
///
/// # Errors
/// For a missing tool; for any difference, which is printed; for a symbol that libaxilog.so exports
/// and no header declares; for a symbol that a header declares and libaxilog.so does not export.
pub fn check_abi(bless: bool) -> TaskResult {
    require_program("abidw", APT)?;
    require_program("abidiff", APT)?;
    require_program("gcc", "apt-get install build-essential")?;
    let directory = tempfile::tempdir()?;
    let declared = compile_declarations(directory.path())?;
    compare_symbols(&declared)?;
    let current = directory.path().join("axilog.abi");
    write_description(&declared, &current)?;
    if bless {
        fs::create_dir_all(description_path().parent().unwrap_or(workspace_root()))?;
        fs::copy(&current, description_path())?;
        return Ok(());
    }
    print_heading("the interface of the headers, compared with the committed description");
    let mut compare = Command::new("abidiff");
    compare.arg(description_path()).arg(&current);
    run(&mut compare).map_err(|error| {
        format!(
            "{error}\nThe difference is printed above. If it is intended, raise ax_abi_version and \
             run cargo xtask abi --bless"
        )
    })?;
    println!("no difference");
    Ok(())
}

fn description_path() -> PathBuf {
    workspace_root().join("include/abi/axilog.abi")
}

/// Compiles, in `directory`, a C library that defines everything that the headers declare.
fn compile_declarations(directory: &Path) -> TaskResult<PathBuf> {
    let mut preprocess = gcc(directory);
    preprocess
        .args(["-E", "-P"])
        .arg(workspace_root().join("include/axilog/axilog.h"));
    let mut source = String::from("#include \"axilog/axilog.h\"\n\n");
    for declaration in declarations(&read_output(&mut preprocess)?) {
        match declaration.strip_prefix("extern ") {
            Some(object) => writeln!(source, "{object} = {{0}};")?,
            None => writeln!(source, "{declaration} {{ __builtin_trap(); }}")?,
        }
    }
    fs::write(directory.join("axilog.c"), source)?;
    let mut compile = gcc(directory);
    compile.args([
        "-g",
        "-O0",
        "-fPIC",
        "-shared",
        "-o",
        "declared.so",
        "axilog.c",
    ]);
    run(&mut compile)?;
    Ok(directory.join("declared.so"))
}

fn gcc(directory: &Path) -> Command {
    let mut command = Command::new("gcc");
    command
        .current_dir(directory)
        .args(["-std=c99", "-I"])
        .arg(workspace_root().join("include"));
    command
}

/// Finds the declarations of functions and objects in preprocessed C, without their semicolons.
fn declarations(text: &str) -> Vec<String> {
    let words = |statement: &String| statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let declares = |words: &String| {
        let is_type = words.starts_with("typedef") || words.starts_with("struct");
        !is_type && (words.starts_with("extern ") || words.contains('('))
    };
    statements(text)
        .iter()
        .map(words)
        .filter(declares)
        .collect()
}

fn write_description(library: &Path, to: &Path) -> TaskResult {
    let mut command = Command::new("abidw");
    command
        .args([
            "--no-comp-dir-path",
            "--no-corpus-path",
            "--no-show-locs",
            "--no-elf-needed",
        ])
        .args(["--type-id-style", "hash", "--load-all-types", "--out-file"])
        .arg(to)
        .arg(library);
    run(&mut command)
}

/// Compares the symbols of libaxilog.so with those of the library made of the declarations.
fn compare_symbols(declarations: &Path) -> TaskResult {
    let mut command = cargo();
    // The whole workspace, so that the build of `cargo test --workspace` is used again.
    command.args(["test", "--workspace", "--test", "c_suites", "--no-run"]);
    let artifacts = build(&mut command)?;
    let mut declared = read_symbols(declarations)?;
    declared.extend(compat_functions());
    let mut exported = read_symbols(artifacts.path("libaxilog.so")?)?;
    exported.retain(|name| !is_implementation(name));
    if declared == exported {
        println!(
            "libaxilog.so exports the {} names of the headers",
            exported.len()
        );
        return Ok(());
    }
    let names_in_first = |first: &BTreeSet<String>, second: &BTreeSet<String>| {
        let names = first.difference(second).cloned();
        names.collect::<Vec<_>>().join(" ")
    };
    let missing = names_in_first(&declared, &exported);
    let undeclared = names_in_first(&exported, &declared);
    Err(format!("declared, not exported: {missing}\nexported, not declared: {undeclared}").into())
}

fn read_symbols(library: &Path) -> TaskResult<BTreeSet<String>> {
    let mut command = Command::new("nm");
    command.args(["--dynamic", "--defined-only"]).arg(library);
    let listed = read_output(&mut command)?;
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    Ok(names.map(str::to_owned).collect())
}
