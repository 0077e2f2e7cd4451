//! GBNF: the notation, what is refused, and what the shipped grammars accept.

use axilog_bundle::catalogue::GRAMMARS;
use axilog_bundle::gbnf::{
    Grammar, GrammarError, GrammarErrorKind, GrammarVerdict, Mismatch, Undecided,
};
use proptest::prelude::*;
use serde_json::Value;

fn grammar(text: &str) -> Grammar {
    Grammar::parse(text).unwrap()
}

fn shipped(name: &str) -> Grammar {
    let (_, text) = GRAMMARS.iter().find(|(known, _)| *known == name).unwrap();
    grammar(text)
}

fn refused(text: &str) -> GrammarError {
    Grammar::parse(text).unwrap_err()
}

fn mismatch(grammar: &Grammar, text: &str) -> Mismatch {
    match grammar.judge(text) {
        GrammarVerdict::DoesNotMatch(mismatch) => mismatch,
        verdict => panic!("{text:?}: {verdict:?}"),
    }
}

#[test]
fn the_notation() {
    for (text, fits, others) in [
        ("root ::= \"ab\"", &["ab"][..], &["", "a", "abc", "AB"][..]),
        ("root ::= \"\"", &[""], &["a"]),
        (
            "root ::= [a-c^] [^a-c]",
            &["ax", "^^", "c\u{1f600}"],
            &["a", "da", "aa"],
        ),
        ("root ::= [a-]+", &["a-", "-"], &["b", ""]),
        // Ranges in any order, inside and beside one another.
        (
            "root ::= [x-zc-ea-pb-cf]",
            &["a", "d", "f", "p", "x", "z"],
            &["q", "w", "`", "{"],
        ),
        (
            "root ::= [^x-za-pb-c]",
            &["q", "w", "`", "{"],
            &["a", "p", "x", "z"],
        ),
        ("root ::= .", &["x", "\n", "\u{1f600}"], &["", "xx"]),
        (
            "root ::= \"a\" | \"b\" \"c\" |",
            &["a", "bc", ""],
            &["b", "ac"],
        ),
        (
            "root ::= (\"a\" | \"b\")* \"c\"?",
            &["", "abba", "c", "bc"],
            &["cc", "ca"],
        ),
        ("root ::= \"ab\"+", &["ab", "abab"], &["", "aba"]),
        ("root ::= \"a\"{2}", &["aa"], &["a", "aaa"]),
        ("root ::= \"a\"{2,}", &["aa", "aaaaaa"], &["a"]),
        (
            "root ::= [a-b]{ 1 , 3 }",
            &["a", "ab", "bab"],
            &["", "abab"],
        ),
        ("root ::= \"a\"{0}", &[""], &["a"]),
        (
            "root ::= x-1 # a comment\nx-1 ::=\n  \"a\" | # or\n  \"b\"\n",
            &["a", "b"],
            &["ab"],
        ),
        (
            "root ::= (\n \"a\"\n \"b\" # inside\n)\n\n",
            &["ab"],
            &["a"],
        ),
        ("root::=\"a\"\r\n\r\n# end", &["a"], &[""]),
        (
            r#"root ::= "\x41\u00e9\U0001F600\n\t\r\\\"\[\]""#,
            &["Aé\u{1f600}\n\t\r\\\"[]"],
            &["A"],
        ),
        (r"root ::= [\]\[\\\x30-\x39]+", &["[]\\09"], &["a"]),
        // What llama.cpp takes: no characters, ranges without any, numbers that no character has.
        ("root ::= \"a\" [] | [^]", &["a", ""], &["b"]),
        (
            "root ::= [z-ab] | [^z-a] \"!\"",
            &["b", "z!", "a!"],
            &["a", "z"],
        ),
        (
            r#"root ::= [\ud800\x41] | "\UFFFFFFFF""#,
            &["A"],
            &["B", ""],
        ),
        (r#"root ::= [a\-c]+ "\-""#, &["ac--"], &["b-", "a"]),
        ("root ::= \"a\nb\" [\r\n]", &["a\nb\r"], &["ab\n"]),
        // One repetition after another.
        ("root ::= \"a\"+? \"b\"", &["b", "aab"], &["a"]),
        ("root ::= \"ab\"{2}{2}", &["abababab"], &["abab"]),
        ("root ::= \"a\"+*", &["", "aaa"], &["b"]),
        // A bound above 2000 is none.
        ("root ::= \"a\"{1,2001} \"b\"", &["ab", "aaab"], &["b"]),
        ("root ::= (\"a\"{ 1,\n 2\n})", &["a", "aa"], &["", "aaa"]),
        // Of two rules with one name the later counts; a name that only the earlier has needs no rule.
        ("root ::= x\nroot ::= \"a\"", &["a"], &["x"]),
        (
            "root ::= a\na ::= \"x\"\na ::= \"y\" a |",
            &["", "yy"],
            &["x"],
        ),
        // Repetitions of what may be empty, where llama.cpp does not see that it may be.
        ("root ::= (\"a\"?)*", &["", "aaa"], &["b"]),
        (
            "root ::= ((\"a\"?)* \"b\"?)+ \"c\"",
            &["c", "abbac"],
            &["", "ca"],
        ),
        ("root ::= x*\nx ::= y\ny ::= \"a\" |", &["", "aa"], &["b"]),
        (
            "root ::= e root | \"y\"\ne ::= f f\nf ::= \"a\"?",
            &["y", "aaay"],
            &["a"],
        ),
        // Not in use, so it does no harm.
        (
            "root ::= \"a\"\nx ::= e x \"k\"\ne ::= f f\nf ::= \"a\"?",
            &["a"],
            &[""],
        ),
        // Recursion from the right and in the middle.
        (
            "root ::= \"(\" root \")\" | \"\"",
            &["", "((()))"],
            &["(", "(()", "())"],
        ),
        ("root ::= \"a\" root | \"b\"", &["b", "aaab"], &["a", "ba"]),
        // Rules that may be empty, in a row and around one another.
        (
            "root ::= e e \"x\" e\ne ::= f f\nf ::= \"y\"?",
            &["x", "yxy", "yyyyxyy"],
            &["yyyyyx", ""],
        ),
    ] {
        let grammar = grammar(text);
        for fit in fits {
            assert_eq!(
                grammar.judge(fit),
                GrammarVerdict::Matches,
                "{text}: {fit:?}"
            );
        }
        for other in others {
            assert!(!grammar.judge(other).is_match(), "{text}: {other:?}");
        }
    }
}

#[test]
fn what_is_no_grammar_says_where_and_why() {
    for (text, line, column, reason) in [
        ("", 1, 1, "no rule \"root\""),
        ("a ::= \"x\"\n", 2, 1, "no rule \"root\""),
        (
            "root ::= x\nroot ::= \"a\"\ny ::= \"b\"",
            1,
            10,
            "no rule \"x\"",
        ),
        ("root ::= (x)\nroot ::= \"a\"", 1, 11, "no rule \"x\""),
        ("a ::= root\na ::= \"x\"", 2, 10, "no rule \"root\""),
        ("root = \"a\"", 1, 6, "expected ::="),
        ("root ::= \"a", 1, 10, "does not end"),
        ("root ::= [a", 1, 10, "does not end"),
        ("root ::= \"\\q\"", 1, 11, "no escape \\q"),
        ("root ::= \"\\x4\"", 1, 13, "2 hexadecimal digits"),
        ("root ::= \"\\ud80g\"", 1, 13, "4 hexadecimal digits"),
        (
            "root ::= (\"a\"",
            1,
            14,
            "found the end, expected more of the group or )",
        ),
        ("root ::= \"é\" )", 1, 14, "found ')'"),
        ("root ::= *", 1, 10, "nothing before it"),
        ("root ::= \"\"?", 1, 12, "nothing before it"),
        ("root ::= \"a\"{0}*", 1, 16, "nothing before it"),
        ("root ::= []*", 1, 12, "nothing before it"),
        ("root ::= \"a\"?*", 1, 1, "repeats what may be empty"),
        ("root ::= \"a\"{3,2}", 1, 13, "below the first"),
        ("root ::= \"a\"{2001}", 1, 14, "from 0 to 2000"),
        ("root ::= \"a\"{,2}", 1, 14, "found ','"),
        ("root ::= \"a\"{2001,}", 1, 14, "from 0 to 2000"),
        (
            "root ::= \"a\"{0,18446744073709551616}",
            1,
            16,
            "from 0 to 2000",
        ),
        ("root ::= \"a\"{40}{51}", 1, 17, "2040 times"),
        ("root ::= (\"a\"{0,1000}){2}", 1, 23, "2002 times"),
        ("root ::= \"a\"{1", 1, 15, "expected }"),
        ("\u{feff}root ::= \"a\"", 1, 1, "found a byte-order mark"),
        ("root ::= \"a\"\0", 1, 13, "a NUL"),
        ("root ::= <think>", 1, 10, "vocabulary"),
        ("root ::= root \"a\" | \"b\"", 1, 1, "begin with itself"),
        (
            "root ::= a\na ::= b? c\nb ::= \"x\"\nc ::= a",
            2,
            1,
            "begin with itself",
        ),
        (
            "root ::= b a\na ::= \"x\"\nb ::= (\"a\" |)*",
            3,
            1,
            "a part of the rule \"b\" may begin with itself or repeats what may be empty",
        ),
        ("root ::= \"y\"\nx ::= x", 2, 1, "begin with itself"),
        (
            "root ::= \"a\" b\nb ::= e b \"x\" | \"y\"\ne ::= f f\nf ::= \"a\"?",
            2,
            1,
            "llama.cpp never ends on such a grammar",
        ),
        ("äroot ::= \"a\"", 1, 1, "expected a rule's name"),
    ] {
        let error = refused(text);
        assert!(error.reason.contains(reason), "{text:?}: {error}");
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn what_is_too_much_is_refused() {
    let wide = format!("root ::= {}\nx ::= \"x\"", "x{2000}".repeat(2000));
    let error = refused(&wide);
    // Refused where the bound is passed, not where the rule ends.
    assert!(error.reason.contains("2000000 symbols"));
    assert_eq!((error.line, error.column), (1, 10 + 7 * 1000));
    assert_eq!(error.kind, GrammarErrorKind::Unsupported);
    let deep = format!("root ::= {}\"a\"{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(grammar(&deep).judge("a"), GrammarVerdict::Matches);
    let long = format!("root ::= \"a\" # {}", "x".repeat(1 << 20));
    assert!(refused(&long).reason.contains("bytes"));
    assert_eq!(
        refused("root ::= <think>").kind,
        GrammarErrorKind::Unsupported
    );
    assert_eq!(refused("root ::= root").kind, GrammarErrorKind::Malformed);
    // An ambiguous grammar is work that grows fast; it ends all the same.
    let ambiguous = grammar("root ::= a\na ::= \"x\" a a | \"x\" a | \"x\"");
    let verdict = ambiguous.judge(&"x".repeat(3000));
    let GrammarVerdict::CannotBeTold(Undecided { place, steps }) = verdict else {
        panic!("{verdict:?}");
    };
    assert!(place.line == 1 && place.column > 100 && steps == 10_000_000);
    assert!(!verdict.is_match());
    assert_eq!(ambiguous.judge(&"x".repeat(40)), GrammarVerdict::Matches);
}

#[test]
fn a_mismatch_says_where_what_and_what_else() {
    let pair = grammar("root ::= \"é\\n\" (\"yes\" | [0-9] | [^a-z])");
    for (text, said) in [
        (
            "é\nx",
            "line 2, column 1: found 'x', expected 'y' or [0-9] or [^a-z]",
        ),
        ("é\nyes!", "line 2, column 4: found '!', expected the end"),
        ("é", "line 1, column 2: the text ends, expected '\\n'"),
        ("", "line 1, column 1: the text ends, expected 'é'"),
        (
            "\u{feff}é",
            "line 1, column 1: found a byte-order mark, expected 'é'",
        ),
    ] {
        assert_eq!(mismatch(&pair, text).to_string(), said);
    }
    // What follows the last character and is no text.
    for (bytes, said) in [
        (
            &b"\xc3\xa9\n\xff"[..],
            "line 2, column 1: found the byte 0xff, which is not UTF-8, expected 'y' or [0-9] or [^a-z]",
        ),
        (
            b"\xc3\xa9\n5\xc3",
            "line 2, column 2: found the byte 0xc3, which is not UTF-8, expected the end",
        ),
        (b"x\xff", "line 1, column 1: found 'x', expected 'é'"),
    ] {
        let verdict = pair.judge_bytes(bytes, 1000);
        let GrammarVerdict::DoesNotMatch(mismatch) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(mismatch.to_string(), said);
    }
    assert_eq!(
        pair.judge_bytes("é\n5".as_bytes(), 1000),
        GrammarVerdict::Matches
    );
    assert!(matches!(
        pair.judge_bytes("é\n5".as_bytes(), 2),
        GrammarVerdict::CannotBeTold(_)
    ));
    // A class without characters is nothing that could stand there.
    let nothing = mismatch(&grammar("root ::= [z-a]"), "x");
    assert!(
        nothing
            .to_string()
            .ends_with("expected nothing that a text can hold")
    );
}

#[test]
fn the_shipped_grammars_parse_and_know_their_answers() {
    let decision = r#"{"success":true,"confidence":0.85,"interpretation":"Fine – \"so\" \u00e9.","recommendation":"proceed"}"#;
    let sieve = r#"{"success":false,"confidence":1.0,"convergence":"stalled","interpretation":"x","recommendation":"retry"}"#;
    let chapter = r#"{"drift_detected":true,"metric_delta":-1.5e-3,"trigger_action":"retrain","retrain_recommended":true,"confidence":0,"interpretation":"x"}"#;
    for (name, answer) in [
        ("agent_decision.gbnf", decision),
        ("sieve_analysis.gbnf", sieve),
        ("chapter_13.gbnf", chapter),
    ] {
        let (own, generic) = (shipped(name), shipped("json_generic.gbnf"));
        let value: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(own.judge(answer), GrammarVerdict::Matches, "{name}");
        assert_eq!(generic.judge(answer), GrammarVerdict::Matches);
        let spaced = answer.replace("\":", "\" : ").replace(",\"", ",\n  \"");
        assert_eq!(
            own.judge(&format!("\n{spaced}\n")),
            GrammarVerdict::Matches,
            "{name}"
        );
        for wrong in [
            answer.replace("true", "\"true\""),
            answer.replace("false", "0"),
            answer.replace("\"confidence\":", "\"confidence\":2"),
            answer.replace("interpretation", "interpretations"),
            answer.replace("\"x\"", "\"\""),
            answer.replace('{', "{\"extra\":1,"),
            format!("Sure: {answer}"),
            format!("```json\n{answer}\n```"),
            answer.replace(':', ":\t"),
            answer[..answer.len() - 1].to_owned(),
            // The same members in another order.
            value.to_string(),
        ] {
            assert!(
                wrong == answer || !own.judge(&wrong).is_match(),
                "{name}: {wrong}"
            );
        }
    }
    // Whether to train again is one decision, not two.
    let chapter_13 = shipped("chapter_13.gbnf");
    assert!(
        !chapter_13
            .judge(&chapter.replace("\"retrain\"", "\"watch\""))
            .is_match()
    );
    assert!(
        !chapter_13
            .judge(&chapter.replace("recommended\":true", "recommended\":false"))
            .is_match()
    );
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What `serde_json` writes fits where it is an object; what fits, `serde_json` reads.
    #[test]
    fn json_generic_is_json(value in json(), cut in any::<prop::sample::Index>(), with in "[ -~]") {
        let generic = shipped("json_generic.gbnf");
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            prop_assert_eq!(generic.judge(&text).is_match(), value.is_object(), "{}", text);
            let mut changed: Vec<char> = text.chars().collect();
            let at = cut.index(changed.len());
            changed[at] = with.chars().next().unwrap();
            let changed: String = changed.into_iter().collect();
            let read: Result<Value, _> = serde_json::from_str(&changed);
            let object = read.is_ok_and(|value| value.is_object());
            // The grammar is wider in two ways: half of a surrogate pair, numbers beyond the doubles.
            if !changed.contains("\\u") && !changed.contains(['e', 'E']) {
                prop_assert_eq!(generic.judge(&changed).is_match(), object, "{}", changed);
            }
        }
    }
}

/// Grammars as large as may be are read in no time to speak of, and a text with large bounds is told.
#[test]
fn large_grammars_and_bounds_are_told() {
    let rule = |n: usize| format!("r{n} ::= \"a\" r{}{{0,2000}} | \"b\"\n", n + 1);
    let text: String = (0..190).map(rule).collect();
    let large = grammar(&format!("root ::= r0\n{text}r190 ::= \"c\""));
    assert_eq!(large.judge("aab"), GrammarVerdict::Matches);
    let bound = grammar("root ::= ([a-z] | \"é\"){0,2000} \".\"");
    let text = "aé".repeat(1000);
    assert_eq!(bound.judge(&format!("{text}.")), GrammarVerdict::Matches);
    assert_eq!(
        mismatch(&bound, &format!("{text}a.")).to_string(),
        "line 1, column 2001: found 'a', expected '.'"
    );
    let deep = format!(
        "root ::= {}\"a\"{}",
        "(".repeat(300_000),
        ")".repeat(300_000)
    );
    assert_eq!(grammar(&deep).judge("a"), GrammarVerdict::Matches);
}
