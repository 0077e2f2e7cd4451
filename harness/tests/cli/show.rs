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
    for options in ["--oracle nobody", "--oracle nobody --json"] {
        let run = bench.run(&format!("show ledger.jsonl {options}")).exits(1);
        assert_eq!(run.stdout, "");
        run.says("ledger.jsonl: has no answer of the oracle \"nobody\"");
    }

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

/// A ledger of three questions at three times: each with its answer, the first without a question.
fn asked() -> Bench {
    let bench = Bench::new();
    let begin = "init ledger.jsonl --time 1767225600";
    bench.run(begin).exits(0);
    for (number, question, answer) in [
        (0, "", r#"{"value": 1}"#),
        (1, "How fast, Zoë?", r#"{"value": 2}"#),
        (
            2,
            "And now?\nIn km/h.",
            r#"{"value": 300, "because": "hurry"}"#,
        ),
    ] {
        bench
            .run(&format!(
                "time --ledger ledger.jsonl {}",
                1_767_225_700 + number * 100
            ))
            .exits(0);
        bench.write("question.txt", question);
        let line = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question.txt";
        bench
            .run_with(line, answer.as_bytes())
            .exits(i32::from(number == 2));
    }
    bench
}

#[test]
fn answers_are_found_by_their_text_and_by_their_questions() {
    let bench = asked();
    let all = objects(&bench.run("show ledger.jsonl --json --question").exits(0));
    let questions: Vec<&Value> = (all.iter())
        .filter(|object| object["oracle_id"] == "o")
        .map(|object| &object["question"])
        .collect();
    assert_eq!(questions, ["", "How fast, Zoë?", "And now?\nIn km/h."]);
    // Records that are no observation have none.
    assert!(
        all.iter()
            .all(|object| object["tag"] == "AX:OBS:v1" || object.get("question").is_none())
    );

    let steps = sequences(&bench, "--oracle o");
    let per_step = steps.len() / 3;
    let (second, third) = (&steps[per_step..2 * per_step], &steps[2 * per_step..]);
    assert_eq!(sequences(&bench, "--grep Zoë"), second);
    assert_eq!(sequences(&bench, "--grep hurry"), third);
    assert_eq!(sequences(&bench, "--grep now?"), third);
    assert_eq!(sequences(&bench, "--grep value --oracle o"), steps);
    let answers = sequences(&bench, "--grep value --oracle o --tag obs");
    assert_eq!(answers.len(), 3);
    for missing in ["zoë", "nothing", "HURRY"] {
        let run = bench
            .run(&format!("show ledger.jsonl --grep {missing}"))
            .exits(1);
        run.says(&format!(
            "has no answer and no question that holds {missing:?}"
        ));
    }

    let text = bench
        .run("show ledger.jsonl --question --grep Zoë")
        .exits(0)
        .stdout;
    let row = text
        .lines()
        .find(|line| line.contains("was asked"))
        .unwrap();
    assert!(
        row.contains("15 bytes") && row.contains("How fast, Zoë?"),
        "{text}"
    );
    let whole = format!("show ledger.jsonl --question --seq {}", third[0]);
    let whole = bench.run(&whole).exits(0).stdout;
    assert!(
        whole.ends_with("\nquestion:\nAnd now?\nIn km/h.\n"),
        "{whole}"
    );
}

#[test]
fn a_question_that_cannot_be_read_is_counted() {
    let bench = asked();
    let hash = objects(&bench.run("show ledger.jsonl --json --grep Zoë").exits(0))[0]["input_hash"]
        .clone();
    let hash = hash.as_str().unwrap();
    let blob = format!("ledger.jsonl.blobs/{}/{hash}", &hash[..2]);
    for damage in [Some("How slow, Zoë?"), None] {
        match damage {
            Some(bytes) => bench.write(&blob, bytes),
            None => std::fs::remove_file(bench.path(&blob)).unwrap(),
        }
        let run = bench.run("show ledger.jsonl --question --json").exits(0);
        let run = run.says("1 question could not be read from the blobs");
        let unread: Vec<Value> = (objects(&run).into_iter())
            .filter(|object| object.get("question") == Some(&Value::Null))
            .collect();
        assert_eq!(unread.len(), 1);
        assert_eq!(unread[0]["input_hash"], hash);
        let text = bench.run("show ledger.jsonl --question").exits(0).stdout;
        assert!(text.contains("cannot be read"), "{text}");
        // What is not there is not found either, and the reader is told why.
        let run = bench.run("show ledger.jsonl --grep Zoë").exits(1);
        run.says("1 question could not be read").says("that holds");
    }
}

#[test]
fn records_are_shown_since_a_time() {
    let bench = asked();
    let all = objects(&bench.run("show ledger.jsonl --json").exits(0));
    let time_of = |time: u64| {
        let output = format!("{{\"timestamp\":{time}}}");
        let found = all
            .iter()
            .find(|object| object["output"] == output.as_str());
        found.unwrap()["seq"].as_u64().unwrap()
    };
    let last = all.len() as u64 - 1;
    for (since, first) in [
        ("0", 0),
        ("1767225600", time_of(1_767_225_600)),
        ("2026-01-01", time_of(1_767_225_600)),
        ("1767225601", time_of(1_767_225_700)),
        ("2026-01-01T00:03:20Z", time_of(1_767_225_800)),
        ("2026-01-01T00:05:00Z", time_of(1_767_225_900)),
    ] {
        let shown = sequences(&bench, &format!("--since {since}"));
        assert_eq!(shown, (first..=last).collect::<Vec<_>>(), "{since}");
    }
    let run = bench.run("show ledger.jsonl --since 2026-01-02").exits(1);
    run.says("has no record since the time 1767312000; its last time is 1767225900");
    for wrong in ["yesterday", "2026-13-01", "-5", "1969-12-31"] {
        bench
            .run(&format!("show ledger.jsonl --since={wrong}"))
            .exits(2);
    }
    bench.run("show ledger.jsonl --graph --since 5").exits(2);
}
