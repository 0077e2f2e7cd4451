//! The modules of `src/` know one another downwards only, and no two files each other.
//!
//! The order is the table of `src/lib.rs`. Every path that begins with `crate`, `super`, `self` or the
//! name of a child module counts, in a `use` as in code; the modules under `cfg(test)` do not.

mod containment;
mod policy_arithmetic;

use std::collections::BTreeMap;
use std::path::Path;

use axilog_testkit::modules::{find_circle, parse_sources, read_files};

#[test]
fn no_module_knows_one_above_it_and_no_files_form_a_circle() {
    let files = read_files(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(files.len() > 50, "{}", files.len());
    let (_, table) = files.iter().find(|(file, _)| file == "src/lib.rs").unwrap();
    let wrong = violations(&files, &floors(table));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn an_import_from_above_is_named_with_its_file_and_line() {
    let found = check(&[
        (
            "src/low.rs",
            "//! Low.\n\nuse crate::high::{\n    Other,\n};\n",
        ),
        ("src/high.rs", "pub struct Other;\n"),
    ]);
    assert_eq!(
        found,
        ["src/low.rs:4: `low` uses `high`, which stands above it in src/lib.rs"]
    );
}

#[test]
fn a_path_from_above_in_code_is_found_and_one_in_a_comment_or_a_test_is_not() {
    let found = check(&[
        (
            "src/low.rs",
            "/// See [`crate::high::Other`].\nfn f() -> &'static str {\n    crate::high::name()\n}\n\
             #[cfg(test)]\nmod tests {\n    use crate::high::Other;\n}\n",
        ),
        ("src/high.rs", ""),
    ]);
    assert_eq!(
        found,
        ["src/low.rs:3: `low` uses `high`, which stands above it in src/lib.rs"]
    );
}

#[test]
fn a_circle_among_the_files_of_a_folder_is_named_link_by_link() {
    let found = check(&[
        ("src/high/mod.rs", "mod a;\nmod b;\npub use a::A;\n"),
        ("src/high/a.rs", "use super::b::B;\npub struct A(B);\n"),
        (
            "src/high/b.rs",
            "\npub struct B;\nfn f(_: super::a::A) {}\n",
        ),
    ]);
    assert_eq!(
        found,
        ["a circle: src/high/a.rs:1 uses src/high/b.rs, src/high/b.rs:3 uses src/high/a.rs"]
    );
}

#[test]
fn a_module_that_the_table_leaves_out_is_named() {
    let found = check(&[("src/other.rs", "")]);
    assert_eq!(
        found,
        ["src/other.rs: `other` is not in the table of src/lib.rs"]
    );
}

/// The violations of `files` under a table in which `high` stands above `low`.
fn check(files: &[(&str, &str)]) -> Vec<String> {
    let table = "//! | module | |\n//! |---|---|\n//! | [`high`] | |\n//! | `low` | |\n";
    let files: Vec<_> = files
        .iter()
        .map(|&(file, text)| (file.to_owned(), text.to_owned()))
        .collect();
    violations(&files, &floors(table))
}

/// The row of each module in the table of `src/lib.rs`, the highest 0.
fn floors(lib: &str) -> BTreeMap<String, usize> {
    let rows = lib
        .lines()
        .filter_map(|line| line.strip_prefix("//! | ")?.split_once(" |"))
        .map(|(modules, _)| modules);
    rows.skip(1)
        .enumerate()
        .flat_map(|(row, modules)| {
            let names = modules.split('`').skip(1).step_by(2);
            names.map(move |name| (name.to_owned(), row))
        })
        .collect()
}

fn violations(files: &[(String, String)], floors: &BTreeMap<String, usize>) -> Vec<String> {
    let sources = parse_sources(files);
    let mut wrong = Vec::new();
    for source in &sources {
        let Some(own) = source.module.first() else {
            continue;
        };
        let Some(floor) = floors.get(own) else {
            wrong.push(format!(
                "{}: `{own}` is not in the table of src/lib.rs",
                source.file
            ));
            continue;
        };
        for mention in &source.mentions {
            let above = mention
                .path
                .first()
                .filter(|name| floors.get(*name).is_some_and(|row| row < floor));
            if let Some(name) = above {
                let (file, line) = (&source.file, mention.line);
                wrong.push(format!(
                    "{file}:{line}: `{own}` uses `{name}`, which stands above it in src/lib.rs"
                ));
            }
        }
    }
    wrong.extend(find_circle(&sources));
    wrong
}
