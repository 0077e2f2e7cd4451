//! Bytes that are not JSON text.

use crate::refused;

#[test]
fn bytes_that_are_not_utf_8_text() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "1:1: found an empty file, expected JSON text"),
        (
            b"\xEF\xBB\xBF[]",
            "1:1: found a byte order mark, expected UTF-8 text without one",
        ),
        (
            b"\xEF\xBB\xBF[\xFF",
            "1:1: found a byte order mark, expected UTF-8 text without one",
        ),
        (
            b"\xFF\xFE[\0",
            "1:1: found the byte 0xFF, which is not UTF-8, expected UTF-8 text",
        ),
        (
            b"[\n\"\xC3\xA9\xC3",
            "2:3: found the byte 0xC3, which is not UTF-8, expected UTF-8 text",
        ),
        (b"\0", "1:1: found a NUL character, expected a JSON value"),
        (
            b"[]\0",
            "1:3: found a NUL character, expected the end of the file",
        ),
        (
            b"[\x01",
            "1:2: found the control character U+0001, expected a JSON value",
        ),
        (
            "[\u{202E}]".as_bytes(),
            "1:2: found `\\u{202e}`, expected a JSON value",
        ),
    ];
    for (file, expected) in cases {
        refused(file, expected);
    }
}

#[test]
fn strings_that_are_not_json() {
    let rest = "expected the rest of a string in double quotes";
    let pair = "expected a surrogate pair or another character";
    for (file, expected) in [
        ("[\"a\0\"]", format!("1:4: found a NUL character, {rest}")),
        ("[\"a\n\"]", format!("1:4: found a line feed, {rest}")),
        ("[\"a", format!("1:4: found the end of the file, {rest}")),
        (
            r#"["\x"]"#,
            "1:4: found `x`, expected one of \" \\ / b f n r t u after `\\`".into(),
        ),
        (
            r#"["\u12g4"]"#,
            "1:7: found `g`, expected a hexadecimal digit".into(),
        ),
        (
            r#"["\u+123"]"#,
            "1:5: found `+`, expected a hexadecimal digit".into(),
        ),
        (
            r#"["a\ud800"]"#,
            format!("1:4: found a lone surrogate `\\ud800`, {pair}"),
        ),
        (
            r#"["\udc00"]"#,
            format!("1:3: found a lone surrogate `\\udc00`, {pair}"),
        ),
        (
            r#"["\ud800\u0041"]"#,
            format!("1:3: found a lone surrogate `\\ud800\\u0041`, {pair}"),
        ),
    ] {
        refused(file, &expected);
    }
}

#[test]
fn text_that_is_not_json() {
    for (file, expected) in [
        (
            " \n",
            "2:1: found the end of the file, expected a JSON value",
        ),
        ("[] x", "1:4: found `x`, expected the end of the file"),
        ("[][]", "1:3: found `[`, expected the end of the file"),
        ("[", "1:2: found the end of the file, expected a JSON value"),
        ("[,]", "1:2: found `,`, expected a JSON value"),
        ("[{},]", "1:5: found `]`, expected a JSON value"),
        ("[{}", "1:4: found the end of the file, expected `,` or `]`"),
        ("[{} {}]", "1:5: found `{`, expected `,` or `]`"),
        ("{\"a\" []}", "1:6: found `[`, expected `:`"),
        (
            "{\"a\":[]",
            "1:8: found the end of the file, expected `,` or `}`",
        ),
        (
            "{\"a\":[],}",
            "1:9: found `}`, expected a member name in double quotes",
        ),
        (
            "{a:[]}",
            "1:2: found `a`, expected a member name in double quotes",
        ),
        ("[nul]", "1:2: found `nul`, expected a JSON value"),
        ("[truex]", "1:2: found `truex`, expected a JSON value"),
        ("[NaN]", "1:2: found `N`, expected a JSON value"),
        ("[+1]", "1:2: found `+`, expected a JSON value"),
        (
            "[01]",
            "1:3: found `1`, expected no digit after a leading 0",
        ),
        ("[-]", "1:3: found `]`, expected a digit"),
        ("[1.]", "1:4: found `]`, expected a digit"),
        ("[1e+]", "1:5: found `]`, expected a digit"),
        ("// x", "1:1: found `/`, expected a JSON value"),
        (
            r#"{"a":1,"\u0061":2}"#,
            "1:8: found the member \"a\" a second time, expected every member name once",
        ),
    ] {
        refused(file, expected);
    }
}

#[test]
fn containers_are_at_most_32_deep() {
    let expected = "1:33: found a container at level 33, expected at most 32 levels";
    refused("[".repeat(33), expected);
    refused("[".repeat(1_000_000), expected);
    let objects = "{\"a\":".repeat(1_000_000);
    refused(
        objects,
        "1:161: found a container at level 33, expected at most 32 levels",
    );
    let deepest = format!("{}{}", "[".repeat(32), "]".repeat(32));
    refused(
        deepest,
        "1:2: found an array, \
         expected a policy: an object of exactly comparison, enabled, policy_id, threshold",
    );
}

#[test]
fn surrogate_pairs_are_one_character() {
    let policy =
        "expected a policy: an object of exactly comparison, enabled, policy_id, threshold";
    for (escaped, shown) in [
        (r"\ud83d\ude00", "😀"),
        (r"\uD800\uDC00", "𐀀"),
        (r"\udbff\udfff", r"\u{10ffff}"),
        (r"\u00e9\/\b", r"é/\u{8}"),
    ] {
        refused(
            format!("[\"{escaped}\"]"),
            &format!("1:2: found the string \"{shown}\", {policy}"),
        );
    }
}
