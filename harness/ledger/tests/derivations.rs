//! Questions that are made from earlier answers: what a session records and refuses, and what an audit finds.
//!
//! SRS-004 §10.1 (SHALL-039); formats.md §5 (Derived inputs); decision D31.

#[path = "schemas/support.rs"]
#[allow(dead_code, reason = "the tests of the schemas need more of it")]
mod support;

use axilog::admission::InputKind;
use axilog_ledger::audit::{AuditCheck, AuditVerdict, CheckResult};
use axilog_ledger::derivation::derive_input;
use axilog_ledger::derivation_graph::{DerivationGraph, SourceObservation, read_derivation_graph};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};

use support::{Place, ask, observe_without_validation};

/// A ledger under rules without policies.
fn begin() -> (Place, Session) {
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    let rules = RuleSet::without_policies().unwrap();
    let (session, _) = Session::create(&place.ledger(), rules, 1).unwrap();
    (place, session)
}

/// Asks `oracle` a question that is made from `sources`, and gives the observation's sequence.
fn derive(session: &mut Session, oracle: &str, sources: &[u64]) -> u64 {
    let hashes = session.find_observations(sources).unwrap();
    let mut call = ask(b"");
    call.oracle_id = oracle.to_owned();
    call.input = derive_input(b"and now?", InputKind::Text, &hashes).unwrap();
    session.check_question(&call).unwrap();
    let decision = session.observe(&call, OracleReply::Answer(b"{}")).unwrap();
    decision.observation.ledger_seq
}

fn graph(place: &Place) -> DerivationGraph {
    let file = std::fs::File::open(place.ledger()).unwrap();
    read_derivation_graph(file, &place.ledger()).unwrap()
}

fn audit_derivations(place: &Place) -> AuditCheck {
    let report = place.audit();
    let check = report.checks.iter().find(|c| c.subject == "derivations");
    check.unwrap().clone()
}

#[test]
fn derivations_are_recorded_audited_and_drawn() {
    let (place, mut session) = begin();
    let answer = OracleReply::Answer(b"{\"level\":3}");
    let first = session.observe(&ask(b"level?"), answer).unwrap();
    let first = first.observation.ledger_seq;
    let second = derive(&mut session, "planner", &[first]);
    // A session that opens the ledger finds the answers of the one before.
    drop(session);
    let mut session = place.open().unwrap();
    let third = derive(&mut session, "checker", &[second, first]);
    drop(session);
    let place_of = |ledger_seq, oracle: &str| {
        Some(SourceObservation {
            ledger_seq,
            oracle_id: oracle.to_owned(),
        })
    };
    let graph = graph(&place);
    assert_eq!(graph.unread, 0);
    let drawn: Vec<_> = graph
        .calls
        .iter()
        .map(|call| {
            let sources = call.sources.clone().unwrap().into_iter();
            let sources: Vec<_> = sources.map(|source| source.observation).collect();
            (call.ledger_seq, call.oracle_id.as_str(), sources)
        })
        .collect();
    let expected = [
        (second, "planner", vec![place_of(first, "o")]),
        (
            third,
            "checker",
            vec![place_of(second, "planner"), place_of(first, "o")],
        ),
    ];
    assert_eq!(drawn, expected);
    let report = place.audit();
    assert_eq!(report.verdict(), AuditVerdict::Ok, "{:?}", report.checks);
    assert_eq!(
        audit_derivations(&place).finding,
        "2 inputs derived from answers"
    );
}

#[test]
fn an_unknown_answer_is_refused_before_the_call() {
    let (place, mut session) = begin();
    let before = std::fs::read(place.ledger()).unwrap();
    let told = session.find_observations(&[1, 99]).unwrap_err().to_string();
    assert!(
        told.contains("derived from record 99, which is no observation"),
        "{told}"
    );
    // Record 2 is the transition of the first reset.
    assert!(session.find_observations(&[2]).is_err());
    let unknown = derive_input(b"{}", InputKind::Json, &[[7; 32]]).unwrap();
    let call = OracleCall {
        input: unknown,
        ..ask(b"")
    };
    let refused = session.check_question(&call).unwrap_err();
    assert!(
        matches!(refused, LedgerError::UnknownSource { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains(&hex(&[7; 32])), "{refused}");
    assert!(session.observe(&call, OracleReply::Answer(b"{}")).is_err());
    // The hash of another ledger's answer is unknown here.
    let (_other, mut other) = begin();
    let decision = other
        .observe(&ask(b"x"), OracleReply::Answer(b"{}"))
        .unwrap();
    let foreign = derive_input(b"", InputKind::Text, &[decision.observation.obs_hash]).unwrap();
    let call = OracleCall {
        input: foreign,
        ..ask(b"")
    };
    assert!(session.check_question(&call).is_err());
    for unreadable in [
        r#"{"derived_from":"the first"}"#,
        r#"{"derived_from":["AB"]}"#,
        r#"{"derived_from":[1]}"#,
        r#"{"derived_from":[}"#,
    ] {
        let refused = session
            .check_question(&ask(unreadable.as_bytes()))
            .unwrap_err();
        assert!(
            matches!(refused, LedgerError::InvalidInput { .. }),
            "{refused}"
        );
    }
    assert_eq!(std::fs::read(place.ledger()).unwrap(), before);
    // What only mentions the member is a question like others.
    session
        .check_question(&ask(br#"What is "derived_from"?"#))
        .unwrap();
}

#[test]
fn a_derivation_of_a_writer_that_checks_nothing_is_found() {
    let unknown = format!(r#"{{"derived_from":["{}"]}}"#, "0".repeat(64));
    for (input, finding) in [
        (
            unknown.as_str(),
            "which is no earlier observation of this ledger",
        ),
        (
            r#"{"derived_from":"the first"}"#,
            "derived_from is no array",
        ),
        (r#"{"derived_from":[}"#, "cannot be read as JSON"),
    ] {
        let (place, session) = begin();
        drop(session);
        observe_without_validation(&place, input.as_bytes(), b"{}");
        let check = audit_derivations(&place);
        assert_eq!(check.result, CheckResult::Failed);
        assert!(check.details[0].contains(finding), "{:?}", check.details);
        let graph = graph(&place);
        let call = &graph.calls[0];
        match &call.sources {
            Ok(sources) => assert_eq!(sources[0].observation, None),
            Err(reason) => assert!(reason.contains(finding), "{reason}"),
        }
    }
}

#[test]
fn a_question_that_is_missing_leaves_the_graph_incomplete() {
    let (place, mut session) = begin();
    let answer = OracleReply::Answer(b"{}");
    session.observe(&ask(b"level?"), answer).unwrap();
    drop(session);
    std::fs::remove_file(place.blob(b"level?")).unwrap();
    assert_eq!(graph(&place).unread, 1);
    assert_eq!(place.audit().verdict(), AuditVerdict::Failed);
}
