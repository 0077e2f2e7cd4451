//! Value extraction from an oracle's answer (formats.md §4), against `serde_json` and the vectors.

use axilog::json::extract::{MAX_POLICIES, NO_VALUE};
use axilog::json::number::decimal_to_q16;
use axilog_testkit::core::strict_json::extraction::{
    Wanted, extracted, extracted_raw, reference, selectors,
};
use axilog_testkit::core::strict_json::{mutated, text};
use proptest::prelude::*;
use serde_json::Value;

use crate::cases::cases;

fn value(text: &str) -> i32 {
    extracted(text, &Wanted(vec![Some("value")]))[0]
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn texts_give_the_values_of_the_reference(text in text()) {
        prop_assert_eq!(extracted(&text, &selectors()), reference(&text, &selectors()), "{}", text);
    }

    #[test]
    fn mutated_texts_give_the_values_of_the_reference(text in mutated()) {
        prop_assert_eq!(extracted(&text, &selectors()), reference(&text, &selectors()), "{}", text);
    }

    #[test]
    fn any_bytes_do_no_harm(
        bytes: Vec<u8>,
        near in prop::collection::vec(prop::sample::select(b"{}[]\"\\u00ad8,:1e-.tn \n".to_vec()), 0..80),
    ) {
        for bytes in [bytes, near] {
            extracted_raw(&bytes, &selectors());
            let text = String::from_utf8_lossy(&bytes);
            prop_assert_eq!(extracted(&text, &selectors()), reference(&text, &selectors()));
        }
    }
}

/// `count` members of an object with different names, beginning with the selector's.
fn members(count: usize) -> Vec<String> {
    let mut members = vec![String::from("\"value\":1")];
    members.extend((1..count).map(|number| format!("\"k{number}\":0")));
    members
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn a_repeated_name_is_found_anywhere(
        count in prop_oneof![2..20usize, 250..270usize, 500..530usize, 2..4000usize],
        one: prop::sample::Index,
        other: prop::sample::Index,
        nested in 0..3,
        spelling in 0..2,
    ) {
        let mut members = members(count);
        let (one, other) = (one.index(count), other.index(count));
        prop_assume!(one < other);
        let with = |members: &[String]| match nested {
            0 => format!("{{{}}}", members.join(",")),
            1 => format!("{{\"value\":1,\"in\":[0,{{{}}}],\"k1\":0,\"k3999\":0}}", members.join(",")),
            _ => {
                // Another object in the midst, with names of its own that are the same.
                let (before, after) = members.split_at(one + 1);
                let inner = before.join(",");
                format!("{{{inner},\"in\":{{{inner},\"in\":0}},{}}}", after.join(","))
            }
        };
        prop_assert_eq!(value(&with(&members)), 65536);
        let name = members[one].split(':').next().unwrap().replace('"', "");
        let spelled = match spelling {
            0 => name,
            _ => name.chars().map(|c| format!("\\u{:04x}", c as u32)).collect(),
        };
        members[other] = format!("\"{spelled}\":null");
        prop_assert_eq!(value(&with(&members)), NO_VALUE);
    }
}

#[test]
fn each_repetition_around_the_capacity_of_a_pass() {
    for other in [1, 2, 190, 191, 192, 193, 383, 384, 385, 599] {
        for one in (0..other).filter(|one| one % 50 == 0 || one % 192 > 189 || one % 192 < 2) {
            let mut members = members(600);
            members[other] = members[one].clone();
            assert_eq!(
                value(&format!("{{{}}}", members.join(","))),
                NO_VALUE,
                "{one} {other}"
            );
        }
    }
}

#[test]
fn the_same_name_in_different_objects_is_no_repetition() {
    assert_eq!(
        value(r#"{"value":1,"x":[{"value":1},{"value":2},{"x":{"x":{}}}]}"#),
        65536
    );
    let objects = ["{\"a\":{\"a\":0}}"; 2000].join(",");
    assert_eq!(value(&format!("{{\"a\":[{objects}],\"value\":1}}")), 65536);
    assert_eq!(
        value(&format!("{{\"a\":[{objects}],\"value\":1,\"a\":1}}")),
        NO_VALUE
    );
}

#[test]
fn nesting_ends_at_thirty_two() {
    for (open, close, core) in [
        ("[", "]", "0"),
        ("{\"a\":", "}", "0"),
        ("[{\"b\":", "}]", "{}"),
    ] {
        for depth in 0..70 {
            let text = format!(
                "{{\"value\":1,\"x\":{}{core}{}}}",
                open.repeat(depth),
                close.repeat(depth)
            );
            let nested = 1 + depth * close.len() + usize::from(core == "{}");
            assert_eq!(
                value(&text),
                if nested <= 32 { 65536 } else { NO_VALUE },
                "{text}"
            );
        }
    }
    assert_eq!(value(&"[".repeat(60_000)), NO_VALUE);
    assert_eq!(value(&"{\"a\":".repeat(3_000)), NO_VALUE);
}

#[test]
fn table() {
    for (text, expected) in [
        (r#"{"value":60.5}"#, 3_964_928),
        (
            " \r\n\t{ \"value\" :\n60.5 , \"x\":[ ] ,\"y\" : { } } \n",
            3_964_928,
        ),
        (r#"{"value":"60.5"}"#, NO_VALUE),
        (r#"{"value":null}"#, NO_VALUE),
        (r#"{"value":[1]}"#, NO_VALUE),
        (r#"{"value":{"value":1}}"#, NO_VALUE),
        (r#"{"x":{"value":1}}"#, NO_VALUE),
        (r#"[{"value":1}]"#, NO_VALUE),
        (r#"{"value_q16":5}"#, 5),
        (r#"{"value_q16":-2147483647}"#, -2_147_483_647),
        (r#"{"value_q16":5.0}"#, NO_VALUE),
        (r#"{"value_q16":-2147483648}"#, NO_VALUE),
        (r#"{"value_q16":5,"value":1}"#, NO_VALUE),
        (r#"{"value":1,"value_q16":null}"#, NO_VALUE),
        (r#"{"value":null,"value_q16":5}"#, NO_VALUE),
        (r#"{"value":1,"value":1}"#, NO_VALUE),
        (r#"{"value":1,"val\u0075e":1}"#, NO_VALUE),
        (
            r#"{"val\u0075e":1,"values":2,"valu":3,"value_q1":4,"value_q166":5}"#,
            65536,
        ),
        (r#"{"value":1,"😀":0,"\ud83d\ude00":0}"#, NO_VALUE),
        (r#"{"value":1,"😀":0,"\ud83d\ude01":0}"#, 65536),
        (r#"{"value":1,"x":"\ud800"}"#, NO_VALUE),
        (r#"{"value":1,"\udc00":0}"#, NO_VALUE),
        (r#"{"value":1,"x":"\ud800\ud800"}"#, NO_VALUE),
        (r#"{"value":1,"x":"\ud800x"}"#, NO_VALUE),
        (r#"{"value":1,"x":"\ud800\udc00\/\u0000"}"#, 65536),
        ("{\"value\":1,\"x\":\"\n\"}", NO_VALUE),
        ("{\"value\":1,\"x\":\"\u{7f}\"}", 65536),
        (r#"{"value":1,}"#, NO_VALUE),
        (r#"{"value":1}x"#, NO_VALUE),
        (r#"{"value":1}{}"#, NO_VALUE),
        (r#"{"value":1"#, NO_VALUE),
        (r#"{"value":01}"#, NO_VALUE),
        (r#"{"value":1,"x":tru}"#, NO_VALUE),
        ("\u{feff}{\"value\":1}", NO_VALUE),
        ("I would go at 60.", NO_VALUE),
        ("", NO_VALUE),
    ] {
        assert_eq!(value(text), expected, "{text}");
        assert_eq!(
            reference(text, &Wanted(vec![Some("value")]))[0],
            expected,
            "{text}"
        );
    }
}

#[test]
fn one_selectors_fault_is_no_others() {
    let wanted = Wanted(vec![
        Some("a"),
        Some("b"),
        None,
        Some("a"),
        Some("c"),
        Some("d"),
    ]);
    let values = extracted(r#"{"a":1,"b":"x","c":40000,"d_q16":9}"#, &wanted);
    assert_eq!(values[..6], [65536, NO_VALUE, NO_VALUE, 65536, NO_VALUE, 9]);
    assert!(values[6..].iter().all(|&value| value == NO_VALUE));
    let many = Wanted(vec![Some("a"); MAX_POLICIES + 10]);
    assert_eq!(extracted(r#"{"a":1}"#, &many), [65536; MAX_POLICIES]);
    assert_eq!(
        extracted(r#"{"a":1}"#, &Wanted(vec![])),
        [NO_VALUE; MAX_POLICIES]
    );
}

#[test]
fn a_long_answer_is_read_whole() {
    for length in (0..700).chain([16_384, 65_000]) {
        let prose = "x".repeat(length);
        assert_eq!(
            value(&format!("{{\"why\":\"{prose}\",\"value\":2}}")),
            131_072
        );
        assert_eq!(
            value(&format!("{{\"value\":2,\"why\":\"{prose}\u{1}\"}}")),
            NO_VALUE
        );
        assert_eq!(
            value(&format!("{{\"value\":2,\"why\":\"{prose}\\n\"\"}}")),
            NO_VALUE
        );
    }
}

#[test]
fn the_vectors_decimals() {
    let vectors: Value = serde_json::from_str(include_str!("../vectors/q16.json")).unwrap();
    let decimals = vectors["decimal"].as_array().unwrap();
    assert!(decimals.len() > 20);
    for case in decimals {
        let expected = case[1].as_i64().map(|value| i32::try_from(value).unwrap());
        assert_eq!(
            decimal_to_q16(case[0].as_str().unwrap().as_bytes()),
            expected,
            "{case}"
        );
    }
}

/// Every complete answer of the agent vectors, as it stands in its record.
#[test]
fn the_vectors_answers() {
    let scenarios: Value = serde_json::from_str(include_str!("../vectors/agent.json")).unwrap();
    let mut compared = 0;
    // `tests/vectors.rs` says why these wait.
    let waits = |v: &&Value| {
        ["pointers", "camel-case", "per-oracle"].contains(&v["name"].as_str().unwrap())
    };
    for scenario in scenarios.as_array().unwrap().iter().filter(|v| !waits(v)) {
        for step in scenario["steps"].as_array().unwrap() {
            let records = step["records"].as_array().unwrap();
            let text = |record: &Value| String::from(record[1].as_str().unwrap());
            let Some(observation) = records.iter().find(|r| r[0] == "AX:OBS:v1").map(text) else {
                continue;
            };
            if step["oracle_id"] == "ax.time" || !observation.contains("\"COMPLETE\"") {
                continue;
            }
            let (_, output) = observation.split_once("\"output\":\"").unwrap();
            let (output, _) = output.split_once("\",\"output_size\"").unwrap();
            for record in records.iter().filter(|r| r[0] == "AX:POLICY:v1").map(text) {
                let record: Value = serde_json::from_str(&record).unwrap();
                let policies = scenario["policies"].as_array().unwrap();
                let policy = policies
                    .iter()
                    .find(|p| p["policy_id"] == record["policy_id"]);
                let selector = String::from(policy.unwrap()["selector"].as_str().unwrap());
                let wanted = Wanted(vec![Some(selector.leak())]);
                let actual = extracted_raw(output.as_bytes(), &wanted)[0];
                assert_eq!(
                    i64::from(actual),
                    record["actual"].as_i64().unwrap(),
                    "{output}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "{compared}");
}
