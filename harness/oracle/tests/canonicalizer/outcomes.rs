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
        // Arrays: whole ones are skipped with what is in them; others are prose.
        ("[{\"no\":1}] {\"a\":1}", "{\"a\":1}"),
        ("[[{\"no\":1}],2] {\"a\":1} [3]", "{\"a\":1}"),
        ("[see {\"a\":1}]", "{\"a\":1}"),
        ("[\"{\"] {\"a\":1}", "{\"a\":1}"),
        ("[x] [\"unclosed {\"a\":1}", "{\"a\":1}"),
        // What is wrong before an object begins in it is prose too, and what is in it is top-level.
        ("[01,{\"b\":1}]", "{\"b\":1}"),
        ("[9007199254740992,{\"b\":1}]", "{\"b\":1}"),
        // A fault behind the beginning of an object ends nothing: the array goes on to its bracket.
        ("[{\"no\":1},] {\"a\":1}", "{\"a\":1}"),
        ("{\"a\":5e-324}", "{\"a\":5e-324}"),
        ("{\"a\":0e-999}", "{\"a\":0e-999}"),
        // Invalid regions beside one valid object.
        ("{oops} {\"a\":1}", "{\"a\":1}"),
        ("{\"a\":1} {'b':2}", "{\"a\":1}"),
        // Closing brackets alone are nothing.
        ("}}]] {} ]", "{}"),
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
        ("[1,2,[3]] \"{\"", ParseError),
        // One rule for all arrays in which an object begins, valid or not.
        ("[{\"a\":1}]", NoJson),
        ("[{\"a\":1},]", NoJson),
        ("[{\"a\":1} ]x]", NoJson),
        ("[{\"a\":1} and more]", NoJson),
        ("[1,[{\"a\":1},,],{\"b\":1}]", NoJson),
        ("[{\"a\":1,\"a\":1},{\"b\":1}]", NoJson),
        ("[{\"a\":\"]\"},] {\"b\":1} {\"c\":1}", AmbiguousMultiBlock),
        ("{\"a\":1e-400}", ParseError),
        ("{\"a\":-0.1e-323}", ParseError),
        ("}", NoJson),
        ("[[[[", NoJson),
        ("{} {}", AmbiguousMultiBlock),
        ("{\"a\":1}{\"a\":1}", AmbiguousMultiBlock),
        ("{x} {} {}", AmbiguousMultiBlock),
        ("{x}", ParseError),
        ("{{}}", ParseError),
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
        ("{x} [1]", ParseError),
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

#[test]
fn what_never_closes_is_an_error_whatever_else_there_is() {
    for raw in [
        "{",
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

    // An array that is too deep is prose, and the first one that is not is skipped.
    let array = |depth: usize| "[".repeat(depth) + "{\"no\":1}" + &"]".repeat(depth);
    for depth in [1, 127, 128, 129, 300] {
        assert_accepted(&format!("{} {{\"a\":1}}", array(depth)), "{\"a\":1}");
    }
    // The 127 innermost hold the object; the others are not arrays.
    assert_eq!(canonicalize(&array(300)).block, Err(NoJson));
    assert_eq!(
        canonicalize(&("[".repeat(300) + "{\"a\":1}")).block,
        Err(ParseError)
    );
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
