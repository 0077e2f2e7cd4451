//! Policies: the comparison, the registry's rules, the configuration (formats.md §4, §5).

use axilog::evidence::policy::PolicyResult;
use axilog::fault::{Error, Fault, Faults};
use axilog::hash::sha256;
use axilog::json::canonical::is_canonical_json;
use axilog::ledger::Ledger;
use axilog::policy::{
    Comparison, MAX_ID_BYTES, Policy, PolicyInput, Registry, Rules, breaches, builtin, check,
    evaluate_all, is_sorted, is_valid_id,
};
use axilog_testkit::core::ledger::{Store, policy, written};

use Comparison::{Ge, Gt, Le, Lt, Unknown};

const MIN: i32 = i32::MIN;
const MAX: i32 = i32::MAX;

#[test]
fn the_comparison_by_hand() {
    // actual, threshold; GT, LT, GE, LE
    let table = [
        (0, 0, [false, false, true, true]),
        (1, 0, [true, false, true, false]),
        (-1, 0, [false, true, false, true]),
        (0, 1, [false, true, false, true]),
        (0, -1, [true, false, true, false]),
        (MAX, MAX, [false, false, true, true]),
        (MAX, MAX - 1, [true, false, true, false]),
        (MAX - 1, MAX, [false, true, false, true]),
        (MAX, MIN, [true, false, true, false]),
        (MIN + 1, MIN, [true, false, true, false]),
        (MIN + 1, MIN + 1, [false, false, true, true]),
        (MIN + 1, MIN + 2, [false, true, false, true]),
        (MIN + 1, MAX, [false, true, false, true]),
        // No value breaches everywhere.
        (MIN, MIN, [true; 4]),
        (MIN, MIN + 1, [true; 4]),
        (MIN, 0, [true; 4]),
        (MIN, MAX, [true; 4]),
        // Raw values, never rounded.
        (65_536, 65_535, [true, false, true, false]),
        (65_535, 65_536, [false, true, false, true]),
    ];
    for (actual, threshold, row) in table {
        for (comparison, expected) in [Gt, Lt, Ge, Le].into_iter().zip(row) {
            assert_eq!(
                breaches(actual, threshold, comparison),
                expected,
                "{actual} {comparison:?} {threshold}"
            );
            let result = if expected {
                PolicyResult::Breach
            } else {
                PolicyResult::Permitted
            };
            let record = policy("P", comparison, threshold).evaluate(actual, 4, 5);
            assert_eq!(record.result, result);
            assert_eq!((record.actual, record.threshold), (actual, threshold));
            assert_eq!((record.ledger_seq, record.obs_ledger_seq), (4, 5));
            assert_eq!(record.policy_id, b"P");
        }
        assert!(breaches(actual, threshold, Unknown));
    }
}

#[test]
fn ids() {
    for byte in 0..=255u8 {
        let in_id = byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        assert_eq!(is_valid_id(&[byte]), in_id, "{byte}");
        assert_eq!(is_valid_id(&[b'A', byte, b'z']), in_id, "{byte}");
    }
    assert!(!is_valid_id(b""));
    assert!(is_valid_id(&[b'.'; MAX_ID_BYTES]) && !is_valid_id(&[b'.'; MAX_ID_BYTES + 1]));
    assert_eq!(MAX_ID_BYTES, 64);
}

#[test]
fn a_registry_is_checked() {
    let names: Vec<String> = (0..65).map(|n| format!("P-{n:02}")).collect();
    let many: Vec<Policy<'_>> = names.iter().map(|id| policy(id, Gt, 0)).collect();
    let all = |ids: &[&'static str]| -> Vec<Policy<'static>> {
        ids.iter().map(|id| policy(id, Gt, 0)).collect()
    };
    let on = |selector| Policy {
        selector,
        ..policy("P", Gt, 0)
    };
    let verdict = |policies: &[Policy<'_>]| check(&policies);
    assert_eq!(verdict(&[]), Ok(()));
    assert_eq!(verdict(&many[..64]), Ok(()));
    assert_eq!(verdict(&many), Err(Error::Size));
    assert_eq!(verdict(&all(&["A", "B", "a"])), Ok(()));
    assert_eq!(
        verdict(&all(&["A", "A-", "A.", "A0", "AA", "A_", "Aa"])),
        Ok(())
    );
    assert_eq!(verdict(&all(&["a", "B"])), Err(Error::Ordering));
    assert_eq!(verdict(&all(&["A", "A"])), Err(Error::Ordering));
    assert_eq!(verdict(&all(&["A", "C", "B"])), Err(Error::Ordering));
    assert_eq!(verdict(&all(&["AB", "A"])), Err(Error::Ordering));
    assert_eq!(verdict(&all(&[""])), Err(Error::Schema));
    assert_eq!(verdict(&all(&["A", "b c"])), Err(Error::Schema));
    assert_eq!(verdict(&all(&["é"])), Err(Error::Schema));
    for selector in ["", "1a", "value_q16", "va lue", "a#", "#a", "/~"] {
        assert_eq!(verdict(&[on(selector)]), Err(Error::Schema), "{selector}");
    }
    for selector in ["value", "elapsed", "a1_", "_A-b", "/", "o#/a/0"] {
        assert_eq!(verdict(&[on(selector)]), Ok(()));
    }
    // An unknown operator is kept.
    assert_eq!(verdict(&[policy("P", Unknown, 0)]), Ok(()));
    assert!(is_sorted(&all(&["A", "B"]).as_slice()) && !is_sorted(&all(&["A", "A"]).as_slice()));
    assert_eq!(check(&builtin::BUILTIN), Ok(()));

    /// A table with a hole in it.
    struct Holed;
    impl Registry for Holed {
        fn len(&self) -> usize {
            2
        }
        fn get(&self, index: usize) -> Option<Policy<'_>> {
            (index == 0).then(|| policy("P", Gt, 0))
        }
    }
    assert_eq!(check(&Holed), Err(Error::Schema));
}

#[test]
fn the_configuration_in_bytes() {
    let entry = |id, selector, comparison, threshold, enabled| Policy {
        id,
        threshold,
        comparison,
        enabled,
        selector,
    };
    let policies = [
        entry("A-1", "value", Gt, -5, true),
        entry("A-2", "elapsed", Le, MAX, true),
        entry("B", "speed", Unknown, MIN, true),
        entry("C", "value", Ge, 0, false),
        entry("D", "a", Lt, 1, true),
    ];
    let text = |policies: &[Policy<'_>], permit_truncated, stop_on_invalid| {
        let rules = Rules {
            registry: &policies,
            permit_truncated,
            stop_on_invalid,
            manifest: None,
        };
        let bytes = written(|out| rules.write(out));
        assert_eq!(rules.hash(), sha256(&bytes));
        assert!(is_canonical_json(&bytes));
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(
        text(&policies, true, false),
        "{\"permit_truncated\":true,\"policies\":{\
         \"a\":[{\"comparison\":\"LT\",\"enabled\":true,\"policy_id\":\"D\",\"threshold\":1}],\
         \"elapsed\":[{\"comparison\":\"LE\",\"enabled\":true,\"policy_id\":\"A-2\",\
         \"threshold\":2147483647}],\
         \"speed\":[{\"comparison\":\"UNKNOWN\",\"enabled\":true,\"policy_id\":\"B\",\
         \"threshold\":-2147483648}],\
         \"value\":[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"A-1\",\
         \"threshold\":-5},\
         {\"comparison\":\"GE\",\"enabled\":false,\"policy_id\":\"C\",\"threshold\":0}]},\
         \"stop_on_invalid\":false}"
    );
    assert_eq!(
        text(&[], false, true),
        "{\"permit_truncated\":false,\"policies\":{},\"stop_on_invalid\":true}"
    );
    // By UTF-16 code units, in which U+10000 is below U+FF21, and with the escapes of RFC 8785.
    let policies = [
        entry("A", "/\u{ff21}", Gt, 0, true),
        entry("B", "/\u{10000}", Gt, 0, true),
        entry("C", "a\"b#value", Gt, 0, true),
        entry("D", "/\n", Gt, 0, true),
        entry("E", "Value", Gt, 0, true),
    ];
    let bytes = text(&policies, false, false);
    let order = ["/\\n", "/\u{10000}", "/\u{ff21}", "Value", "a\\\"b#value"];
    let places = order.map(|selector| bytes.find(&format!("\"{selector}\":[")).unwrap());
    assert!(places.is_sorted(), "{bytes}");
    // SRS-004 §17.3.
    assert_eq!(
        text(&builtin::BUILTIN, false, false),
        "{\"permit_truncated\":false,\"policies\":{\"value\":[{\"comparison\":\"GT\",\
         \"enabled\":true,\"policy_id\":\"POL-001-MAX-VELOCITY\",\"threshold\":4587520}]},\
         \"stop_on_invalid\":false}"
    );
}

#[test]
fn one_value_against_all() {
    let mut policies = [
        policy("A", Gt, 10),
        policy("B", Lt, 0),
        policy("C", Gt, 0),
        policy("D", Unknown, 0),
    ];
    policies[1].selector = "elapsed";
    policies[3].enabled = false;
    let evaluate = |value, store: Option<&mut Store>, faults: &mut Faults| {
        let mut ledger = Ledger::genesis();
        let input = PolicyInput {
            value,
            ledger_seq: 8,
            obs_ledger_seq: 9,
        };
        match store {
            Some(store) => evaluate_all(&policies, &input, Some((&mut ledger, store)), faults),
            None => evaluate_all(&policies, &input, None, faults),
        }
    };
    let mut faults = Faults::NONE;
    for (value, breach) in [(0, false), (1, true), (-1, true), (MIN, true)] {
        let mut store = Store::default();
        let kept = evaluate(value, Some(&mut store), &mut faults).unwrap();
        assert_eq!((kept.breach, kept.count, kept.ledger_seq), (breach, 3, 8));
        assert_eq!(evaluate(value, None, &mut faults), Ok(kept));
        let texts = store.texts(0);
        assert_eq!(texts.len(), 3);
        for (text, id) in texts.iter().zip(["A", "B", "C"]) {
            let expected = format!(
                "AX:POLICY:v1 {{\"actual\":{value},\"ledger_seq\":8,\"obs_ledger_seq\":9,\
                 \"policy_id\":\"{id}\","
            );
            assert!(text.starts_with(&expected), "{text}");
        }
    }
    assert_eq!(faults, Faults::NONE);
    let mut store = Store {
        fails_at: Some(1),
        ..Store::default()
    };
    assert_eq!(
        evaluate(0, Some(&mut store), &mut faults),
        Err(Error::Ledger)
    );
    assert!(faults.iter().eq([Fault::LedgerFail, Fault::IoError]));
    let none: [Policy<'_>; 0] = [];
    let input = PolicyInput {
        value: MIN,
        ledger_seq: 1,
        obs_ledger_seq: 1,
    };
    let permitted = evaluate_all(&none, &input, None, &mut Faults::default()).unwrap();
    assert_eq!((permitted.breach, permitted.count), (false, 0));
}
