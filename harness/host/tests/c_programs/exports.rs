//! The names that the library exports: those of its header, and all of `libaxilog`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::build::{libraries, run};

/// The names that `nm` lists with these options.
fn names_in(library: &str, options: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new("nm");
    command.args(options).arg("--defined-only");
    command.arg(libraries().join(library));
    let listed = run(command);
    let names = listed.lines().filter_map(|line| line.split(' ').nth(2));
    names.map(str::to_owned).collect()
}

/// The functions that the header declares.
pub fn declared() -> BTreeSet<String> {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/axilog/host.h");
    let header = fs::read_to_string(header).unwrap();
    let declarations = header
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_alphabetic()));
    let functions = declarations.filter_map(|line| line.split_once('('));
    let names = functions.filter_map(|(before, _)| before.rsplit([' ', '*']).next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_shared_library_exports_its_header_and_libaxilog() {
    let of_core = names_in("libaxilog.so", &["--dynamic"]);
    assert!(of_core.contains("ax_agent_may_act") && of_core.contains("AX_GOLDEN_GENESIS_HASH"));
    let exported = names_in("libaxilog_host.so", &["--dynamic"]);
    let own: BTreeSet<String> = exported.difference(&of_core).cloned().collect();
    assert_eq!(own, declared());
    assert!(own.contains("axh_observe"));
    assert_eq!(of_core.difference(&exported).next(), None);
}

#[test]
fn the_static_library_has_its_header_and_libaxilog() {
    let defined = names_in("libaxilog_host.a", &["--extern-only"]);
    let of_core = names_in("libaxilog.so", &["--dynamic"]);
    let wanted: BTreeSet<String> = of_core.union(&declared()).cloned().collect();
    let missing: Vec<_> = wanted.difference(&defined).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
