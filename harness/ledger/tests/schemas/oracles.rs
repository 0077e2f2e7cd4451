//! A closed world: the oracles that a manifest declares, and the policy that it requires.
//!
//! SRS-004 §11.1 (SHALL-013); formats.md §5 (Manifest).

use std::collections::BTreeSet;

use axilog_ledger::audit::{AuditCheck, AuditExpectations, CheckResult, audit_ledger};
use axilog_ledger::error::LedgerError;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_policyc::PolicySet;

use super::support::{Place, ask, observe_without_validation};

/// A policy on the answers of oracle `o` alone.
const FOR_O: &str =
    r#"{"o#/value":[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":655360}]}"#;

fn place() -> Place {
    Place {
        dir: tempfile::tempdir().unwrap(),
    }
}

fn rules(policies: &str) -> RuleSet {
    RuleSet::new(PolicySet::parse(policies.as_bytes()).unwrap(), false, false)
}

fn declare(oracles: &[&str]) -> Manifest {
    let oracles: BTreeSet<String> = oracles.iter().map(|&id| id.to_owned()).collect();
    Manifest::default().with_oracles(oracles).unwrap()
}

fn call_of(oracle: &str) -> OracleCall {
    OracleCall {
        oracle_id: oracle.to_owned(),
        ..ask(b"")
    }
}

fn audit(place: &Place, require_policy: bool) -> AuditCheck {
    let expected = AuditExpectations {
        require_policy,
        ..AuditExpectations::default()
    };
    let file = std::fs::File::open(place.ledger()).unwrap();
    let report = audit_ledger(file, &place.ledger(), &expected).unwrap();
    let check = report.checks.iter().find(|c| c.subject == "oracles");
    check.unwrap().clone()
}

const GOOD: OracleReply<'_> = OracleReply::Answer(b"{\"value\":1}");

#[test]
fn an_oracle_that_is_not_declared_is_refused_and_nothing_is_recorded() {
    let place = place();
    let manifest = declare(&["p", "q"]);
    let (session, _) =
        Session::create_with_manifest(&place.ledger(), &rules("[]"), &manifest, 1).unwrap();
    drop(session);
    let mut session = place.open().unwrap();
    let before = std::fs::read(place.ledger()).unwrap();
    let told = session.check_call("o", "m").unwrap_err();
    assert!(
        matches!(told, LedgerError::UndeclaredOracle { .. }),
        "{told}"
    );
    let told = told.to_string();
    assert!(
        told.contains("takes answers of \"p\", \"q\" only"),
        "{told}"
    );
    assert!(session.observe(&call_of("o"), GOOD).is_err());
    assert_eq!(std::fs::read(place.ledger()).unwrap(), before);
    session.observe(&call_of("p"), GOOD).unwrap();
    drop(session);
    let check = audit(&place, false);
    assert_eq!(check.result, CheckResult::Passed);
    assert_eq!(check.finding, "2 declared, 0 others have records");
    assert_eq!(
        check.details,
        ["oracle \"q\" is declared and has no record"]
    );
    // A writer that knows nothing of it is found.
    observe_without_validation(&place, b"", b"{\"value\":1}");
    let check = audit(&place, false);
    assert_eq!(check.result, CheckResult::Failed);
    assert_eq!(
        check.details[0],
        "oracle \"o\" is not declared, and has a record"
    );
}

#[test]
fn an_answer_that_no_policy_judges_is_refused_where_the_ledger_requires_one() {
    let place = place();
    let manifest = Manifest::default().with_required_policy(true);
    let (mut session, _) =
        Session::create_with_manifest(&place.ledger(), &rules(FOR_O), &manifest, 1).unwrap();
    let before = std::fs::read(place.ledger()).unwrap();
    let told = session.observe(&call_of("mistyped"), GOOD).unwrap_err();
    assert!(matches!(told, LedgerError::UnjudgedOracle { .. }), "{told}");
    assert_eq!(std::fs::read(place.ledger()).unwrap(), before);
    assert!(session.observe(&call_of("o"), GOOD).unwrap().may_act);
    drop(session);
    let check = audit(&place, false);
    assert_eq!(check.result, CheckResult::Passed, "{check:?}");
    assert!(
        check
            .finding
            .ends_with("a policy is required, and 0 answers were permitted without")
    );
    // An oracle that no policy judges cannot be declared either.
    let refused = Session::create_with_manifest(
        &place.dir.path().join("other.jsonl"),
        &rules(FOR_O),
        &declare(&["o", "p"]).with_required_policy(true),
        1,
    );
    let told = refused.err().unwrap().to_string();
    assert!(
        told.contains("no policy judges the answers of the oracle \"p\""),
        "{told}"
    );
    assert!(!place.dir.path().join("other.jsonl").exists());
}

#[test]
fn a_session_that_requires_a_policy_permits_no_answer_without_one() {
    let place = place();
    let (mut session, _) = Session::create(&place.ledger(), rules(FOR_O), 1).unwrap();
    let decision = session.observe(&call_of("mistyped"), GOOD).unwrap();
    assert!(decision.may_act && !decision.lacks_policy);
    let first = decision.observation.obs_hash;
    session.require_policy();
    let decision = session.observe(&call_of("mistyped"), GOOD).unwrap();
    assert!(decision.is_permitted && decision.lacks_policy && !decision.may_act);
    assert!(session.has_refused_answer(&[first]).unwrap());
    assert!(session.observe(&call_of("o"), GOOD).unwrap().may_act);
    drop(session);
    assert_eq!(audit(&place, false).result, CheckResult::Passed);
    let check = audit(&place, true);
    assert_eq!(check.result, CheckResult::Failed);
    assert_eq!(
        check.details,
        ["2 answers of oracle \"mistyped\" were permitted without any policy"]
    );
}

#[test]
fn a_cut_answer_that_no_policy_judged_is_told() {
    let place = place();
    let permitting = RuleSet::new(PolicySet::parse(b"[]").unwrap(), true, false);
    let (mut session, _) = Session::create(&place.ledger(), permitting, 1).unwrap();
    let long = vec![b'a'; 70_000];
    let decision = session
        .observe(&ask(b""), OracleReply::Answer(&long))
        .unwrap();
    assert!(decision.may_act);
    drop(session);
    assert_eq!(audit(&place, true).result, CheckResult::Failed);
    assert_eq!(place.audit().unjudged_oracles[0].answers, 1);
}

#[test]
fn a_manifest_that_is_missing_leaves_the_oracles_unknown() {
    let place = place();
    let manifest = declare(&["o"]);
    let (session, _) =
        Session::create_with_manifest(&place.ledger(), &rules("[]"), &manifest, 1).unwrap();
    drop(session);
    std::fs::remove_file(place.blob(&manifest.to_canonical())).unwrap();
    let mut session = place.open().unwrap();
    let told = session.check_call("o", "m").unwrap_err();
    assert!(
        matches!(told, LedgerError::SchemasUnusable { .. }),
        "{told}"
    );
    drop(session);
    let check = audit(&place, false);
    assert_eq!(check.result, CheckResult::NotChecked);
    assert_eq!(check.finding, "the manifest is missing");
}

#[test]
fn a_schema_of_an_oracle_that_never_answered_is_told() {
    let (place, session) = Place::with_schemas();
    drop(session);
    assert_eq!(
        place.audit_schemas().details,
        ["oracle \"o\" has a declared schema and no record"]
    );
    let mut session = place.open().unwrap();
    super::support::observe(&mut session, b"{\"pump\":\"inlet\",\"speed\":1}");
    drop(session);
    assert_eq!(place.audit_schemas().details, [""; 0]);
}
