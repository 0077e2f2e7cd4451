//! `axilog show`.

use serde_json::Value;

use crate::bench::{Bench, Run, lines, offset, sealed};

fn objects(run: &Run) -> Vec<Value> {
    let lines = run.stdout.lines();
    lines.map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn sequences(bench: &Bench, options: &str) -> Vec<u64> {
    let run = bench.run(&format!("show ledger.jsonl --json {options}"));
    let shown = objects(&run.exits(0));
    shown.iter().map(|o| o["seq"].as_u64().unwrap()).collect()
}

#[test]
fn filters_choose_what_is_shown() {
    let bench = Bench::ledger();
    bench.observe(b"{\"value\":100}").exits(1);
    let line = "observe --ledger ledger.jsonl --oracle-id p --model-id m --failure timeout";
    bench.run(line).exits(1);
    bench.write("ledger.jsonl", sealed(&bench.read("ledger.jsonl")));

    let all = objects(&bench.run("show ledger.jsonl --json").exits(0));
    let tag = |n: u64| all[n as usize]["tag"].as_str().unwrap();
    let last = all.len() as u64 - 1;
    assert_eq!(sequences(&bench, ""), (0..=last).collect::<Vec<_>>());
    for (name, full) in [
        ("obs", "AX:OBS:v1"),
        ("policy", "AX:POLICY:v1"),
        ("trans", "AX:TRANS:v1"),
        ("state", "AX:STATE:v1"),
        ("proof", "AX:PROOF:v1"),
    ] {
        let expected: Vec<u64> = (0..=last).filter(|&n| tag(n) == full).collect();
        assert!(!expected.is_empty());
        assert_eq!(sequences(&bench, &format!("--tag {name}")), expected);
    }
    assert_eq!(sequences(&bench, "--seq 3..5"), [3, 4, 5]);
    assert_eq!(sequences(&bench, "--seq 7..7"), [7]);
    assert_eq!(sequences(&bench, "--seq 3..4 --tag obs"), [3]);

    // An oracle's answers, with what follows from each.
    let p = sequences(&bench, "--oracle p");
    assert_eq!(all[p[0] as usize]["oracle_id"], "p");
    assert_eq!(p, (p[0]..last).collect::<Vec<_>>());
    let first = sequences(&bench, "--oracle o")[0];
    assert_eq!(first, 5);
    assert_eq!(
        sequences(&bench, "--oracle o"),
        (5..p[0]).collect::<Vec<_>>()
    );
    assert_eq!(sequences(&bench, "--oracle nobody"), [0; 0]);

    let breaches = sequences(&bench, "--breaches");
    let expected: Vec<u64> = (0..=last)
        .filter(|&n| {
            let object = &all[n as usize];
            object["result"] == "BREACH" || object["violation"].is_string()
        })
        .collect();
    assert!(expected.len() >= 4, "{expected:?}");
    assert_eq!(breaches, expected);

    let text = bench.run("show ledger.jsonl").exits(0).stdout;
    for told in [
        "o / m",
        "PERMITTED",
        "ENABLED to ALARM",
        "TIMEOUT",
        "seal",
        "POLICY_BREACH",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
    assert_eq!(text.matches("record ").count(), 1, "{text}");
    let wide = text.lines().filter(|l| l.chars().count() > 80);
    assert_eq!(wide.count(), 0, "{text}");
}

#[test]
fn a_single_record_comes_with_its_exact_bytes() {
    let bench = Bench::ledger();
    let all = lines(&bench.read("ledger.jsonl"));
    for (n, line) in all.iter().enumerate() {
        let entry = axilog::ledger_line::parse(line).unwrap();
        let object = bench
            .run(&format!("show ledger.jsonl --seq {n} --json"))
            .exits(0)
            .json();
        assert_eq!(object["record"].as_str().unwrap().as_bytes(), entry.payload);
        assert_eq!(object["offset"], offset(&all, n));
        let whole: Value = serde_json::from_slice(line).unwrap();
        assert_eq!(object["commit"], whole["commit"]);
        assert_eq!(object["chain"], whole["chain"]);

        let text = bench.run(&format!("show ledger.jsonl --seq {n}")).exits(0);
        let bytes = String::from_utf8(entry.payload.to_vec()).unwrap();
        assert_eq!(text.stdout.lines().last(), Some(bytes.as_str()));
        assert!(text.stdout.contains(whole["chain"].as_str().unwrap()));
    }
    for options in ["--seq 8", "--seq 8..9", "--seq 8 --json"] {
        let run = bench.run(&format!("show ledger.jsonl {options}")).exits(1);
        assert_eq!(run.stdout, "");
        run.says("has no record 8; the last is 7");
    }
}

#[test]
fn damage_is_shown_up_to_and_then_reported() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let mut all = lines(&whole);
    let at = offset(&all, 5);
    all[5][200] ^= 1;
    bench.write("ledger.jsonl", all.concat());
    let run = bench.run("show ledger.jsonl --json").exits(1);
    let mut shown = objects(&run);
    let error = shown.pop().unwrap();
    assert_eq!(error["verdict"], "ALTERED");
    assert_eq!(error["sequence"], 5);
    assert_eq!(error["offset"], at);
    assert_eq!(shown.len(), 5);
    run.says("ALTERED: record 5");
    // Also where the damage is not among what is shown.
    let run = bench.run("show ledger.jsonl --seq 2").exits(1);
    assert!(run.stdout.contains("AX:TRANS:v1"));
    run.says("ALTERED: record 5");

    bench.write("ledger.jsonl", &whole[..whole.len() - 3]);
    let run = bench.run("show ledger.jsonl").exits(1);
    assert!(run.stdout.contains("\n6 "), "{}", run.stdout);
    assert!(!run.stdout.contains("\n7 "), "{}", run.stdout);
    run.says("TORN");
}

#[test]
fn answers_cannot_steer_a_terminal() {
    let bench = Bench::ledger();
    let answer = "\u{9b}31m red \u{7f}\nnext".as_bytes();
    bench.observe(answer).exits(1);
    let object = bench
        .run("show ledger.jsonl --seq 8 --json")
        .exits(0)
        .json();
    assert_eq!(object["output"].as_str().unwrap().as_bytes(), answer);
    for options in ["", "--seq 8"] {
        let text = bench.run(&format!("show ledger.jsonl {options}")).stdout;
        assert!(text.contains("\\u{9b}31m"), "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text}");
    }
}
