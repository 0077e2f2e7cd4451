//! `axilog key`, and what becomes of secret keys.

use std::fs;
#[cfg(unix)]
use std::path::Path;

use super::plant;
#[cfg(unix)]
use super::run_in_shell;
use crate::bench::Bench;

/// The secret in a key file.
fn secret(bench: &Bench) -> String {
    let line = String::from_utf8(bench.read("plant.key")).unwrap();
    line.trim_end().splitn(5, '+').last().unwrap().to_owned()
}

#[test]
fn a_secret_key_is_never_shown() {
    let bench = plant();
    let secret = secret(&bench);
    assert!(secret.len() > 40);
    let line = String::from_utf8(bench.read("plant.key")).unwrap();
    bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    bench.write("broken.key", format!("{}=\n", line.trim_end()));
    fs::copy(bench.path("plant.key"), bench.path("again.key")).unwrap();
    for words in [
        "key show plant.key".to_owned(),
        "key show plant.key --json".to_owned(),
        "key show broken.key".to_owned(),
        "key new again.key --name example.com/plant".to_owned(),
        "checkpoint ledger.jsonl --key plant.key".to_owned(),
        "checkpoint ledger.jsonl --key broken.key".to_owned(),
        format!(
            "check ledger.jsonl.checkpoint --public-key {}",
            line.trim_end()
        ),
        format!(
            "check ledger.jsonl.checkpoint --public-key {} --json",
            line.trim_end()
        ),
    ] {
        let run = bench.run(&words);
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(!told.contains(&secret[8..]), "{words}: {told}");
    }
    let told = bench.run(&format!("check x --public-key {}", line.trim_end()));
    told.exits(2).says("a secret key was given");
    bench
        .run("check x --public-key nonsense")
        .exits(2)
        .says("the public key is refused: it has another form");
    // A key that lies in no file of its own comes through a pipe.
    let shown = bench
        .run_with("key show -", line.as_bytes())
        .exits(0)
        .stdout;
    assert_eq!(shown.into_bytes(), bench.read("plant.pub"));
}

#[cfg(unix)]
#[test]
fn a_key_is_its_owners_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = plant();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (code, told) = run_in_shell(&bench, "umask 0; $AXILOG key new free.key --name n");
    assert_eq!(code, 0, "{told}");
    assert_eq!(mode(&bench.path("free.key")), 0o600);
    // Neither a file nor a link that leads nowhere is written through.
    symlink("elsewhere", bench.path("link.key")).unwrap();
    for taken in ["link.key", "plant.key", "ledger.jsonl"] {
        let before = fs::read(bench.path(taken)).ok();
        let line = format!("key new {taken} --name n");
        bench.run(&line).exits(3).says("no key is ever overwritten");
        assert_eq!(fs::read(bench.path(taken)).ok(), before);
    }
    assert!(!bench.exists("elsewhere"));
    let exposed = fs::Permissions::from_mode(0o644);
    fs::set_permissions(bench.path("plant.key"), exposed).unwrap();
    for line in [
        "key show plant.key",
        "checkpoint ledger.jsonl --key plant.key",
    ] {
        bench.run(line).exits(3).says("chmod 600 plant.key");
    }
    assert!(!bench.exists("ledger.jsonl.checkpoint"));
    bench.run("key new bad.key --name a+b").exits(2);
    assert!(!bench.exists("bad.key"));
}
