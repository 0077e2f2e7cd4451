//! The defects of the memory that `cargo xtask mutants` tries: each patch applies, and the page has its row.

use std::collections::BTreeSet;
use std::fs;

use xtask::mutants::{GATES, Mutant, check_patch, read_mutants};
use xtask::process::workspace_root;

#[test]
fn every_patch_applies_to_the_sources() {
    let mutants = read_mutants().unwrap();
    assert!(!mutants.is_empty());
    let errors: Vec<String> = mutants
        .iter()
        .filter_map(|mutant| check_patch(&mutant.name).err())
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// The row of the page's table.
fn table_row(mutant: &Mutant) -> String {
    let cells = GATES.map(|gate| match mutant.gates.contains(gate) {
        true => " x |",
        false => "  |",
    });
    format!(
        "| `{}` | {} |{}",
        mutant.name,
        mutant.defect,
        cells.concat()
    )
}

#[test]
fn the_page_has_a_row_for_every_patch_and_no_other() {
    let page = fs::read_to_string(workspace_root().join("docs/memory.md")).unwrap();
    let (_, table) = page.split_once("\n| patch | ").unwrap();
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let rows: Vec<&str> = rows.collect();
    let mutants = read_mutants().unwrap();
    let expected: Vec<String> = mutants.iter().map(table_row).collect();
    assert_eq!(rows.len(), expected.len());
    let expected: BTreeSet<&str> = expected.iter().map(String::as_str).collect();
    assert_eq!(BTreeSet::from_iter(rows), expected);
}
