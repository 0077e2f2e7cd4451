//! `axilog x0l plan`, `run --plan`, `attempts` and `report --plan`.

use crate::bench::Bench;

const OPTIONS: &str =
    "--model m-1 --context-window 8192 --oracle scripted:ex/script.jsonl --cycles 2 --conditions A";

fn bench_with_plan() -> Bench {
    let bench = Bench::new();
    bench.run("x0l examples ex").exits(0);
    bench.run(&format!("x0l plan pl {OPTIONS}")).exits(0);
    bench
}

#[test]
fn a_plan_counts_its_attempts() {
    let bench = bench_with_plan();
    bench
        .run(&format!(
            "x0l run --plan pl --order-seed 3 --out other {OPTIONS}"
        ))
        .exits(2)
        .says("conditions[0].order_seed: found 3, planned 0");
    assert!(!bench.exists("other"));
    for out in ["first", "second"] {
        let line = format!("x0l run --plan pl --out {out} {OPTIONS}");
        bench.run(&line).exits(0);
        bench.run(&format!("x0l replay {out}")).exits(0);
    }
    let attempts = bench.run("x0l attempts pl --json").exits(0).json();
    assert_eq!(attempts["attempts"][1]["status"], "COMPLETE");
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 2);
    let report = bench.run("x0l report second --json").exits(1).json();
    assert_eq!(report["counted"]["plan"]["attempt"], 2);
    assert_eq!(report["counted"]["plan"]["subject"], attempts["plan"]);
    assert_eq!(
        report["counted"]["plan"]["others"][0]["head"],
        attempts["attempts"][0]["head"]
    );
    // Counted anew, the first one's report names the second.
    for _ in 0..2 {
        let report = bench
            .run("x0l report first --plan pl --json")
            .exits(1)
            .json();
        assert_eq!(report["counted"]["plan"]["attempts"], 2);
        let statements = bench.read("first/review.jsonl");
        let count = String::from_utf8(statements).unwrap();
        assert_eq!(count.matches("x0l.attempts").count(), 1);
    }
    bench.run("x0l replay first").exits(0);
    let text = bench.run("x0l report first").exits(1).stdout;
    assert!(text.contains("attempt 1 of 2"), "{text}");
    // A run without a plan, and one of another plan, are not among the attempts.
    bench.run(&format!("x0l run --out free {OPTIONS}")).exits(0);
    bench
        .run("x0l report free --plan pl")
        .exits(2)
        .says("found attempts of ");
    bench
        .run("x0l report first --corrected second")
        .exits(2)
        .says("found a run without an erratum");
}

#[test]
fn a_plan_without_its_count_or_with_another_is_refused() {
    let bench = bench_with_plan();
    let again = format!("x0l plan pl {OPTIONS}");
    bench.run(&again).exits(1).says("is not empty");
    bench
        .run(&format!("x0l plan low --b2 1 {OPTIONS}"))
        .exits(1)
        .says("B2");
    assert!(!bench.exists("low"));
    let line = format!("x0l run --plan pl --out run {OPTIONS}");
    let count = bench.read("pl/attempts.jsonl");
    let text = String::from_utf8(count.clone()).unwrap();
    bench.write("pl/attempts.jsonl", text.replace("OPENED", "BEGAN"));
    bench
        .run("x0l attempts pl")
        .exits(1)
        .says("pl/attempts.jsonl:1: ");
    bench.run(&line).exits(1).says("pl/attempts.jsonl:1: ");
    std::fs::remove_file(bench.path("pl/attempts.jsonl")).unwrap();
    bench.run("x0l attempts pl").exits(2);
    bench.run(&line).exits(2).says("commit another plan");
    bench.run("x0l attempts ex").exits(3);
    assert!(!bench.exists("run"));
    bench.write("pl/attempts.jsonl", count);
    bench.run(&line).exits(0);
}

/// A session that is killed is counted, wherever that happens after the beginning of its attempt.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_killed_attempt_is_counted() {
    use std::process::Stdio;

    use crate::traced::TracedCommand;

    let start = |bench: &Bench| {
        let mut command = bench.command();
        let line = format!("x0l run --plan pl --out run {OPTIONS}");
        command
            .args(line.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        TracedCommand::start(&mut command)
    };
    let bench = bench_with_plan();
    let mut whole = start(&bench);
    let stops = (0..).take_while(|_| whole.step()).count();
    let mut counted = 0;
    for n in 0..12 {
        let bench = bench_with_plan();
        let mut session = start(&bench);
        for _ in 0..stops * n / 12 {
            assert!(session.step(), "the session ended before it was killed");
        }
        session.kill();
        let attempts = bench.run("x0l attempts pl --json").exits(0).json();
        let attempts = attempts["attempts"].as_array().unwrap().len();
        // What the ledger records of the session, the count has had before.
        if bench.exists("run/ledger.jsonl") {
            assert_eq!(attempts, 1);
        }
        counted += attempts;
        let line = format!("x0l run --plan pl --out again {OPTIONS} --json");
        bench.run(&line).exits(0);
        let report = bench.run("x0l report again --json").exits(1).json();
        assert_eq!(report["counted"]["plan"]["attempts"], attempts + 1);
    }
    println!("12 sessions killed at {stops} places, {counted} of them counted");
    assert!(counted >= 6, "{counted}");
}
