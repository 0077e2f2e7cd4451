//! `axilog key`, `checkpoint`, `prove` and `check`.

mod audits;
mod keys;
mod refusals;
mod saved_tree;

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
