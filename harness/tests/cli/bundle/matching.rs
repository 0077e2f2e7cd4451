//! `axilog bundle match`.

use serde_json::json;

use crate::bench::Bench;

/// A bench with the grammar of a word and a number on two lines.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("g.gbnf", "root ::= [a-z]+ \"\\n\" [0-9]{1,3}");
    bench
}

#[test]
fn a_text_matches_or_says_where_it_does_not() {
    let bench = bench();
    for (text, said) in [
        (
            &b"word"[..],
            "line 1, column 5: the text ends, expected [a-z] or '\\n'",
        ),
        (b"", "line 1, column 1: the text ends, expected [a-z]"),
        (
            b"word\n12x",
            "line 2, column 3: found 'x', expected [0-9] or the end",
        ),
        (
            b"word\n1234",
            "line 2, column 4: found '4', expected the end",
        ),
        (
            b"word\n1\xff",
            "line 2, column 2: found the byte 0xff, which is not UTF-8, expected",
        ),
        (
            b"\xff\xfew\0",
            "line 1, column 1: found the byte 0xff, which is not UTF-8, expected [a-z]",
        ),
    ] {
        bench.write("text", text);
        let run = bench.run("bundle match g.gbnf text").exits(1);
        let first = run.stdout.lines().next().unwrap();
        assert_eq!(first, "verdict         DOES_NOT_MATCH", "{}", run.stdout);
        let unwrapped: Vec<&str> = run.stdout.split_whitespace().collect();
        let wanted: Vec<&str> = said.split_whitespace().collect();
        assert!(
            unwrapped.join(" ").contains(&wanted.join(" ")),
            "{}",
            run.stdout
        );
        let object = bench.run("bundle match g.gbnf text --json").exits(1).json();
        assert_eq!(object["verdict"], "DOES_NOT_MATCH");
        assert_eq!(object["hint"], json!(null), "{object}");
    }
    bench.write("text", "word\n123");
    let object = bench.run("bundle match g.gbnf text --json").exits(0).json();
    assert_eq!(
        object,
        json!({
            "verdict": "MATCHES", "ok": true, "reason": null, "hint": null, "grammar": "g.gbnf",
            "file": "text", "line": null, "column": null, "found": null, "expected": [],
        })
    );
    let object = bench
        .run_with("bundle match g.gbnf - --json", b"word\n1.")
        .exits(1)
        .json();
    assert_eq!((&object["line"], &object["column"]), (&json!(2), &json!(2)));
    assert_eq!(
        (&object["found"], &object["file"]),
        (&json!("."), &json!("-"))
    );
    assert_eq!(object["expected"].as_array().unwrap().len(), 2);
    bench.run_with("bundle match g.gbnf -", b"word\n1").exits(0);
    // The empty text is a text.
    bench.write("empty.gbnf", "root ::= \"x\"?");
    bench.write("text", "");
    bench.run("bundle match empty.gbnf text").exits(0);
}

#[test]
fn what_an_editor_put_into_the_text_is_named() {
    let bench = bench();
    for (text, hint) in [
        (
            "word\n1\n",
            "the text matches without the line end at its end",
        ),
        (
            "word\n1\r\n",
            "the text matches without the line end at its end",
        ),
        (
            "\u{feff}word\n1",
            "the text matches without the byte-order mark at its beginning",
        ),
        ("word\r\n1", "the text matches with LF in place of CR LF"),
        (
            "\u{feff}word\r\n1\r\n",
            "the text matches with LF in place of CR LF, without a byte-order mark and the line end at its end",
        ),
    ] {
        bench.write("text", text);
        let object = bench.run("bundle match g.gbnf text --json").exits(1).json();
        assert_eq!(object["hint"], hint, "{object}");
    }
    // What a grammar allows is no mistake.
    bench.write("lines.gbnf", "root ::= \"\\ufeff\"? [a-z]+ \"\\r\\n\"");
    bench.write("text", "\u{feff}word\r\n");
    bench.run("bundle match lines.gbnf text").exits(0);
}

#[test]
fn what_cannot_be_told_is_a_verdict_of_its_own() {
    let bench = bench();
    bench.write("text", "word\n1");
    let run = bench.run("bundle match g.gbnf text --steps 5").exits(3);
    assert!(
        run.stdout.starts_with("verdict         CANNOT_BE_TOLD\n"),
        "{}",
        run.stdout
    );
    let object = bench
        .run("bundle match g.gbnf text --steps 5 --json")
        .exits(3)
        .json();
    assert_eq!(object["verdict"], "CANNOT_BE_TOLD");
    assert_eq!((&object["ok"], &object["line"]), (&json!(false), &json!(1)));
    let reason = object["reason"].as_str().unwrap();
    assert!(
        reason.ends_with("cannot be told within 5 steps; --steps allows more"),
        "{reason}"
    );
    // llama.cpp may read these.
    bench.write("token.gbnf", "root ::= <think> \"x\"");
    let object = bench
        .run("bundle match token.gbnf text --json")
        .exits(3)
        .json();
    assert_eq!(object["verdict"], "CANNOT_BE_TOLD");
    let reason = object["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("the grammar token.gbnf:1:10: tokens depend on a model's vocabulary"),
        "{reason}"
    );
    let large = format!("root ::= {}\nx ::= \"x\"", "x{2000}".repeat(1100));
    bench.write("large.gbnf", large);
    bench.run("bundle match large.gbnf text").exits(3);
    bench.run("bundle match g.gbnf text --steps 0").exits(2);
}

#[test]
fn a_grammar_or_text_that_is_none_is_refused() {
    let bench = bench();
    bench.write("text", "word\n1");
    bench.write("bad.gbnf", "root ::= \"a\"\nx ::= y");
    bench.write("mark.gbnf", "\u{feff}root ::= \"a\"");
    bench.write("binary.gbnf", b"root ::= \"a\"\n# \xff");
    bench.write("empty.gbnf", "");
    for (line, code, said) in [
        ("bad.gbnf text", 2, "bad.gbnf:2:7: there is no rule \"y\""),
        (
            "mark.gbnf text",
            2,
            "mark.gbnf:1:1: found a byte-order mark, expected a rule's name",
        ),
        (
            "binary.gbnf text",
            2,
            "binary.gbnf:2:1: not UTF-8 at byte 15",
        ),
        (
            "empty.gbnf text",
            2,
            "empty.gbnf:1:1: there is no rule \"root\"",
        ),
        (
            "none.gbnf text",
            3,
            "no file none.gbnf, and none of that name is built in (agent_decision.gbnf",
        ),
        (". text", 3, ".: cannot read the grammar: it is a directory"),
        ("g.gbnf none", 3, "none: cannot read the text"),
        ("g.gbnf .", 3, ".: cannot read the text: it is a directory"),
        ("g.gbnf", 2, "FILE"),
    ] {
        let run = bench
            .run(&format!("bundle match {line}"))
            .exits(code)
            .says(said);
        assert!(run.stdout.is_empty(), "{line}");
    }
    // A built-in grammar goes by its name; a file of that name comes first.
    bench.write(
        "answer",
        r#"{"success":true,"confidence":1,"interpretation":"x","recommendation":"retry"}"#,
    );
    bench
        .run("bundle match agent_decision.gbnf answer")
        .exits(0);
    bench.write("agent_decision.gbnf", "root ::= \"x\"");
    bench
        .run("bundle match agent_decision.gbnf answer")
        .exits(1);
}
