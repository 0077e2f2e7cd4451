//! What is refused for its spelling alone, in files and configurations.

use axilog_policyc::PolicySet;

use crate::{VELOCITY, entry, message};

#[test]
fn files_not_in_canonical_form() {
    let hint = "(`axilog policy fmt` writes it)";
    let end = format!("expected the end of the file after at most one line feed {hint}");
    let start = format!("expected `{{\"comparison\":\"G…` in the canonical form {hint}");
    let canonical = format!("in the canonical form {hint}");
    let with = |old: &str, new: &str| format!("[{}]", VELOCITY.replacen(old, new, 1));
    let two = |a: &str, b: &str| format!(r#"{{"{a}":[{VELOCITY}],"{b}":[]}}"#);
    for (file, expected) in [
        (
            format!("[{VELOCITY}]\n\n"),
            format!("2:1: found a line feed, {end}"),
        ),
        (
            format!("[{VELOCITY}]\r\n"),
            format!("1:92: found a carriage return, {end}"),
        ),
        (
            format!("[{VELOCITY}] "),
            format!("1:92: found a space, {end}"),
        ),
        (
            format!("[{VELOCITY}]\n "),
            format!("2:1: found a space, {end}"),
        ),
        (
            format!(" [{VELOCITY}]"),
            format!("1:1: found a space, expected `[{{\"comparison\":\"…` {canonical}"),
        ),
        (
            format!("[\n{VELOCITY}]"),
            format!("1:2: found a line feed, {start}"),
        ),
        (
            format!("[\r\n{VELOCITY}]"),
            format!("1:2: found a carriage return, {start}"),
        ),
        (
            format!("[\t{VELOCITY}]"),
            format!("1:2: found a tab, {start}"),
        ),
        (
            with(":", ": "),
            format!("1:16: found a space, expected `\"GT\",\"enabled\":t…` {canonical}"),
        ),
        (
            with("GT", "\\u0047T"),
            format!(
                "1:17: found `\\u0047T\",\"enable…`, expected `GT\",\"enabled\":tr…` {canonical}"
            ),
        ),
        (
            with("4587520", "-0"),
            format!("1:83: found `-0}}]`, expected `0}}]` {canonical}"),
        ),
        (
            with(
                r#""comparison":"GT","enabled":true"#,
                r#""enabled":true,"comparison":"GT""#,
            ),
            format!(
                "1:4: found `enabled\":true,\"c…`, expected `comparison\":\"GT\"…` {canonical}"
            ),
        ),
        (
            two("b", "a"),
            format!(
                "1:3: found `b\":[{{\"comparison…`, expected `a\":[],\"b\":[{{\"com…` {canonical}"
            ),
        ),
    ] {
        assert_eq!(message(PolicySet::parse(file.as_bytes())), expected);
        PolicySet::parse_lenient(file.as_bytes()).unwrap();
    }
    PolicySet::parse(two("a", "b").as_bytes()).unwrap();
}

#[test]
fn a_configuration() {
    let set = PolicySet::parse(format!("[{VELOCITY}]").as_bytes()).unwrap();
    let text = set.configuration(true, false);
    assert_eq!(
        text,
        format!(
            r#"{{"permit_truncated":true,"policies":{{"value":[{VELOCITY}]}},"stop_on_invalid":false}}"#
        )
    );
    let read = PolicySet::parse_configuration(text.as_bytes()).unwrap();
    assert_eq!(read.policies, set);
    assert!(read.permit_truncated && !read.stop_on_invalid);
    assert_eq!(read.to_canonical(), text);
}

#[test]
fn a_configuration_that_names_a_manifest() {
    let text = r#"{"manifest":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","permit_truncated":true,"policies":{},"stop_on_invalid":false}"#;
    let read = PolicySet::parse_configuration(text.as_bytes()).unwrap();
    assert_eq!(
        read.manifest.map(|hash| hash[..2].to_vec()),
        Some(vec![0x44, 0x13])
    );
    assert_eq!(read.to_canonical(), text);
    let expected = "expected 64 lower-case hexadecimal digits, the SHA-256 of the manifest";
    for (from, to) in [
        ("44136f", "44136F"),
        ("44136f", "44136"),
        ("44136f", "44136f0"),
        ("44136f", "44136g"),
    ] {
        let refused = message(PolicySet::parse_configuration(
            text.replacen(from, to, 1).as_bytes(),
        ));
        assert!(
            refused.starts_with("1:13: found the string") && refused.ends_with(expected),
            "{refused}"
        );
    }
    let null = text.replace(&text[12..78], "null");
    let refused = message(PolicySet::parse_configuration(null.as_bytes()));
    assert_eq!(refused, format!("1:13: found null, {expected}"));
    // Every member once, in the canonical order.
    let second = r#"{"permit_truncated":true,"manifest":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","policies":{},"stop_on_invalid":false}"#;
    assert!(message(PolicySet::parse_configuration(second.as_bytes())).contains("canonical form"));
}

#[test]
fn configurations_refused() {
    let set = PolicySet::parse(format!("[{VELOCITY}]").as_bytes()).unwrap();
    let text = set.configuration(true, false);
    let unsorted = format!("{},{}", entry("GT", "B", 0), entry("GT", "A", 0));
    let members = "expected a configuration: \
         an object of exactly permit_truncated, policies, stop_on_invalid";
    let canonical = "in the canonical form";
    for (file, expected) in [
        (
            format!("{text}\n"),
            "1:163: found a line feed, expected the end of the file".into(),
        ),
        (
            text.replace("GT", "UNKNOWN"),
            r#"1:61: found the string "UNKNOWN", expected one of "GT", "LT", "GE", "LE""#.into(),
        ),
        (
            text.replace(":{\"value", ": {\"value"),
            format!("1:37: found a space, expected `{{\"value\":[{{\"comp…` {canonical}"),
        ),
        (
            text.replace("value\":", "empty\":[],\"value\":"),
            format!(
                "1:39: found `empty\":[],\"value…`, expected `value\":[{{\"compar…` {canonical}"
            ),
        ),
        (
            text.replace(VELOCITY, &unsorted),
            format!(
                "1:94: found `B\",\"threshold\":0…`, expected `A\",\"threshold\":0…` {canonical}"
            ),
        ),
        (
            text.replace("\"stop_on_invalid\":false", "\"stop_on_invalid\":0"),
            "1:157: found the number 0, expected true or false".into(),
        ),
        (
            text.replace("{\"value\":", "").replace("]}", "]"),
            "1:37: found an array, expected an object from selector to an array of policies".into(),
        ),
        ("[]".into(), format!("1:1: found an array, {members}")),
        (
            "{}".into(),
            format!("1:1: found an object without \"permit_truncated\", {members}"),
        ),
    ] {
        assert_eq!(
            message(PolicySet::parse_configuration(file.as_bytes())),
            expected
        );
    }
}

/// A ledger made under limits that no file may hold must still replay.
#[test]
fn the_limits_of_a_configuration_are_not_judged() {
    let text = format!(
        r#"{{"permit_truncated":false,"policies":{{"elapsed":[{}],"value":[{},{}]}},"stop_on_invalid":false}}"#,
        entry("LE", "A", 2147483647),
        entry("GT", "B", 0),
        entry("LT", "C", 1)
    );
    let read = PolicySet::parse_configuration(text.as_bytes()).unwrap();
    assert_eq!(read.to_canonical(), text);
    let intervals: Vec<_> = read
        .policies
        .envelope()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(intervals, ["elapsed: nothing", "value: nothing"]);
    assert!(PolicySet::parse(read.policies.to_canonical().as_bytes()).is_err());
}
