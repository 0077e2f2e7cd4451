//! The same keys, checkpoints and proofs, checked by Go's packages for transparency logs and by thirty lines of Python.
//!
//! `.ci/daily heads` installs what they need and runs them.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use axilog_heads::{Checkpoint, WitnessKey};

use crate::plant::Plant;

/// Lays out checkpoints, proofs of records and of extensions as files, and gives their numbers as the verifiers print
/// them.
fn lay_out(plant: &Plant) -> String {
    let sizes = [2, 3, 4, 7, 8, 9, 31, 32, 33, 64, plant.lines.len()];
    let all = plant.lines.concat();
    let write =
        |name: String, bytes: Vec<u8>| fs::write(plant.dir.path().join(name), bytes).unwrap();
    write("public".to_owned(), plant.public().to_string().into_bytes());
    let witness = plant.dir.path().join("witness.key");
    let witness = WitnessKey::create(&witness, "example.org/witness").unwrap();
    let public = witness.public_key().to_string();
    write("witness".to_owned(), public.into_bytes());
    let (mut records, mut extensions) = (0, 0);
    for size in sizes {
        let mut checkpoint = plant.sign(size);
        write(format!("{size}.checkpoint"), checkpoint.to_bytes());
        checkpoint
            .cosign(&witness, 1_767_225_600 + size as u64)
            .unwrap();
        write(format!("{size}.cosigned"), checkpoint.to_bytes());
        for index in [0, 1, size / 2, size - 1] {
            let proof = plant.prove_record(&all, index as u64, plant.sign(size));
            let name = format!("{size}-{index}.tlog-proof");
            records += usize::from(!plant.dir.path().join(&name).exists());
            write(name, proof.unwrap().to_bytes());
        }
        for old in sizes.into_iter().filter(|old| *old <= size) {
            let proof = plant.prove_extension(&all, &plant.sign(old), plant.sign(size));
            write(format!("{old}-{size}.extension"), proof.unwrap().to_bytes());
            extensions += 1;
        }
    }
    format!("{0} {records} {extensions} {0}\n", sizes.len())
}

/// What a verifier prints of the files in the plant's directory.
fn run(plant: &Plant, program: &str, words: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/independent");
    let cache = tempfile::tempdir().unwrap();
    let output = Command::new(program)
        .args(words)
        .arg(plant.dir.path())
        .current_dir(folder)
        .env("GO111MODULE", "off")
        // Where Debian lays the sources of packages in Go.
        .env("GOPATH", "/usr/share/gocode")
        .env("GOCACHE", cache.path())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; .ci/daily heads installs it"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "needs Debian's golang-go and golang-golang-x-mod-dev: .ci/daily heads"]
fn go_finds_the_same() {
    let plant = Plant::with_answers(1..24);
    let expected = lay_out(&plant);
    assert_eq!(run(&plant, "go", &["run", "verify.go"]), expected);
    // Go signs with the key that axilog made.
    let signed = fs::read(plant.dir.path().join("signed-by-go")).unwrap();
    let checkpoint = Checkpoint::parse(&signed).unwrap();
    checkpoint.verify(plant.public()).unwrap();
    assert_eq!(
        checkpoint.to_bytes(),
        plant.sign(plant.lines.len()).to_bytes()
    );
}

#[test]
#[ignore = "needs Debian's python3-cryptography: .ci/daily heads"]
fn python_finds_the_same() {
    let plant = Plant::with_answers(1..24);
    let expected = lay_out(&plant);
    // That of the system has the package which the system installed.
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    assert_eq!(run(&plant, &python, &["verify.py"]), expected);
}
