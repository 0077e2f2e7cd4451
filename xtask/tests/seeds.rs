//! Every fuzz target has a program, seeds and a dictionary.

use std::fs;

use xtask::fuzz::TARGETS;
use xtask::process::workspace_root;
use xtask::seeds::generate_seeds;

#[test]
fn every_target_has_a_program_seeds_and_a_dictionary() {
    let fuzz = workspace_root().join("fuzz");
    let seeds = generate_seeds().unwrap();
    for (target, dictionary) in TARGETS {
        assert!(fuzz.join(format!("targets/{target}.rs")).exists());
        let folder = format!("{target}/");
        assert!(
            seeds.keys().any(|name| name.starts_with(&folder)),
            "{target}"
        );
        assert!(fuzz.join(format!("dictionaries/{dictionary}.txt")).exists());
    }
    assert_eq!(
        fs::read_dir(fuzz.join("targets")).unwrap().count(),
        TARGETS.len()
    );
}
