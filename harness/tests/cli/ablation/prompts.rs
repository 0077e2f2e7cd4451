//! The prompts beside the ledgers: one that is missing or was changed is found.

use std::fs;
use std::path::{Path, PathBuf};

use super::stopping::calibrate;
use crate::bench::Bench;

const RUN: &str = "ablation run --oracle agent:precedent --calibration N.json --seeds 1,2 --pilot --episodes 1 --out r";

/// The files of prompts below a directory, sorted.
fn list_prompts(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(list_prompts(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Checks that every command that reads the runs says `expected`, as exit code 1.
fn is_noticed(bench: &Bench, expected: &[&str]) {
    for line in [
        "ablation replay r",
        "ablation replay r/b",
        "ablation compare r",
        "ablation compare r/b r/c",
        &format!("{RUN} --resume"),
    ] {
        let run = bench.run(line).exits(1);
        expected.iter().fold(run, |run, part| run.says(part));
    }
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn a_prompt_that_is_missing_or_was_changed_is_found() {
    let bench = calibrate();
    bench.run(RUN).exits(0);
    let prompts = list_prompts(&bench.path("r/b/ledger.jsonl.blobs"));
    assert!(prompts.len() >= 100, "{}", prompts.len());
    let first = fs::read(&prompts[0]).unwrap();
    let name = prompts[0].file_name().unwrap().to_str().unwrap().to_owned();

    fs::remove_file(&prompts[0]).unwrap();
    is_noticed(
        &bench,
        &[
            "r/b/ledger.jsonl: the prompt of record ",
            &name,
            "is not there; put the files back",
        ],
    );
    let second = fs::read(&prompts[1]).unwrap();
    fs::remove_file(&prompts[1]).unwrap();
    is_noticed(
        &bench,
        &["is not there; so it is with 2 in all; put the files back"],
    );
    fs::write(&prompts[1], &second).unwrap();

    // One letter, another prompt in its place, and nothing.
    let mut letter = first.clone();
    letter[40] ^= 1;
    for changed in [letter, second, Vec::new()] {
        fs::write(&prompts[0], changed).unwrap();
        is_noticed(
            &bench,
            &[
                "r/b/ledger.jsonl: the prompt",
                &name,
                "does not have the hash in its name",
            ],
        );
    }
    fs::write(&prompts[0], &first).unwrap();

    // A file that no record names is what a kill leaves behind.
    fs::write(bench.path("r/b/ledger.jsonl.blobs").join("stray"), "x").unwrap();
    for line in [
        "ablation replay r",
        "ablation compare r",
        &format!("{RUN} --resume"),
    ] {
        bench.run(line).exits(0);
    }
    // Documents that are believed are believed without their prompts.
    fs::remove_file(&prompts[0]).unwrap();
    bench.run("ablation compare r --no-replay").exits(0);
}

#[test]
fn a_prompt_of_a_calibration_is_found_too() {
    let bench = calibrate();
    bench.run(RUN).exits(0);
    for (blobs, ledger, commands) in [
        (
            "r/c/calibration.json.ledger.jsonl.blobs",
            "r/c/calibration.json.ledger.jsonl",
            ["ablation replay r", "ablation compare r"],
        ),
        (
            "N.json.ledger.jsonl.blobs",
            "N.json.ledger.jsonl",
            [
                "ablation replay N.json",
                "ablation run --oracle agent:precedent --calibration N.json --seeds 1,2 --pilot --out x",
            ],
        ),
    ] {
        let prompt = list_prompts(&bench.path(blobs)).remove(7);
        let bytes = fs::read(&prompt).unwrap();
        fs::write(&prompt, "another").unwrap();
        for line in commands {
            bench
                .run(line)
                .exits(1)
                .says(&format!("{ledger}: the prompt"))
                .says("does not have the hash in its name");
        }
        fs::write(&prompt, bytes).unwrap();
        bench.run(commands[0]).exits(0);
    }
    assert!(!bench.exists("x"));
}
