//! The required cases of the JSON Schema Test Suite for the dialect 2020-12, under the bounds of this crate.
//!
//! The suite is not part of this repository: `.ci/daily schemas` gets it and runs this test with it.

use std::fs;
use std::path::Path;

use axilog_ledger::schema::Schema;
use serde_json::Value;

/// The reasons for which this crate refuses schemas of the suite, and how many it refuses for each.
const REFUSED: [(&str, usize); 3] = [
    ("only the document itself may have one", 61),
    ("leads out of the document", 48),
    (
        "expected \"https://json-schema.org/draft/2020-12/schema\"",
        5,
    ),
];

#[test]
#[ignore = "needs the JSON Schema Test Suite, which .ci/daily schemas gets"]
fn the_required_cases_of_the_suite_pass_or_are_refused_for_a_bound() {
    let suite = std::env::var("JSON_SCHEMA_TEST_SUITE").expect("names the suite's directory");
    let dir = Path::new(&suite).join("tests/draft2020-12");
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.retain(|file| file.is_file());
    files.sort();
    let (mut passed, mut wrong) = (0, Vec::new());
    let mut refused: Vec<(String, usize)> = Vec::new();
    for file in &files {
        let groups: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        for group in groups.as_array().unwrap() {
            let cases = group["tests"].as_array().unwrap();
            let name = format!(
                "{}: {}",
                file.file_stem().unwrap().display(),
                group["description"]
            );
            let schema = match Schema::parse(group["schema"].to_string().as_bytes()) {
                Ok(schema) => schema,
                Err(error) => {
                    println!("refused ({} cases) {name}: {error}", cases.len());
                    refused.push((error.to_string(), cases.len()));
                    continue;
                }
            };
            for case in cases {
                let accepted = schema.check(case["data"].to_string().as_bytes()).is_ok();
                match Some(accepted) == case["valid"].as_bool() {
                    true => passed += 1,
                    false => wrong.push(format!("{name}: {}", case["description"])),
                }
            }
        }
    }
    let cases: usize = refused.iter().map(|(_, cases)| cases).sum();
    println!(
        "{passed} cases pass, {} are wrong, {cases} belong to refused schemas",
        wrong.len()
    );
    assert_eq!(wrong, Vec::<String>::new());
    for (reason, expected) in REFUSED {
        let found: usize = refused
            .iter()
            .filter(|(r, _)| r.contains(reason))
            .map(|(_, n)| n)
            .sum();
        assert_eq!(found, expected, "{reason}");
    }
    assert_eq!(cases, REFUSED.iter().map(|(_, cases)| cases).sum::<usize>());
}
