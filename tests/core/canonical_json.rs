//! The canonical-JSON predicate (RFC 8785, formats.md §2), against `serde_jcs`.

use axilog::json::canonical::is_canonical_json;
use axilog_testkit::core::strict_json::canonical::{canonical, shared};
use axilog_testkit::core::strict_json::{Json, mutated, text};
use proptest::prelude::*;

use crate::cases::cases;

fn is_canonical(text: &str) -> bool {
    is_canonical_json(text.as_bytes())
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn exactly_the_canonical_spelling_is_canonical(text in prop_oneof![text(), mutated()]) {
        match Json::parse(&text) {
            None => prop_assert!(!is_canonical(&text), "{}", text),
            Some(json) if shared(&json) => {
                let canonical = canonical(&json);
                prop_assert_eq!(is_canonical(&text), text == canonical, "{} {}", text, canonical);
                // A number that underflows has lost its value, but its zero is canonical.
                prop_assert!(is_canonical(&canonical), "{}", canonical);
            }
            Some(_) => {}
        }
    }

    /// One character more, less or other than in a canonical text.
    #[test]
    fn near_a_canonical_text(
        text in text(),
        index: prop::sample::Index,
        removed in 0..2usize,
        piece in prop::sample::select(vec!["", " ", "\n", "0", "\\", "\\u0061", "\\u000a", "\\n", "/", "\\/", "e", "."]),
    ) {
        let Some(json) = Json::parse(&text).filter(shared) else {
            return Ok(());
        };
        let canonical = canonical(&json);
        let at = canonical.char_indices().map(|(at, _)| at).nth(index.index(canonical.chars().count())).unwrap();
        let (before, after) = canonical.split_at(at);
        let after: String = after.chars().skip(removed).collect();
        let near = format!("{before}{piece}{after}");
        let json = Json::parse(&near);
        if json.as_ref().is_none_or(shared) {
            let expected = json.is_some_and(|json| self::canonical(&json) == near);
            prop_assert_eq!(is_canonical(&near), expected, "{}", near);
        }
    }

    #[test]
    fn any_bytes_are_canonical_or_not(bytes: Vec<u8>) {
        let json = std::str::from_utf8(&bytes).ok().and_then(Json::parse);
        prop_assert!(json.is_some() || !is_canonical_json(&bytes));
    }
}

#[test]
fn every_control_character_has_one_spelling() {
    for code in 0..0x20u8 {
        let short = match code {
            8 => Some("\\b"),
            9 => Some("\\t"),
            10 => Some("\\n"),
            12 => Some("\\f"),
            13 => Some("\\r"),
            _ => None,
        };
        let (lower, upper) = (format!("\\u{code:04x}"), format!("\\u{code:04X}"));
        for text in [format!("\"{lower}\""), format!("{{\"a{lower}\":1}}")] {
            assert_eq!(is_canonical(&text), short.is_none(), "{text}");
        }
        assert_eq!(
            is_canonical(&format!("\"{upper}\"")),
            short.is_none() && lower == upper
        );
        assert!(short.is_none_or(|short| is_canonical(&format!("\"x{short}y\""))));
        assert!(!is_canonical(&format!("\"{}\"", char::from(code))));
    }
}

#[test]
fn names_ascend_by_utf16_code_units() {
    // RFC 8785 §3.2.3.
    let names = [
        "\\r",
        "1",
        "\u{80}",
        "\u{f6}",
        "\u{20ac}",
        "\u{1f600}",
        "\u{fb33}",
    ];
    let object = |names: &[&str]| {
        let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(is_canonical(&object(&names)));
    for (index, one) in names.iter().enumerate() {
        for (other_index, other) in names.iter().enumerate() {
            assert_eq!(is_canonical(&object(&[one, other])), index < other_index);
        }
    }
    assert!(is_canonical(&object(&["", "a", "aa", "b"])));
    assert!(!is_canonical(&object(&["aa", "a"])));
}

#[test]
fn table() {
    for (text, expected) in [
        ("null", true),
        ("true", true),
        ("\"\"", true),
        ("{}", true),
        ("[]", true),
        ("[{},[],{\"a\":{\"b\":[1,\"x\"]},\"b\":0}]", true),
        ("{\"b\":{\"z\":1},\"c\":{\"a\":1}}", true),
        ("{\"b\":{\"z\":1},\"a\":{}}", false),
        (
            "[18446744073709551615,-9223372036854775808,9007199254740993]",
            true,
        ),
        ("[18446744073709551616]", false),
        ("[-0]", false),
        ("[0.1,1e+21,1e-7,5e-324]", true),
        ("\"\\u007f\"", false),
        ("\"\u{7f}\"", true),
        ("\"\\/\"", false),
        ("\"/\"", true),
        ("\"\\ud83d\\ude00\"", false),
        ("\"\\u001", false),
        (" 1", false),
        ("1 ", false),
        ("1\n", false),
        ("[1, 2]", false),
        ("{\"a\": 1}", false),
        ("{\"a\" :1}", false),
        ("", false),
        ("1 2", false),
        ("[,]", false),
        ("\u{feff}1", false),
    ] {
        assert_eq!(is_canonical(text), expected, "{text}");
    }
    assert!(!is_canonical_json(b"\"\xff\""));
    assert!(!is_canonical_json(b"\"\xed\xa0\x80\""));
}

#[test]
fn nesting_ends_at_128() {
    for depth in 0..300 {
        let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let objects = format!("{}0{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert_eq!(is_canonical(&arrays), (1..=128).contains(&depth), "{depth}");
        assert_eq!(is_canonical(&objects), depth <= 128, "{depth}");
    }
    assert!(!is_canonical(&"[".repeat(1_000_000)));
}
