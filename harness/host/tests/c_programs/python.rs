//! Programs in Python on the package as it stands in the tree: installing it needs the network, and the Python tests do
//! that.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::build::{Linkage, Place, Program, libraries};
use crate::ledger::check_ledger;

/// Runs a program of Python in a directory, and gives what it prints; `None` where there is no Python here.
pub fn run_python(arguments: &[&str], directory: &Path) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = Command::new("python3")
        .arg("-B")
        .args(arguments)
        .env("PYTHONPATH", root.join("bindings/python/src"))
        .env("AXILOG_LIBRARY", libraries().join("libaxilog_host.so"))
        .current_dir(directory)
        .output();
    let Ok(output) = python else {
        eprintln!("there is no python3 here: the Python program was not run");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_program_of_the_readme_acts_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```python\n").unwrap();
    let (program, _) = rest.split_once("```").unwrap();
    let place = Place::new();
    let Some(printed) = run_python(&["-c", program], &place.path("")) else {
        return;
    };
    assert_eq!(printed, "{\"value\": 69}\nALARM\n");
    assert_eq!(check_ledger(&place.path("answers.jsonl")).entries, 11);
}

#[test]
fn python_writes_the_ledger_that_c_writes() {
    let place = Place::new();
    let [by_c, by_python] = ["c.jsonl", "python.jsonl"].map(|name| place.path(name));
    let program: Program = place.build(Path::new("tests/c_programs/write.c"), Linkage::Shared);
    let printed = program.run(&[by_c.to_str().unwrap()]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_programs/write.py");
    let arguments = [source.to_str().unwrap(), by_python.to_str().unwrap()];
    let Some(found) = run_python(&arguments, &place.path("")) else {
        return;
    };
    assert_eq!(found, printed);
    assert_eq!(fs::read(&by_c).unwrap(), fs::read(&by_python).unwrap());
    check_ledger(&by_python);
}
