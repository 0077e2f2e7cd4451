//! The programs of the pages for C and C++ compile without a warning and print what the pages say.

use std::fs;

use crate::blocks::{in_language, read_blocks};
use crate::build::{Language, Link, Place, Program, link};

/// The page's bindings to C++.
const HEADERS: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/bindings/cpp");

/// Builds the two programs of a page.
fn build_programs(place: &Place, name: &str, language: Language, how: Link) -> Vec<Program> {
    let blocks = read_blocks(&format!("docs/{name}.md"));
    let programs = in_language(&blocks, language.extension());
    assert_eq!(programs.len(), 2);
    let build = |(number, text): (usize, &&str)| {
        let source = place.0.join(format!("{number}.{}", language.extension()));
        fs::write(&source, text).unwrap();
        let object = place.compile(&source, language, &[HEADERS]);
        link(place, &number.to_string(), language, how, &[&object])
    };
    programs.iter().enumerate().map(build).collect()
}

/// Runs the programs of a page in one directory, in the order of `runs`. Each prints the page's next block
/// of output.
fn page(name: &str, language: Language, runs: &[usize]) {
    let blocks = read_blocks(&format!("docs/{name}.md"));
    let printed = in_language(&blocks, "text");
    assert_eq!(printed.len(), runs.len());
    for how in [Link::Static, Link::Shared] {
        let place = Place::new(&format!("page-{name}-{how:?}"));
        let programs = build_programs(&place, name, language, how);
        for (number, printed) in runs.iter().zip(&printed) {
            let found = programs[*number].run_in(&place.0);
            assert_eq!(found, *printed, "{name} {number} {how:?}");
        }
    }
}

/// The second program of a page names what is wrong with a ledger that the first one wrote.
fn names_damage(name: &str, language: Language) {
    let place = Place::new(&format!("damage-{name}"));
    let programs = build_programs(&place, name, language, Link::Static);
    programs[0].run_in(&place.0);
    let path = place.0.join("ledger.jsonl");
    let ledger = fs::read(&path).unwrap();
    let with = |tail: &[u8]| [&ledger, tail].concat();
    let mut altered = ledger.clone();
    let speed = ledger.windows(2).position(|bytes| bytes == b"40").unwrap();
    altered[speed] = b'3';
    let cases = [
        (altered, "ALTERED"),
        (ledger[..ledger.len() - 1].to_vec(), "TORN"),
        (with(b"{"), "TORN"),
        (with(b"\0\0\n"), "NON_CANONICAL"),
        (with(b"\n"), "NON_CANONICAL"),
        (
            with(&[vec![b'x'; 1 << 20], vec![b'\n']].concat()),
            "NON_CANONICAL",
        ),
        (Vec::new(), "TRUNCATED"),
    ];
    for (number, (damaged, verdict)) in cases.iter().enumerate() {
        fs::write(&path, damaged).unwrap();
        let output = programs[1].command_in(&place.0).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let found = printed.split([',', '\n']).next().unwrap();
        assert_eq!(
            (found, output.status.code()),
            (*verdict, Some(1)),
            "{number}"
        );
    }
}

/// The first program is started twice: the second time it goes on with its ledger.
#[test]
fn start_in_c() {
    page("start-c", Language::C, &[0, 0, 1]);
}

#[test]
fn start_in_cpp() {
    page("start-cpp", Language::Cpp, &[0, 1]);
}

#[test]
fn the_check_in_c_names_damage() {
    names_damage("start-c", Language::C);
}

#[test]
fn the_check_in_cpp_names_damage() {
    names_damage("start-cpp", Language::Cpp);
}
