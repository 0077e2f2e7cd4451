//! `axilog lint`.

use serde_json::Value;

use crate::bench::Bench;

#[test]
fn ledgers_and_policies_are_canonical() {
    let bench = Bench::ledger();
    let report = bench.run("lint ledger.jsonl --json").exits(0).json();
    assert_eq!(report["ok"], true);
    assert_eq!(report["values"], 8);
    assert_eq!(report["not_canonical"], 0);
    let text = bench.run("lint ledger.jsonl").exits(0);
    assert!(text.stdout.starts_with("OK"), "{}", text.stdout);
    assert_eq!(text.stderr, "");
    for (name, bytes) in [("p.json", "[1,2]\n"), ("q.json", "[1,2]"), ("e.jsonl", "")] {
        bench.write(name, bytes);
        bench.run(&format!("lint {name}")).exits(0);
    }
}

#[test]
fn what_differs_is_named_with_both_forms() {
    let bench = Bench::new();
    for (given, line, column, found, expected) in [
        (
            "{\"b\":1,\"a\":2}",
            1,
            3,
            "{\"b\":1,\"a\":2}",
            "{\"a\":2,\"b\":1}",
        ),
        ("{\"é\":1.0}", 1, 7, "{\"é\":1.0}", "{\"é\":1}"),
        ("[\n1]", 1, 2, "[\\n1]", "[1]"),
        ("[1]\n\n", 1, 4, "[1]\\n", "[1]"),
        ("[1]\r\n", 1, 4, "[1]\r", "[1]"),
        ("\"\\u000A\"", 1, 3, "\"\\u000A\"", "\"\\n\""),
    ] {
        bench.write("f.json", given);
        let report = bench.run("lint f.json --json").exits(1).json();
        let finding = &report["findings"][0];
        assert_eq!(finding["line"], line, "{given}");
        assert_eq!(finding["column"], column, "{given}");
        assert_eq!(finding["found"], found);
        assert_eq!(finding["expected"], expected);
        let text = bench.run("lint f.json").exits(1).stdout;
        assert!(
            text.starts_with(&format!("f.json:{line}:{column}: ")),
            "{text}"
        );
        assert!(!text.contains('\r'), "{text}");
    }
    // Long values are shortened around the difference.
    let long = format!("[\"{}\",1.0,\"{}\"]", "x".repeat(1000), "ü".repeat(1000));
    bench.write("f.json", &long);
    let finding = &bench.run("lint f.json --json").exits(1).json()["findings"][0];
    assert_eq!(finding["column"], 1006);
    let expected = format!("...{}\",1,\"{}...", "x".repeat(21), "ü".repeat(22));
    assert_eq!(finding["expected"], expected);
    let text = bench.run("lint f.json").exits(1).stdout;
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
}

#[test]
fn what_has_no_canonical_form_says_why() {
    let bench = Bench::new();
    for (given, line, column, reason) in [
        (&b"{\"a\":1,\n\"a\":2}"[..], 2, 1, "occurs twice"),
        (b"[1,", 1, 4, "ends too early"),
        (b"", 1, 1, "ends too early"),
        (b"[1e999]", 1, 2, "beyond the doubles"),
        (b"[\"\xff\"]", 1, 3, "not UTF-8"),
    ] {
        bench.write("f.json", given);
        let finding = &bench.run("lint f.json --json").exits(1).json()["findings"][0];
        assert_eq!(finding["line"], line, "{reason}");
        assert_eq!(finding["column"], column, "{reason}");
        assert_eq!(finding["found"], Value::Null);
        assert!(
            finding["reason"].as_str().unwrap().contains(reason),
            "{finding}"
        );
    }
}

#[test]
fn lines_are_values_and_all_are_counted() {
    let bench = Bench::new();
    bench.write("f.jsonl", "{}\n{ }\n\n[]\n1.0");
    let report = bench.run("lint f.jsonl --json").exits(1).json();
    assert_eq!(report["values"], 5);
    assert_eq!(report["not_canonical"], 3);
    let lines: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [2, 3, 5]);

    bench.write("f.txt", "{ }\n".repeat(50));
    let one = bench.run("lint f.txt --json").exits(1).json();
    assert_eq!(one["values"], 1);
    let all = bench.run("lint f.txt --jsonl --json").exits(1).json();
    assert_eq!(all["not_canonical"], 50);
    assert_eq!(all["findings"].as_array().unwrap().len(), 20);
}

#[test]
fn large_integers_are_remarked_upon() {
    let bench = Bench::new();
    bench.write("f.json", "[1,18446744073709551615]");
    let run = bench.run("lint f.json --json").exits(0);
    assert_eq!(run.json()["large_integers"], 1);
    run.says("f.json:1:4: the integer 18446744073709551615");
    bench.write("f.json", "[9007199254740991]");
    assert_eq!(bench.run("lint f.json").exits(0).stderr, "");
    bench.write("f.jsonl", "9007199254740992\n".repeat(30));
    let run = bench.run("lint f.jsonl --json").exits(0);
    assert_eq!(run.json()["large_integers"], 30);
    assert_eq!(run.stderr.lines().count(), 21);
    run.says("f.jsonl:20:1: ").says("and 10 more");
}
