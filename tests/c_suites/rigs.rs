//! Whole programs of deployed rigs: a gateway's day of traffic, and rigs that bring functions of their own
//! beside the static library.
//!
//! docs/rigs.md.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use axilog::ledger_line;
use axilog::replay::{Replay, Verdict};
use axilog_testkit::declarations::renamed;

use crate::build::{Language, Link, Place, link, link_command, linkages, program};

const COMPAT: &str = "include/compat";

/// Its answers are refused one in twenty, and the ledger that it writes is whole.
#[test]
fn a_gateway_serves_a_day() {
    let place = Place::new("gateway");
    let source = program("compat/gateway", Language::C);
    let object = place.compile_against(COMPAT, &source, Language::C, &[]);
    for &how in linkages() {
        let linked = link(&place, "gateway", Language::C, how, &[&object]);
        let data = Place::of_data("gateway");
        let ledger = data.0.join("day.jsonl");
        let mut command = linked.command_in(&data.0);
        let printed = command.arg(&ledger).output().unwrap();
        assert!(printed.status.success(), "{printed:?}");
        assert_eq!(
            String::from_utf8(printed.stdout).unwrap(),
            "9481 admitted, 500 refused, 19 timeouts\n",
            "{how:?}"
        );
        let lines = fs::read(&ledger).unwrap();
        let mut replay = Replay::new();
        let mut refused = 0;
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            let entry = ledger_line::parse(line).unwrap();
            assert_eq!(replay.feed(&entry, None), Verdict::Ok, "{how:?}");
            let record = std::str::from_utf8(entry.payload).unwrap();
            refused += usize::from(record.contains("\"failure_type\":\"INVALID_OUTPUT\""));
        }
        assert_eq!(replay.finish(Some(10_001), None), Verdict::Ok, "{how:?}");
        assert_eq!(refused, 500);
    }
}

/// Its ledger, agent and SHA-256 are its own.
#[test]
fn a_rig_brings_functions_of_its_own() {
    let place = Place::new("mixed");
    let source = program("compat/mixed", Language::C);
    let object = place.compile_against(COMPAT, &source, Language::C, &[]);
    for &how in linkages() {
        let linked = link(&place, "mixed", Language::C, how, &[&object]);
        assert_eq!(linked.run(), "7 passed, 0 failed\n", "{how:?}");
    }
}

/// Objects that were compiled against the deployed headers do not link: the linker names every function whose
/// structs are longer here, and no other.
#[test]
fn an_object_of_deployed_headers_does_not_link() {
    let place = Place::new("old-object");
    let object = place.compile(&program("compat/old_object", Language::C), Language::C, &[]);
    for &how in linkages() {
        let (mut command, _) = link_command(&place, "old", Language::C, how, &[&object]);
        // Whatever language a compiler speaks otherwise.
        let output = command.env("LC_ALL", "C").output().unwrap();
        assert!(!output.status.success(), "{how:?}");
        let errors = String::from_utf8(output.stderr).unwrap();
        let undefined: BTreeSet<&str> = errors
            .lines()
            .filter_map(|line| {
                line.split_once("undefined reference to `")?
                    .1
                    .split_once('\'')
            })
            .map(|(name, _)| name)
            .collect();
        let renamed = renamed();
        let expected: BTreeSet<&str> = renamed.keys().map(String::as_str).collect();
        assert_eq!(undefined, expected, "{how:?}: {errors}");
    }
}

/// Whatever a program defines itself, the library's other functions link beside it. Any two symbols differ in
/// a bit of their numbers; for each bit, a program defines the symbols with it and uses those without, and
/// another one does the opposite. Two symbols in one object would then be defined twice in one of them.
#[test]
fn every_symbol_can_be_the_programs_own() {
    let list = include_str!("../../symbols/src/list.rs");
    let symbols: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_once("=> fn ")?.1.split('(').next())
        .collect();
    assert!(symbols.len() > 100, "{}", symbols.len());
    let place = Place::new("symbols");
    for bit in 0..usize::BITS - (symbols.len() - 1).leading_zeros() {
        for own in [0, 1] {
            let mut text = String::new();
            let mut used = String::new();
            for (number, symbol) in symbols.iter().enumerate() {
                writeln!(text, "void {symbol}(void);").unwrap();
                if number >> bit & 1 == own {
                    writeln!(text, "void {symbol}(void)\n{{\n}}").unwrap();
                } else {
                    writeln!(used, "    {symbol},").unwrap();
                }
            }
            write!(
                text,
                "int main(void);\nstatic void (*const used[])(void) = {{\n{used}}};\n\nint main(void)\n{{\n    \
                 return used[0] == 0;\n}}\n"
            )
            .unwrap();
            let name = format!("symbols{bit}_{own}");
            let object = place.compile_text(&name, &text, Language::C);
            link(&place, &name, Language::C, Link::Static, &[&object]).run();
        }
    }
}
