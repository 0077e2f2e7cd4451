//! `LEDGER.tree`, from which `axilog checkpoint` goes on, and which `axilog audit` compares with the ledger.

use serde_json::Value;

use super::{NAME, check, plant};
use crate::bench::{Bench, lines};

const SIGN: &str = "checkpoint ledger.jsonl --key plant.key";

/// The check of the saved tree in the audit of `ledger.jsonl` alone, and among those of a folder; and the audit's verdict.
fn audit(bench: &Bench) -> (Option<Value>, String) {
    let mut audits = ["ledger.jsonl", "."].map(|named| {
        let run = bench.run(&format!("audit {named} --json"));
        // A folder's ledgers are named with it.
        let report: Value = serde_json::from_str(&run.stdout.replace("./", "")).unwrap();
        let mut checks = report["checks"].as_array().unwrap().iter();
        let saved = checks.rfind(|check| check["subject"] == "saved tree");
        let verdict = report["verdict"].as_str().unwrap().to_owned();
        (saved.cloned(), verdict)
    });
    assert_eq!(audits[0], audits[1]);
    std::mem::take(&mut audits[0])
}

#[test]
fn the_next_checkpoint_goes_on_from_the_tree_and_holds_as_one_of_the_whole_ledger() {
    let bench = plant();
    assert_eq!(audit(&bench), (None, "OK".to_owned()));
    bench.run(SIGN).exits(0);
    let (saved, verdict) = audit(&bench);
    assert_eq!(verdict, "OK");
    assert_eq!(saved.unwrap()["finding"], "that of the first 11 records");
    bench.write("held", bench.read("ledger.jsonl.checkpoint"));
    for value in 3..7 {
        let answer = format!("{{\"value\":{value}}}");
        bench.observe(answer.as_bytes()).exits(0);
        assert_eq!(
            bench.run(&format!("{SIGN} --json")).exits(0).json()["new"],
            true
        );
        let whole = bench.run(&format!("{SIGN} -o whole-{value}")).exits(0);
        assert_eq!(whole.stderr, "");
        let signed = bench.read("ledger.jsonl.checkpoint");
        assert_eq!(signed, bench.read(&format!("whole-{value}")));
        bench
            .run("prove ledger.jsonl --from held -o grown")
            .exits(0);
        check(&bench, "grown --from held").exits(0);
    }
    let (saved, verdict) = audit(&bench);
    assert_eq!(verdict, "OK");
    assert_eq!(saved.unwrap()["finding"], "that of the first 23 records");
}

/// A head that follows is of the records as they were when the one before was signed: who changed them since is found.
#[test]
fn a_record_that_was_changed_before_the_tree_is_found_by_the_audit() {
    let bench = plant();
    bench.run(SIGN).exits(0);
    bench.observe(b"{\"value\":3}").exits(0);
    let mut all = lines(&bench.read("ledger.jsonl"));
    let changed = all[7].len() / 2;
    all[7][changed] ^= 1;
    bench.write("ledger.jsonl", all.concat());
    bench.run(SIGN).exits(0);
    let (saved, verdict) = audit(&bench);
    assert_eq!(verdict, "FAILED");
    assert_eq!(saved.unwrap()["result"], "not checked");
    std::fs::remove_file(bench.path("ledger.jsonl.tree")).unwrap();
    bench.run(SIGN).exits(1).says("record 7 ");
}

#[test]
fn a_ledger_that_was_cut_or_written_anew_fails_by_its_tree() {
    let bench = plant();
    bench.run(SIGN).exits(0);
    let all = lines(&bench.read("ledger.jsonl"));
    bench.write("ledger.jsonl", all[..8].concat());
    let (saved, verdict) = audit(&bench);
    assert_eq!(verdict, "FAILED");
    let finding = saved.unwrap()["finding"].as_str().unwrap().to_owned();
    assert!(
        finding.starts_with("it is of 11 records, and the ledger has 8: "),
        "{finding}"
    );
    bench.observe(b"{\"value\":7}").exits(0);
    let (saved, verdict) = audit(&bench);
    assert_eq!(verdict, "FAILED");
    let finding = saved.unwrap()["finding"].as_str().unwrap().to_owned();
    assert!(
        finding.starts_with("it is not the tree of the first 11 records: "),
        "{finding}"
    );
    let text = bench.run("audit ledger.jsonl").exits(1).stdout;
    assert!(
        text.contains("saved tree      FAILED: it is not the tree"),
        "{text}"
    );
    bench.write("ledger.jsonl.tree", "axilog tree 1 ");
    let (saved, verdict) = audit(&bench);
    assert_eq!(verdict, "OK");
    let finding = saved.unwrap()["finding"].as_str().unwrap().to_owned();
    assert!(finding.starts_with("not used, "), "{finding}");
}

#[test]
fn a_checkpoint_stands_where_its_tree_cannot_be_saved() {
    let bench = plant();
    std::fs::create_dir(bench.path("ledger.jsonl.tree")).unwrap();
    bench
        .run(SIGN)
        .exits(0)
        .says("ledger.jsonl.tree: cannot write the tree: ");
    let key = format!("{NAME}+");
    let checked = check(&bench, "ledger.jsonl.checkpoint --head")
        .exits(0)
        .stdout;
    assert!(checked.contains(&key), "{checked}");
    // To standard output a head goes without a look at another one, and leaves no tree.
    std::fs::remove_dir(bench.path("ledger.jsonl.tree")).unwrap();
    bench.run(&format!("{SIGN} -o -")).exits(0);
    assert!(!bench.exists("ledger.jsonl.tree"));
}
