//! Running values that are left out, changed or made up.

use axilog::evidence::view::ObservationView;
use axilog_ledger::audit::{AuditVerdict, CheckResult};
use axilog_ledger::encoding::hex;
use axilog_ledger::session::Session;

use crate::payments::{audit_derivations, begin_with, rules};
use crate::support::{CarelessWriter, Place};

/// The last observation's `obs_hash` of a ledger.
fn last_hash(lines: &[u8]) -> String {
    let text = String::from_utf8_lossy(lines);
    let record = text
        .lines()
        .rfind(|line| line.contains("obs_hash"))
        .unwrap();
    let entry = axilog::ledger_line::parse(record.as_bytes());
    let view = ObservationView::parse(entry.unwrap().payload).unwrap();
    hex(&view.obs_hash)
}

#[test]
fn an_audit_finds_running_values_that_are_left_out_or_made_up() {
    let values = r#"{"ax.sum.spend": {"oracle": "pay", "path": "amount"}}"#;
    let policies = r##"{"ax.sum.spend#value":[{"comparison":"GT","enabled":true,"policy_id":"SUM","threshold":6553600}]}"##;
    let honest = |writer: &mut CarelessWriter<'_>, amount: &str, model: &str, answer: &str| {
        writer.observe(
            "pay",
            "m",
            b"pay",
            format!(r#"{{"amount":{amount}}}"#).as_bytes(),
        );
        let question = format!(r#"{{"derived_from":["{}"]}}"#, last_hash(writer.lines()));
        writer.observe(
            "ax.sum.spend",
            model,
            question.as_bytes(),
            answer.as_bytes(),
        );
    };
    type Forgery<'f> = &'f dyn Fn(&mut CarelessWriter<'_>);
    let forgeries: [(&str, Forgery<'_>); 7] = [
        ("the honest one", &|writer| {
            honest(writer, "60", "axilog", r#"{"value":60}"#);
        }),
        (
            "expected the running value ax.sum.spend after answer 5, found oracle \"pay\"",
            &|writer| {
                writer.observe("pay", "m", b"pay", br#"{"amount":60}"#);
                writer.observe("pay", "m", b"pay", br#"{"amount":60}"#);
            },
        ),
        (
            r#"has the answer "{\"value\":6}", expected "{\"value\":60}""#,
            &|writer| {
                honest(writer, "60", "axilog", r#"{"value":6}"#);
            },
        ),
        (
            "has another question than the one that names its answers",
            &|writer| {
                writer.observe("pay", "m", b"pay", br#"{"amount":60}"#);
                writer.observe("ax.sum.spend", "axilog", b"{}", br#"{"value":60}"#);
            },
        ),
        ("has the model \"m\", expected \"axilog\"", &|writer| {
            honest(writer, "60", "m", r#"{"value":60}"#);
        }),
        (
            "a running value \"ax.sum.other\", and none is due",
            &|writer| {
                writer.observe("ax.sum.other", "axilog", b"{}", br#"{"value":0}"#);
            },
        ),
        (
            "a running value \"ax.sum.spend\", and none is due",
            &|writer| {
                honest(writer, "60", "axilog", r#"{"value":60}"#);
                writer.observe("ax.sum.spend", "axilog", b"{}", br#"{"value":0}"#);
            },
        ),
    ];
    for (fault, forge) in forgeries {
        let (place, session) = begin_with(values, &rules(policies));
        drop(session);
        let mut writer = CarelessWriter::open(&place);
        forge(&mut writer);
        writer.finish();
        let check = audit_derivations(&place);
        if fault == "the honest one" {
            assert_eq!(check.result, CheckResult::Passed, "{check:?}");
            continue;
        }
        assert_eq!(check.result, CheckResult::Failed, "{fault}: {check:?}");
        let details = check.details.join("\n");
        assert!(details.contains(fault), "{fault}: {details}");
        assert_eq!(place.audit().verdict(), AuditVerdict::Failed);
    }
    // In a ledger that declares none, too.
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    drop(Session::create(&place.ledger(), rules("[]"), 1).unwrap());
    let mut writer = CarelessWriter::open(&place);
    writer.observe("ax.count.calls", "axilog", b"{}", br#"{"value":1}"#);
    writer.finish();
    let details = audit_derivations(&place).details.join("\n");
    assert!(
        details.contains("\"ax.count.calls\", and none is due"),
        "{details}"
    );
}
