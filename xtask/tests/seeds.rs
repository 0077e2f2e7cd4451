//! The committed seeds of the fuzz targets are those that the vectors give, and every target has seeds.

use std::fs;

use xtask::fuzz::TARGETS;
use xtask::process::workspace_root;
use xtask::seeds::{Seeds, directory, generate_seeds};

#[test]
fn the_committed_seeds_are_the_generated_ones() {
    let mut committed = Seeds::new();
    for target in fs::read_dir(directory()).unwrap() {
        let target = target.unwrap();
        for seed in fs::read_dir(target.path()).unwrap() {
            let seed = seed.unwrap();
            let names = [target.file_name(), seed.file_name()];
            let name = names.map(|name| name.into_string().unwrap()).join("/");
            committed.insert(name, fs::read(seed.path()).unwrap());
        }
    }
    assert!(
        committed == generate_seeds().unwrap(),
        "fuzz/seeds is stale: run `cargo xtask seeds`"
    );
}

#[test]
fn every_target_has_a_program_seeds_and_a_dictionary() {
    let fuzz = workspace_root().join("fuzz");
    for (target, dictionary) in TARGETS {
        assert!(fuzz.join(format!("targets/{target}.rs")).exists());
        assert!(fuzz.join("seeds").join(target).exists(), "{target}");
        assert!(fuzz.join(format!("dictionaries/{dictionary}.txt")).exists());
    }
    assert_eq!(
        fs::read_dir(fuzz.join("targets")).unwrap().count(),
        TARGETS.len()
    );
}
