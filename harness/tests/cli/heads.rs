//! `axilog key`, `checkpoint`, `prove` and `check`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, Run, lines, program};

const NAME: &str = "example.com/plant";

/// A ledger of that name with two answers, and a key for it.
fn plant() -> Bench {
    let bench = Bench::new();
    bench
        .run(&format!("init ledger.jsonl --name {NAME} --time 1000"))
        .exits(0);
    bench.observe(b"{\"value\":1}").exits(0);
    bench.observe(b"{\"value\":2}").exits(0);
    let key = bench.run(&format!("key new plant.key --name {NAME}"));
    bench.write("plant.pub", key.exits(0).stdout);
    bench
}

fn public(bench: &Bench) -> String {
    let text = String::from_utf8(bench.read("plant.pub")).unwrap();
    text.trim_end().to_owned()
}

/// The secret in a key file.
fn secret(bench: &Bench) -> String {
    let line = String::from_utf8(bench.read("plant.key")).unwrap();
    line.trim_end().splitn(5, '+').last().unwrap().to_owned()
}

fn check(bench: &Bench, words: &str) -> Run {
    bench.run(&format!("check {words} --public-key {}", public(bench)))
}

/// Runs a line of the shell, in which `$AXILOG` is the command.
fn run_in_shell(bench: &Bench, line: &str) -> (i32, String) {
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(bench.path(""))
        .env("AXILOG", program())
        .output()
        .unwrap();
    let told = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(told).unwrap(),
    )
}

#[test]
fn a_record_is_proven_to_somebody_who_has_the_public_key_alone() {
    let bench = plant();
    let signed = bench
        .run("checkpoint ledger.jsonl --key plant.key --json")
        .exits(0)
        .json();
    assert_eq!(signed["size"], 11);
    assert_eq!(signed["origin"], NAME);
    assert_eq!(signed["checkpoint"], "ledger.jsonl.checkpoint");
    assert_eq!(signed["new"], true);
    let proven = bench
        .run("prove ledger.jsonl --seq 5 -o five.tlog-proof --json")
        .exits(0)
        .json();
    assert_eq!(proven["seq"], 5);

    let other = Bench::new();
    other.write("five.tlog-proof", bench.read("five.tlog-proof"));
    other.write("plant.pub", bench.read("plant.pub"));
    let text = check(&other, "five.tlog-proof").exits(0).stdout;
    let first = "OK              the ledger example.com/plant has this record 5, among the 11\n";
    assert!(text.starts_with(first), "{text}");
    let shown = check(&other, "five.tlog-proof --json").exits(0).json();
    let line = lines(&bench.read("ledger.jsonl"))[5].clone();
    let line: serde_json::Value = serde_json::from_slice(&line).unwrap();
    let record: serde_json::Value =
        serde_json::from_str(shown["record"].as_str().unwrap()).unwrap();
    assert_eq!(record, line["record"]);
    assert_eq!(shown["commit"], line["commit"]);
    assert_eq!(shown["tag"], line["tag"]);
    assert_eq!(shown["ok"], true);
    assert_eq!(shown["size"], 11);
    assert_eq!(shown["seq"], 5);
    // The checkpoint by itself.
    other.write("head", bench.read("ledger.jsonl.checkpoint"));
    let shown = check(&other, "head --head --json").exits(0).json();
    assert_eq!(shown["kind"], "checkpoint");
    assert_eq!(shown["root"], signed["root"]);
}

#[test]
fn a_record_may_be_shown_apart_from_its_proof() {
    let bench = plant();
    bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    let proof = bench.run("prove ledger.jsonl --seq 5 --without-record");
    bench.write("five.tlog-proof", proof.exits(0).stdout);
    assert!(!String::from_utf8_lossy(&bench.read("five.tlog-proof")).contains("extra"));
    check(&bench, "five.tlog-proof")
        .exits(2)
        .says("--record FILE");
    let all = lines(&bench.read("ledger.jsonl"));
    bench.write("line", &all[5]);
    let shown = check(&bench, "five.tlog-proof --record line --json").exits(0);
    assert_eq!(shown.json()["seq"], 5);
    bench.write("line", &all[6]);
    let failed = check(&bench, "five.tlog-proof --record line").exits(1);
    assert!(failed.stdout.starts_with("FAILED "), "{}", failed.stdout);
    bench.write("line", [&all[5][..], &all[6]].concat());
    check(&bench, "five.tlog-proof --record line").exits(1);
}

#[test]
fn a_ledger_that_grew_is_told_from_one_that_was_written_anew_or_cut() {
    let bench = plant();
    let sign = "checkpoint ledger.jsonl --key plant.key";
    bench.run(sign).exits(0);
    bench.write("held", bench.read("ledger.jsonl.checkpoint"));
    let again = bench.run(&format!("{sign} --json")).exits(0).json();
    assert_eq!(again["new"], false);
    assert_eq!(bench.read("held"), bench.read("ledger.jsonl.checkpoint"));
    bench.observe(b"{\"value\":3}").exits(0);
    bench.run(sign).exits(0);
    let proof = bench.run("prove ledger.jsonl --from held").exits(0).stdout;
    assert!(proof.starts_with("old 11\n"), "{proof}");
    bench.write("grown", proof);
    check(&bench, "grown").exits(2).says("--from CHECKPOINT");
    let shown = check(&bench, "grown --from held --json").exits(0).json();
    assert_eq!(shown["old_size"], 11);
    assert_eq!(shown["size"], 14);
    // It says nothing about another older head.
    check(&bench, "grown --from ledger.jsonl.checkpoint").exits(1);
    bench
        .run("prove ledger.jsonl --from ledger.jsonl.checkpoint --to held")
        .exits(2);

    let ledger = bench.read("ledger.jsonl");
    let all = lines(&ledger);
    // Written anew from the second answer on, with a right chain.
    bench.write("ledger.jsonl", all[..8].concat());
    bench.observe(b"{\"value\":7}").exits(0);
    bench.observe(b"{\"value\":3}").exits(0);
    for line in [
        sign,
        "prove ledger.jsonl --from held",
        "prove ledger.jsonl --seq 5",
    ] {
        let run = bench.run(line).exits(1);
        run.says("are not those that were signed");
    }
    let error = bench
        .run("prove ledger.jsonl --seq 5 --json")
        .exits(1)
        .json();
    assert_eq!(error["exit_code"], 1);
    assert!(error["error"].as_str().unwrap().contains("records 0 to 13"));
    bench.write("ledger.jsonl", all[..13].concat());
    for line in [sign, "prove ledger.jsonl --from held"] {
        let run = bench.run(line).exits(1);
        run.says("has 13 records, and the checkpoint was made of 14");
    }
    assert_eq!(
        check(&bench, "ledger.jsonl.checkpoint --head --json").json()["size"],
        14
    );
}

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
        .says("is no public key");
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

/// Heads are signed while a session goes on, by several at once, and each extends the one before.
#[test]
fn heads_are_signed_while_the_ledger_grows() {
    let bench = plant();
    let sign = "checkpoint ledger.jsonl --key plant.key";
    bench.run(sign).exits(0);
    bench.write("first", bench.read("ledger.jsonl.checkpoint"));
    let kept_size = || {
        let shown = check(&bench, "ledger.jsonl.checkpoint --head --json").exits(0);
        shown.json()["size"].as_u64().unwrap()
    };
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for value in 1..20 {
                let answer = format!("{{\"value\":{value}}}");
                bench.observe(answer.as_bytes()).exits(0);
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20 {
                    bench.run(sign).exits(0);
                }
            });
        }
        let mut size = 0;
        while !writer.is_finished() {
            let now = kept_size();
            assert!(now >= size, "{now} after {size}");
            size = now;
            let proof = bench.run("prove ledger.jsonl --from first").exits(0);
            bench.write("grown", proof.stdout);
            check(&bench, "grown --from first").exits(0);
        }
    });
    bench.run(sign).exits(0);
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    assert_eq!(head["entries"], kept_size());
}
