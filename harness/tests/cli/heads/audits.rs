//! `axilog audit --checkpoint`: a ledger, and a head of it that somebody holds.

use serde_json::Value;

use super::{NAME, plant, public};
use crate::bench::{Bench, lines};

/// A plant of 11 records whose head was signed, and held as `held`.
fn signed_plant() -> Bench {
    let bench = plant();
    let sign = "checkpoint ledger.jsonl --key plant.key -o held";
    bench.run(sign).exits(0);
    bench
}

/// The check of the held head, as the audit of `ledger.jsonl` has it, and the audit's verdict.
fn audit(bench: &Bench, checkpoint: &str) -> (Value, String) {
    let key = public(bench);
    let words = format!("audit ledger.jsonl --checkpoint {checkpoint} --public-key {key}");
    let run = bench.run(&format!("{words} --json"));
    let report = run.json();
    let checks = report["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 13);
    assert_eq!(checks[11]["subject"], "saved tree");
    let held = checks.last().unwrap().clone();
    assert_eq!(held["subject"], "held head");
    let verdict = report["verdict"].as_str().unwrap().to_owned();
    assert_eq!(run.code, i32::from(verdict != "OK"));
    let text = bench.run(&words).exits(run.code).stdout;
    assert!(text.starts_with(&verdict), "{text}");
    (held, verdict)
}

/// Asserts that the audit fails by the held head.
#[track_caller]
fn fails(bench: &Bench, checkpoint: &str, finding: &str) {
    let (held, verdict) = audit(bench, checkpoint);
    let found = held["finding"].as_str().unwrap();
    assert_eq!(
        (held["result"].as_str(), verdict.as_str()),
        (Some("failed"), "FAILED"),
        "{found}"
    );
    assert!(found.contains(finding), "{found}");
}

#[test]
fn a_ledger_that_only_grew_has_the_held_head() {
    let bench = signed_plant();
    for _ in 0..2 {
        let (held, verdict) = audit(&bench, "held");
        assert_eq!(verdict, "OK");
        assert_eq!(held["result"], "passed");
        let found = held["finding"].as_str().unwrap();
        assert!(
            found.starts_with("the first 11 records are those that example.com/plant+"),
            "{found}"
        );
        bench.observe(b"{\"value\":3}").exits(0);
    }
    let key = public(&bench);
    let words = format!("audit ledger.jsonl --checkpoint held --public-key {key} --json");
    let report = bench.run(&words).exits(0).json();
    let not_compared = report["not_compared"][0].as_str().unwrap();
    assert!(
        not_compared.contains("after the noted head"),
        "{not_compared}"
    );
    bench.run("seal ledger.jsonl").exits(0);
    assert_eq!(audit(&bench, "held").1, "OK");
}

#[test]
fn a_ledger_that_was_written_anew_or_cut_has_it_no_longer() {
    let bench = signed_plant();
    let root = String::from_utf8(bench.read("held")).unwrap();
    let root = root.lines().nth(2).unwrap();
    let all = lines(&bench.read("ledger.jsonl"));
    bench.write("ledger.jsonl", all[..8].concat());
    fails(
        &bench,
        "held",
        "it has 8 records, and the checkpoint was made of 11",
    );
    bench.observe(b"{\"value\":7}").exits(0);
    bench.observe(b"{\"value\":8}").exits(0);
    let expected = format!("expected that of the checkpoint of 11 records, {root}");
    fails(&bench, "held", &expected);
    fails(
        &bench,
        "held",
        "records 0 to 10 are not those that were signed: their root is ",
    );
    // A line that is torn takes the place of records that were signed.
    bench.write(
        "ledger.jsonl",
        [all[..8].concat(), all[8][..40].to_vec()].concat(),
    );
    fails(
        &bench,
        "held",
        "it has 8 records, and the checkpoint was made of 11",
    );
    bench.write(
        "ledger.jsonl",
        [all.concat(), b"{\"chain\":".to_vec()].concat(),
    );
    let (held, verdict) = audit(&bench, "held");
    assert_eq!(
        (held["result"].as_str(), verdict.as_str()),
        (Some("passed"), "INCOMPLETE")
    );
}

#[test]
fn what_a_damage_hides_is_not_compared() {
    let bench = signed_plant();
    let mut ledger = bench.read("ledger.jsonl");
    let length = ledger.len();
    ledger[length - 100] ^= 1;
    bench.write("ledger.jsonl", &ledger);
    let (held, verdict) = audit(&bench, "held");
    assert_eq!(
        (held["result"].as_str(), verdict.as_str()),
        (Some("not checked"), "FAILED")
    );
    assert_eq!(held["finding"], "the ledger is not good from record 10 on");
    // A damage after what was signed hides nothing of it.
    ledger[length - 100] ^= 1;
    ledger.extend(b"{}\n");
    bench.write("ledger.jsonl", &ledger);
    let (held, verdict) = audit(&bench, "held");
    assert_eq!(
        (held["result"].as_str(), verdict.as_str()),
        (Some("passed"), "FAILED")
    );
}

/// Without the rules nothing is replayed, and the records are read a second time.
#[test]
fn the_held_head_needs_no_rules() {
    let bench = signed_plant();
    std::fs::remove_dir_all(bench.path("ledger.jsonl.blobs")).unwrap();
    let (held, verdict) = audit(&bench, "held");
    assert_eq!(held["result"], "passed", "{held}");
    assert_eq!(verdict, "FAILED");
}

#[test]
fn a_checkpoint_that_is_not_of_this_log_and_key_fails() {
    let bench = signed_plant();
    let text = String::from_utf8(bench.read("held")).unwrap();
    bench.write("changed", text.replacen("\n11\n", "\n10\n", 1));
    fails(&bench, "changed", "the signature of example.com/plant+");
    // Another key of the same name.
    bench
        .run(&format!("key new other.key --name {NAME}"))
        .exits(0);
    bench
        .run("checkpoint ledger.jsonl --key other.key -o others")
        .exits(0);
    fails(
        &bench,
        "others",
        "the checkpoint has no signature of example.com/plant+",
    );
    // Another ledger, whose checkpoint is signed with its own key.
    let other = "example.com/pump";
    bench
        .run(&format!("init pump.jsonl --name {other} --time 1000"))
        .exits(0);
    bench
        .run(&format!("key new pump.key --name {other}"))
        .exits(0);
    bench
        .run("checkpoint pump.jsonl --key pump.key -o pump.held")
        .exits(0);
    fails(
        &bench,
        "pump.held",
        "the checkpoint is of \"example.com/pump\", and the key is that of \"example.com/plant\"",
    );
    let key = bench.run("key show pump.key").exits(0).stdout;
    let words = format!(
        "audit ledger.jsonl --checkpoint pump.held --public-key {}",
        key.trim_end()
    );
    let told = bench
        .run(&words)
        .exits(1)
        .stdout
        .replace("\n                ", " ");
    assert!(
        told.contains(
            "the checkpoint is of \"example.com/pump\", and the ledger is \"example.com/plant\""
        ),
        "{told}"
    );
}

#[test]
fn what_is_named_wrongly_is_refused() {
    let bench = signed_plant();
    let key = public(&bench);
    for (words, code, told) in [
        (
            "ledger.jsonl --checkpoint held".to_owned(),
            2,
            "--public-key",
        ),
        (
            format!("ledger.jsonl --public-key {key}"),
            2,
            "--checkpoint",
        ),
        (
            format!("ledger.jsonl ledger.jsonl --checkpoint held --public-key {key}"),
            2,
            "give it with one FILE",
        ),
        (
            format!("ledger.jsonl --checkpoint nothing --public-key {key}"),
            3,
            "there is no checkpoint here",
        ),
        (
            format!("ledger.jsonl --checkpoint ledger.jsonl --public-key {key}"),
            2,
            "is no checkpoint",
        ),
        (
            "ledger.jsonl --checkpoint held --public-key nonsense".to_owned(),
            2,
            "the public key is refused",
        ),
    ] {
        bench.run(&format!("audit {words}")).exits(code).says(told);
    }
}

#[test]
fn a_checkpoint_goes_with_one_ledger() {
    let bench = signed_plant();
    let key = public(&bench);
    // A folder with one ledger in it is a folder all the same.
    for named in [".", "ledger.jsonl .", "ledger.jsonl ledger.jsonl"] {
        let run = bench.run(&format!(
            "audit {named} --checkpoint held --public-key {key}"
        ));
        run.exits(2).says("--checkpoint is about one ledger");
    }
}
