//! Heads that `axilog ablation run` signs while its runs are made, and a real witness that signs them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::stopping::{calibrate, run_until_killed, send_signal, start_long_run};
use crate::bench::Bench;
use crate::checkpoints::write_policy;
use crate::witness::Serving;
use crate::x0l_heads::{audit_witnessed, find_free_address, make_keys};

const ARMS: [&str; 3] = ["baseline", "b", "c"];

/// A calibration, and a key for each arm and a witness.
fn prepare() -> Bench {
    let bench = calibrate();
    fs::create_dir(bench.path("keys")).unwrap();
    let keys = ARMS.map(|arm| {
        (
            format!("keys/{arm}.key"),
            format!("example.com/study/{arm}"),
        )
    });
    make_keys(&bench, &keys);
    bench
}

const SIGNED: &str = "--checkpoint-key keys --checkpoint-origin example.com/study --checkpoint-every 100,1s \
                      --witnesses witnesses.policy";

fn line(options: &str) -> String {
    format!(
        "ablation run --oracle agent:precedent --calibration N.json --episodes 1 --seeds 1,2 --pilot {options}"
    )
}

/// The number of records of a run's ledger.
fn count_records(bench: &Bench, run: &str) -> usize {
    let ledger = bench.read(&format!("{run}/ledger.jsonl"));
    ledger.iter().filter(|&&byte| byte == b'\n').count()
}

/// The records of a run's ledger without what is bound to the time at which it was begun.
fn list_records(bench: &Bench, run: &str) -> Vec<Value> {
    let shown = bench.run(&format!("show {run}/ledger.jsonl --json"));
    let records = shown.exits(0).stdout;
    let records = records.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let members = record.as_object_mut().unwrap();
        members.retain(|name, _| ["seq", "tag", "oracle_id", "output"].contains(&name.as_str()));
        if record["oracle_id"] == "ax.time" {
            record["output"] = Value::Null;
        }
        record
    });
    records.collect()
}

#[test]
fn an_experiment_says_which_heads_somebody_else_holds() {
    let bench = prepare();
    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let told = bench.run(&line(&format!("{SIGNED} --out r"))).exits(0);
    let told = told.stdout.replace("\n                ", " ");
    for arm in ARMS {
        let records = count_records(&bench, &format!("r/{arm}"));
        let row = format!("\n{arm:<16}the head of {records} records is signed; held by north\n");
        assert!(told.contains(&row), "{row}{told}");
        let key = format!("keys/{arm}.key");
        let audited = audit_witnessed(&bench, &format!("r/{arm}/ledger.jsonl"), &key);
        let first = format!("the first {records} records are those that example.com/study/{arm}+");
        assert!(audited.contains(&first), "{audited}");
    }
    bench.run("ablation replay r").exits(0);
    witness.end();

    // Its runs are whole. Gone on with, they stay as they are, and a head that was not signed before is signed.
    write_policy(&bench, &find_free_address());
    fs::remove_file(bench.path("r/b/ledger.jsonl.checkpoint")).unwrap();
    let before = ARMS.map(|arm| bench.read(&format!("r/{arm}/ledger.jsonl")));
    let again = bench.run(&line(&format!("{SIGNED} --out r --resume --json")));
    let again = again.exits(0).json();
    assert_eq!(
        ARMS.map(|arm| bench.read(&format!("r/{arm}/ledger.jsonl"))),
        before
    );
    for (run, arm) in again["runs"].as_array().unwrap().iter().zip(ARMS) {
        let records = count_records(&bench, &format!("r/{arm}"));
        assert_eq!(run["checkpoint"]["size"], records, "{run}");
        assert_eq!(run["checkpoint"]["held"]["size"], records, "{run}");
    }
}

/// A run by itself, with a witness that is away: it records what it records without, and says so.
#[test]
fn a_run_waits_for_no_witness_and_records_the_same() {
    let bench = prepare();
    write_policy(&bench, &find_free_address());
    let run = line(&format!("--variant baseline {SIGNED} --out r --json"));
    let run = bench.run(&run).exits(0);
    let away = "r/baseline/ledger.jsonl: the witness north has not signed the head of ";
    assert!(run.stderr.contains(away), "{}", run.stderr);
    let checkpoint = run.json()["runs"][0]["checkpoint"].clone();
    assert_eq!(checkpoint["size"], count_records(&bench, "r/baseline"));
    assert_eq!(checkpoint["held"], Value::Null);
    assert_eq!(checkpoint["missing"][0]["name"], "north");
    let unsigned = bench.run(&line("--variant baseline --out u --json"));
    let unsigned = unsigned.exits(0).json();
    assert_eq!(unsigned["runs"][0].get("checkpoint"), None);
    let [signed, unsigned] = ["r/baseline", "u/baseline"].map(|run| list_records(&bench, run));
    assert!(signed.len() > 100);
    assert_eq!(signed, unsigned);
}

#[test]
fn what_does_not_fit_is_refused_before_a_run_begins() {
    let bench = prepare();
    bench.write("witnesses.policy", "quorum none\n");
    let origin = "--checkpoint-origin example.com/study";
    fs::create_dir(bench.path("some")).unwrap();
    fs::create_dir(bench.path("swapped")).unwrap();
    for (from, to) in [
        ("baseline", "some/baseline"),
        ("b", "swapped/baseline"),
        ("baseline", "swapped/b"),
        ("c", "swapped/c"),
    ] {
        let [from, to] = [format!("keys/{from}"), to.to_owned()].map(|name| name + ".key");
        fs::copy(bench.path(&from), bench.path(&to)).unwrap();
    }
    for (options, code, told) in [
        (
            format!("--checkpoint-key some {origin}"),
            3,
            "some/b.key: cannot",
        ),
        (
            format!("--checkpoint-key keys/b.key {origin}"),
            3,
            "keys/b.key/baseline.key: cannot",
        ),
        (
            format!("--checkpoint-key swapped {origin}"),
            2,
            "the key is that of \"example.com/study/b\"",
        ),
        (
            "--checkpoint-key keys --checkpoint-origin example.com/other".to_owned(),
            2,
            "the key is that of \"example.com/study/baseline\"",
        ),
        ("--checkpoint-key keys".to_owned(), 2, "--checkpoint-origin"),
        (
            format!("--checkpoint-key keys {origin} --checkpoint-every x"),
            2,
            "expected a number of records",
        ),
    ] {
        let run = bench.run(&line(&format!("{options} --out r")));
        run.exits(code).says(told);
        assert!(!bench.exists("r"), "{options}");
    }
    fs::set_permissions(bench.path("keys/c.key"), fs::Permissions::from_mode(0o644)).unwrap();
    bench
        .run(&line(&format!("{SIGNED} --out r")))
        .exits(3)
        .says("keys/c.key");
    assert!(!bench.exists("r"));
}

/// A run that is killed goes on, and so do its heads; what the checkpoint's place holds is never overwritten.
#[test]
fn a_killed_run_goes_on_with_its_heads() {
    let bench = prepare();
    write_policy(&bench, &find_free_address());
    let run = format!(
        "ablation run --oracle agent:precedent --variant baseline --calibration N.json --episodes 3 \
         --seeds 1,2,3,4,5,6,7,8 --out r {}",
        SIGNED.replace("100,1s", "10")
    );
    run_until_killed(&bench, &run);
    let ledger = "r/baseline/ledger.jsonl";
    let file = "r/baseline/ledger.jsonl.checkpoint";
    let held = bench.read(file);
    bench.write("held", &held);
    let cut = bench.read(ledger);

    // Nothing goes on where the checkpoint cannot be kept, or is another key's.
    fs::remove_file(bench.path(file)).unwrap();
    fs::create_dir(bench.path(file)).unwrap();
    let resume = format!("{run} --resume");
    bench.run(&resume).exits(3).says(file);
    assert!(bench.read(ledger).starts_with(&cut[..cut.len() / 2]));
    fs::remove_dir(bench.path(file)).unwrap();
    fs::create_dir(bench.path("others")).unwrap();
    bench
        .run("key new others/baseline.key --name example.com/study/baseline")
        .exits(0);
    bench.write(file, &held);
    let other = resume.replace("--checkpoint-key keys", "--checkpoint-key others");
    bench.run(&other).exits(2).says("is not one of this key");

    let witness = Serving::begin(&bench);
    write_policy(&bench, witness.said["address"].as_str().unwrap());
    let result = bench.run(&format!("{resume} --json")).exits(0).json();
    let records = count_records(&bench, "r/baseline");
    let checkpoint = &result["runs"][0]["checkpoint"];
    assert_eq!(
        (&checkpoint["size"], &checkpoint["held"]["size"]),
        (&json!(records), &json!(records))
    );
    audit_witnessed(&bench, ledger, "keys/baseline.key");
    let key = bench.run("key show keys/baseline.key").exits(0).stdout;
    let audit = format!(
        "audit {ledger} --checkpoint held --public-key {}",
        key.trim_end()
    );
    let audited = bench.run(&audit).exits(0).stdout;
    assert!(audited.contains("held head       the first "), "{audited}");
    bench.run("ablation replay r").exits(0);
    witness.end();
}

/// A run that is stopped has no result, and says on standard error which head is signed.
#[test]
fn a_stopped_run_says_which_head_is_signed() {
    let bench = prepare();
    write_policy(&bench, &find_free_address());
    let child = start_long_run(&bench, SIGNED);
    send_signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    let records = count_records(&bench, "r/baseline");
    let told = format!(
        "axilog: r/baseline/ledger.jsonl: the head of {records} records is signed; nobody else holds one; north: it is away"
    );
    assert!(stderr.contains(&told), "{told}\n{stderr}");
}
