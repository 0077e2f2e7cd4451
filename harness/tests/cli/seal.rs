//! `axilog seal`: the end of a ledger.

use crate::bench::{Bench, lines};

#[test]
fn nothing_follows_a_seal() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let run = bench.run("seal ledger.jsonl --json").exits(0).json();
    assert_eq!(run["sealed"], true);
    assert_eq!(run["entries"], 9);
    assert_eq!(run["expect_entries"], 8);
    let sealed = bench.read("ledger.jsonl");
    assert!(sealed.starts_with(&whole));
    assert_eq!(lines(&sealed).len(), 9);
    for command in [
        "seal ledger.jsonl",
        "time 99999 --ledger ledger.jsonl",
        "control fault --ledger ledger.jsonl",
    ] {
        bench.run(command).exits(1).says("is sealed");
    }
    bench.observe(b"{\"value\":1}").exits(1).says("is sealed");
    assert_eq!(bench.read("ledger.jsonl"), sealed);

    let head = run["head"].as_str().unwrap();
    for command in ["verify", "replay"] {
        let command = format!("{command} ledger.jsonl --expect-entries");
        let report = bench
            .run(&format!("{command} 8 --expect-head {head} --json"))
            .exits(0)
            .json();
        assert_eq!(report["sealed"], true);
        assert_eq!(report["entries"], 9);
        assert_eq!(bench.verdict(&format!("{command} 9")).0, "TRUNCATED");
    }
    // Bytes after a seal are no interrupted write: they are refused and stay.
    for behind in ["{", "x\n"] {
        let more = [&sealed, behind.as_bytes()].concat();
        bench.write("ledger.jsonl", &more);
        bench.run("verify ledger.jsonl").exits(1);
        bench.observe(b"{\"value\":1}").exits(1);
        assert_eq!(bench.read("ledger.jsonl"), more);
    }
}

#[test]
fn sealing_puts_an_interrupted_step_right_first() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let kept = lines(&whole)[..7].concat().len() + 9;
    bench.write("ledger.jsonl", &whole[..kept]);
    let run = bench.run("seal ledger.jsonl --json").exits(0);
    let run = run.says("moved its 9 bytes aside");
    assert_eq!(run.json()["completed_records"], 1);
    assert_eq!(run.json()["torn"]["bytes"], 9);
    assert!(bench.read("ledger.jsonl").starts_with(&whole));
    bench.run("replay ledger.jsonl --expect-entries 8").exits(0);

    let new = Bench::new();
    new.run("seal nowhere.jsonl").exits(3);
    new.write("empty.jsonl", "");
    new.run("seal empty.jsonl").exits(3).says("axilog init");
}

#[test]
fn a_sealed_session_takes_nothing() {
    let bench = Bench::ledger();
    let path = bench.path("ledger.jsonl");
    let mut session = axilog_ledger::session::Session::open(&path, None).unwrap();
    session.seal().unwrap();
    let sealed = bench.read("ledger.jsonl");
    assert!(session.agent().ledger.sealed);
    for refused in [
        session.observe_time(1 << 40, false).err(),
        session.seal().err(),
    ] {
        assert!(refused.unwrap().to_string().contains("is sealed"));
    }
    assert_eq!(bench.read("ledger.jsonl"), sealed);
}
