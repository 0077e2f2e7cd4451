//! Bundles by C, by Python, and as the repository has their prompts: the same bytes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::build::{LINKAGES, Place};
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

#[test]
fn c_and_python_build_the_same_bundles_and_the_committed_prompts() {
    let results = shared("results").into_os_string().into_string().unwrap();
    let arguments = [&[results.as_str()], STEPS.as_slice()].concat();
    for linkage in LINKAGES {
        let place = Place::new();
        fs::write(place.path("bad.toml"), "steps = 1").unwrap();
        let program = place.build(Path::new("tests/c_programs/bundle.c"), linkage);
        let by_c = program.run(&arguments);
        assert_eq!(by_c.lines().count(), STEPS.len());
        for (step, object) in STEPS.iter().zip(by_c.lines()) {
            let object: Value = serde_json::from_str(object).unwrap();
            let prompt = fs::read_to_string(shared(&format!("prompts/step{step}.txt"))).unwrap();
            let found = object["rendered"]["prompt"].as_str().unwrap();
            assert_eq!(format!("{found}\n"), prompt, "{linkage:?} {step}");
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_programs/bundle.py");
        let with_source = [&[source.to_str().unwrap()], arguments.as_slice()].concat();
        let Some(by_python) = run_python(&with_source, &place.path("")) else {
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
}
