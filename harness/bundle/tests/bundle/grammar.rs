//! GBNF: the notation, what is refused, and what the shipped grammars accept.

use axilog_bundle::catalogue::GRAMMARS;
use axilog_bundle::gbnf::{Grammar, GrammarError, Mismatch};
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
    grammar.matches(text).unwrap_err()
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
            assert_eq!(grammar.matches(fit), Ok(()), "{text}: {fit:?}");
        }
        for other in others {
            assert!(grammar.matches(other).is_err(), "{text}: {other:?}");
        }
    }
}

#[test]
fn what_is_no_grammar_says_where_and_why() {
    for (text, line, column, reason) in [
        ("", 1, 1, "no rule \"root\""),
        ("a ::= \"x\"\n", 2, 1, "no rule \"root\""),
        ("root ::= \"a\"\nroot ::= \"b\"", 2, 1, "there twice"),
        ("root ::= a\n  ", 1, 10, "no rule \"a\""),
        ("root = \"a\"", 1, 6, "expected ::="),
        ("root ::= \"a", 1, 10, "does not end"),
        ("root ::= [a", 1, 10, "does not end"),
        ("root ::= []", 1, 10, "without characters"),
        ("root ::= [^]", 1, 10, "without characters"),
        ("root ::= [b-a]", 1, 11, "is empty"),
        ("root ::= \"\\q\"", 1, 11, "no escape \\q"),
        ("root ::= \"\\x4\"", 1, 13, "2 hexadecimal digits"),
        (
            "root ::= \"\\ud800\"",
            1,
            13,
            "4 hexadecimal digits of a character",
        ),
        (
            "root ::= (\"a\"",
            1,
            14,
            "found the end, expected more of the group or )",
        ),
        ("root ::= \"é\" )", 1, 14, "found ')'"),
        ("root ::= *", 1, 10, "nothing before it"),
        ("root ::= \"a\"+*", 1, 14, "one repetition behind another"),
        ("root ::= \"a\"{3,2}", 1, 13, "below the first"),
        ("root ::= \"a\"{2001}", 1, 14, "from 0 to 2000"),
        ("root ::= \"a\"{1", 1, 15, "expected }"),
        ("root ::= <think>", 1, 10, "vocabulary"),
        ("root ::= root \"a\" | \"b\"", 1, 1, "begin with itself"),
        (
            "root ::= a\na ::= b? c\nb ::= \"x\"\nc ::= a",
            2,
            1,
            "begin with itself",
        ),
        (
            "root ::= b a\na ::= \"x\"\nb ::= (\"a\"?)*",
            3,
            1,
            "a part of the rule \"b\" may begin with itself or repeats what may be empty",
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
    let deep = format!("root ::= {}\"a\"{}", "(".repeat(65), ")".repeat(65));
    assert!(refused(&deep).reason.contains("64 open"));
    let deepest = format!("root ::= {}\"a\"{}", "(".repeat(64), ")".repeat(64));
    assert_eq!(grammar(&deepest).matches("a"), Ok(()));
    let large = "root ::= a{2000}\na ::= \"x\"{0,2000} \"y\"{0,2000}\n".to_owned()
        + &(0..60)
            .map(|n| format!("r{n} ::= \"x\"{{0,2000}}\n"))
            .collect::<String>();
    assert!(refused(&large).reason.contains("200000 symbols"));
    // Refused where the bound is passed, not where the rule ends.
    let wide = format!("root ::= {}\nx ::= \"x\"", "x{2000}".repeat(200));
    let error = refused(&wide);
    assert!(error.reason.contains("200000 symbols"));
    assert_eq!((error.line, error.column), (1, 10 + 7 * 100));
    let long = format!("root ::= \"a\" # {}", "x".repeat(1 << 20));
    assert!(refused(&long).reason.contains("bytes"));
    // An ambiguous grammar is work that grows fast; it ends all the same.
    let ambiguous = grammar("root ::= a\na ::= \"x\" a a | \"x\" a | \"x\"");
    let found = mismatch(&ambiguous, &"x".repeat(3000));
    assert!(
        found.to_string().contains("cannot be told within"),
        "{found}"
    );
    assert_eq!(ambiguous.matches(&"x".repeat(40)), Ok(()));
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
    ] {
        assert_eq!(mismatch(&pair, text).to_string(), said);
    }
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
        assert_eq!(own.matches(answer), Ok(()), "{name}");
        assert_eq!(generic.matches(answer), Ok(()));
        let spaced = answer.replace("\":", "\" : ").replace(",\"", ",\n  \"");
        assert_eq!(own.matches(&format!("\n{spaced}\n")), Ok(()), "{name}");
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
                wrong == answer || own.matches(&wrong).is_err(),
                "{name}: {wrong}"
            );
        }
    }
    // Whether to train again is one decision, not two.
    let chapter_13 = shipped("chapter_13.gbnf");
    assert!(
        chapter_13
            .matches(&chapter.replace("\"retrain\"", "\"watch\""))
            .is_err()
    );
    assert!(
        chapter_13
            .matches(&chapter.replace("recommended\":true", "recommended\":false"))
            .is_err()
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
            prop_assert_eq!(generic.matches(&text).is_ok(), value.is_object(), "{}", text);
            let mut changed: Vec<char> = text.chars().collect();
            let at = cut.index(changed.len());
            changed[at] = with.chars().next().unwrap();
            let changed: String = changed.into_iter().collect();
            let read: Result<Value, _> = serde_json::from_str(&changed);
            let object = read.is_ok_and(|value| value.is_object());
            // The grammar is wider in two ways: half of a surrogate pair, numbers beyond the doubles.
            if !changed.contains("\\u") && !changed.contains(['e', 'E']) {
                prop_assert_eq!(generic.matches(&changed).is_ok(), object, "{}", changed);
            }
        }
    }
}
