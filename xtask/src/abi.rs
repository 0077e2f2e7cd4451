//! `cargo xtask abi [--bless]`: what a C program was compiled against, compared with what it was.
//!
//! `include/abi/axilog.abi` is libabigail's description of every function, object and type of the
//! headers on x86-64 Linux. It is made from a C library that defines what the headers declare, and
//! not from the debug information of libaxilog.so: that describes Rust's own types too, whose names
//! and shapes change with each compiler, and Rust's unions where C has enums. Nothing is lost by it:
//! the headers are generated from the source, the layouts of Rust and C are compared by the suite
//! `layout`, and the symbols that libaxilog.so exports are compared here.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::declarations::statements;
use crate::process::{Done, cargo, need, output, root, run, say};

const APT: &str = "apt-get install abigail-tools";

/// Compares the headers with the committed description, or with `bless` writes it anew.
///
/// # Errors
/// For a missing tool; for any difference, which is printed; for a symbol that libaxilog.so exports
/// and no header declares, or the other way round.
pub fn abi(bless: bool) -> Done {
    need("abidw", APT)?;
    need("abidiff", APT)?;
    need("gcc", "apt-get install build-essential")?;
    let place = tempfile::tempdir()?;
    let declared = stand_in(place.path())?;
    symbols_agree(&declared)?;
    let found = place.path().join("axilog.abi");
    describe(&declared, &found)?;
    if bless {
        fs::create_dir_all(committed().parent().unwrap_or(root()))?;
        fs::copy(&found, committed())?;
        return Ok(());
    }
    say("the ABI, as committed and as it is");
    let mut compare = Command::new("abidiff");
    compare.arg(committed()).arg(&found);
    run(&mut compare).map_err(|error| {
        format!(
            "{error}\nThe difference is printed above. If it is meant, ax_abi_version must say so: \
             cargo xtask abi --bless"
        )
    })?;
    println!("no difference");
    Ok(())
}

fn committed() -> PathBuf {
    root().join("include/abi/axilog.abi")
}

/// A C library that defines everything the headers declare, compiled in `place`.
fn stand_in(place: &Path) -> Done<PathBuf> {
    let mut preprocess = gcc(place);
    preprocess
        .args(["-E", "-P"])
        .arg(root().join("include/axilog/axilog.h"));
    let mut source = String::from("#include \"axilog/axilog.h\"\n\n");
    for declaration in declarations(&output(&mut preprocess)?) {
        match declaration.strip_prefix("extern ") {
            Some(object) => writeln!(source, "{object} = {{0}};")?,
            None => writeln!(source, "{declaration} {{ __builtin_trap(); }}")?,
        }
    }
    fs::write(place.join("axilog.c"), source)?;
    let mut compile = gcc(place);
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
    Ok(place.join("declared.so"))
}

fn gcc(place: &Path) -> Command {
    let mut command = Command::new("gcc");
    command
        .current_dir(place)
        .args(["-std=c99", "-I"])
        .arg(root().join("include"));
    command
}

/// The declarations of functions and objects in preprocessed C, without their semicolons.
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

fn describe(library: &Path, to: &Path) -> Done {
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

/// libaxilog.so must export what the stand-in does.
fn symbols_agree(declared: &Path) -> Done {
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "-p",
        "axilog",
        "--lib",
        "--message-format=json",
    ]);
    let messages = output(&mut build)?;
    let library = messages
        .split('"')
        .find(|word| word.ends_with("libaxilog.so"))
        .ok_or("cargo built no libaxilog.so")?;
    let (declared, exported) = (symbols(declared)?, symbols(Path::new(library))?);
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.difference(other).cloned().collect::<Vec<_>>().join(" ")
    };
    if declared == exported {
        println!(
            "libaxilog.so exports the {} names of the headers",
            exported.len()
        );
        return Ok(());
    }
    let missing = only(&declared, &exported);
    let unknown = only(&exported, &declared);
    Err(format!("declared, not exported: {missing}\nexported, not declared: {unknown}").into())
}

fn symbols(library: &Path) -> Done<BTreeSet<String>> {
    let mut command = Command::new("nm");
    command.args(["--dynamic", "--defined-only"]).arg(library);
    let listed = output(&mut command)?;
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    Ok(names.map(str::to_owned).collect())
}
