//! `axilog time` and times that lie ahead.

use super::bench::Bench;

#[test]
fn a_time_that_jumps_ahead_is_refused() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    // Milliseconds in place of seconds, and the last time that there is.
    for time in ["1795545495000", "18446744073709551615"] {
        bench
            .run(&format!("time {time} --ledger ledger.jsonl"))
            .exits(1)
            .says(&format!(
                "the time {time} is more than 86400 (--max-jump) ahead of the last recorded one, 1000, and of the clock"
            ));
    }
    assert_eq!(bench.read("ledger.jsonl"), before);
    // After the clock any time is one that was, and a unit of one's own has a day of its own.
    bench.run("time 500000000 --ledger ledger.jsonl").exits(0);
    bench
        .run("time 1795545495000 --ledger ledger.jsonl --max-jump 2000000000000")
        .exits(0);
    bench
        .run("time 1795545581400 --ledger ledger.jsonl")
        .exits(0);
    bench
        .run("time 1795545667801 --ledger ledger.jsonl")
        .exits(1)
        .says("of the last recorded one, 1795545581400");
    bench
        .run("time 18446744073709551615 --ledger ledger.jsonl --force")
        .exits(0);
}

#[test]
fn a_ledger_whose_time_lies_ahead_is_followed_by_another() {
    let bench = Bench::new();
    bench.write(
        "p.json",
        r#"{"pay#/amount":[{"comparison":"GT","enabled":true,"policy_id":"PAY","threshold":6553600}]}"#,
    );
    bench
        .run("init ledger.jsonl --policies p.json --stop-on-invalid --time 1000")
        .exits(0);
    bench
        .run("time 18446744073709551615 --ledger ledger.jsonl --force")
        .exits(0);
    bench.run("time --ledger ledger.jsonl").exits(1).says(
        "where the last time is wrong, seal this ledger and go on in one that follows it (axilog init NEW --follows ledger.jsonl)",
    );
    bench
        .run("init new.jsonl --follows ledger.jsonl")
        .exits(2)
        .says("ledger.jsonl: is not sealed");
    assert!(!bench.exists("new.jsonl"));
    let sealed = bench.run("seal ledger.jsonl --json").exits(0).json();
    bench.run("init new.jsonl --follows ledger.jsonl").exits(0);
    bench.run("time --ledger new.jsonl").exits(0);
    bench
        .run_with(
            "observe --ledger new.jsonl --oracle-id pay --model-id m",
            b"{\"amount\":1}",
        )
        .exits(0);
    bench
        .run("replay new.jsonl --policies p.json --stop-on-invalid")
        .exits(0);
    bench.run("audit ledger.jsonl").exits(0);
    let audited = bench.run("audit new.jsonl --json").exits(0).json();
    let told = audited["checks"][3]["finding"].as_str().unwrap();
    let head = sealed["head"].as_str().unwrap();
    let entries = &sealed["entries"];
    assert_eq!(
        told,
        format!("without a name; follows the ledger of {entries} records with the head {head}")
    );
    let shown = bench.run("head new.jsonl --json").exits(0).json();
    assert_eq!(shown["manifest"]["follows"]["head"], head);
    assert_eq!(&shown["manifest"]["follows"]["entries"], entries);
    // What was damaged is followed by nothing.
    let mut bytes = bench.read("ledger.jsonl");
    bytes[200] ^= 1;
    bench.write("ledger.jsonl", &bytes);
    bench
        .run("init other.jsonl --follows ledger.jsonl")
        .exits(1);
    assert!(!bench.exists("other.jsonl"));
}
