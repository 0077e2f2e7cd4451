//! Selectors in policy files: `[oracle#]path`.

use axilog_policyc::{LedgerConfiguration, PolicySet};

use super::{VELOCITY, entry, message, refused};

/// The file of one policy on `selector`, as it stands in JSON.
fn file(selector: &str) -> String {
    format!("{{\"{selector}\":[{VELOCITY}]}}")
}

#[test]
fn what_is_a_selector() {
    for good in [
        "a",
        "A",
        "_",
        "maxSpeed",
        "a-b",
        "q16",
        "a_q16_",
        "elapsed_s",
        "Elapsed",
        "/",
        "//",
        "/a/0",
        "/a b",
        "/é",
        "/~0~1",
        "/~01",
        "/a#b",
        "/a_q16/b",
        "/elapsed",
        "llm-1#value",
        "a b#/x/0",
        "a/b#c",
        "Modèle#x",
        "a#/b#c",
        "elapsed#value",
        "/~*",
        "/a/~*/~*/~#",
        "llm#/a/~*/~e-9",
        "/a/~e0",
        "/~0*",
        "/a/~j",
        "/a/~*/~j/~*/b/~#",
        "x#/a/~j/~e-2",
        "/~0j",
    ] {
        let set = PolicySet::parse(file(good).as_bytes()).unwrap();
        assert_eq!(set.policies()[0].selector, good);
        assert_eq!(set.to_canonical(), file(good));
    }
}

#[test]
fn what_is_none() {
    let name = "a name (a letter or _, then characters of A-Z a-z 0-9 _ -) or a pointer, which begins \
                with /";
    let pointer = "a pointer in which ~ is written ~0 and / within a name ~1, or a step ~* (every \
                   element), ~j (the JSON in a string) or, at the end, ~# (the number of elements) or ~e-9 to \
                   ~e9 (scale)";
    let count = "~# as the last step only, since a number has nothing inside";
    let every = "at most two steps ~*";
    let embedded = "at most one step ~j, since a string in the JSON of a string is text";
    let scale = "in front of the step ~eN a pointer to a number that is no count";
    let oracle = "in front of the # an oracle_id: at least one character, none of them a control \
                  character, in NFC";
    let raw = "a path not ending in _q16";
    let time = "elapsed without an oracle, since time is no oracle's answer";
    for (bad, expected) in [
        ("", name),
        ("9a", name),
        ("-a", name),
        ("a.b", name),
        ("é", name),
        ("aé", name),
        ("a b", name),
        ("a/b", name),
        ("a~0", name),
        ("llm#", name),
        ("llm#1", name),
        ("a#b#c", name),
        ("speed_q16", raw),
        ("_q16", raw),
        ("/a/b_q16", raw),
        ("/_q16", raw),
        ("llm#b_q16", raw),
        ("/~", pointer),
        ("/~2", pointer),
        ("/a~/b", pointer),
        ("llm#/~~0", pointer),
        ("/~**", pointer),
        ("/a/~e10", pointer),
        ("/a/~e-0", pointer),
        ("/a/~e+1", pointer),
        ("/a/~e3/b", pointer),
        ("/~#/a", count),
        ("/~#/~#", count),
        ("/~*/~*/~*", every),
        ("/a/~j/~j", embedded),
        ("/~jx", pointer),
        ("/a/~#/~j", count),
        ("a~j", name),
        ("/a/~#/~e3", scale),
        ("/~e3", scale),
        ("a/~e3", scale),
        ("/a_q16/~e3", raw),
        ("#a", oracle),
        ("#", oracle),
        ("##a", oracle),
        ("e\u{301}#a", oracle),
        ("llm#elapsed", time),
        ("ax.time#elapsed", time),
    ] {
        let shown: String = bad.chars().flat_map(char::escape_debug).collect();
        let expected = format!("1:2: found the selector \"{shown}\", expected {expected}");
        refused(file(bad), &expected);
        refused(format!("{{\"{bad}\":[]}}"), &expected);
    }
    let control = "1:2: found the selector \"a\\nb#c\", expected in front of";
    let error = PolicySet::parse(file("a\\nb#c").as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with(control), "{error}");
    refused(
        file("/\\u0000"),
        "1:2: found the selector \"/\\0\", expected no U+0000, which a C string cannot hold",
    );
}

#[test]
fn at_most_192_bytes() {
    for (begin, more) in [("a", "a"), ("/", "/"), ("o#", "a"), ("/", "é")] {
        let text =
            |bytes: usize| format!("{begin}{}", more.repeat((bytes - begin.len()) / more.len()));
        assert!(PolicySet::parse(file(&text(192)).as_bytes()).is_ok());
        let error = PolicySet::parse(file(&text(194)).as_bytes()).unwrap_err();
        assert!(
            error.reason.ends_with("expected at most 192 bytes"),
            "{error}"
        );
    }
}

/// Selectors are strings of canonical JSON: escaped as RFC 8785 does, in the order of UTF-16, in which
/// U+10000 is below U+FF21.
#[test]
fn the_canonical_form_of_selectors() {
    let selectors = [
        "/\\b\\t\\n\\f\\r\\u0001\\u001f",
        "/\\\"\\\\",
        "/\u{10000}",
        "/\u{ff21}",
        "B",
        "a\\\"b#value",
        "value",
    ];
    let member = |(n, selector): (usize, &&str)| {
        format!("\"{selector}\":[{}]", entry("GT", &format!("P{n}"), 0))
    };
    let members: Vec<String> = selectors.iter().enumerate().map(member).collect();
    let canonical = format!("{{{}}}", members.join(","));
    let set = PolicySet::parse(canonical.as_bytes()).unwrap();
    assert_eq!(set.to_canonical(), canonical);
    assert_eq!(set.policies()[4].selector, "B");
    assert_eq!(set.policies()[0].selector, "/\u{8}\t\n\u{c}\r\u{1}\u{1f}");
    let intervals: Vec<String> = set.envelope().into_iter().map(|i| i.selector).collect();
    let read: Vec<&str> = set.policies().iter().map(|p| p.selector.as_str()).collect();
    assert_eq!(intervals, read);
    assert!(
        set.envelope()[0]
            .to_string()
            .starts_with("/\\u{8}\\t\\n\\u{c}\\r\\u{1}\\u{1f}: ")
    );

    let configuration = set.configuration(true, false);
    assert!(configuration.contains(&format!("\"policies\":{canonical},")));
    assert_eq!(
        PolicySet::parse_configuration(configuration.as_bytes()),
        Ok(LedgerConfiguration {
            manifest: None,
            policies: set.clone(),
            permit_truncated: true,
            stop_on_invalid: false,
        })
    );
    // Another order, or another spelling, is read and not canonical.
    let mut turned = members.clone();
    turned.swap(2, 3);
    let turned = format!("{{{}}}", turned.join(","));
    for other in [
        turned,
        canonical.replace("/\\b", "/\\u0008"),
        canonical.replace("value", "v\\u0061lue"),
    ] {
        assert!(PolicySet::parse(other.as_bytes()).is_err(), "{other}");
        assert_eq!(
            PolicySet::parse_lenient(other.as_bytes()).as_ref(),
            Ok(&set)
        );
    }
}

/// Limits are judged per selector as it is written.
/// Ids that differ within a character: by its last byte, and by its bytes' order against its UTF-16 units'.
#[test]
fn selectors_out_of_order_are_refused_wherever_they_differ() {
    for (first, second) in [
        ("\u{cf611}", "\u{cf613}"),
        ("\u{e4}", "\u{e5}"),
        ("\u{1f600}", "\u{ff5e}"),
    ] {
        let member = |name: &str, id: &str| format!("\"{name}#value\":[{}]", entry("GT", id, 0));
        let (low, high) = (member(first, "A"), member(second, "B"));
        let ordered = format!("{{{low},{high}}}");
        assert_eq!(
            PolicySet::parse(ordered.as_bytes()).unwrap().to_canonical(),
            ordered
        );
        let swapped = format!("{{{high},{low}}}");
        let set = PolicySet::parse_lenient(swapped.as_bytes()).unwrap();
        assert_eq!(set.to_canonical(), ordered);
        let error = message(PolicySet::parse(swapped.as_bytes()));
        assert!(error.contains("in the canonical form"), "{error}");
        let configuration = set.configuration(false, false);
        assert!(PolicySet::parse_configuration(configuration.as_bytes()).is_ok());
        let swapped = configuration.replace(&ordered, &swapped);
        let error = message(PolicySet::parse_configuration(swapped.as_bytes()));
        assert!(error.contains("in the canonical form"), "{error}");
    }
}

#[test]
fn a_selector_has_limits_of_its_own() {
    let text = |one: &str, other: &str| {
        format!(
            "{{\"{one}\":[{}],\"{other}\":[{}]}}",
            entry("GT", "A", 0),
            entry("LE", "B", 5)
        )
    };
    for (one, other) in [("a#v", "b#v"), ("/v", "a#v"), ("/v", "v"), ("/v/0", "/v/1")] {
        let set = PolicySet::parse(text(one, other).as_bytes()).unwrap();
        assert_eq!(set.envelope().len(), 2);
    }
    let both = format!(
        "{{\"a#/v\":[{},{}]}}",
        entry("GT", "A", 0),
        entry("LE", "B", 5)
    );
    let error = PolicySet::parse(both.as_bytes()).unwrap_err();
    assert!(
        error
            .reason
            .starts_with("found no permitted value of \"a#/v\""),
        "{error}"
    );
    // A pointer to a member of that name is no time.
    let long = format!(
        "{{\"/elapsed\":[{}]}}",
        entry("GT", "A", i64::from(i32::MAX))
    );
    assert!(PolicySet::parse(long.as_bytes()).is_ok());
}
