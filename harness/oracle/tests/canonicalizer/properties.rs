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

/// A valid object.
fn object() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i32>().prop_map(|n| n.to_string()),
        any::<String>().prop_map(|s| serde_json::to_string(&s).unwrap()),
        Just("\"{\\\"a\\\":1} ] } [ { \"".to_owned()),
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
    value.prop_map(|v| format!("{{\"k\":{v}}}"))
}

/// Prose without structure.
const PROSE: &str = "[^{}\\[\\]]{0,20}";

/// How one character of a text is damaged, or its end cut off.
#[derive(Clone, Debug)]
enum Damage {
    Changed(char),
    Dropped,
    Inserted(char),
    Truncated,
}

fn damage() -> impl Strategy<Value = Damage> {
    let character = || {
        prop_oneof![
            8 => prop::sample::select(vec!['{', '}', '[', ']', '"', '\'', ',', ':', '\\', '/', '\n', ' ', '1']),
            1 => any::<char>(),
        ]
    };
    prop_oneof![
        character().prop_map(Damage::Changed),
        Just(Damage::Dropped),
        character().prop_map(Damage::Inserted),
        Just(Damage::Truncated),
    ]
}

/// Damages `text` at the character that contains the byte `at`.
fn apply_damage(text: &str, at: usize, damage: &Damage) -> String {
    let at = text.floor_char_boundary(at);
    let (before, rest) = text.split_at(at);
    let mut others = rest.chars();
    others.next();
    match damage {
        Damage::Changed(c) => format!("{before}{c}{}", others.as_str()),
        Damage::Dropped => format!("{before}{}", others.as_str()),
        Damage::Inserted(c) => format!("{before}{c}{rest}"),
        Damage::Truncated => before.to_owned(),
    }
}

/// The number of cases of the properties about damage.
fn damage_cases() -> u32 {
    match std::env::var_os("AXILOG_WIDE") {
        Some(_) => 1_000_000,
        None => 10_000,
    }
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
    fn an_object_is_found_in_prose(before in PROSE, object in object(), behind in PROSE) {
        let block = canonicalize(&format!("{before}{object}{behind}")).block.unwrap();
        let alone = canonicalize(&object).block.unwrap();
        prop_assert_eq!(&block.canonical, &alone.canonical);
        let value: serde_json::Value = serde_json::from_str(&alone.text).unwrap();
        prop_assert_eq!(value, block.value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(damage_cases()))]

    /// What comes out of a damaged text is no part of its object: it holds all of the object but the damaged character,
    /// or nothing comes out.
    #[test]
    fn no_part_of_a_damaged_object_comes_out(
        before in PROSE,
        object in object(),
        behind in PROSE,
        place in any::<prop::sample::Index>(),
        damage in damage(),
    ) {
        let text = format!("{before}{object}{behind}");
        let damaged = apply_damage(&text, place.index(text.len()), &damage);
        if let Ok(block) = canonicalize(&damaged).block {
            // At most one character was dropped, of at most four bytes.
            let is_part = object.contains(&block.text) && block.text != object;
            prop_assert!(!is_part, "{damaged}");
            prop_assert!(block.text.len() + 4 >= object.len(), "{damaged}");
        }
    }
}
