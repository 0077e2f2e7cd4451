//! `bindings/cpp/axilog.hpp`: C++17 with and without exceptions and run-time type information, and
//! what its wrappers cost.

use std::collections::BTreeMap;
use std::process::Command;

use crate::build::{Language, Place, link, linkages, program, run, vectors};

/// `-I` for the C++ headers, beside that for the C ones.
const HEADERS: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/bindings/cpp");

fn runs(name: &str, mode: &[&str], checks: u32) {
    let place = Place::new(name);
    let source = program("cpp/bindings", Language::Cpp);
    let object = place.compile(&source, Language::Cpp, &[&[HEADERS], mode].concat());
    for &how in linkages() {
        let linked = link(&place, name, Language::Cpp, how, &[&object, vectors()]);
        let expected = format!("{checks} passed, 0 failed\n");
        assert_eq!(linked.run(), expected, "{how:?}");
    }
}

#[test]
fn cpp_bindings() {
    runs("cpp-bindings", &[], 1083);
}

#[test]
fn cpp_bindings_without_exceptions_and_rtti() {
    runs("cpp-bindings-lean", &["-fno-exceptions", "-fno-rtti"], 1081);
}

/// Each header of the binding compiles by itself.
#[test]
fn cpp_headers_compile_alone() {
    let place = Place::new("cpp-alone");
    for name in [
        "agent",
        "ledger",
        "observation",
        "policy",
        "replay",
        "text",
        "types",
    ] {
        let source = place.0.join(format!("{name}.cpp"));
        let text = format!("#include \"axilog/{name}.hpp\"\n\nextern int only;\nint only;\n");
        std::fs::write(&source, text).unwrap();
        place.compile(&source, Language::Cpp, &[HEADERS]);
    }
}

/// At -O2 no wrapper has more instructions than the C calls it stands for. Without exceptions, for
/// with them clang puts a call of std::terminate after some functions' return.
#[test]
fn cpp_wrappers_cost_nothing() {
    let place = Place::new("cpp-overhead");
    let source = program("cpp/overhead", Language::Cpp);
    let arguments = [HEADERS, "-O2", "-g0", "-fno-exceptions"];
    let object = place.compile(&source, Language::Cpp, &arguments);
    let mut command = Command::new("objdump");
    command.args(["-d", "--no-show-raw-insn"]).arg(&object);
    let listing = run(command);
    let counts = instructions(&listing);
    let pairs: Vec<(&str, usize, usize)> = counts
        .iter()
        .filter_map(|(name, &count)| {
            let name = name.strip_prefix("cpp_")?;
            Some((name, count, counts[format!("c_{name}").as_str()]))
        })
        .collect();
    assert_eq!(pairs.len(), 8, "{listing}");
    for (name, cpp, c) in pairs {
        assert!(c > 1 && cpp <= c, "{name}: {cpp} instructions, in C {c}");
    }
}

/// How many instructions each function of a listing has, without the padding after it.
fn instructions(listing: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    let mut function = None;
    for line in listing.lines() {
        if let Some((_, rest)) = line.split_once(" <")
            && let Some(name) = rest.strip_suffix(">:")
        {
            function = Some(name);
            counts.insert(name, 0);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let (Some(name), [address, what, ..]) = (function, words.as_slice())
            && address.ends_with(':')
            && !what.starts_with("nop")
            && !(*what == "cs" || *what == "xchg" || *what == "data16")
        {
            *counts.entry(name).or_insert(0) += 1;
        }
    }
    counts
}
