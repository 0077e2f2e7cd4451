//! Properties of the canonicalizer on random text, from prose to nearly JSON.

use axilog::json::canonical::is_canonical_json;
use axilog_oracle::canonicalizer::{Status, canonicalize, extract_json_block, normalize_text};
use proptest::prelude::*;

use crate::reference;

/// Random sequences of pieces of JSON and prose.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec![
            "{", "}", "[", "]", "\"", ",", ":", "\\", " ", "\n", "1", "-", "0", ".", "e", "a",
        ]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "{}", "[]", "{\"a\":", "\"a\"", "\"b\":", "null", "tru", "\\\"", "[1,", ",[", "\"]", "[\"",
            "{\"a\":1}", "[{\"a\":1}]", "{\"a\":9007199254740992}", "1e400", "\\u0061", "\\ud800", "é", "\r",
            "```json", "\u{1}", "[{\"a\":1},]", "[{\"a\":1}", ",]",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|all| all.concat())
}

/// One valid object, with prose before and behind it.
fn around_an_object() -> impl Strategy<Value = (String, String, String)> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i32>().prop_map(|n| n.to_string()),
        any::<String>().prop_map(|s| serde_json::to_string(&s).unwrap()),
    ];
    let value = leaf.prop_recursive(4, 24, 4, |inner| {
        let name = any::<String>();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|v| format!("[{}]", v.join(", "))),
            prop::collection::btree_map(name, inner, 0..4).prop_map(|members| {
                let all: Vec<String> = members
                    .iter()
                    .map(|(k, v)| format!("{} :{v}", serde_json::to_string(k).unwrap()))
                    .collect();
                format!("{{ {}}}", all.join(","))
            }),
        ]
    });
    let prose = "[^{}\\[]{0,20}";
    (prose, value.prop_map(|v| format!("{{\"k\":{v}}}")), prose)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// The second implementation gives the same result.
    #[test]
    fn as_the_rules_read(raw in pieces()) {
        let text = normalize_text(&raw);
        prop_assert_eq!(extract_json_block(&text), reference::extract(&text));
    }

    /// An extracted object stands in the text, has a canonical form, and is extracted from itself.
    #[test]
    fn what_comes_out_is_final(raw in pieces()) {
        let result = canonicalize(&raw);
        prop_assert_eq!(&canonicalize(&raw), &result);
        prop_assert_eq!(&normalize_text(&result.text), &result.text);
        prop_assert_eq!(canonicalize(&result.text).block, result.block.clone());
        let Ok(block) = result.block else {
            prop_assert_ne!(result.status(), Status::Ok);
            return Ok(());
        };
        prop_assert!(result.text.contains(&block.text));
        prop_assert!(is_canonical_json(block.canonical.as_bytes()));
        for text in [&block.text, &block.canonical] {
            let again = canonicalize(text).block.unwrap();
            prop_assert_eq!(&again.text, text);
            prop_assert_eq!(again.hash, block.hash);
            prop_assert_eq!(&again.value, &block.value);
        }
    }

    /// Prose around an object leaves it as it is.
    #[test]
    fn an_object_is_found_in_prose((before, object, behind) in around_an_object()) {
        let block = canonicalize(&format!("{before}{object}{behind}")).block.unwrap();
        let alone = canonicalize(&object).block.unwrap();
        prop_assert_eq!(&block.canonical, &alone.canonical);
        let value: serde_json::Value = serde_json::from_str(&alone.text).unwrap();
        prop_assert_eq!(value, block.value);
    }
}
