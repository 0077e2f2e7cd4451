//! `axilog audit`: one verdict that fails closed. The suite `forgeries` has the forged ledgers.

use axilog::hash::sha256;
use axilog_ledger::file::blobs::BlobStore;
use serde_json::{Value, json};

use crate::bench::Bench;

/// The audit of `ledger.jsonl` with further words, and its exit code.
fn audit(bench: &Bench, words: &str) -> (i32, Value) {
    let run = bench.run(&format!("audit ledger.jsonl --json {words}"));
    let report = run.json();
    let code = match report["verdict"].as_str().unwrap() {
        "OK" => 0,
        "FAILED" | "INCOMPLETE" => 1,
        other => panic!("{other}"),
    };
    assert_eq!(run.code, code);
    assert_eq!(report["ok"], code == 0);
    (code, report)
}

/// The result and the finding of one check.
fn check(report: &Value, subject: &str) -> (String, String) {
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["subject"] == subject);
    let text = |field: &str| check.unwrap()[field].as_str().unwrap().to_owned();
    (text("result"), text("finding"))
}

#[test]
fn no_check_passes_over_a_blob_that_it_could_not_read() {
    let bench = Bench::ledger();
    let first = bench
        .run("show ledger.jsonl --seq 5 --json")
        .exits(0)
        .json();
    let question = format!("{{\"derived_from\":[{}]}}", first["obs_hash"]);
    bench.write("question", &question);
    let ask = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question --input-kind json";
    bench.run_with(ask, b"{\"value\":1}").exits(0);
    bench.run_with(ask, b"\xff raw");
    let (_, whole) = audit(&bench, "");
    let subjects = ["derivations", "raw answers"];
    for subject in subjects {
        assert_eq!(check(&whole, subject).0, "passed", "{whole}");
    }
    let blobs = BlobStore::of_ledger(&bench.path("ledger.jsonl"));
    for (subject, kept) in subjects.into_iter().zip([question.as_bytes(), b"\xff raw"]) {
        let path = blobs.path(&sha256(kept));
        for damage in [None, Some(b"other")] {
            match damage {
                None => std::fs::remove_file(&path).unwrap(),
                Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            }
            let (_, report) = audit(&bench, "");
            assert_eq!(report["verdict"], "FAILED");
            for other in subjects {
                let expected = if other == subject {
                    "not checked"
                } else {
                    "passed"
                };
                assert_eq!(check(&report, other).0, expected, "{other} of {report}");
            }
            let finding = check(&report, subject).1;
            assert!(
                finding.contains("missing, damaged or longer than"),
                "{finding}"
            );
        }
        std::fs::write(&path, kept).unwrap();
    }
    assert_eq!(audit(&bench, "").0, 0);
}

#[test]
fn what_nothing_was_named_to_compare_with_is_listed_until_it_is_named() {
    let bench = Bench::ledger();
    let (code, report) = audit(&bench, "");
    assert_eq!(code, 0);
    assert_eq!(report["checks"].as_array().unwrap().len(), 11);
    assert_eq!(report["not_compared"].as_array().unwrap().len(), 3);
    assert_eq!(report["unjudged_oracles"], json!([]));
    let head = report["head"].as_str().unwrap().to_owned();

    bench.write(
        "p.json",
        br#"[{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-VELOCITY","threshold":4587520}]"#,
    );
    let all = format!("--expect-head {head} --policies p.json --expect-model o=m");
    let (code, report) = audit(&bench, &all);
    assert_eq!((code, &report["not_compared"]), (0, &json!([])));

    // A head that was noted stays good while the ledger grows; what is expected to be the end does not.
    bench.observe(b"{\"value\":2}").exits(0);
    let noted = format!("--extends 8:{head}");
    let (code, report) = audit(&bench, &noted);
    assert_eq!(code, 0, "{report}");
    let left = report["not_compared"].to_string();
    assert!(left.contains("after the noted head"), "{left}");
    assert_eq!(audit(&bench, &format!("--expect-head {head}")).0, 1);
    for (wrong, verdict) in [
        (format!("7:{head}"), "ALTERED"),
        (format!("12:{head}"), "TRUNCATED"),
    ] {
        for command in ["verify", "replay"] {
            let line = format!("{command} ledger.jsonl --json --extends {wrong}");
            assert_eq!(bench.run(&line).exits(1).json()["verdict"], verdict);
        }
        let (_, report) = audit(&bench, &format!("--extends {wrong}"));
        assert_eq!(report["fault"]["verdict"], verdict);
    }
    bench
        .run(&format!("audit ledger.jsonl ledger.jsonl {noted}"))
        .exits(2)
        .says("--extends is about one ledger");
    bench.run("audit ledger.jsonl --extends 0:00").exits(2);

    // An oracle that was expected and has no record, a wrong switch.
    let (_, report) = audit(&bench, "--expect-model oo=m");
    assert_eq!(report["verdict"], "FAILED");
    assert_eq!(check(&report, "models").0, "failed");
    let (_, report) = audit(&bench, "--stop-on-invalid");
    let (result, finding) = check(&report, "rules");
    assert_eq!(result, "failed");
    assert!(
        finding.contains("expected stop_on_invalid only"),
        "{finding}"
    );
}

#[test]
fn what_could_not_be_checked_is_not_ok() {
    // The rules are missing.
    let bench = Bench::new();
    bench.write(
        "p.json",
        br#"[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":65536}]"#,
    );
    bench
        .run("init ledger.jsonl --policies p.json --time 1")
        .exits(0);
    std::fs::remove_dir_all(bench.path("ledger.jsonl.blobs")).unwrap();
    let (_, report) = audit(&bench, "");
    assert_eq!(
        report["verdict"], "FAILED",
        "the configuration's blob is missing"
    );
    assert_eq!(check(&report, "rules").0, "not checked");
    assert_eq!(check(&report, "decisions").0, "not checked");

    // The last step has no decision.
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    bench.write("ledger.jsonl", lines[..7].concat());
    let (_, report) = audit(&bench, "");
    assert_eq!(report["verdict"], "INCOMPLETE");
    assert_eq!(check(&report, "end").0, "not checked");
    let row = |line: &str| serde_json::from_str::<Value>(line).unwrap()["verified"].clone();
    let rows = bench
        .run("export ledger.jsonl --format jsonl")
        .exits(0)
        .stdout;
    let verified: Vec<Value> = rows.lines().map(row).collect();
    assert_eq!(verified, [true, true, false]);

    // A ledger that records no decision.
    std::fs::remove_dir_all(bench.path("ledger.jsonl.blobs")).unwrap();
    bench.write("ledger.jsonl", axilog_ledger::file::genesis_line());
    let (_, report) = audit(&bench, "");
    assert_eq!(report["verdict"], "INCOMPLETE");
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    assert_eq!(head["replayed"], false);
    bench.run("audit nowhere.jsonl").exits(3);
}

#[test]
fn an_oracle_that_no_policy_judges_is_named() {
    let bench = Bench::new();
    bench.write("none.json", b"[]");
    bench
        .run("init ledger.jsonl --policies none.json --time 1")
        .exits(0);
    bench.observe(b"{\"value\":1}").exits(0);
    let (code, report) = audit(&bench, "");
    assert_eq!(code, 0);
    assert_eq!(
        report["unjudged_oracles"],
        json!([{"oracle_id": "o", "answers": 1}])
    );
    let text = bench.run("audit ledger.jsonl").exits(0).stdout;
    assert!(
        text.contains("not judged      1 answers of oracle \"o\""),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn a_ledger_bound_to_a_manifest_says_so() {
    let bench = Bench::new();
    for (words, reason) in [
        ("--name pump+3", "U+002B"),
        ("--name pump\u{202e}3", "U+202E"),
        ("--note a\u{7}b", "U+0007"),
    ] {
        let run = bench.run(&format!("init ledger.jsonl {words}"));
        run.exits(2).says(reason);
        assert!(!bench.exists("ledger.jsonl"));
    }
    bench
        .run("init ledger.jsonl --name plant/pump-3 --note trial --time 1")
        .exits(0);
    bench.observe(b"{\"value\":1}").exits(0);
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    assert_eq!(
        head["manifest"],
        json!({"follows": null, "name": "plant/pump-3", "note": "trial", "oracles": null, "require_policy": false, "running_values": {}})
    );
    let text = bench.run("head ledger.jsonl").exits(0).stdout;
    assert!(
        text.contains("name            plant/pump-3\nnote            trial\n"),
        "{text}"
    );
    let (_, report) = audit(&bench, "");
    let finding = "plant/pump-3; note: trial".to_owned();
    assert_eq!(check(&report, "manifest"), ("passed".to_owned(), finding));
    // Policies that the caller names are compared with the manifest's configuration too.
    bench.write(
        "p.json",
        br#"[{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-VELOCITY","threshold":4587520}]"#,
    );
    assert_eq!(audit(&bench, "--policies p.json").0, 0);
}

#[test]
fn the_time_waits_for_the_next_second_after_a_reset() {
    let bench = Bench::new();
    bench.run("init ledger.jsonl").exits(0);
    bench.observe(b"{\"value\":100}").exits(1);
    for line in ["control mitigate", "control reset", "time"] {
        let run = bench.run(&format!("{line} --ledger ledger.jsonl"));
        if line == "control mitigate" {
            run.exits(0).says("is in DEGRADED and waits for a reset");
        } else {
            run.exits(0);
        }
    }
    bench.observe(b"{\"value\":1}").exits(0);
}
