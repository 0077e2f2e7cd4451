//! What is not signed, and what proves nothing.

#[cfg(target_os = "linux")]
use super::run_in_shell;
use super::{NAME, check, plant};
use crate::bench::lines;

#[test]
fn a_damaged_ledger_is_not_signed() {
    let bench = plant();
    let mut ledger = bench.read("ledger.jsonl");
    let at = ledger.len() - 100;
    ledger[at] ^= 1;
    bench.write("ledger.jsonl", &ledger);
    let error = bench
        .run("checkpoint ledger.jsonl --key plant.key --json")
        .exits(1)
        .json();
    assert_eq!(error["sequence"], 10);
    assert!(!bench.exists("ledger.jsonl.checkpoint"));
    ledger.truncate(at);
    bench.write("ledger.jsonl", &ledger);
    let run = bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(1);
    run.says("TORN");
}

#[test]
fn a_ledger_without_a_name_needs_its_origin_named() {
    let bench = plant();
    bench.run("init other.jsonl --time 1000").exits(0);
    let sign = "checkpoint other.jsonl --key plant.key";
    bench.run(sign).exits(2).says("--origin example.com/plant");
    bench
        .run(&format!("{sign} --origin example.com/pump"))
        .exits(2)
        .says("the key is that of \"example.com/plant\"");
    bench.run(&format!("{sign} --origin {NAME}")).exits(0);
    check(&bench, "other.jsonl.checkpoint --head").exits(0);
    // A ledger of another name is never this key's.
    bench
        .run("init named.jsonl --name example.com/pump --time 1000")
        .exits(0);
    for origin in [
        "",
        "--origin example.com/plant",
        "--origin example.com/pump",
    ] {
        let line = format!("checkpoint named.jsonl --key plant.key {origin}");
        bench.run(&line).exits(2);
    }
    assert!(!bench.exists("named.jsonl.checkpoint"));
}

#[test]
fn a_checkpoint_that_this_key_did_not_sign_is_left_alone() {
    let bench = plant();
    bench
        .run(&format!("key new other.key --name {NAME}"))
        .exits(0);
    bench
        .run("checkpoint ledger.jsonl --key other.key")
        .exits(0);
    let sign = "checkpoint ledger.jsonl --key plant.key";
    bench.run(sign).exits(2).says("move the old one away");
    for kept in ["a note of mine\n", ""] {
        bench.write("ledger.jsonl.checkpoint", kept);
        bench.run(sign).exits(2).says("is no checkpoint");
        assert_eq!(bench.read("ledger.jsonl.checkpoint"), kept.as_bytes());
    }
    // Nor are a ledger, a key and a blob ever replaced.
    for target in ["ledger.jsonl", "plant.key", "ledger.jsonl.blobs/x"] {
        bench.run(&format!("{sign} -o {target}")).exits(2);
        bench.run(&format!("{sign} --out {target}")).exits(2);
    }
    // To standard output it goes without a look at what is kept.
    let printed = bench.run(&format!("{sign} -o -")).exits(0).stdout;
    bench.write("head", printed);
    check(&bench, "head --head").exits(0);
}

#[test]
fn proofs_that_do_not_hold_fail() {
    let bench = plant();
    bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    let proof = bench.run("prove ledger.jsonl --seq 5").exits(0).stdout;
    for (changed, why) in [
        (
            proof.replace("index 5", "index 6"),
            "the record is number 5",
        ),
        (
            proof.replacen("\n11\n", "\n12\n", 1),
            "was changed after it was signed",
        ),
        (proof.replace('\n', "\r\n"), "carriage returns"),
        (
            proof.replace(NAME, "example.com/plans"),
            "the key is that of",
        ),
        (
            proof.replacen("@v1", "@v2", 1),
            "use an axilog that knows it",
        ),
        (proof[..proof.len() - 1].to_owned(), "copy the file whole"),
        (format!("{proof}more\n"), "copy the file whole"),
        (
            "nothing\n".to_owned(),
            "it is no proof, expected the proof of a record",
        ),
        (
            String::new(),
            "it is no proof, expected the proof of a record",
        ),
    ] {
        bench.write("changed", &changed);
        let failed = check(&bench, "changed").exits(1).stdout;
        let words: Vec<&str> = failed.split_whitespace().collect();
        assert!(words.join(" ").contains(why), "{why}: {failed}");
        let failed = check(&bench, "changed --json").exits(1).json();
        assert_eq!(failed["ok"], false);
        assert!(failed["reason"].as_str().unwrap().contains(why));
    }
    bench.write("long", "x".repeat(600_000));
    check(&bench, "long").exits(3).says("is longer than");
    bench.run("prove ledger.jsonl --seq 11").exits(1);
    bench.run("prove ledger.jsonl").exits(2);
    bench.run("prove ledger.jsonl --seq 1 --from x").exits(2);
    bench
        .run("prove ledger.jsonl --seq 1 --checkpoint none")
        .exits(3)
        .says("there is no checkpoint here");
}

/// Whoever hands over a file does not choose what is asked of it: what shows less than was asked fails.
#[test]
fn a_file_of_another_kind_shows_nothing() {
    let bench = plant();
    let sign = "checkpoint ledger.jsonl --key plant.key";
    bench.run(sign).exits(0);
    bench.write("held", bench.read("ledger.jsonl.checkpoint"));
    bench.observe(b"{\"value\":3}").exits(0);
    bench.run(sign).exits(0);
    for (line, file) in [("--seq 5", "record"), ("--from held", "extension")] {
        let proof = bench.run(&format!("prove ledger.jsonl {line}")).exits(0);
        bench.write(file, proof.stdout);
    }
    bench.write("line", &lines(&bench.read("ledger.jsonl"))[5]);
    for (words, code) in [
        ("record", 0),
        ("record --record line", 0),
        ("record --from held", 1),
        ("record --head", 1),
        ("extension", 2),
        ("extension --record line", 1),
        ("extension --from held", 0),
        ("extension --head", 1),
        ("held", 1),
        ("held --record line", 1),
        ("held --from held", 1),
        ("held --head", 0),
        ("record --record line --from held", 2),
        ("held --head --from held", 2),
    ] {
        let run = check(&bench, words);
        assert_eq!(run.code, code, "{words}: {}{}", run.stdout, run.stderr);
    }
}

/// A disk that takes nothing more, as a limit on the length of files shows it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_half_key_and_the_old_checkpoint() {
    let bench = plant();
    bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    let before = bench.read("ledger.jsonl.checkpoint");
    bench.observe(b"{\"value\":3}").exits(0);
    let full = "trap '' XFSZ; ulimit -f 0;";
    for (line, code) in [
        ("key new new.key --name n", 3),
        ("checkpoint ledger.jsonl --key plant.key", 3),
        ("prove ledger.jsonl --seq 5 -o five", 3),
        ("prove ledger.jsonl --seq 5 >/dev/full", 3),
        ("checkpoint ledger.jsonl --key plant.key -o /dev/full", 3),
        ("checkpoint ledger.jsonl --key plant.key -o - >/dev/full", 3),
        (
            "check ledger.jsonl.checkpoint --head --public-key $(cat plant.pub) >/dev/full",
            3,
        ),
        // What was done stays done, and can be shown again.
        ("key show plant.key >/dev/full", 3),
    ] {
        let (found, told) = run_in_shell(&bench, &format!("{full} $AXILOG {line}"));
        assert_eq!(found, code, "{line}: {told}");
    }
    assert!(!bench.exists("new.key") && !bench.exists("five"));
    assert_eq!(bench.read("ledger.jsonl.checkpoint"), before);
    assert!(bench.temporaries().is_empty());
    let (code, told) = run_in_shell(&bench, "$AXILOG key new new.key --name n >/dev/full");
    assert_eq!(code, 0, "{told}");
    bench.run("key show new.key").exits(0);
}
