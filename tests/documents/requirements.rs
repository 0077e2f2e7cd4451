//! `docs/requirements.md` and the tables like it against the tree: every SHALL has code and tests,
//! and all of them exist, in code and not in a comment alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The code spans of a table cell.
fn spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Whether `name` is a word of the code in a file: of Rust an identifier, of another language a word outside of
/// comments.
fn has_word(path: &str, source: &str, name: &str) -> bool {
    if path.ends_with(".rs") {
        let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("{path}: {e}"));
        return has_identifier(tokens, name);
    }
    let code = match path.ends_with(".py") {
        true => without_python_comments(source),
        false => without_comments(source),
    };
    code.match_indices(name).any(|(at, _)| {
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part(code[..at].chars().next_back()) && !part(code[at + name.len()..].chars().next())
    })
}

/// Whether tokens have this identifier. Comments are no tokens, and those that document are texts.
fn has_identifier(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(identifier) => identifier == name,
        TokenTree::Group(group) => has_identifier(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// C or JavaScript without its comments. A comment's beginning in a text counts as one; no name is after such a text on
/// its line.
fn without_comments(source: &str) -> String {
    let blocks = source.split("/*").enumerate();
    let outside = blocks.map(|(nth, block)| match nth {
        0 => block,
        _ => block.split_once("*/").map_or("", |(_, rest)| rest),
    });
    let lines = outside.flat_map(str::lines);
    lines
        .map(|line| line.split("//").next().unwrap().to_owned() + "\n")
        .collect()
}

/// Python without its comments and its documentation.
fn without_python_comments(source: &str) -> String {
    let outside = source.split("\"\"\"").step_by(2).flat_map(str::lines);
    outside
        .map(|line| line.split('#').next().unwrap().to_owned() + "\n")
        .collect()
}

#[test]
fn a_name_in_a_comment_is_no_code() {
    let rust = "/// Calls name.\nfn f() {\n    // name\n    other(\"name\");\n}\n";
    assert!(!has_word("f.rs", rust, "name"));
    assert!(has_word("f.rs", rust, "other"));
    let c = "/* name */ int f(void); // name\n/*\n * name\n */\nint other;\n";
    assert!(!has_word("f.h", c, "name"));
    assert!(has_word("f.h", c, "f") && has_word("f.h", c, "other"));
    let python = "def f() -> None:\n    \"\"\"The\n    name.\"\"\"\n    other()  # name\n";
    assert!(!has_word("f.py", python, "name"));
    assert!(has_word("f.py", python, "other"));
}

/// The names of the test functions of a Rust file, and `compile_fail` where its documentation has a program that must not
/// compile.
fn tests_in(source: &str) -> BTreeSet<&str> {
    let functions = source
        .split("#[test]")
        .skip(1)
        .filter_map(|rest| rest.split_once("fn ")?.1.split(['(', '<']).next());
    let is_refused = source.contains("/// ```compile_fail");
    functions
        .chain(is_refused.then_some("compile_fail"))
        .collect()
}

/// The ids in the first column of the rows that begin with `prefix`, once their code and tests
/// exist.
fn checked_rows(document: &str, prefix: &str) -> Vec<String> {
    let mut seen = Vec::new();
    let start = format!("| {prefix}");
    for row in document.lines().filter(|line| line.starts_with(&start)) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let &[_, id, _, _, code, tests, _] = cells.as_slice() else {
            panic!("{row}")
        };
        seen.push(id.to_owned());
        for (cell, are_tests) in [(code, false), (tests, true)] {
            let spans = spans(cell);
            assert!(
                !spans.is_empty() && spans.len().is_multiple_of(2),
                "{id}: {cell}"
            );
            for pair in spans.chunks(2) {
                let (path, name) = (pair[0], pair[1]);
                let source = read(path);
                let found = if are_tests && path.ends_with(".rs") {
                    tests_in(&source).contains(name)
                } else {
                    has_word(path, &source, name)
                };
                assert!(found, "{id}: {path} has no {name}");
            }
        }
    }
    seen
}

#[test]
fn every_requirement_has_code_and_tests_that_exist() {
    let seen = checked_rows(&read("docs/requirements.md"), "SRS-004-");
    let expected: Vec<String> = (1..=48).map(|n| format!("SRS-004-SHALL-{n:03}")).collect();
    assert_eq!(seen, expected);
}

/// Every answer of the consolidation has a row, and every question is in one, closed by an answer or in
/// a row of its own.
#[test]
fn the_binding_answers_of_x0l_have_code_and_tests_that_exist() {
    let document = read("docs/x0l-reference.md");
    let seen = checked_rows(&document, "X0L-");
    let distinct: BTreeSet<&str> = seen.iter().map(String::as_str).collect();
    assert_eq!(distinct.len(), seen.len(), "{seen:?}");
    for (letter, count) in [
        ("A", 7),
        ("B", 5),
        ("C", 6),
        ("D", 5),
        ("E", 3),
        ("F", 3),
        ("G", 3),
    ] {
        for n in 1..=count {
            let id = format!("X0L-{letter}{n}");
            assert!(distinct.contains(id.as_str()), "no row {id}");
        }
    }
    let rows = document.lines().filter(|line| line.starts_with("| X0L-"));
    let asked: BTreeSet<&str> = rows
        .filter_map(|row| row.split('|').nth(2))
        .flat_map(|cell| cell.split(','))
        .map(str::trim)
        .collect();
    for n in 1..=59 {
        let parts: &[&str] = match n {
            48 | 52 => &["a", "b", "c"],
            _ => &[""],
        };
        for part in parts {
            let question = format!("Q{n}{part}");
            assert!(asked.contains(question.as_str()), "no row for {question}");
        }
    }
}

#[test]
fn the_binding_answers_of_the_ablation_have_code_and_tests_that_exist() {
    let seen = checked_rows(&read("docs/ablation.md"), "ABL-");
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "{seen:?}");
    for number in 1..=8 {
        assert!(seen.contains(&format!("ABL-Q{number}")), "Q{number}");
    }
}

#[test]
fn every_section_of_the_step_awareness_bundle_has_code_and_tests_that_exist() {
    let seen = checked_rows(&read("docs/bundle.md"), "BUNDLE-");
    let sections = "A1.1 A1.2 A1.3 A2.1 A2.2 A2.3 A3.1 A3.2 A3.3 A4.1 A4.2 A4.3 A5.1 A5.2 A5.3 \
        A6.1 A6.2 A6.3 A7.1 A7.2 A7.3 A7.4 A8.1 A8.2 A8.3 A9 A10";
    let expected: Vec<String> = sections
        .split_whitespace()
        .map(|section| format!("BUNDLE-{section}"))
        .collect();
    assert_eq!(seen, expected);
}

#[test]
fn the_sections_of_the_oracle_memo_have_code_and_tests_that_exist() {
    let page = read("docs/memory.md");
    let sections = [
        "0", "1", "2", "3", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "5", "6", "7", "8", "9.1",
        "9.2", "10.G1", "10.G2", "10.G3", "10.G4", "10.G5", "10.G6", "10.G7", "11", "12",
    ];
    assert_eq!(
        checked_rows(&page, "MEM-"),
        sections.map(|section| format!("MEM-{section}"))
    );
    let gaps: Vec<String> = (1..=8).map(|n| format!("GAP-{n:03}")).collect();
    assert_eq!(checked_rows(&page, "GAP-"), gaps);
}

/// The pages in `docs/`, and the README. The schemas in `docs/json` are no pages.
fn pages() -> impl Iterator<Item = PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let pages = docs.map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.is_file());
    pages.chain([root.join("README.md")])
}

/// An example that was made on somebody's machine shows no path of it.
#[test]
fn no_page_has_a_path_of_somebodys_machine() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for directory in ["/home/", "/root/", "/tmp/", "/work/"] {
            assert!(!text.contains(directory), "{}: {directory}", page.display());
        }
    }
}

/// What stands in backquotes and begins with a directory of the tree, and what a page links to.
#[test]
fn every_file_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.display();
        // In a page's programs and commands backquotes and brackets mean something else.
        let prose = text.split("```").step_by(2).flat_map(str::lines);
        for line in prose.filter(|line| !line.starts_with("    ")) {
            let directory = |path: &&str| {
                let first = path.split_once('/').map_or("", |(first, _)| first);
                // What a build leaves is no part of the tree.
                let is_in_tree = !["", "target"].contains(&first) && root.join(first).is_dir();
                is_in_tree && !path.contains([' ', '*', '{'])
            };
            for path in spans(line).into_iter().filter(directory) {
                assert!(root.join(path).exists(), "{name}: no {path}");
            }
            for link in line.split("](").skip(1) {
                let link = link.split([')', '#']).next().unwrap();
                let place = page.parent().unwrap().join(link);
                assert!(
                    link.starts_with("http") || place.exists(),
                    "{name}: no {link}"
                );
            }
        }
    }
}
