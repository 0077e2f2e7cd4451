//! Calibration: the lengths, the file, and what it is refused for.

use std::path::Path;

use axilog_ablation::agents::Agent;
use axilog_ablation::calibration::{Basis, Calibration, length};
use axilog_ablation::environment::Environment;
use axilog_ablation::experiment::{calibrate, frame};
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::run::Status;
use axilog_ablation::trap::CommitmentTrap;
use proptest::prelude::*;

use crate::lab::{Lab, World, answer, tiktoken};

#[test]
fn lengths_in_integers() {
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
        assert_eq!(length(longest), expected, "{longest}");
    }
}

proptest! {
    /// The least multiple of 32, from 512, that is no less than 1.25 times the longest.
    #[test]
    fn lengths_are_the_least(longest in 0_u64..1 << 40) {
        let found = length(longest);
        prop_assert!(found >= 512 && found.is_multiple_of(32) && 4 * found >= 5 * longest);
        prop_assert!(found == 512 || 4 * (found - 32) < 5 * longest);
    }
}

fn calibrated(environment: &mut dyn Environment, tokenizer: &str) -> Calibration {
    let (frame, basis) = frame(environment, tiktoken(tokenizer), DEFAULT_PAD, None).unwrap();
    let lab = Lab::new();
    let mut live = lab.agent("l", Agent::Precedent);
    let who = ("agent:precedent", "agent:precedent");
    let seeds = [42, 123, 456];
    calibrate(
        &seeds,
        environment,
        (&frame, basis),
        who,
        &mut live,
        &mut |_| true,
    )
    .unwrap()
    .unwrap()
}

#[test]
fn records_are_measured_as_they_are_injected() {
    let found = calibrated(&mut CommitmentTrap::default(), "o200k_base");
    assert_eq!(
        (found.records, found.episodes, found.steps_per_episode),
        (150, 1, 50)
    );
    let own = tiktoken("o200k_base");
    let longest = concat!(
        "{\"artifact_digest\":\"0000000000000000000000000000000000000000000000000000000000000000\",",
        "\"authorized_violations\":[\"crew-rest\",\"night-quiet\"],\"conflict_attribution\":",
        "[[\"île-supply\",\"crew-rest\"],[\"île-supply\",\"night-quiet\"]],",
        "\"required_preservations\":[\"île-supply\"],\"step_index\":49}"
    );
    let like_it = own.count(longest).unwrap();
    assert!(
        found.max_precedent_tokens.abs_diff(like_it) < 30,
        "{found:?} {like_it}"
    );
    assert!(found.max_situation_tokens > found.max_precedent_tokens);
    assert_eq!((found.precedent_length, found.situation_length), (512, 512));
    assert_eq!(
        found,
        calibrated(&mut CommitmentTrap::default(), "o200k_base")
    );
}

#[test]
fn a_file_is_read_as_it_was_written_and_not_when_it_was_changed() {
    let lab = Lab::new();
    let path = lab.path("N.json");
    let found = calibrated(&mut World::colliding(), "o200k_base");
    std::fs::write(&path, found.file()).unwrap();
    assert_eq!(Calibration::read(&path).unwrap(), found);
    let file = found.file();
    // A file that was made anew has the right hash and still may not choose its lengths.
    let mut chosen = found.clone();
    chosen.precedent_length = 2048;
    let mut long = found.clone();
    long.max_precedent_tokens = 1 << 40;
    long.precedent_length = length(1 << 40);
    let mut few = found.clone();
    few.seeds = vec![42, 42, 42];
    for (text, told) in [
        (
            file.replace("\"records\":18", "\"records\":19"),
            "its hash is another",
        ),
        (chosen.file(), "that its measures do not give"),
        (long.file(), "more than 32768 tokens"),
        (few.file(), "that its measures do not give"),
        (
            file.replace("_calibration\":1", "_calibration\":2"),
            "another version",
        ),
        (
            file.replace("\"records\"", "\"more\":1,\"records\""),
            "is no calibration",
        ),
        (
            file.replace("\"environment\"", "\"more\":1,\"environment\""),
            "is no calibration",
        ),
        ("{}".to_owned(), "is no calibration"),
        ("not JSON".to_owned(), "is no calibration"),
        (String::new(), "is no calibration"),
    ] {
        assert_ne!(text, file);
        std::fs::write(&path, &text).unwrap();
        let error = Calibration::read(&path).unwrap_err().to_string();
        assert!(
            error.contains(told) && error.contains("N.json"),
            "{text}\n{error}"
        );
    }
}

/// Q1 and the design: another environment, tokenizer, version, padding or skeleton.
#[test]
fn what_was_calibrated_for_something_else_is_refused() {
    let found = calibrated(&mut World::colliding(), "o200k_base");
    let path = Path::new("N.json");
    assert!(found.check(path, &found.basis).is_ok());
    type Change = fn(&mut Basis);
    let changes: [(&str, Change); 6] = [
        ("environment", |b| b.environment.push('x')),
        ("tokenizer", |b| b.tokenizer = "cl100k_base".to_owned()),
        ("tokenizer version", |b| b.tokenizer_version.push('x')),
        ("padding", |b| b.pad = " Y".to_owned()),
        ("padding tokens", |b| b.pad_tokens = vec![1]),
        ("skeleton", |b| b.skeleton_hash.replace_range(..1, "z")),
    ];
    for (what, change) in changes {
        let mut other = found.basis.clone();
        change(&mut other);
        let error = found.check(path, &other).unwrap_err().to_string();
        assert!(error.contains(&format!("with the {what} \"")), "{error}");
        assert!(error.contains("calibrate again"), "{error}");
    }
}

#[test]
fn calibration_takes_three_seeds_and_a_precedent() {
    let mut world = World::colliding();
    let (frame, basis) = frame(&world, tiktoken("o200k_base"), DEFAULT_PAD, None).unwrap();
    let lab = Lab::new();
    let who = ("scripted", "m");
    let mut live = lab.script("l", &[answer("no")]);
    let two = calibrate(
        &[1, 2],
        &mut world,
        (&frame, basis.clone()),
        who,
        &mut live,
        &mut |_| true,
    );
    assert!(two.unwrap_err().to_string().contains("at least 3"));
    let none = calibrate(
        &[1, 2, 3],
        &mut world,
        (&frame, basis),
        who,
        &mut live,
        &mut |_| true,
    );
    let status = none.unwrap().unwrap_err();
    assert!(
        matches!(status, Status::Invalid(invalid, _) if invalid.reason.as_str() == "BASELINE_NOT_INSTANTIATED")
    );
}
