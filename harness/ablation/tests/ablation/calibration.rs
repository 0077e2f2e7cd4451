//! Calibration: the lengths, the file, and why a file is refused.

use std::path::Path;

use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::calibration::{Calibration, segment_length};
use axilog_ablation::calibration_basis::CalibrationBasis;
use axilog_ablation::environment::Environment;
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::experiment::{build_calibration_header, build_frame, calibrate};
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::run::RunStatus;
use proptest::prelude::*;

use crate::support::{LedgerDir, OneActionWorld, open_tiktoken, script_line};

#[test]
fn lengths_are_computed_in_integers() {
    for (longest, expected) in [
        (0, 512),
        (409, 512),
        (410, 544),
        (435, 544),
        (436, 576),
        (1000, 1280),
        (1024, 1280),
        (1025, 1312),
    ] {
        assert_eq!(segment_length(longest), expected, "{longest}");
    }
}

proptest! {
    /// The least multiple of 32, from 512, that is no less than 1.25 times the longest.
    #[test]
    fn lengths_are_the_least_that_suffice(longest in 0_u64..1 << 40) {
        let found = segment_length(longest);
        prop_assert!(found >= 512 && found.is_multiple_of(32) && 4 * found >= 5 * longest);
        prop_assert!(found == 512 || 4 * (found - 32) < 5 * longest);
    }
}

/// Calibrates with the agent `precedent`.
fn calibrate_precedent(environment: &mut dyn Environment, tokenizer: &str) -> Calibration {
    let (frame, basis) =
        build_frame(environment, open_tiktoken(tokenizer), DEFAULT_PAD, None).unwrap();
    let ledgers = LedgerDir::new();
    let mut oracle = ledgers.record_agent("l", ScriptedAgent::Precedent);
    let (seeds, name) = ([42, 123, 456], "agent:precedent");
    let header = build_calibration_header(&seeds, environment, name, name).unwrap();
    let measured = calibrate(&header, environment, &frame, &mut oracle, &mut |_| true);
    let measures = measured.unwrap().unwrap();
    Calibration::new(&header, basis, measures, "0".repeat(64))
}

#[test]
fn records_are_measured_as_they_are_injected() {
    let found = calibrate_precedent(&mut open_harbour().unwrap(), "o200k_base");
    assert_eq!(
        (found.records, found.episodes, found.steps_per_episode),
        (150, 1, 50)
    );
    let tokenizer = open_tiktoken("o200k_base");
    let longest = concat!(
        "{\"artifact_digest\":\"0000000000000000000000000000000000000000000000000000000000000000\",",
        "\"authorized_violations\":[\"crew-rest\",\"night-quiet\"],\"conflict_attribution\":",
        "[[\"île-supply\",\"crew-rest\"],[\"île-supply\",\"night-quiet\"]],",
        "\"required_preservations\":[\"île-supply\"],\"step_index\":49}"
    );
    let expected = tokenizer.count(longest).unwrap();
    assert!(
        found.max_precedent_tokens.abs_diff(expected) < 30,
        "{found:?} {expected}"
    );
    assert!(found.max_situation_tokens > found.max_precedent_tokens);
    assert_eq!((found.precedent_length, found.situation_length), (512, 512));
    assert_eq!(
        found,
        calibrate_precedent(&mut open_harbour().unwrap(), "o200k_base")
    );
}

#[test]
fn a_file_is_read_as_it_was_written_and_refused_when_it_was_changed() {
    let ledgers = LedgerDir::new();
    let path = ledgers.path("N.json");
    let found = calibrate_precedent(&mut OneActionWorld::colliding(), "o200k_base");
    std::fs::write(&path, found.to_file_text()).unwrap();
    assert_eq!(Calibration::read(&path).unwrap(), found);
    let file = found.to_file_text();
    // A file with lengths of somebody's choice is refused, although its hash is right.
    let mut chosen = found.clone();
    chosen.precedent_length = 2048;
    let mut long = found.clone();
    long.max_precedent_tokens = 1 << 40;
    long.precedent_length = segment_length(1 << 40);
    let mut few = found.clone();
    few.seeds = vec![42, 42, 42];
    for (text, expected) in [
        (
            file.replace("\"records\":18", "\"records\":19"),
            "was changed: its hash is ",
        ),
        (
            chosen.to_file_text(),
            "has the lengths 2048 and 512, and its measures give 512 and 512",
        ),
        (long.to_file_text(), "more than 32768 tokens"),
        (
            few.to_file_text(),
            "has 1 different seeds; expected at least 3",
        ),
        (
            file.replace("_calibration\":2", "_calibration\":1"),
            "has version 1; expected version 2",
        ),
        (
            file.replace("\"records\"", "\"more\":1,\"records\""),
            "not a calibration: at `more`: unknown field `more`, expected one of `axilog_",
        ),
        (
            file.replace("\"environment\"", "\"more\":1,\"environment\""),
            "not a calibration: at `basis.more`: unknown field `more`, expected one of `env",
        ),
        (
            file.replace("\"records\":18", "\"records\":\"18\""),
            "not a calibration: at `records`: invalid type: string \"18\", expected u64",
        ),
        (
            file.clone() + "{}",
            "not a calibration: trailing characters at line 2 column 1",
        ),
        ("{}".to_owned(), "not a calibration: "),
        ("not JSON".to_owned(), "not a calibration: "),
        (String::new(), "not a calibration: "),
    ] {
        assert_ne!(text, file);
        std::fs::write(&path, &text).unwrap();
        let error = Calibration::read(&path).unwrap_err().to_string();
        assert!(
            error.contains(expected) && error.contains("N.json"),
            "{text}\n{error}"
        );
    }
}

/// Q1 and the design: a calibration holds for one environment, tokenizer, version, padding and skeleton.
#[test]
fn a_calibration_for_something_else_is_refused() {
    let found = calibrate_precedent(&mut OneActionWorld::colliding(), "o200k_base");
    let path = Path::new("N.json");
    assert!(found.check_basis(path, &found.basis).is_ok());
    type Change = fn(&mut CalibrationBasis);
    let changes: [(&str, Change); 6] = [
        ("environment", |b| b.environment.push('x')),
        ("tokenizer", |b| b.tokenizer = "cl100k_base".to_owned()),
        ("tokenizer version", |b| b.tokenizer_version.push('x')),
        ("padding", |b| b.pad = " Y".to_owned()),
        ("padding tokens", |b| b.pad_tokens = vec![1]),
        ("skeleton", |b| b.skeleton_hash.replace_range(..1, "z")),
    ];
    for (property, change) in changes {
        let mut other = found.basis.clone();
        change(&mut other);
        let error = found.check_basis(path, &other).unwrap_err().to_string();
        assert!(
            error.contains(&format!("with the {property} \"")),
            "{error}"
        );
        assert!(error.contains("calibrate again"), "{error}");
    }
}

#[test]
fn calibration_takes_three_seeds_and_a_precedent() {
    let mut world = OneActionWorld::colliding();
    let (frame, _) = build_frame(&world, open_tiktoken("o200k_base"), DEFAULT_PAD, None).unwrap();
    let ledgers = LedgerDir::new();
    let mut oracle = ledgers.record_script("l", &[script_line("no")]);
    let plan = |seeds: &[u64], world: &OneActionWorld| {
        build_calibration_header(seeds, world, "scripted", "m")
    };
    let two = plan(&[1, 2], &world);
    assert!(two.unwrap_err().to_string().contains("at least 3"));
    let three = plan(&[1, 2, 3], &world).unwrap();
    let none = calibrate(&three, &mut world, &frame, &mut oracle, &mut |_| true);
    let status = none.unwrap().unwrap_err();
    assert!(
        matches!(status, RunStatus::Invalid(invalid, _) if invalid.reason.as_str() == "BASELINE_NOT_INSTANTIATED")
    );
}
