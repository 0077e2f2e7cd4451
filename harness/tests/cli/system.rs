//! What the system refuses: rights, and space.

#![cfg(unix)]

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::bench::{Bench, program};

const OBSERVE: [&str; 7] = [
    "observe",
    "--ledger",
    "ledger.jsonl",
    "--oracle-id",
    "o",
    "--model-id",
    "m",
];

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The command as a user whom permissions bind: the superuser is none, and becomes one here.
fn bound(bench: &Bench, args: &[&str]) -> Output {
    let superuser = fs::OpenOptions::new()
        .write(true)
        .open(bench.path("read-only"))
        .is_ok();
    let mut command = bench.command();
    if superuser {
        // It may not be able to reach the program where it was built.
        let dir = command.get_current_dir().unwrap().to_owned();
        command = Command::new("./axilog");
        command.current_dir(dir).uid(65_534).gid(65_534);
    }
    command.args(args);
    loop {
        command.stdin(fs::File::open(bench.path("read-only")).unwrap());
        match command.output() {
            // A child that was started meanwhile still has the copy open for writing.
            Err(busy) if busy.kind() == ErrorKind::ExecutableFileBusy => {}
            output => return output.unwrap(),
        }
    }
}

/// A ledger for [`bound`], with the command and an answer beside it.
fn ledger() -> Bench {
    let bench = Bench::ledger();
    bench.write("read-only", "{\"value\":1}");
    set_mode(&bench.path("read-only"), 0o444);
    fs::copy(program(), bench.path("axilog")).unwrap();
    set_mode(&bench.path("axilog"), 0o755);
    bench
}

#[track_caller]
fn refused(output: &Output, reason: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains(reason), "{told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_ledger_that_may_only_be_read_says_so() {
    let bench = ledger();
    let whole = bench.read("ledger.jsonl");
    set_mode(&bench.path("."), 0o755);
    set_mode(&bench.path("ledger.jsonl"), 0o444);
    for command in ["verify", "replay", "head"] {
        let output = bound(&bench, &[command, "ledger.jsonl"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let output = bound(&bench, &OBSERVE);
    refused(
        &output,
        "ledger.jsonl: cannot open the ledger: Permission denied",
    );
    assert_eq!(bench.read("ledger.jsonl"), whole);
}

/// What is shown to a model is recorded first. Who only looks at the memory needs no right to write.
#[test]
#[cfg(feature = "memory")]
fn a_memory_that_may_only_be_read_shows_nothing_to_a_model() {
    let bench = ledger();
    bench
        .run("memory init m.db --world w --campaign c")
        .exits(0);
    set_mode(&bench.path("."), 0o777);
    set_mode(&bench.path("m.db"), 0o444);
    let whole = bench.read("m.db");
    for command in ["working-set", "pvib"] {
        let output = bound(&bench, &["memory", command, "m.db"]);
        refused(
            &output,
            "m.db: cannot be written, and what is appended or shown",
        );
        let output = bound(&bench, &["memory", command, "m.db", "--unrecorded"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(output.stdout.starts_with(b"UNRECORDED: "));
    }
    for command in ["show", "shown"] {
        let output = bound(&bench, &["memory", command, "m.db"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert_eq!(bench.read("m.db"), whole);
}

#[test]
fn a_directory_that_may_only_be_read_says_so() {
    let bench = ledger();
    bench.write("question", "which speed?");
    set_mode(&bench.path("question"), 0o444);
    set_mode(&bench.path("ledger.jsonl"), 0o666);
    set_mode(&bench.path("ledger.jsonl.blobs"), 0o555);
    set_mode(&bench.path("."), 0o555);
    let whole = bench.read("ledger.jsonl");

    // A blob cannot be kept, so nothing is recorded that would name it.
    let args = [&OBSERVE[..], &["--input", "question"]].concat();
    let output = bound(&bench, &args);
    refused(&output, "cannot write the blob");
    assert_eq!(bench.read("ledger.jsonl"), whole);
    let args = ["init", "other.jsonl"];
    refused(&bound(&bench, &args), "cannot create the ledger");
    assert!(!bench.exists("other.jsonl"));

    // What needs no file of its own works.
    let output = bound(&bench, &OBSERVE);
    assert_eq!(output.status.code(), Some(0), "{output:?}");

    // A torn line stays where it is.
    let mut torn = bench.read("ledger.jsonl");
    torn.extend(b"{\"chain");
    bench.write("ledger.jsonl", &torn);
    let output = bound(&bench, &OBSERVE);
    refused(&output, "cannot move the torn line aside");
    assert_eq!(bench.read("ledger.jsonl"), torn);
    // So that it can be removed.
    set_mode(&bench.path("."), 0o755);
    set_mode(&bench.path("ledger.jsonl.blobs"), 0o755);
    bench.observe(b"{\"value\":1}").exits(0);
    bench.run("replay ledger.jsonl").exits(0);
}

/// A directory in which nobody can create anything, the superuser included.
#[cfg(target_os = "linux")]
#[test]
fn a_ledger_that_cannot_be_created_says_so() {
    let bench = Bench::new();
    bench
        .run("init /proc/ledger.jsonl")
        .exits(3)
        .says("cannot create the ledger");
    bench.run("init /dev/full").exits(3).says("regular file");
}

/// Observes where no file may become longer than some KiB: a full disk, as far as such a limit can
/// stand for one. The limit is in units of 512 bytes or of 1024, depending on the shell.
fn with_limit(bench: &Bench, units: usize, more: &str) -> Output {
    let script = format!(
        "trap '' XFSZ; ulimit -f {units}; echo '{{\"value\":1}}' | \
         exec {} {} {more}",
        program().display(),
        OBSERVE.join(" ")
    );
    let dir = bench.command().get_current_dir().unwrap().to_owned();
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(dir)
        .output()
        .unwrap()
}

#[test]
fn what_cannot_be_written_whole_is_taken_back() {
    let bench = Bench::ledger();
    for _ in 0..8 {
        bench.observe(b"{\"value\":1}").exits(0);
    }
    let before = bench.read("ledger.jsonl");
    let output = with_limit(&bench, before.len() / 1024, "");
    refused(&output, "nothing was recorded");
    assert_eq!(bench.read("ledger.jsonl"), before);
    bench.observe(b"{\"value\":1}").exits(0);
    bench.run("replay ledger.jsonl").exits(0);
}

#[test]
fn a_blob_that_cannot_be_written_whole_is_not_there() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    bench.write("question", vec![b'a'; 100_000]);
    let output = with_limit(&bench, 40, "--input question");
    refused(&output, "cannot write the blob");
    assert_eq!(bench.read("ledger.jsonl"), before);
    bench.run("verify ledger.jsonl --blobs").exits(0);
    let shards = fs::read_dir(bench.path("ledger.jsonl.blobs")).unwrap();
    let files = shards.flat_map(|shard| fs::read_dir(shard.unwrap().path()).unwrap());
    assert_eq!(files.count(), 1, "the configuration");
    let output = with_limit(&bench, 400, "--input question");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    bench.run("verify ledger.jsonl --blobs").exits(0);
}

#[test]
fn a_torn_line_that_cannot_be_kept_stays() {
    let bench = Bench::ledger();
    let mut torn = bench.read("ledger.jsonl");
    torn.extend(vec![b'x'; 60_000]);
    bench.write("ledger.jsonl", &torn);
    refused(
        &with_limit(&bench, 20, ""),
        "cannot move the torn line aside",
    );
    assert_eq!(bench.read("ledger.jsonl"), torn);
    assert!(!bench.exists("ledger.jsonl.torn-1"));
    bench.observe(b"{\"value\":1}").exits(0);
    assert_eq!(bench.read("ledger.jsonl.torn-1").len(), 60_000);
    bench.run("replay ledger.jsonl").exits(0);
}
