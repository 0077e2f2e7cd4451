//! `axilog x0l review`: the queue of what waits for a person, judged by filters and by two people.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::x0l_run::{run_session, run_whole_session};

/// The numbers of the cycles that wait, as the command lists them.
fn list_waiting(bench: &Bench, options: &str, code: i32) -> Vec<u64> {
    let line = format!("x0l review run {options} --json");
    let queue = bench.run(&line).exits(code).json();
    assert_eq!(queue["ok"], code == 0);
    let waiting = queue["waiting"].as_array().unwrap().iter();
    waiting
        .map(|cycle| cycle["cycle"].as_u64().unwrap())
        .collect()
}

fn read_report(bench: &Bench) -> Value {
    serde_json::from_slice(&bench.read("run/report.json")).unwrap()
}

#[test]
fn a_queue_is_listed_and_filtered() {
    let bench = run_whole_session();
    let report = bench.run("x0l report run --json").exits(1).json();
    let numbers = |cycles: &Value| -> Vec<u64> {
        let cycles = cycles.as_array().unwrap().iter();
        cycles.map(|cycle| cycle.as_u64().unwrap()).collect()
    };
    let (type_iii, acted) = (
        numbers(&report["type_iii"]),
        numbers(&report["forensic_review"]),
    );
    let mut all = [type_iii.clone(), acted].concat();
    all.sort_unstable();
    assert_eq!(list_waiting(&bench, "", 1), all);
    for filter in [
        "--gate io_allowlist",
        "--code READ_OUTSIDE_ALLOWLIST",
        "--gate io_allowlist --code READ_OUTSIDE_ALLOWLIST",
    ] {
        assert_eq!(list_waiting(&bench, filter, 1), type_iii, "{filter}");
    }
    // One failure has both, or none.
    for filter in [
        "--gate completeness",
        "--code KERNEL_ONLY",
        "--gate scope_claim --code READ_OUTSIDE_ALLOWLIST",
    ] {
        assert_eq!(list_waiting(&bench, filter, 0), [0; 0], "{filter}");
    }
    let queue = bench.run("x0l review run --json").exits(1).json();
    let listed = queue["waiting"].as_array().unwrap();
    let refused = listed.iter().find(|it| it["cycle"] == type_iii[0]).unwrap();
    assert_eq!(
        (&refused["type_iii"], &refused["failures"]),
        (
            &json!(true),
            &json!([{ "gate": "io_allowlist", "code": "READ_OUTSIDE_ALLOWLIST" }])
        )
    );
    let text = bench.run("x0l review run").exits(1).stdout;
    assert!(
        text.starts_with("verdict         PENDING_REVIEW\n"),
        "{text}"
    );
    assert!(
        text.contains("waits as") && text.contains("io_allowlist"),
        "{text}"
    );
    assert_eq!(text.lines().find(|line| line.chars().count() > 80), None);
    for (option, names) in [
        ("--gate io", "completeness, authority_citation"),
        ("--code NONE", "TOO_MANY_CANDIDATES, MISSING_ACTION_TYPE"),
    ] {
        bench
            .run(&format!("x0l review run {option}"))
            .exits(2)
            .says(&format!("expected one of {names}"));
    }
    assert!(!bench.exists("run/review.jsonl"));
}

#[test]
fn many_are_judged_by_a_filter_and_by_two_people() {
    let bench = run_whole_session();
    let type_iii = list_waiting(&bench, "--gate io_allowlist", 1);
    let all = list_waiting(&bench, "", 1);
    let (first, other) = (
        type_iii[0],
        all.iter().find(|it| !type_iii.contains(it)).unwrap(),
    );
    let judge = |options: &str| bench.run(&format!("x0l review run {options} --because Looked"));

    // The ranges take only what the filter admits, and a number must be among that.
    judge(&format!("--gate io_allowlist --dismiss {other} --by A."))
        .exits(2)
        .says(&format!(
            "found cycle {other}, which --gate and --code leave out"
        ));
    judge("--gate scope_claim --dismiss 1-25 --by A.")
        .exits(2)
        .says("found no cycle from 1 to 25");
    assert!(!bench.exists("run/review.jsonl"));
    judge("--gate io_allowlist --dismiss 1-25 --by A.").exits(0);
    let rest: Vec<u64> = all
        .iter()
        .filter(|it| !type_iii.contains(it))
        .copied()
        .collect();
    assert_eq!(list_waiting(&bench, "", 1), rest);
    let left = judge("--dismiss 1-25 --by A.").exits(0).stdout;
    assert!(
        left.contains("waiting         nothing\nto judge        "),
        "{left}"
    );
    assert!(!left.contains(" agree on "), "{left}");
    assert_eq!(read_report(&bench)["verdict"], "REHEARSAL");
    assert_eq!(read_report(&bench).get("agreement"), None);

    // Another person's queue has them all, until that person has judged them.
    assert_eq!(list_waiting(&bench, "--by B.", 1), all);
    assert_eq!(list_waiting(&bench, "", 0), [0; 0]);
    let judged = judge(&format!("--confirm {first} --dismiss 1-25 --by B."))
        .exits(0)
        .stdout;
    let (count, agreed) = (all.len() as u64, all.len() as u64 - 1);
    let text: Vec<&str> = judged.split_whitespace().collect();
    let text = text.join(" ");
    assert!(
        text.contains(&format!(
            "A. and B. agree on {agreed} of {count} cycles that both have judged"
        )),
        "{text}"
    );
    let report = read_report(&bench);
    assert_eq!(report["verdict"], "NEGATIVE");
    let agreement = &report["agreement"][0];
    assert_eq!(
        (&agreement["first"], &agreement["second"]),
        (&json!("A."), &json!("B."))
    );
    let counts = [
        "both_confirmed",
        "both_dismissed",
        "only_first_confirmed",
        "only_second_confirmed",
    ];
    assert_eq!(
        counts.map(|name| agreement[name].as_u64().unwrap()),
        [0, agreed, 0, 1]
    );
    assert_eq!(
        (&agreement["agreed"]["of"], &agreement["agreed"]["all"]),
        (&json!(agreed), &json!(count))
    );
    let page = String::from_utf8(bench.read("run/report.md")).unwrap();
    let row = format!("| A., B. | {agreed} of {count} (");
    assert!(
        page.contains(&row) && page.contains(&format!(" | 0 | {agreed} | 0 | 1 |")),
        "{page}"
    );
    bench.run("x0l replay run").exits(0);
}

#[test]
fn where_nothing_waits_the_queue_says_so() {
    let bench = run_session("B");
    let queue = bench.run("x0l review run").exits(0).stdout;
    assert!(
        queue.ends_with("waiting         nothing\nto judge        0 in all\n"),
        "{queue}"
    );
    assert_eq!(list_waiting(&bench, "--by A.", 0), [0; 0]);
}

/// A queue of evidence that was changed is none, and nothing is recorded.
#[test]
fn a_run_that_contradicts_its_report_is_not_judged() {
    let bench = run_whole_session();
    bench.run("x0l report run").exits(1);
    let other = "0".repeat(64);
    for options in ["", " --dismiss 1-25 --by A. --because Looked"] {
        let line = format!("x0l review run --expect-head {other}{options} --json");
        let queue = bench.run(&line).exits(1).json();
        assert_eq!(queue["verdict"], "DIVERGED");
        assert_eq!(queue["conflicts"][0]["field"], "the head");
    }
    assert!(!bench.exists("run/review.jsonl"));
}
