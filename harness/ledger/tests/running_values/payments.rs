//! A ledger of payments whose sums, numbers and changes are limited.

use axilog::agent::state::{Health, InputClass};
use axilog_ledger::audit::AuditCheck;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_policyc::PolicySet;

use crate::support::{Place, ask};

/// At most 100 are paid within 10, at most three times within 10, and each payment differs by at most 60 from the last.
pub const VALUES: &str = r#"{
    "ax.change.step": {"oracle": "pay", "path": "amount"},
    "ax.count.calls": {"oracle": "pay", "window": 10},
    "ax.sum.spend": {"oracle": "pay", "path": "/amount", "window": 10}
}"#;

/// The limits of [`VALUES`], and one on the single payment, raw Q16.16.
pub fn limits() -> RuleSet {
    let limit = |id: &str, limit: i32| {
        let threshold = limit << 16;
        format!(
            r#"[{{"comparison":"GT","enabled":true,"policy_id":"{id}","threshold":{threshold}}}]"#
        )
    };
    let policies = format!(
        r##"{{"ax.change.step#value":{},"ax.count.calls#value":{},"ax.sum.spend#value":{},"pay#/amount":{}}}"##,
        limit("CHANGE", 60),
        limit("COUNT", 3),
        limit("SUM", 100),
        limit("SINGLE", 90)
    );
    rules(&policies)
}

pub fn rules(policies: &str) -> RuleSet {
    RuleSet::new(PolicySet::parse(policies.as_bytes()).unwrap(), false, false)
}

pub fn manifest(values: &str) -> Manifest {
    let values = serde_json::from_str(values).unwrap();
    Manifest::default().with_running_values(values).unwrap()
}

pub fn begin_with(values: &str, rules: &RuleSet) -> (Place, Session) {
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    let created =
        Session::create_with_manifest(&place.ledger(), rules, &manifest(values), 1).unwrap();
    (place, created.0)
}

pub fn begin() -> (Place, Session) {
    begin_with(VALUES, &limits())
}

pub fn pay(session: &mut Session, answer: &str) -> StepDecision {
    let call = OracleCall {
        oracle_id: "pay".to_owned(),
        ..ask(b"pay")
    };
    let reply = OracleReply::Answer(answer.as_bytes());
    session.observe(&call, reply).unwrap()
}

pub fn pay_amount(session: &mut Session, amount: &str) -> StepDecision {
    pay(session, &format!(r#"{{"amount":{amount}}}"#))
}

/// The running values of a decision, as they were recorded, and the last one's result.
pub fn recorded(decision: &StepDecision) -> (Vec<&str>, bool) {
    let values = decision.running_values.iter();
    let values: Vec<&str> = values.map(|value| value.answer.as_str()).collect();
    (values, decision.may_act)
}

pub fn return_to_enabled(session: &mut Session, time: u64) {
    for class in [InputClass::PolicyTrigger, InputClass::ResetRequest] {
        session.observe_control(class).unwrap();
    }
    session.observe_time(time, false).unwrap();
    assert_eq!(session.agent().health, Health::Enabled);
}

pub fn audit_derivations(place: &Place) -> AuditCheck {
    let report = place.audit();
    let check = report.checks.iter().find(|c| c.subject == "derivations");
    check.unwrap().clone()
}
