//! The functions and objects that the headers declare, and what no image may hold beside them;
//! `xtask` compiles this file too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// Parts of symbols that nothing in the library may need.
pub const FORBIDDEN: &[&str] = &[
    "4core9panicking",
    "4core3fmt",
    "4core6option13unwrap_failed",
    "4core6result13unwrap_failed",
    "4core5slice5index",
    "5alloc",
    "3std",
    "rust_begin_unwind",
    "rust_panic",
    "rust_eh_personality",
    "_Unwind_",
    "__rust_alloc",
    "malloc",
];

/// A name with external linkage.
pub enum Declared {
    Function(String),
    Object(String),
}

/// The directory of the headers.
fn include() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../include"))
}

/// The functions that the compatibility headers call by the library's names.
pub fn compat_functions() -> BTreeSet<String> {
    let names = include().join("compat/axilog/names.h");
    fs::read_to_string(names)
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_once(" ax_compat_"))
        .map(|(_, name)| format!("ax_compat_{name}"))
        .collect()
}

/// The functions whose symbol has another name, which the headers define as a macro, each with that symbol.
pub fn renamed() -> BTreeMap<String, String> {
    texts()
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.strip_prefix("#define ")?.split_once(' '))
        .filter(|(name, symbol)| {
            symbol
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('_'))
        })
        .map(|(name, symbol)| (name.to_owned(), symbol.to_owned()))
        .collect()
}

/// The symbols of functions, which are named as C programs call them.
pub fn symbols_of(functions: &[String]) -> Vec<String> {
    let renamed = renamed();
    let symbol = |name: &String| renamed.get(name).unwrap_or(name).clone();
    functions.iter().map(symbol).collect()
}

/// Whether a symbol is the function behind another symbol of the interface.
pub fn is_implementation(symbol: &str) -> bool {
    symbol.starts_with("axilog_impl_")
}

/// What all headers together declare, in no order that matters.
pub fn declared() -> Vec<Declared> {
    texts().iter().flat_map(|text| of_header(text)).collect()
}

/// The texts of the headers.
fn texts() -> Vec<String> {
    fs::read_dir(include().join("axilog"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect()
}

/// The names of all declared functions.
pub fn functions() -> Vec<String> {
    let name = |declared| match declared {
        Declared::Function(name) => Some(name),
        Declared::Object(_) => None,
    };
    declared().into_iter().filter_map(name).collect()
}

fn of_header(text: &str) -> Vec<Declared> {
    let code = without_directives(&without_comments(text));
    let statements = statements(&code);
    statements.iter().filter_map(|s| of_statement(s)).collect()
}

/// The statements at the top level of C without comments and directives: without their semicolons,
/// what stands in braces, and the functions that have a body.
pub fn statements(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut statement) = (0, String::new());
    for c in code.chars() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                // The end of a function's body; a type's goes on to its name.
                if depth == 0 && statement.trim_start().starts_with("static") {
                    statement.clear();
                }
            }
            ';' if depth == 0 => found.push(std::mem::take(&mut statement)),
            _ if depth == 0 => statement.push(c),
            _ => {}
        }
    }
    found
}

fn of_statement(statement: &str) -> Option<Declared> {
    let statement = statement.trim();
    if statement.starts_with("typedef") {
        return None;
    }
    let name = |before: &str| {
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(before.get(start + 1..)?.to_owned())
    };
    if let Some(rest) = statement.strip_prefix("extern ") {
        return name(rest.split('[').next()?).map(Declared::Object);
    }
    let (before, _) = statement.split_once('(')?;
    name(before).map(Declared::Function)
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out += before;
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// Without lines of the preprocessor, and without what only C++ sees.
fn without_directives(text: &str) -> String {
    let mut cpp = false;
    let mut out = String::new();
    for line in text.lines() {
        match line.trim() {
            l if l.starts_with("#ifdef __cplusplus") => cpp = true,
            l if l.starts_with("#endif") => cpp = false,
            l if l.starts_with('#') || cpp => {}
            l => {
                out += l;
                out.push('\n');
            }
        }
    }
    out
}
