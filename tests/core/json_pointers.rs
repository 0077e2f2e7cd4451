//! JSON Pointers as paths (formats.md §4; RFC 6901), against `serde_json`'s `pointer`.

use axilog::json::extract::{MAX_POLICIES, NO_VALUE};
use axilog::json::number::decimal_to_q16;
use axilog_testkit::core::strict_json::extraction::{
    Wanted, embedded_pointers, extracted, pointers, reach_every_element, reference,
};
use axilog_testkit::core::strict_json::{Json, text};
use proptest::prelude::*;
use serde_json::Value;

use crate::cases::cases;

/// The values of `paths`, each found alone and all found together.
fn values(text: &str, paths: &[&str]) -> Vec<i32> {
    let mut all = Vec::new();
    for paths in paths.chunks(MAX_POLICIES) {
        let together = extracted(text, &Wanted(paths.iter().copied().map(Some).collect()));
        for (path, value) in paths.iter().zip(together) {
            let alone = extracted(text, &Wanted(vec![Some(path)]))[0];
            assert_eq!(value, alone, "{path} in {text}");
            all.push(value);
        }
    }
    all
}

fn value(text: &str, path: &str) -> i32 {
    values(text, &[path])[0]
}

/// The value as `serde_json` has it, its numbers as texts and its texts as null.
fn numbers_as_written(json: &Json) -> Value {
    match json {
        Json::Number(text) => Value::String(text.clone()),
        Json::Array(items) => items.iter().map(numbers_as_written).collect(),
        Json::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), numbers_as_written(value)))
            .collect(),
        Json::Null | Json::Bool(_) | Json::String(_) => Value::Null,
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Every value in a text is found by its pointer, and at its place only.
    #[test]
    fn pointers_lead_where_those_of_serde_json_lead(text in text()) {
        let Some(json) = Json::parse(&text) else {
            prop_assert_eq!(value(&text, "/a/a"), NO_VALUE);
            return Ok(());
        };
        let is_object = matches!(json, Json::Object(_));
        let other = numbers_as_written(&json);
        let pointers = pointers(&json);
        let paths: Vec<&str> = pointers.iter().map(String::as_str).collect();
        for (path, found) in paths.iter().zip(values(&text, &paths)) {
            let expected = match other.pointer(path).unwrap() {
                // The member in the other form is there too, so that neither counts.
                _ if other.pointer(&format!("{path}_q16")).is_some() => None,
                Value::String(number) if is_object => decimal_to_q16(number.as_bytes()),
                _ => None,
            };
            prop_assert_eq!(found, expected.unwrap_or(NO_VALUE), "{} in {}", path, text);
        }
    }

    #[test]
    fn any_pointers_lead_where_a_plain_search_leads(
        text in text(),
        paths in prop::collection::vec(
            prop::collection::vec(
                prop::sample::select(vec![
                    "a", "b", "value", "0", "1", "2", "", "é", "😀", "~1", "~0", "~01", "-", "01",
                    "a_q16", "\n", "\"", "\\", "~*", "~#", "~j",
                ]),
                1..5,
            ),
            1..=MAX_POLICIES,
        ),
        own in prop::collection::vec(any::<prop::sample::Index>(), 30),
    ) {
        let has_one_string = |steps: &Vec<&str>| steps.iter().filter(|step| **step == "~j").count() < 2;
        let paths = paths.iter().filter(|steps| has_one_string(steps));
        let mut paths: Vec<String> = paths.map(|steps| format!("/{}", steps.join("/"))).collect();
        let all = |json: Json| [pointers(&json), embedded_pointers(&json)].concat();
        if let Some(pointers) = Json::parse(&text).map(all).filter(|p| !p.is_empty()) {
            // Pointers of the text itself, or those and one step more; with every element of an array in
            // place of one, in each of its places or in the first alone.
            paths.truncate(MAX_POLICIES - own.len());
            for (number, own) in own.iter().enumerate() {
                let more = ["", "/~e2", "", "/a", "/0", "/~e-1", "/~#"][number % 7];
                let pointer = own.get(&pointers);
                let places = [0, 1, usize::MAX][number % 3];
                paths.push(format!("{}{more}", reach_every_element(pointer, places)));
            }
        }
        let wanted = Wanted(paths.iter().map(|path| Some(path.as_str())).collect());
        prop_assert_eq!(extracted(&text, &wanted), reference(&text, &wanted), "{} {:?}", text, paths);
    }
}

#[test]
fn table() {
    let text = r#"{"a":{"x":1,"y":{"z_q16":7,"0":2},"":3},"list":[4,[5,{"x":6}],"7",{}],
        "m~n":8,"a/b":{"~1":9},"x":10,"y_q16":11,"both":{"x":1,"x_q16":1}}"#;
    let natural = |units: i32| units * 65_536;
    for (path, expected) in [
        ("x", natural(10)),
        ("/x", natural(10)),
        ("/a/x", natural(1)),
        ("/a/y/z", 7),
        ("/a/y/0", natural(2)),
        ("/a/", natural(3)),
        ("/list/0", natural(4)),
        ("/list/1/0", natural(5)),
        ("/list/1/1/x", natural(6)),
        ("/m~0n", natural(8)),
        ("/a~1b/~01", natural(9)),
        ("/y", 11),
        // No number, or none in this place.
        ("a", NO_VALUE),
        ("/a", NO_VALUE),
        ("/list", NO_VALUE),
        ("/list/2", NO_VALUE),
        ("/list/3", NO_VALUE),
        ("/list/4", NO_VALUE),
        ("/list/-", NO_VALUE),
        ("/list/00", NO_VALUE),
        ("/list/0/0", NO_VALUE),
        ("/list/x", NO_VALUE),
        ("/list/1/x", NO_VALUE),
        ("/a/z", NO_VALUE),
        ("/a/y", NO_VALUE),
        ("/a/y/x", NO_VALUE),
        ("/a//x", NO_VALUE),
        ("/both/x", NO_VALUE),
        ("/", NO_VALUE),
        ("//", NO_VALUE),
        ("/x/", NO_VALUE),
        ("/m~n", NO_VALUE),
    ] {
        assert_eq!(value(text, path), expected, "{path}");
    }
}

/// `_q16` marks a raw member, never an element, and never a member on the way.
#[test]
fn raw_values_are_members() {
    assert_eq!(value(r#"{"a_q16":{"x":1}}"#, "/a/x"), NO_VALUE);
    assert_eq!(value(r#"{"a_q16":{"x":1}}"#, "/a_q16/x"), 65_536);
    assert_eq!(value(r#"{"a":{"x_q16":1.0}}"#, "/a/x"), NO_VALUE);
    assert_eq!(value(r#"{"a":[1],"a_q16":[2]}"#, "/a/0"), 65_536);
    assert_eq!(value(r#"{"a":{"x":1},"b":{"x_q16":2}}"#, "/a/x"), 65_536);
}

#[test]
fn only_an_object_has_values() {
    for text in ["[1]", "[[1]]", "[{\"0\":1}]", "1", "\"a\"", "[]"] {
        for path in ["/0", "/0/0", "0", "/"] {
            assert_eq!(value(text, path), NO_VALUE, "{path} in {text}");
        }
    }
}

#[test]
fn a_fault_anywhere_takes_every_value_away() {
    let paths = ["/a/0", "/b/x", "value"];
    let text = |tail: &str| format!("{{\"a\":[1],\"b\":{{\"x\":2}},\"value\":3{tail}");
    assert_eq!(values(&text("}"), &paths), [65_536, 131_072, 196_608]);
    for tail in [
        "",
        "}}",
        ",}",
        ",\"c\":[{\"d\":{\"e\":1,\"e\":1}}]}",
        ",\"a\":[1]}",
        ",\"c\":\"\\ud800\"}",
        ",\"c\":01}",
    ] {
        assert_eq!(values(&text(tail), &paths), [NO_VALUE; 3], "{tail}");
    }
}

#[test]
fn paths_reach_as_deep_as_answers_do() {
    for (open, close, step) in [
        ("[", "]", "/0"),
        ("{\"a\":", "}", "/a"),
        ("[{\"\":", "}]", "/0/"),
    ] {
        for depth in 0..40 {
            let text = format!("{{\"in\":{}1{}}}", open.repeat(depth), close.repeat(depth));
            let path = format!("/in{}", step.repeat(depth));
            let expected = if depth * close.len() < 32 {
                65_536
            } else {
                NO_VALUE
            };
            assert_eq!(value(&text, &path), expected, "{path}");
            assert_eq!(value(&text, &format!("{path}/0")), NO_VALUE);
        }
    }
    assert_eq!(value("{\"\":1}", &"/".repeat(192)), NO_VALUE);
}

/// A path goes on in a second or third pass over the names, and through long arrays.
#[test]
fn long_answers() {
    let members: Vec<String> = (0..1000)
        .map(|n| format!("\"k{n}\":{{\"x\":{n}}}"))
        .collect();
    let items: Vec<String> = (0..5000).map(|n| (n % 7).to_string()).collect();
    let text = format!("{{\"l\":[{}],{}}}", items.join(","), members.join(","));
    let paths: Vec<String> = (0..32)
        .flat_map(|n| [format!("/k{}/x", n * 31), format!("/l/{}", n * 156)])
        .collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let wanted = Wanted(paths.iter().copied().map(Some).collect());
    let expected = (0..32).flat_map(|n| [n * 31 * 65_536, n * 156 % 7 * 65_536]);
    assert!(extracted(&text, &wanted).into_iter().eq(expected));
}

/// Paths with a common beginning do not disturb one another, whatever their order.
#[test]
fn paths_side_by_side() {
    let text = r#"{"a":{"b":{"c":1,"d":2},"c":3,"e":[{"c":4},{"c":5}]},"b":{"c":6},"c":7}"#;
    let paths = [
        "/a/b/c", "/a/c", "c", "/b/c", "/a/e/1/c", "/a/b/d", "/a/e/0/c", "/b/d", "/a/e/2/c",
    ];
    let expected = [1, 3, 7, 6, 5, 2, 4].map(|units| units * 65_536);
    for turn in 0..paths.len() {
        let mut paths = paths;
        let mut expected: Vec<i32> = expected.iter().copied().chain([NO_VALUE; 2]).collect();
        paths.rotate_left(turn);
        expected.rotate_left(turn);
        assert_eq!(values(text, &paths), expected, "{paths:?}");
    }
}
