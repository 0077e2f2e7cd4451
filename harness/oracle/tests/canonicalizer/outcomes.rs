//! Texts and the outcome of each.

use axilog::hash::sha256;
use axilog_oracle::canonicalizer::Status::{AmbiguousMultiBlock, NoJson, ParseError};
use axilog_oracle::canonicalizer::{canonicalize, normalize_text};

#[track_caller]
fn assert_accepted(raw: &str, block: &str) {
    let block_found = canonicalize(raw)
        .block
        .unwrap_or_else(|s| panic!("{s:?}: {raw}"));
    assert_eq!(block_found.text, block, "{raw}");
    assert_eq!(block_found.hash, sha256(block_found.canonical.as_bytes()));
}

#[test]
fn exactly_one_object_is_accepted_wherever_it_stands() {
    for (raw, block) in [
        ("{}", "{}"),
        ("  {\"a\" : 1}\n", "{\"a\" : 1}"),
        (
            "Sure! ```json\n{\"a\":{\"b\":[{}]}}\n``` Done.",
            "{\"a\":{\"b\":[{}]}}",
        ),
        // Braces and quotes in strings, quotes in prose.
        ("{\"a\":\"}{\\\"}\"}", "{\"a\":\"}{\\\"}\"}"),
        ("He said \"ok {\"a\":1}", "{\"a\":1}"),
        ("it's \" {} \"", "{}"),
        // Valid arrays are skipped with what is in them; others are prose where no brace is in them.
        ("[{\"no\":1}] {\"a\":1}", "{\"a\":1}"),
        ("[[{\"no\":1}],2] {\"a\":1} [3]", "{\"a\":1}"),
        ("[\"{\"] {\"a\":1}", "{\"a\":1}"),
        ("[x, [y], \"]\"] {\"a\":1} see [1", "{\"a\":1}"),
        ("[01] [9007199254740992] [ ] {\"b\":1}", "{\"b\":1}"),
        ("{\"a\":5e-324}", "{\"a\":5e-324}"),
        ("{\"a\":0e-999}", "{\"a\":0e-999}"),
        // Placeholders are prose.
        ("Dear {name}, {\"a\":1}", "{\"a\":1}"),
        ("{\"a\":1} {Größe 2} {a.b-c_d}{ x\n}", "{\"a\":1}"),
        ("\u{feff}{}", "{}"),
    ] {
        assert_accepted(raw, block);
    }
}

#[test]
fn each_rejection_has_its_reason() {
    for (raw, status) in [
        ("", NoJson),
        ("I cannot do that.", NoJson),
        ("[{\"a\":1}]", NoJson),
        ("[[[[", NoJson),
        ("{x} [1] [x] [1, \"", NoJson),
        ("{\u{a0}}", NoJson),
        ("{} {}", AmbiguousMultiBlock),
        ("{\"a\":1}{\"a\":1}", AmbiguousMultiBlock),
        ("{x} {} {}", AmbiguousMultiBlock),
        ("{\"a\":1e-400}", ParseError),
        ("{\"a\":-0.1e-323}", ParseError),
        ("{{}}", ParseError),
        ("{{name}}", ParseError),
        ("{name=value}", ParseError),
        ("{\"name\"}", ParseError),
        ("{e\u{301}}", ParseError),
        ("{ {\"a\":1} }", ParseError),
        ("{'a':1}", ParseError),
        ("{\"a\":1,}", ParseError),
        ("{\"a\":NaN}", ParseError),
        ("{\"a\":01}", ParseError),
        ("{\"a\":1 // why\n}", ParseError),
        ("{\"a\":\"\n\"}", ParseError),
        ("{\"a\":\"\\ud800\"}", ParseError),
        ("{\"a\":1,\"\\u0061\":1}", ParseError),
        ("{\"a\":{\"b\":1,\"b\":2}}", ParseError),
        ("{\"a\":9007199254740992}", ParseError),
        ("{\"a\":-9007199254740992}", ParseError),
        ("{\"a\":9007199254740992.0}", ParseError),
        ("{\"a\":-90071992547409930.5e3}", ParseError),
        ("{\"a\":9.99e20}", ParseError),
        ("{\"a\":1e309}", ParseError),
    ] {
        assert_eq!(canonicalize(raw).block, Err(status), "{raw}");
    }
    for (raw, canonical) in [
        ("{\"a\":9007199254740991}", "{\"a\":9007199254740991}"),
        ("{\"a\":9007199254740991.0}", "{\"a\":9007199254740991}"),
        ("{\"a\":1e21}", "{\"a\":1e+21}"),
        ("{\"a\":1e300}", "{\"a\":1e+300}"),
        ("{\"b\":1.50,\"a\":-0}", "{\"a\":0,\"b\":1.5}"),
    ] {
        assert_eq!(canonicalize(raw).block.unwrap().canonical, canonical);
    }
}

/// A model that refuses to send an action must never be understood as sending it.
#[test]
fn an_object_inside_broken_structure_never_comes_out() {
    for raw in [
        "{\"thought\": 'the brace } is odd', \"candidates\": [], \"what_i_refuse_to_send\": \
         {\"candidates\":[{\"action_request\":{\"action_type\":\"Notify\"}}]}}",
        "[None, {\"a\":1}]",
        "[, {\"a\":1}]",
        "[..., {\"a\":1}]",
        "[\"note\" {\"a\":1}]",
        "{\"a\":1, // }\n\"b\": {\"c\":1}}",
        "[see {\"a\":1}]",
        "[01,{\"b\":1}]",
        "[9007199254740992,{\"b\":1}]",
        "[{\"a\":1,\"a\":1},{\"b\":1}]",
    ] {
        assert_eq!(canonicalize(raw).block, Err(ParseError), "{raw}");
    }
}

#[test]
fn broken_structure_is_an_error_wherever_it_stands() {
    for broken in [
        // Regions that are not valid, and hold more than a placeholder.
        "{oops!}",
        "{'b':2}",
        "{\"b\":2,}",
        "{{name}}",
        // Arrays that are not valid, and hold a brace.
        "[{\"b\":1},]",
        "[{\"b\":1} ]x]",
        "[{\"b\":1} and more]",
        "[1,[{\"b\":1},,],{\"c\":1}]",
        "[x {name}]",
        "[x \"{\"]",
        "[x }",
        "[x \"]\" {}]",
        // What closes and was not opened.
        "}",
        "]",
        "[1]]",
        "{name}}",
        "{}}",
    ] {
        for raw in [
            broken.to_owned(),
            format!("{{\"a\":1}} {broken}"),
            format!("{broken} {{\"a\":1}}"),
            format!("{{\"a\":1}} {broken} {{\"a\":1}}"),
        ] {
            assert_eq!(canonicalize(&raw).block, Err(ParseError), "{raw}");
        }
    }
}

#[test]
fn what_never_closes_is_an_error_whatever_else_there_is() {
    for raw in [
        "{",
        "{name",
        "{\"a\":{\"b\":1}",
        "{\"a\":\"}",
        "{\"a\":1} {",
        "{} {} {\"cut",
        "{oops {\"a\":1}",
        "[{\"a\":1}",
        "[1,{\"a\":1},2",
        "{\"a\":1} [[],{\"b\"",
        "[[[[ {\"a\":1} ",
        "[1] and [2, {\"a\":1}",
        "[{\"a\":1}, x",
        "[{\"a\":1},[2] {\"b\":1}",
        "[1,2,[3]] \"{\"",
        "[x] [\"unclosed {\"a\":1}",
    ] {
        assert_eq!(canonicalize(raw).block, Err(ParseError), "{raw}");
    }
}

#[test]
fn depth_is_at_most_128() {
    let object = |depth: usize| "{\"a\":".repeat(depth - 1) + "{}" + &"}".repeat(depth - 1);
    assert_accepted(&object(128), &object(128));
    assert_eq!(canonicalize(&object(129)).block, Err(ParseError));
    let value = canonicalize(&object(128)).block.unwrap().value;
    assert_eq!(
        value.pointer(&"/a".repeat(127)),
        Some(&serde_json::json!({}))
    );

    // Arrays count as levels, too. One that is too deep is prose where no object is in it.
    let array = |depth: usize, inner: &str| "[".repeat(depth) + inner + &"]".repeat(depth);
    for (depth, inner, status) in [
        (127, "{}", NoJson),
        (128, "{}", ParseError),
        (300, "{}", ParseError),
        (300, "", NoJson),
    ] {
        assert_eq!(canonicalize(&array(depth, inner)).block, Err(status));
    }
    assert_accepted(&format!("{} {{\"a\":1}}", array(300, "1")), "{\"a\":1}");
}

/// The bench `canonicalizer` measures that it costs no more than prose.
#[test]
fn a_long_array_that_is_nested_too_deep_is_prose() {
    let text = "[".repeat(190) + &"1,".repeat(2_500_000) + "1" + &"]".repeat(190);
    assert_eq!(canonicalize(&text).block, Err(NoJson));
}

#[test]
fn only_line_ends_and_outer_white_space_are_normalised() {
    for (raw, text) in [
        ("\r\na\r\nb\rc\n\rd \u{a0}\u{2003}\u{85}", "a\nb\nc\n\nd"),
        ("\ta  \t b\u{b}c\t", "a  \t b\u{b}c"),
        ("e\u{301}\u{200b}\u{0}", "e\u{301}\u{200b}\u{0}"),
        ("\u{feff}x", "\u{feff}x"),
        (" \r\n ", ""),
    ] {
        assert_eq!(normalize_text(raw), text, "{raw:?}");
        let result = canonicalize(raw);
        assert_eq!(result.text, text);
        assert_eq!(result.raw_hash, sha256(raw.as_bytes()));
    }
    // A string's value survives: neither form nor format characters change.
    let block = canonicalize("{\"k\":\"e\u{301} \u{200b}  \\t\"}")
        .block
        .unwrap();
    assert_eq!(block.value["k"], "e\u{301} \u{200b}  \t");
}
