//! The examples in the headers' comments: each compiles without a warning and runs.

use std::fs;
use std::path::Path;

use crate::build::{Language, Place, link, linkages};

/// The functions that a program begins with, each of which has an example.
const BEGINNINGS: &[&str] = &[
    "ax_agent_init",
    "ax_agent_may_act",
    "ax_agent_observe",
    "ax_agent_observe_control",
    "ax_agent_observe_time",
    "ax_ledger_genesis_entry",
    "ax_ledger_line_write",
    "ax_ledger_set_sink",
    "ax_obs_input_set_complete",
    "ax_policy_init",
    "ax_policy_init_with_registry",
    "ax_raw_record",
    "ax_replay_feed_lines",
    "ax_replay_init",
    "ct_fault_any",
];

#[test]
fn every_example_of_the_headers_compiles_and_runs() {
    let examples = examples();
    let functions: Vec<&str> = examples.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(functions, BEGINNINGS);
    let place = Place::new("examples");
    for (function, example) in &examples {
        assert!(example.contains(&format!("{function}(")), "{function}");
        let object = place.compile_text(function, &program(example), Language::C);
        for &how in linkages() {
            link(&place, function, Language::C, how, &[&object]).run();
        }
    }
}

/// An example as a whole program: one without a `main` is the body of it.
fn program(example: &str) -> String {
    let includes = "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\n\n#include \"axilog/axilog.h\"\n\n";
    if example.contains("int main(void)") {
        format!("{includes}{example}")
    } else {
        format!("{includes}int main(void)\n{{\n{example}return 0;\n}}\n")
    }
}

/// The functions that have an example in a header, in the order of their names.
fn examples() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/axilog");
    let mut found: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .flat_map(|entry| examples_of(&fs::read_to_string(entry.unwrap().path()).unwrap()))
        .collect();
    found.sort();
    found
}

fn examples_of(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = header;
    while let Some((_, opened)) = rest.split_once(" * @code{.c}\n") {
        let (lines, behind) = opened.split_once(" * @endcode\n").unwrap();
        let example = lines
            .lines()
            .map(|line| line.strip_prefix(" *").unwrap())
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
            .collect();
        let (_, declaration) = behind.split_once("*/\n").unwrap();
        let (before, _) = declaration.split_once('(').unwrap();
        let name = before.rsplit([' ', '*']).next().unwrap();
        found.push((name.to_owned(), example));
        rest = behind;
    }
    found
}
