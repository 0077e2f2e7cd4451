//! Which answers may be acted on, and what counts.

use axilog::admission::InputKind;
use axilog::agent::state::Health;
use axilog_ledger::audit::{AuditVerdict, CheckResult};
use axilog_ledger::decision::RecordedObservation;
use axilog_ledger::derivation::{Derivation, derive_input};
use axilog_ledger::session::{OracleCall, Session};

use crate::payments::{
    VALUES, audit_derivations, begin, begin_with, limits, manifest, pay, pay_amount, recorded,
    return_to_enabled, rules,
};
use crate::support::{Place, ask};

#[test]
fn an_answer_may_be_acted_on_where_every_running_value_is_within_its_limit() {
    let (place, mut session) = begin();
    let first = pay_amount(&mut session, "40");
    let values = [r#"{"value":0}"#, r#"{"value":1}"#, r#"{"value":40}"#];
    assert_eq!(recorded(&first), (values.to_vec(), true));
    let ids: Vec<_> = first
        .running_values
        .iter()
        .map(|value| value.decision.observation.oracle_id.as_str())
        .collect();
    assert_eq!(ids, ["ax.change.step", "ax.count.calls", "ax.sum.spend"]);
    assert_eq!(first.entries, session.agent().ledger.sequence + 1);
    // 40 and 0.1 and 59.9 are exactly 100, which is no breach.
    let values = [r#"{"value":-39.9}"#, r#"{"value":2}"#, r#"{"value":40.1}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "0.1")),
        (values.to_vec(), true)
    );
    let values = [r#"{"value":59.8}"#, r#"{"value":3}"#, r#"{"value":100}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "59.9")),
        (values.to_vec(), true)
    );
    drop(session);
    let check = audit_derivations(&place);
    assert_eq!(check.result, CheckResult::Passed, "{check:?}");
    assert!(
        check
            .finding
            .ends_with("; 9 running values computed again, and the same")
    );
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
}

#[test]
fn a_refused_answer_counts_for_nothing_and_the_window_passes() {
    let (place, mut session) = begin();
    assert!(pay_amount(&mut session, "50").may_act);
    assert!(pay_amount(&mut session, "45").may_act);
    // Refused by the sum.
    let refused = pay_amount(&mut session, "5.5");
    let values = [r#"{"value":-39.5}"#, r#"{"value":3}"#, r#"{"value":100.5}"#];
    assert_eq!(recorded(&refused), (values.to_vec(), false));
    assert!(!refused.is_permitted && refused.health == Health::Alarm);
    let why = axilog_ledger::decision_reasons::list_reasons(&refused);
    assert_eq!(why, ["ax.sum.spend#value 100.5 is above 100 (SUM)"]);
    return_to_enabled(&mut session, 5);
    // Refused by its own policy: nothing is computed.
    assert_eq!(recorded(&pay_amount(&mut session, "91")), (vec![], false));
    return_to_enabled(&mut session, 6);
    // Neither counts: two answers and 95 are within the window.
    let values = [r#"{"value":-40}"#, r#"{"value":3}"#, r#"{"value":100}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "5")),
        (values.to_vec(), true)
    );
    // The fourth within 10.
    let (values, may_act) = ([r#"{"value":-5}"#, r#"{"value":4}"#], false);
    assert_eq!(
        recorded(&pay_amount(&mut session, "0")),
        (values.to_vec(), may_act)
    );
    // The two of time 1 have left the window at 11; that of time 6 has not.
    return_to_enabled(&mut session, 11);
    let values = [r#"{"value":-4}"#, r#"{"value":2}"#, r#"{"value":6}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "1")),
        (values.to_vec(), true)
    );
    drop(session);
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
    // A session that opens the ledger goes on where the last one ended.
    let mut session = place.open().unwrap();
    assert_eq!(session.completed_records(), 0);
    let values = [r#"{"value":0}"#, r#"{"value":3}"#, r#"{"value":7}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "1")),
        (values.to_vec(), true)
    );
}

/// Answers before the second time of a ledger count at the first one, with which it began.
#[test]
fn the_window_of_a_session_that_began_its_ledger_begins_with_the_ledgers_time() {
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    let created =
        Session::create_with_manifest(&place.ledger(), &limits(), &manifest(VALUES), 1000).unwrap();
    let mut session = created.0;
    assert!(pay_amount(&mut session, "50").may_act);
    session.observe_time(1005, false).unwrap();
    // 50 was paid 5 before, and counts.
    let values = [r#"{"value":-5}"#, r#"{"value":2}"#, r#"{"value":95}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "45")),
        (values.to_vec(), true)
    );
    drop(session);
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
}

#[test]
fn an_answer_without_a_number_that_counts_is_refused() {
    let values = r#"{"ax.sum.spend": {"oracle": "pay", "path": "/items/~*/price"}}"#;
    let policies = r##"{"ax.sum.spend#value":[{"comparison":"GT","enabled":true,"policy_id":"SUM","threshold":6553600}]}"##;
    for answer in [
        "pay it",
        r#"{"items":[]}"#,
        r#"{"items":[{"price":1},{"price":"2"}]}"#,
        r#"{"items":[{"price":1,"price":2}]}"#,
        r#"{"items":[{"price":1e19}]}"#,
    ] {
        let (place, mut session) = begin_with(values, &rules(policies));
        let decision = pay(&mut session, answer);
        let values = vec![r#"{"value":null}"#];
        assert_eq!(recorded(&decision), (values, false), "{answer}");
        drop(session);
        assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
    }
    // A sum that no policy can read is refused too, and one far beyond the limit.
    for (first, second) in [("1e18", "0"), ("1", "1e-18")] {
        let (_place, mut session) = begin_with(values, &rules(policies));
        let items = |price: &str| format!(r#"{{"items":[{{"price":{price}}}]}}"#);
        let first = pay(&mut session, &items(first));
        assert_eq!(first.may_act, second != "0");
        if first.may_act {
            assert!(!pay(&mut session, &items(second)).may_act);
        }
    }
}

#[test]
fn a_question_is_not_derived_from_an_answer_that_a_running_value_refused() {
    let (place, mut session) = begin();
    let permitted = pay_amount(&mut session, "60").observation;
    let refused = pay_amount(&mut session, "61").observation;
    return_to_enabled(&mut session, 2);
    let derived = |source: &RecordedObservation| {
        let derivation = Derivation {
            sources: vec![source.obs_hash],
            even_refused: false,
        };
        OracleCall {
            input: derive_input(b"", InputKind::Text, &derivation).unwrap(),
            ..ask(b"")
        }
    };
    for _ in 0..2 {
        session.check_question(&derived(&permitted)).unwrap();
        let told = session.check_question(&derived(&refused)).unwrap_err();
        let reason = "it was permitted, and a running value after it was not";
        assert!(told.to_string().contains(reason), "{told}");
        // The same of a session that reads the ledger.
        drop(session);
        session = place.open().unwrap();
    }
}
