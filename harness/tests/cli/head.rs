//! `axilog head`.

use axilog_ledger::file::genesis_line;

use crate::bench::{Bench, lines, offset, sealed};

#[test]
fn the_head_is_the_one_that_verify_finds() {
    let bench = Bench::ledger();
    let verified = bench.run("verify ledger.jsonl --json").exits(0).json();
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    for field in ["ledger", "verdict", "ok", "entries", "head", "sealed"] {
        assert_eq!(head[field], verified[field], "{field}");
    }
    assert_eq!(head["entries"], 8);
    assert_eq!(head["state"], "ENABLED");
    assert_eq!(head["replayed"], true);
    let text = bench.run("head ledger.jsonl").exits(0).stdout;
    assert_eq!(
        text,
        format!(
            "records         8\nhead            {}\nstate           ENABLED\ndecisions       replayed\n",
            verified["head"].as_str().unwrap()
        )
    );

    bench.observe(b"{\"value\":100}").exits(1);
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    assert_eq!(head["state"], "ALARM");
}

#[test]
fn a_new_and_a_sealed_ledger_have_heads() {
    let bench = Bench::new();
    bench.write("new.jsonl", genesis_line());
    let head = bench.run("head new.jsonl --json").exits(0).json();
    assert_eq!(head["entries"], 1);
    assert_eq!(head["state"], "UNINIT");
    assert_eq!(
        head["head"],
        "7bb0d791697306ce2f1cc5df0bcdf66d810d6af9425aa380b352a62453a5ec7b"
    );

    let bench = Bench::ledger();
    bench.write("sealed.jsonl", sealed(&bench.read("ledger.jsonl")));
    let text = bench.run("head sealed.jsonl").exits(0).stdout;
    assert!(text.starts_with("records         9, sealed\n"), "{text}");
}

#[test]
fn what_verify_is_to_expect_stands_in_the_head() {
    let bench = Bench::ledger();
    for is_sealed in [false, true] {
        if is_sealed {
            bench.run("seal ledger.jsonl").exits(0);
        }
        let head = bench.run("head ledger.jsonl --json").exits(0).json();
        assert_eq!(head["sealed"], is_sealed);
        let text = |field: &str| head[field].to_string().replace('"', "");
        let expect = format!(
            "--expect-entries {} --extends {} --expect-head {}",
            text("expect_entries"),
            text("extends"),
            text("head")
        );
        for command in ["verify", "audit"] {
            let run = bench.run(&format!("{command} ledger.jsonl {expect}"));
            run.exits(0);
        }
    }
    let text = bench.run("head ledger.jsonl").exits(0).stdout;
    let advice = "expect          --expect-entries 8 --extends 9:HEAD\n";
    assert!(text.contains(advice), "{text}");
}

#[test]
fn the_head_of_a_damaged_ledger_is_not_given() {
    let bench = Bench::ledger();
    let mut all = lines(&bench.read("ledger.jsonl"));
    let at = offset(&all, 5);
    all[5][200] ^= 1;
    bench.write("ledger.jsonl", all.concat());
    assert_eq!(
        bench.verdict("head ledger.jsonl"),
        ("ALTERED".to_owned(), 5, at)
    );
    let report = bench.run("head ledger.jsonl --json").exits(1).json();
    assert!(report.get("head").is_none(), "{report}");
    let text = bench.run("head ledger.jsonl").exits(1).stdout;
    assert!(text.starts_with("ALTERED"), "{text}");
    bench.run("head nowhere.jsonl").exits(3);
}
