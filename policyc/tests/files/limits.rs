//! Limits that no file may hold, and those at the edge of it.

use axilog_policyc::PolicySet;

use crate::{entry, refused};

fn file_of_one_policy(selector: &str, comparison: &str, threshold: i64) -> String {
    format!("{{\"{selector}\":[{}]}}", entry(comparison, "X", threshold))
}

#[test]
fn a_policy_that_every_value_breaches() {
    for (selector, comparison, threshold, at, min) in [
        ("value", "GT", -2147483648, 73, "-2147483647"),
        ("value", "GE", -2147483648, 73, "-2147483647"),
        ("value", "GE", -2147483647, 73, "-2147483647"),
        ("value", "LE", 2147483647, 73, "-2147483647"),
        ("elapsed", "GT", -1, 75, "0"),
        ("elapsed", "GE", 0, 75, "0"),
    ] {
        refused(
            file_of_one_policy(selector, comparison, threshold),
            &format!(
                "1:{at}: found policy \"X\", which every value of \"{selector}\" breaches \
                 ({comparison} {threshold}), \
                 expected a limit that some value from {min} to 2147483647 meets"
            ),
        );
    }
}

#[test]
fn limits_at_the_ends() {
    for (selector, comparison, threshold, min, max) in [
        ("value", "GT", -2147483647, -2147483647, -2147483647),
        ("value", "GE", -2147483646, -2147483647, -2147483647),
        ("value", "LT", 2147483647, i32::MAX, i32::MAX),
        ("value", "LE", 2147483646, i32::MAX, i32::MAX),
        ("value", "GT", 2147483647, -2147483647, i32::MAX),
        ("value", "GE", 2147483647, -2147483647, 2147483646),
        ("value", "LT", -2147483648, -2147483647, i32::MAX),
        ("value", "LE", -2147483648, -2147483647, i32::MAX),
        ("elapsed", "GT", 0, 0, 0),
        ("elapsed", "GE", 1, 0, 0),
        ("elapsed", "LT", 65536, 65536, i32::MAX),
        ("elapsed", "LE", -5, 0, i32::MAX),
    ] {
        let set = PolicySet::parse(file_of_one_policy(selector, comparison, threshold).as_bytes())
            .unwrap();
        let interval = &set.envelope()[0];
        assert_eq!(
            (interval.min, interval.max),
            (min, max),
            "{comparison} {threshold}"
        );
    }
}

#[test]
fn limits_in_conflict_are_both_named() {
    let file = format!(
        "[{},\n{},\n{},\n{}]",
        entry("GT", "HIGH", 20),
        entry("LT", "LOW", 5),
        entry("LE", "LOWER", 20),
        entry("GT", "LATER", 0),
    );
    refused(
        &file,
        "3:67: found no permitted value of \"value\": \
         policy \"LOWER\" wants at least 21 (0.0003204345703125) \
         and policy \"HIGH\" at most 20 (0.00030517578125), expected limits that some value meets",
    );
    // The later of the two is pointed at, whichever end it limits.
    let reversed = format!(
        "[{},\n{}]",
        entry("LE", "LOWER", 20),
        entry("GT", "HIGH", 20)
    );
    let error = PolicySet::parse_lenient(reversed.as_bytes()).unwrap_err();
    assert_eq!((error.line, error.column), (2, 66));
    // Of two that limit alike, the first in the file.
    let alike = [("LT", "LOW"), ("LT", "ALSO"), ("GE", "HIGH")].map(|(op, id)| entry(op, id, 9));
    let error = PolicySet::parse_lenient(format!("[{}]", alike.join(",\n")).as_bytes());
    assert!(
        error
            .unwrap_err()
            .reason
            .contains("\"LOW\" wants at least 9")
    );
}

#[test]
fn other_selectors_and_disabled_policies_are_no_conflict() {
    let file = format!(
        r#"{{"a":[{},{}],"b":[{}]}}"#,
        entry("GT", "A", 0),
        entry("LT", "B", 1).replace("true", "false"),
        entry("LT", "C", 1)
    );
    let set = PolicySet::parse(file.as_bytes()).unwrap();
    let intervals: Vec<_> = set.envelope().iter().map(ToString::to_string).collect();
    assert_eq!(
        intervals,
        [
            "a: -2147483647 … 0 (-32767.9999847412109375 … 0)",
            "b: 1 … 2147483647 (0.0000152587890625 … 32767.9999847412109375)"
        ]
    );
}

#[test]
fn limits_on_elapsed_above_32767_units() {
    let exact = 32767 * 65536;
    for comparison in ["GT", "GE", "LT", "LE"] {
        PolicySet::parse(file_of_one_policy("elapsed", comparison, exact).as_bytes()).unwrap();
        PolicySet::parse(file_of_one_policy("elapsed_s", comparison, exact + 1).as_bytes())
            .unwrap();
        for (threshold, amount) in [
            (exact + 1, "2147418113 (32767.0000152587890625)"),
            (2147483647, "2147483647 (32767.9999847412109375)"),
        ] {
            let file = file_of_one_policy("elapsed", comparison, threshold);
            let expected = format!(
                "found the limit {amount} on elapsed, \
                 expected at most 2147418112 (32767), since elapsed saturates above it"
            );
            refused(&file, &format!("1:75: {expected}"));
            // Enabling a policy must not make a file invalid by this rule.
            refused(file.replace("true", "false"), &format!("1:76: {expected}"));
        }
    }
}
