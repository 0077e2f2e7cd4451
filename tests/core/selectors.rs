//! Selectors: their grammar, and the policies that judge an answer (formats.md §4, Policy files and
//! Extracting the value; decision D29).

use axilog::admission::{Answer, Limits};
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass};
use axilog::agent::stimulus::Input;
use axilog::evidence::policy::PolicyRecord;
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::policy::{
    Comparison, MAX_SELECTOR_BYTES, Policy, Registry, Rules, Selector, is_valid_selector,
};
use axilog::profile::Profile;
use axilog::replay::{Replay, Verdict};
use axilog_policyc::PolicySet;
use axilog_testkit::core::ledger::{
    Store, answer, chained, feed, genesis, policy, record_under, reserved,
};
use proptest::prelude::*;

use crate::cases::cases;

#[test]
fn names() {
    for byte in 0..=255u8 {
        let begins = byte.is_ascii_alphabetic() || byte == b'_';
        let inside = byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        assert_eq!(is_valid_selector(&[byte]), begins || byte == b'/', "{byte}");
        assert_eq!(is_valid_selector(&[b'a', byte]), inside, "{byte}");
        assert_eq!(
            is_valid_selector(&[b'A', byte, b'z']),
            inside || byte == b'#',
            "{byte}"
        );
    }
    for good in [
        "speedq16", "a_q16_", "_", "maxSpeed", "Elapsed", "x-y-", "q16",
    ] {
        assert!(is_valid_selector(good.as_bytes()), "{good}");
    }
    for bad in [
        "",
        "speed_q16",
        "_q16",
        "a b",
        "1a",
        "-a",
        "a.b",
        "a/b",
        "é",
        "a~0",
    ] {
        assert!(!is_valid_selector(bad.as_bytes()), "{bad}");
    }
}

#[test]
fn pointers() {
    for good in [
        "/",
        "//",
        "/a",
        "/a/0",
        "/0",
        "/a b",
        "/é/😀",
        "/~0~1",
        "/~01",
        "/a#b",
        "/#",
        "/a_q16/b",
        "/\u{1}",
        "/\"\\",
        "/elapsed",
        "/-",
        "/01",
        "/e\u{301}",
    ] {
        assert!(is_valid_selector(good.as_bytes()), "{good}");
    }
    for bad in [
        "/~", "/~2", "/~~0", "/a~", "/~/a", "/a_q16", "/_q16", "/a/b_q16", "/\0", "/a\0b",
    ] {
        assert!(!is_valid_selector(bad.as_bytes()), "{bad}");
    }
    assert!(!is_valid_selector(b"/\xff") && !is_valid_selector(b"\xc3#a"));
}

#[test]
fn oracles() {
    for (good, oracle, path) in [
        ("llm-1#value", "llm-1", "value"),
        ("tool.transfer#/amount", "tool.transfer", "/amount"),
        ("a/b#c", "a/b", "c"),
        ("a#/b#c", "a", "/b#c"),
        ("Modèle 1#x", "Modèle 1", "x"),
        ("\"\\#x", "\"\\", "x"),
        ("a#/elapsed", "a", "/elapsed"),
        ("elapsed#value", "elapsed", "value"),
        ("a_q16#b", "a_q16", "b"),
    ] {
        assert!(is_valid_selector(good.as_bytes()), "{good}");
        let oracle = Some(oracle);
        assert_eq!(Selector::split(good), Selector { oracle, path });
    }
    for path in ["value", "/a#b", "/#", ""] {
        assert_eq!(Selector::split(path), Selector { oracle: None, path });
    }
    for bad in [
        "#",
        "#a",
        "a#",
        "##a",
        "a##b",
        "a#b#c",
        "a#1",
        "a#b_q16",
        "a\n#b",
        "a\0#b",
        "e\u{301}#b",
        // Time has no oracle.
        "a#elapsed",
        "ax.time#elapsed",
    ] {
        assert!(!is_valid_selector(bad.as_bytes()), "{bad}");
    }
}

#[test]
fn lengths() {
    assert_eq!(MAX_SELECTOR_BYTES, 192);
    for (begin, more) in [
        ("a", "a"),
        ("/", "a"),
        ("/", "/"),
        ("a#", "a"),
        ("a#/", "é"),
    ] {
        let count = (192 - begin.len()) / more.len();
        let text = |count| format!("{begin}{}", more.repeat(count));
        assert!(is_valid_selector(text(count).as_bytes()), "{begin}{more}");
        assert!(
            !is_valid_selector(text(count + 1).as_bytes()),
            "{begin}{more}"
        );
    }
    let long = format!("{}#a", "o".repeat(190));
    assert!(
        is_valid_selector(long.as_bytes()) && !is_valid_selector(format!("o{long}").as_bytes())
    );
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// The library and the compiler accept the same selectors.
    #[test]
    fn the_compiler_accepts_the_same(
        text in prop_oneof![
            "([a-z.#/~01 é\u{301}\n_-]{0,3}#)?[a-zA-Z0-9#/~ é\u{301}\u{0}\n_-]{0,6}(_q16|elapsed)?",
            "([a-z]{1,8}#)?(/([a-z~/]|~0|~1){0,6}|[a-zA-Z_][a-z0-9_-]{0,8})",
            "([a-z]#)?(/([a-b]|~[*#01j]){0,2}){1,5}(/~e-?[0-9]{0,2})?",
            "[a/é]{180,200}",
            any::<String>(),
        ],
    ) {
        let entry = r#"{"comparison":"GT","enabled":true,"policy_id":"A","threshold":0}"#;
        let file = format!("{{{}:[{entry}]}}", serde_json::Value::from(text.as_str()));
        let compiled = PolicySet::parse_lenient(file.as_bytes());
        prop_assert_eq!(is_valid_selector(text.as_bytes()), compiled.is_ok(), "{:?}", compiled);
    }
}

fn on<'a>(id: &'a str, selector: &'a str) -> Policy<'a> {
    Policy {
        selector,
        ..policy(id, Comparison::Gt, 10 * 65_536)
    }
}

fn from<'a>(oracle: &'a str, output: &'a str) -> Answer<'a> {
    Answer {
        oracle_id: oracle.as_bytes(),
        ..answer(output.as_bytes())
    }
}

/// The ids and values of the policy records in `records`.
fn judged(records: &[axilog_testkit::core::ledger::Record]) -> Vec<(String, i32)> {
    let records = records.iter().filter(|(tag, _)| *tag == Tag::Policy);
    records
        .map(|(_, payload)| {
            let record = PolicyRecord::parse(payload).unwrap();
            let id = String::from_utf8(record.policy_id.to_vec()).unwrap();
            (id, record.actual)
        })
        .collect()
}

fn expected(pairs: &[(&str, i32)]) -> Vec<(String, i32)> {
    let raw = |units: i32| {
        if units == i32::MIN {
            units
        } else {
            units * 65_536
        }
    };
    pairs
        .iter()
        .map(|(id, units)| ((*id).to_owned(), raw(*units)))
        .collect()
}

fn rules(registry: &dyn Registry) -> Rules<'_> {
    Rules {
        registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    }
}

/// Every answer in one ledger, from ENABLED on; the records of each and the health after it.
fn observe(registry: &dyn Registry, answers: &[Answer<'_>]) -> Vec<(Vec<(String, i32)>, Health)> {
    let rules = rules(registry);
    let (mut agent, mut store) = (Agent::new(), Store::default());
    let mut faults = Faults::NONE;
    let mut observed = Vec::new();
    for given in [
        reserved("ax.control", b"{\"input_class\":\"RESET_REQUEST\"}"),
        reserved("ax.time", b"{\"timestamp\":1}"),
    ]
    .iter()
    .chain(answers)
    {
        let first = store.records.len();
        agent
            .observe(given, &rules, &mut [0; 4096], &mut store, &mut faults)
            .unwrap();
        observed.push((judged(&store.records[first..]), agent.health));
    }
    assert_eq!(faults, Faults::NONE);
    // The same records verify, and replay.
    let mut records = vec![genesis()];
    records.extend(store.records);
    let file = chained(&records).0.concat();
    for rules in [Some(&rules), None] {
        assert_eq!(feed(&mut Replay::new(), &file, rules), Verdict::Ok);
    }
    observed.split_off(2)
}

#[test]
fn a_policy_judges_the_answers_of_its_oracle_alone() {
    let registry = [
        on("A", "value"),
        on("B", "one#value"),
        on("C", "two#/deep/0"),
        on("D", "elapsed"),
        Policy {
            enabled: false,
            ..on("E", "one#value")
        },
        on("F", "one#other"),
        on("G", "t#w#o"),
    ];
    let registry = &registry[..6];
    let none = i32::MIN;
    let observed = observe(
        &registry,
        &[
            from("one", "{\"value\":1,\"other\":2}"),
            from("two", "{\"value\":3,\"deep\":[4]}"),
            from("three", "{\"value\":5}"),
            // Another oracle's breach is none of this one's.
            from("two", "{\"value\":6,\"other\":99,\"deep\":[7]}"),
            from("one ", "{\"value\":8}"),
            from("two", "{\"value\":9}"),
        ],
    );
    let enabled = Health::Enabled;
    assert_eq!(
        observed,
        [
            (expected(&[("A", 1), ("B", 1), ("F", 2)]), enabled),
            (expected(&[("A", 3), ("C", 4)]), enabled),
            (expected(&[("A", 5)]), enabled),
            (expected(&[("A", 6), ("C", 7)]), enabled),
            (expected(&[("A", 8)]), enabled),
            (expected(&[("A", 9), ("C", none)]), Health::Alarm),
        ]
    );
}

/// An id that a record writes with escapes, and ids that begin alike.
#[test]
fn oracles_are_compared_whole_and_unescaped() {
    let ids = [
        "a", "ab", "a\"b", "a\\b", "a\\\"b", "é", "axtime", "ax.time2",
    ];
    let selectors = ids.map(|id| format!("{id}#value"));
    let names = ["P-0", "P-1", "P-2", "P-3", "P-4", "P-5", "P-6", "P-7"];
    let registry: Vec<Policy<'_>> = names
        .iter()
        .zip(&selectors)
        .map(|(id, selector)| on(id, selector))
        .collect();
    let answers = ids.map(|id| from(id, "{\"value\":1}"));
    let observed = observe(&registry.as_slice(), &answers);
    for (name, (judged, health)) in names.iter().zip(observed) {
        assert_eq!((judged, health), (expected(&[(name, 1)]), Health::Enabled));
    }
}

/// A payload that is no record of an answer breaches by itself; it names no oracle, so that only the
/// policies on every oracle are recorded.
#[test]
fn a_payload_without_an_oracle() {
    let registry = [on("A", "llm#value"), on("B", "value")];
    let step = |payload: &[u8], ledger_seq, registry: &dyn Registry| {
        let (mut agent, mut store) = (Agent::new(), Store::default());
        agent.health = Health::Enabled;
        let input = Input {
            class: Some(InputClass::LlmObs),
            payload,
            ledger_seq,
        };
        let mut faults = Faults::NONE;
        agent
            .step(&input, &rules(registry), &mut store, &mut faults)
            .unwrap();
        (judged(&store.records), agent.health)
    };
    let given = from("llm", "{\"value\":1}");
    for profile in Profile::ALL {
        let payload = record_under(
            &given,
            &Limits {
                profile,
                ..Limits::DEFAULT
            },
        );
        let whole = (expected(&[("A", 1), ("B", 1)]), Health::Enabled);
        assert_eq!(step(&payload, 1, &registry), whole);
        let unread = (expected(&[("B", i32::MIN)]), Health::Alarm);
        assert_eq!(step(&payload, 2, &registry), unread);
        assert_eq!(step(b"{\"value\":1}", 1, &registry), unread);
        // Also where no policy is left to say so.
        assert_eq!(step(&payload, 2, &&registry[..1]), (vec![], Health::Alarm));
    }
}

/// Policies with long selectors, as many as there can be.
#[test]
fn sixty_four_long_selectors() {
    let ids: Vec<String> = (0..64).map(|n| format!("P-{n:02}")).collect();
    let steps = "/a".repeat(30);
    let selectors: Vec<String> = (0..64)
        .map(|n| {
            format!(
                "{}#{steps}/{n}",
                "o".repeat(192 - 61 - n.to_string().len() - 1)
            )
        })
        .collect();
    let registry: Vec<Policy<'_>> = ids
        .iter()
        .zip(&selectors)
        .map(|(id, selector)| on(id, selector))
        .collect();
    let registry = registry.as_slice();
    assert_eq!(axilog::policy::check(&registry), Ok(()));
    let members: Vec<String> = (0..64).map(|n| format!("\"{n}\":{}", n % 10)).collect();
    let output = format!(
        "{}{{{}}}{}",
        "{\"a\":".repeat(30),
        members.join(","),
        "}".repeat(30)
    );
    for (length, count) in [(129, 10), (128, 54)] {
        let oracle = "o".repeat(length);
        let observed = observe(&registry, &[from(&oracle, &output)]);
        let (judged, health) = &observed[0];
        assert_eq!(
            (judged.len(), *health),
            (count, Health::Enabled),
            "{length}"
        );
        for (id, value) in judged {
            let number: i32 = id[2..].parse().unwrap();
            assert_eq!(*value, number % 10 * 65_536, "{id}");
        }
    }
}

/// The check of a registry refuses more than 64 policies; where nobody asked it, nothing is permitted.
#[test]
fn an_unchecked_registry_of_too_many_policies_permits_nothing() {
    let ids: Vec<String> = (0..65).map(|n| format!("P-{n:02}")).collect();
    let registry: Vec<Policy<'_>> = ids.iter().map(|id| on(id, "value")).collect();
    for (count, health) in [(64, Health::Enabled), (65, Health::Alarm)] {
        let observed = observe(&&registry[..count], &[from("o", "{\"value\":1}")]);
        assert_eq!(observed[0].1, health);
        assert_eq!(observed[0].0.len(), 64);
    }
}
