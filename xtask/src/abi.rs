//! `cargo xtask abi [--bless]`: the interfaces that the C headers describe, compared with the committed
//! ones.
//!
//! `include/abi/axilog.abi` is libabigail's description of every function, object and type of the
//! headers of libaxilog on x86-64 Linux, `harness/host/abi/axilog_host.abi` that of what libaxilog_host
//! has beside them. A description is made from a C library that defines what the headers
//! declare, and not from the debug information of libaxilog.so: that information contains Rust's own
//! types too, whose names and shapes change with each compiler, and Rust's unions where C has enums.
//! The C library is enough: the headers are generated from the source, the suite `layout` compares the
//! layouts of Rust and C, and this task compares the symbols that the libraries export.

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

/// A library with its header and the description of its interface.
struct Interface {
    /// The name of the C library that is made of the declarations.
    name: &'static str,
    /// The file name of the shared library.
    library: &'static str,
    /// The header that includes everything that the library declares.
    header: &'static str,
    /// What the names begin with that are the library's own.
    prefix: &'static str,
    /// The committed description.
    description: &'static str,
    /// Options of abidw. Types that no function uses are described where they are the library's own.
    arguments: &'static [&'static str],
}

const CORE: Interface = Interface {
    name: "axilog",
    library: "libaxilog.so",
    header: "axilog/axilog.h",
    prefix: "",
    description: "include/abi/axilog.abi",
    arguments: &["--load-all-types"],
};

const HOST: Interface = Interface {
    name: "axilog_host",
    library: "libaxilog_host.so",
    header: "axilog/host.h",
    prefix: "axh_",
    description: "harness/host/abi/axilog_host.abi",
    arguments: &[],
};

/// Compares the headers with the committed descriptions; with `bless`, writes the descriptions anew.
///
/// # Errors
/// For a missing tool; for any difference, which is printed; for a symbol that a library exports
/// and no header declares; for a symbol that a header declares and its library does not export.
pub fn check_abi(bless: bool) -> TaskResult {
    require_program("abidw", APT)?;
    require_program("abidiff", APT)?;
    require_program("gcc", "apt-get install build-essential")?;
    let directory = tempfile::tempdir()?;
    let declared = [
        CORE.compile_declarations(&directory.path().join("core"))?,
        HOST.compile_declarations(&directory.path().join("host"))?,
    ];
    compare_symbols(&declared)?;
    for (interface, declared) in [CORE, HOST].iter().zip(&declared) {
        interface.check_description(declared, bless)?;
    }
    Ok(())
}

impl Interface {
    /// Compiles, in `directory`, a C library that defines everything that the headers declare.
    fn compile_declarations(&self, directory: &Path) -> TaskResult<PathBuf> {
        fs::create_dir(directory)?;
        let include = format!("#include \"{}\"\n\n", self.header);
        fs::write(directory.join("header.c"), &include)?;
        let mut preprocess = gcc(directory);
        preprocess.args(["-E", "-P", "header.c"]);
        let mut source = include;
        for declaration in declarations(&read_output(&mut preprocess)?) {
            let words = declaration.split(|c: char| !c.is_alphanumeric() && c != '_');
            if !words.into_iter().any(|word| word.starts_with(self.prefix)) {
                continue;
            }
            match declaration.strip_prefix("extern ") {
                Some(object) => writeln!(source, "{object} = {{0}};")?,
                None => writeln!(source, "{declaration} {{ __builtin_trap(); }}")?,
            }
        }
        // The description has the name of the file.
        let file = format!("{}.c", self.name);
        fs::write(directory.join(&file), source)?;
        let mut compile = gcc(directory);
        compile.args(["-g", "-O0", "-fPIC", "-shared", "-o"]);
        compile.args(["declared.so", &file]);
        run(&mut compile)?;
        Ok(directory.join("declared.so"))
    }

    /// Describes the library made of the declarations, and compares the description with the committed one or
    /// writes that anew.
    fn check_description(&self, declared: &Path, bless: bool) -> TaskResult {
        let committed = workspace_root().join(self.description);
        let current = declared.with_extension("abi");
        self.write_description(declared, &current)?;
        if bless {
            fs::create_dir_all(committed.parent().unwrap_or(workspace_root()))?;
            fs::copy(&current, committed)?;
            return Ok(());
        }
        print_heading(&format!(
            "the interface of {}, compared with the committed description",
            self.library
        ));
        let mut compare = Command::new("abidiff");
        compare.arg(committed).arg(&current);
        run(&mut compare).map_err(|error| {
            format!(
                "{error}\nThe difference is printed above. If it is intended, raise ax_abi_version and \
                 run cargo xtask abi --bless"
            )
        })?;
        println!("no difference");
        Ok(())
    }

    fn write_description(&self, library: &Path, to: &Path) -> TaskResult {
        let mut command = Command::new("abidw");
        command
            .args([
                "--no-comp-dir-path",
                "--no-corpus-path",
                "--no-show-locs",
                "--no-elf-needed",
            ])
            .args(["--type-id-style", "hash"])
            .args(self.arguments)
            .arg("--out-file")
            .arg(to)
            .arg(library);
        run(&mut command)
    }
}

fn gcc(directory: &Path) -> Command {
    let mut command = Command::new("gcc");
    command
        .current_dir(directory)
        .args(["-std=c99", "-I"])
        .arg(workspace_root().join("include"))
        .arg("-I")
        .arg(workspace_root().join("harness/host/include"));
    command
}

/// Finds the declarations of functions and objects in preprocessed C, without their semicolons.
fn declarations(text: &str) -> Vec<String> {
    let words = |statement: &String| statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let declares = |words: &String| {
        let is_struct = words.starts_with("struct") && !words.contains('(');
        let is_type = words.starts_with("typedef") || is_struct;
        !is_type && (words.starts_with("extern ") || words.contains('('))
    };
    statements(text)
        .iter()
        .map(words)
        .filter(declares)
        .collect()
}

/// Compares the symbols of the libraries with those of the libraries made of the declarations. The host library
/// exports those of the core too.
fn compare_symbols([core, host]: &[PathBuf; 2]) -> TaskResult {
    let mut command = cargo();
    // The whole workspace, so that the build of `cargo test --workspace` is used again.
    command.args(["test", "--workspace", "--test", "c_suites", "--test"]);
    command.args(["c_programs", "--no-run"]);
    let artifacts = build(&mut command)?;
    let mut declared = read_symbols(core)?;
    declared.extend(compat_functions());
    let of_core = read_symbols(artifacts.path(CORE.library)?)?;
    let is_own = |name: &&String| !is_implementation(name);
    let own = of_core.iter().filter(is_own).cloned().collect();
    compare_names(CORE.library, &declared, &own)?;
    let mut declared = read_symbols(host)?;
    declared.extend(of_core);
    let exported = read_symbols(artifacts.path(HOST.library)?)?;
    compare_names(HOST.library, &declared, &exported)
}

fn compare_names(
    library: &str,
    declared: &BTreeSet<String>,
    exported: &BTreeSet<String>,
) -> TaskResult {
    if declared == exported {
        let number = exported.len();
        println!("{library} exports the {number} names that it should");
        return Ok(());
    }
    let names_in_first = |first: &BTreeSet<String>, second: &BTreeSet<String>| {
        let names = first.difference(second).cloned();
        names.collect::<Vec<_>>().join(" ")
    };
    let missing = names_in_first(declared, exported);
    let undeclared = names_in_first(exported, declared);
    Err(format!(
        "{library}: declared, not exported: {missing}\nexported, not declared: {undeclared}"
    )
    .into())
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
