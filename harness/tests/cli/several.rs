//! Several ledgers at once: a result for each, and the worst exit code.

use serde_json::Value;

use crate::bench::Bench;

#[test]
fn each_ledger_has_its_own_result() {
    let bench = Bench::ledger();
    let good = bench.read("ledger.jsonl");
    bench.write("copy.jsonl", &good);
    std::fs::rename(
        bench.path("ledger.jsonl.blobs"),
        bench.path("copy.jsonl.blobs"),
    )
    .unwrap();
    bench.write("torn.jsonl", &good[..good.len() - 1]);
    for command in ["verify", "replay"] {
        let run = bench
            .run(&format!("{command} ledger.jsonl copy.jsonl --json"))
            .exits(0);
        let heads: Vec<Value> = run
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["head"].clone())
            .collect();
        assert!(heads.len() == 2 && heads[0] == heads[1] && heads[0].is_string());

        // What is wrong with one does not keep the others from being checked.
        let run = bench
            .run(&format!("{command} torn.jsonl ledger.jsonl --json"))
            .exits(1);
        let verdicts: Vec<Value> = run
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["verdict"].clone())
            .collect();
        assert_eq!(verdicts, ["TORN", "OK"]);
        let run = bench
            .run(&format!("{command} absent.jsonl torn.jsonl ledger.jsonl"))
            .exits(3)
            .says("absent.jsonl: cannot open");
        assert!(run.stdout.contains("TORN") && run.stdout.contains("OK "));
    }
    assert_eq!(bench.read("ledger.jsonl"), good);
}

#[test]
fn what_one_ledger_alone_has_is_not_expected_of_several() {
    let bench = Bench::ledger();
    let zeros = "0".repeat(64);
    for expected in [
        format!("--expect-head {zeros}"),
        "--expect-entries 8".to_owned(),
    ] {
        bench
            .run(&format!("verify ledger.jsonl ledger.jsonl {expected}"))
            .exits(2)
            .says("give it with one FILE");
    }
    bench.run("verify ledger.jsonl --expect-entries 8").exits(0);
    bench
        .run("verify ledger.jsonl ledger.jsonl --expect-model o=m")
        .exits(0);
    for command in ["verify", "replay"] {
        bench
            .run(&format!("{command} ledger.jsonl --expect-model o=n --json"))
            .exits(1);
        let (verdict, sequence, _) =
            bench.verdict(&format!("{command} ledger.jsonl --expect-model o=n"));
        assert_eq!((verdict.as_str(), sequence), ("MODEL_MISMATCH", 5));
    }
    bench.run("verify").exits(2);
}
