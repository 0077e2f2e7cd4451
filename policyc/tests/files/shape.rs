//! What a policy file holds, and JSON that is something else.

use axilog_policyc::{ComparisonOperator, MAX_POLICIES, PolicyEntry, PolicySet};

use crate::{VELOCITY, entry, refused};

#[test]
fn the_example_of_the_specification() {
    let set = PolicySet::parse(format!("[{VELOCITY}]\n").as_bytes()).unwrap();
    let expected = PolicyEntry {
        policy_id: "POL-001-MAX-VELOCITY".into(),
        selector: "value".into(),
        comparison: ComparisonOperator::Gt,
        threshold: 4_587_520,
        enabled: true,
    };
    assert_eq!(set.policies(), [expected]);
    assert_eq!(set.to_canonical(), format!("[{VELOCITY}]"));
    assert_eq!(
        set.envelope()[0].to_string(),
        "value: -2147483647 … 4587520 (-32767.9999847412109375 … 70)"
    );
}

#[test]
fn operators_and_their_numbers() {
    for (number, name) in ["GT", "LT", "GE", "LE"].into_iter().enumerate() {
        let set = PolicySet::parse(format!("[{}]", entry(name, "X", 0)).as_bytes()).unwrap();
        let comparison = set.policies()[0].comparison;
        assert_eq!((comparison as usize, comparison.name()), (number, name));
    }
}

#[test]
fn selectors_are_flattened_and_sorted() {
    let (a, b, c) = (
        entry("GT", "A", 1),
        entry("LT", "B", 2),
        entry("GT", "C", 3),
    );
    let file = format!(r#"{{"speed":[{c},{a}],"value":[{b}]}}"#);
    let set = PolicySet::parse(file.as_bytes()).unwrap();
    let names: Vec<_> = set
        .policies()
        .iter()
        .map(|p| (p.policy_id.as_str(), p.selector.as_str()))
        .collect();
    assert_eq!(names, [("A", "speed"), ("B", "value"), ("C", "speed")]);
    assert_eq!(
        set.to_canonical(),
        format!(r#"{{"speed":[{a},{c}],"value":[{b}]}}"#)
    );
    let envelope: Vec<_> = set.envelope().iter().map(|i| (i.min, i.max)).collect();
    assert_eq!(envelope, [(-2147483647, 1), (2, i32::MAX)]);
}

#[test]
fn files_without_policies() {
    for file in ["[]", "{}", "[]\n", r#"{"speed":[]}"#] {
        let set = PolicySet::parse(file.as_bytes()).unwrap();
        assert_eq!(set, PolicySet::default());
        assert_eq!(set.to_canonical(), "[]");
        assert!(set.envelope().is_empty());
    }
}

#[test]
fn the_object_form_of_the_selector_value_becomes_the_array() {
    let set = PolicySet::parse(format!(r#"{{"value":[{VELOCITY}]}}"#).as_bytes()).unwrap();
    assert_eq!(set.to_canonical(), format!("[{VELOCITY}]"));
}

#[test]
fn json_that_is_no_policy_file() {
    let exactly =
        "expected a policy: an object of exactly comparison, enabled, policy_id, threshold";
    let root = "expected an array of policies, or an object from selector to such an array";
    let with = |old: &str, new: &str| format!("[{}]", VELOCITY.replace(old, new));
    let without_threshold = with(r#","threshold":4587520"#, "");
    let another = with("4587520", r#"4587520,"unit":"m""#);
    for (file, expected) in [
        ("7".into(), format!("1:1: found the number 7, {root}")),
        ("null".into(), format!("1:1: found null, {root}")),
        (
            r#"{"speed":{}}"#.into(),
            "1:10: found an object, expected an array of policies".into(),
        ),
        ("[[]]".into(), format!("1:2: found an array, {exactly}")),
        (
            r#"["a"]"#.into(),
            format!("1:2: found the string \"a\", {exactly}"),
        ),
        (
            "[{}]".into(),
            format!("1:2: found an object without \"comparison\", {exactly}"),
        ),
        (
            without_threshold,
            format!("1:2: found an object without \"threshold\", {exactly}"),
        ),
        (
            with("threshold", "treshold"),
            format!("1:71: found the member \"treshold\", {exactly}"),
        ),
        (
            another,
            format!("1:91: found the member \"unit\", {exactly}"),
        ),
    ] {
        refused(file, &expected);
    }
}

#[test]
fn members_of_another_kind() {
    let integer = "expected an integer from -2147483648 to 2147483647, the raw Q16.16 value";
    let operators = r#"expected one of "GT", "LT", "GE", "LE""#;
    let nines = "9".repeat(100);
    for (old, new, expected) in [
        (
            "GT",
            "NE",
            format!("1:16: found the string \"NE\", {operators}"),
        ),
        (
            "GT",
            "gt",
            format!("1:16: found the string \"gt\", {operators}"),
        ),
        (
            "\"GT\"",
            "0",
            format!("1:16: found the number 0, {operators}"),
        ),
        (
            "true",
            "1",
            "1:31: found the number 1, expected true or false".into(),
        ),
        (
            "true",
            "null",
            "1:31: found null, expected true or false".into(),
        ),
        (
            "\"POL-001-MAX-VELOCITY\"",
            "1",
            "1:48: found the number 1, expected a string".into(),
        ),
        (
            "4587520",
            "70.5",
            format!("1:83: found the number 70.5, {integer}"),
        ),
        (
            "4587520",
            "1e3",
            format!("1:83: found the number 1e3, {integer}"),
        ),
        (
            "4587520",
            "\"70\"",
            format!("1:83: found the string \"70\", {integer}"),
        ),
        (
            "4587520",
            "2147483648",
            format!("1:83: found the number 2147483648, {integer}"),
        ),
        (
            "4587520",
            "-2147483649",
            format!("1:83: found the number -2147483649, {integer}"),
        ),
        (
            "4587520",
            &nines,
            format!("1:83: found the number {}…, {integer}", &nines[..70]),
        ),
    ] {
        refused(format!("[{}]", VELOCITY.replace(old, new)), &expected);
    }
}

#[test]
fn ids() {
    let file = |id: &str| format!("[{}]", entry("GT", id, 0));
    let allowed = "expected 1 to 64 characters of A-Z a-z 0-9 - _ .";
    let long = "x".repeat(65);
    for (id, shown) in [
        ("", ""),
        ("a b", "a b"),
        ("é", "é"),
        (r"a\u0000", r"a\0"),
        (&long, &long),
    ] {
        refused(
            file(id),
            &format!("1:48: found the policy_id \"{shown}\", {allowed}"),
        );
    }
    for id in ["a", "A-z_0.9", &"x".repeat(64)] {
        let set = PolicySet::parse(file(id).as_bytes()).unwrap();
        assert_eq!(set.policies()[0].policy_id, id);
    }
}

#[test]
fn ids_are_unique_over_the_file() {
    refused(
        format!(
            "{{\"a\":[{}],\n\"b\":[{}]}}",
            entry("GT", "X", 1),
            entry("LT", "X", 0)
        ),
        "2:52: found the policy_id \"X\" a second time (first at 1:53), \
         expected every policy_id once in a file",
    );
}

#[test]
fn at_most_64_policies() {
    let file = |count: usize| {
        let entries: Vec<_> = (0..count)
            .map(|n| entry("GT", &format!("P{n}"), 0))
            .collect();
        format!("[{}]", entries.join(",\n"))
    };
    let full = PolicySet::parse_lenient(file(MAX_POLICIES).as_bytes()).unwrap();
    assert_eq!(full.policies().len(), 64);
    refused(
        file(65),
        "65:1: found policy number 65, expected at most 64 policies in a file",
    );
}
