//! What can be declared as a running value, and who may answer as one.

use axilog_ledger::error::LedgerError;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::running_values::RunningValues;
use axilog_ledger::session::{Session, check_identities};

use crate::payments::{VALUES, begin, begin_with, manifest, rules};
use crate::support::Place;

#[test]
fn what_cannot_be_computed_or_limits_nothing_is_refused_when_the_ledger_begins() {
    let refused = [
        (
            r#"{"ax.sum.": {"oracle": "pay", "path": "a"}}"#,
            "a name of 1 to 64",
        ),
        (
            r#"{"ax.mean.a": {"oracle": "pay", "path": "a"}}"#,
            "ax.sum.NAME, ax.count.NAME",
        ),
        (
            r#"{"ax.sum.a b": {"oracle": "pay", "path": "a"}}"#,
            "characters of A-Z",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "", "path": "a"}}"#,
            "found the oracle \"\"",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "ax.time", "path": "a"}}"#,
            "neither ax.time nor",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "ax.sum.b", "path": "a"}}"#,
            "a running value itself",
        ),
        (r#"{"ax.sum.a": {"oracle": "pay"}}"#, "the path is missing"),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "/a/~#"}}"#,
            "without ~#",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "/a/~j/b"}}"#,
            "without ~#",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "/a/~e3"}}"#,
            "without ~#",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "pay#a"}}"#,
            "a path without an oracle",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "a b"}}"#,
            "expected a name",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "a", "window": 0}}"#,
            "at least 1",
        ),
        (
            r#"{"ax.count.a": {"oracle": "pay", "path": "a"}}"#,
            "a count has no path",
        ),
        (
            r#"{"ax.change.a": {"oracle": "pay", "path": "a", "window": 1}}"#,
            "no window",
        ),
    ];
    for (values, reason) in refused {
        let values = serde_json::from_str(values).unwrap();
        let told = Manifest::default().with_running_values(values).unwrap_err();
        assert!(told.to_string().contains(reason), "{told}");
    }
    for unknown in [
        r#"{"ax.sum.a": {"oracle": "pay", "path": "a", "windows": 1}}"#,
        r#"{"ax.sum.a": {"path": "a"}}"#,
        r#"{"ax.sum.a": {"oracle": "pay", "path": "a", "window": -1}}"#,
    ] {
        let read: Result<RunningValues, _> = serde_json::from_str(unknown);
        assert!(read.is_err(), "{unknown}");
    }
    let many: serde_json::Map<String, serde_json::Value> = (0..65)
        .map(|n| (format!("ax.count.n{n}"), serde_json::json!({"oracle": "o"})))
        .collect();
    let many = serde_json::from_value(many.into()).unwrap();
    let told = Manifest::default().with_running_values(many).unwrap_err();
    assert!(told.to_string().contains("at most 64"), "{told}");
    // Of an oracle that may not answer.
    let values: RunningValues = serde_json::from_str(VALUES).unwrap();
    let closed = Manifest::default()
        .with_oracles(["o".to_owned()].into())
        .unwrap();
    let told = closed.with_running_values(values).unwrap_err();
    assert!(
        told.to_string().contains("is of the oracle \"pay\""),
        "{told}"
    );
    // Without a policy of its own, and with one that would refuse each.
    let own = r##"{"ax.sum.a#value":[{"comparison":"GT","enabled":true,"policy_id":"SUM","threshold":1}]}"##;
    let off = own.replace("true", "false");
    let general = own.replacen(
        '{',
        r#"{"/speed":[{"comparison":"GT","enabled":true,"policy_id":"FAST","threshold":1}],"#,
        1,
    );
    let values = r#"{"ax.sum.a": {"oracle": "pay", "path": "a"}}"#;
    for (policies, reason) in [
        ("[]", "no enabled policy has it as its oracle"),
        (off.as_str(), "no enabled policy has it as its oracle"),
        (
            general.as_str(),
            "the policy FAST is for every oracle and looks for /speed",
        ),
    ] {
        let place = Place {
            dir: tempfile::tempdir().unwrap(),
        };
        let told =
            Session::create_with_manifest(&place.ledger(), &rules(policies), &manifest(values), 1);
        let told = told.err().unwrap().to_string();
        assert!(told.contains(reason), "{told}");
        assert!(!place.ledger().exists());
    }
    begin_with(values, &rules(own));
}

#[test]
fn nobody_else_answers_under_the_id_of_a_running_value() {
    for id in ["ax.sum.spend", "ax.count.", "ax.change.x"] {
        let told = check_identities(id, "m").unwrap_err();
        assert!(matches!(told, LedgerError::RunningValueId { .. }), "{told}");
    }
    check_identities("ax.summary", "m").unwrap();
    let (_place, mut session) = begin();
    assert!(session.check_call("ax.sum.spend", "axilog").is_err());
}
