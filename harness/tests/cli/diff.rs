//! `axilog diff`.

use crate::bench::{Bench, lines};

/// Two ledgers that begin alike.
fn twins() -> Bench {
    let bench = Bench::ledger();
    bench.write("other.jsonl", bench.read("ledger.jsonl"));
    bench
}

#[test]
fn equal_ledgers_are_the_same() {
    let bench = twins();
    let run = bench.run("diff ledger.jsonl other.jsonl").exits(0);
    assert!(run.stdout.starts_with("SAME "), "{}", run.stdout);
    let object = bench
        .run("diff ledger.jsonl ledger.jsonl --json")
        .exits(0)
        .json();
    assert_eq!(
        (&object["relation"], &object["same"]),
        (&"SAME".into(), &8.into())
    );
    assert!(object["ledgers"][0]["record"].is_null());
}

#[test]
fn a_ledger_that_has_grown_begins_as_the_other_one() {
    let bench = twins();
    bench.observe(b"{\"value\":100}").exits(1);
    let grown = lines(&bench.read("ledger.jsonl")).len();
    for (line, longer) in [
        ("diff ledger.jsonl other.jsonl --json", 0),
        ("diff other.jsonl ledger.jsonl --json", 1),
    ] {
        let object = bench.run(line).exits(1).json();
        assert_eq!(object["relation"], "GROWN");
        assert_eq!(object["same"], 8);
        assert_eq!(object["ledgers"][longer]["entries"], grown);
        assert_eq!(
            object["ledgers"][longer]["record"]["output"],
            "{\"value\":100}"
        );
        assert!(object["ledgers"][1 - longer]["record"].is_null());
    }
}

#[test]
fn the_first_record_that_differs_is_shown_of_both() {
    let bench = twins();
    bench.observe(b"{\"value\":1}").exits(0);
    let observe = "observe --ledger other.jsonl --oracle-id o --model-id m";
    bench.run_with(observe, b"{\"value\":2}").exits(0);
    let run = bench.run("diff ledger.jsonl other.jsonl").exits(1);
    for told in [
        "DIFFERENT",
        "8 records",
        "record 8",
        "{\"value\":1}",
        "{\"value\":2}",
    ] {
        assert!(run.stdout.contains(told), "{told}: {}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80));
    let object = bench
        .run("diff ledger.jsonl other.jsonl --json")
        .exits(1)
        .json();
    assert_eq!(object["relation"], "DIFFERENT");
    assert_eq!(object["ledgers"][1]["record"]["seq"], 8);
}

#[test]
fn what_is_no_good_ledger_is_refused() {
    let bench = twins();
    bench.run("diff ledger.jsonl absent.jsonl").exits(3);
    bench.write("empty.jsonl", "");
    let object = bench
        .run("diff ledger.jsonl empty.jsonl --json")
        .exits(1)
        .json();
    assert_eq!(
        (&object["relation"], &object["same"]),
        (&"GROWN".into(), &0.into())
    );
    let mut all = lines(&bench.read("other.jsonl"));
    all[5][200] ^= 1;
    bench.write("other.jsonl", all.concat());
    bench
        .run("diff ledger.jsonl other.jsonl")
        .exits(1)
        .says("ALTERED: record 5");
}
