//! The README's program in Python is complete and does what the README says.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::build::{Place, libraries};
use crate::ledger::check_ledger;

#[test]
fn the_program_of_the_readme_acts_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```python\n").unwrap();
    let (program, _) = rest.split_once("```").unwrap();
    // The package as it stands in the tree: installing it needs the network, and the Python tests do that.
    let place = Place::new();
    let python = Command::new("python3")
        .args(["-B", "-c", program])
        .env("PYTHONPATH", root.join("bindings/python/src"))
        .env("AXILOG_LIBRARY", libraries().join("libaxilog_host.so"))
        .current_dir(place.path(""))
        .output();
    let Ok(output) = python else {
        eprintln!("there is no python3 here: the Python program was not run");
        return;
    };
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, "{\"value\": 69}\nALARM\n", "{:?}", output.stderr);
    assert_eq!(check_ledger(&place.path("answers.jsonl")).entries, 11);
}
