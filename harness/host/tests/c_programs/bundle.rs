//! Bundles by C, by Python, and as the repository has their prompts: the same bytes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::build::{Linkage, Place, linkages};
use crate::python::run_python;

const STEPS: [&str; 7] = ["1", "2", "3", "4", "5", "6", "13"];

/// The results of each step and the prompts about them, which the crate of the bundles has.
fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../bundle/tests/bundle")
        .join(name)
}

/// A bundle without the time at which it was built.
fn without_time(bundle: &str) -> String {
    let (before, rest) = bundle.split_once("\"generated_at\":\"").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    format!("{before}{after}")
}

/// What bundle.c prints: an object for each step.
fn build_by_c(place: &Place, linkage: Linkage) -> String {
    fs::write(place.path("bad.toml"), "steps = 1").unwrap();
    let program = place.build(Path::new("tests/c_programs/bundle.c"), linkage);
    let results = shared("results");
    program.run(&[&[results.to_str().unwrap()], STEPS.as_slice()].concat())
}

#[test]
fn c_builds_the_committed_prompts() {
    for linkage in linkages() {
        let by_c = build_by_c(&Place::new(), linkage);
        assert_eq!(by_c.lines().count(), STEPS.len());
        for (step, object) in STEPS.iter().zip(by_c.lines()) {
            let object: Value = serde_json::from_str(object).unwrap();
            let prompt = fs::read_to_string(shared(&format!("prompts/step{step}.txt"))).unwrap();
            let found = object["rendered"]["prompt"].as_str().unwrap();
            assert_eq!(format!("{found}\n"), prompt, "{linkage:?} {step}");
        }
    }
}

#[test]
fn python_builds_the_bundles_that_c_builds() {
    let place = Place::new();
    let by_c = build_by_c(&place, Linkage::Shared);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_programs/bundle.py");
    let results = shared("results");
    let arguments = [source.to_str().unwrap(), results.to_str().unwrap()];
    let arguments = [arguments.as_slice(), STEPS.as_slice()].concat();
    let Some(by_python) = run_python(&arguments, &place.path("")) else {
        return;
    };
    let lines: Vec<&str> = by_python.lines().collect();
    assert_eq!(lines.len(), 2 * STEPS.len());
    for (object, lines) in by_c.lines().zip(lines.chunks(2)) {
        let bundle = format!("{{\"bundle\":{},\"problem\":null,", without_time(lines[0]));
        assert!(without_time(object).starts_with(&bundle), "{object}");
        let object: Value = serde_json::from_str(object).unwrap();
        let prompt: Value = serde_json::from_str(lines[1]).unwrap();
        assert_eq!(object["rendered"]["prompt"], prompt);
    }
}
