//! Questions that are made from earlier answers: what a session records and refuses, and what an audit finds.
//!
//! SRS-004 §10.1 (SHALL-039); formats.md §5 (Derived inputs); decision D31.

#[path = "schemas/support.rs"]
#[allow(dead_code, reason = "the tests of the schemas need more of it")]
mod support;

use axilog::admission::InputKind;
use axilog::agent::state::{Health, InputClass};
use axilog::hash::Hash;
use axilog_ledger::audit::{AuditCheck, AuditVerdict, CheckResult};
use axilog_ledger::derivation::{Derivation, derive_input};
use axilog_ledger::derivation_graph::{DerivationGraph, SourceObservation, read_derivation_graph};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::standing::Standing;

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
    let sources = session.find_observations(sources).unwrap();
    let mut call = ask(b"");
    call.oracle_id = oracle.to_owned();
    call.input = derived(b"and now?", InputKind::Text, sources, false);
    session.check_question(&call).unwrap();
    let decision = session.observe(&call, OracleReply::Answer(b"{}")).unwrap();
    decision.observation.ledger_seq
}

fn derived(
    question: &[u8],
    kind: InputKind,
    sources: Vec<Hash>,
    even_refused: bool,
) -> CanonicalInput {
    let derivation = Derivation {
        sources,
        even_refused,
    };
    derive_input(question, kind, &derivation).unwrap()
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
            // There are no policies here.
            standing: Standing::Unjudged,
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
    let unknown = derived(b"{}", InputKind::Json, vec![[7; 32]], false);
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
    let hash = decision.observation.obs_hash;
    let foreign = derived(b"", InputKind::Text, vec![hash], true);
    let call = OracleCall {
        input: foreign,
        ..ask(b"")
    };
    assert!(session.check_question(&call).is_err());
    for unreadable in [
        r#"{"derived_from":"the first"}"#,
        r#"{"derived_from":["AB"]}"#,
        r#"{"derived_from":[1]}"#,
        r#"{"derived_from":[]}"#,
        r#"{"derived_from":[],"even_refused":true}"#,
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
        (r#"{"derived_from":[]}"#, "derived_from is empty"),
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

/// The question is read once, and a report names the first reasons.
#[test]
fn a_question_of_many_sources_that_is_asked_often_has_a_short_report() {
    let (place, mut session) = begin();
    let decision = session
        .observe(&ask(b"level?"), OracleReply::Answer(b"{}"))
        .unwrap();
    drop(session);
    let known = hex(&decision.observation.obs_hash);
    let input = |source: &str| format!("{{\"derived_from\":[{}]}}", vec![source; 50_000].join(","));
    let honest = input(&format!("\"{known}\""));
    for _ in 0..30 {
        observe_without_validation(&place, honest.as_bytes(), b"{}");
    }
    let check = audit_derivations(&place);
    assert_eq!(check.result, CheckResult::Passed);
    assert_eq!(check.finding, "30 inputs derived from answers");
    let unknown = input(&format!("\"{}\"", "0".repeat(64)));
    for _ in 0..30 {
        observe_without_validation(&place, unknown.as_bytes(), b"{}");
    }
    let check = audit_derivations(&place);
    assert_eq!(check.result, CheckResult::Failed);
    assert_eq!(
        check.finding,
        "60 inputs derived from answers; 30 of them not as they say"
    );
    assert_eq!(check.details.len(), 20);
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

/// A ledger under the built-in policies with two answers that may not be acted on, whose agent is ENABLED again.
fn refused() -> (Place, Session) {
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    let rules = RuleSet::new(load_builtin_policies().unwrap(), false, false);
    let (mut session, _) = Session::create(&place.ledger(), rules, 1).unwrap();
    let breach = OracleReply::Answer(b"{\"value\":32000}");
    let decision = session.observe(&ask(b"one"), breach).unwrap();
    assert_eq!(decision.observation.ledger_seq, BREACH);
    let good = OracleReply::Answer(b"{\"value\":1}");
    let decision = session.observe(&ask(b"two"), good).unwrap();
    assert_eq!(decision.observation.ledger_seq, IN_ALARM);
    assert!(decision.is_permitted && decision.health == Health::Alarm);
    let mitigated = session.observe_control(InputClass::PolicyTrigger).unwrap();
    assert_eq!(mitigated.health, Health::Degraded);
    session.observe_control(InputClass::ResetRequest).unwrap();
    session.observe_time(2, false).unwrap();
    (place, session)
}

const RESET: u64 = 1;
const TIME: u64 = 3;
const BREACH: u64 = 5;
const IN_ALARM: u64 = 8;

#[test]
fn a_refused_answer_feeds_nothing() {
    let (place, mut session) = refused();
    let before = std::fs::read(place.ledger()).unwrap();
    for (source, reason) in [
        (BREACH, "it is a breach"),
        (IN_ALARM, "the agent was in ALARM after it"),
    ] {
        let hashes = session.find_observations(&[source]).unwrap();
        assert!(session.has_refused_answer(&hashes).unwrap());
        let call = OracleCall {
            input: derived(b"", InputKind::Text, hashes, false),
            ..ask(b"")
        };
        let told = session.check_question(&call).unwrap_err();
        assert!(
            matches!(&told, LedgerError::SourceRefused { ledger_seq, .. } if *ledger_seq == source),
            "{told}"
        );
        let told = told.to_string();
        assert!(
            told.contains(reason) && told.contains("--even-refused"),
            "{told}"
        );
        assert!(session.observe(&call, OracleReply::Answer(b"{}")).is_err());
    }
    // The time and control inputs are no answers, whatever the question says.
    for source in [RESET, TIME] {
        let hashes = session.find_observations(&[source]).unwrap();
        let call = OracleCall {
            input: derived(b"", InputKind::Text, hashes, true),
            ..ask(b"")
        };
        let told = session.check_question(&call).unwrap_err();
        assert!(matches!(told, LedgerError::SourceNoAnswer { .. }), "{told}");
    }
    assert_eq!(std::fs::read(place.ledger()).unwrap(), before);
}

#[test]
fn an_answer_that_is_refused_while_the_session_runs_feeds_nothing() {
    let (_place, mut session) = refused();
    let good = OracleReply::Answer(b"{\"value\":1}");
    let decision = session.observe(&ask(b"three"), good).unwrap();
    derive(&mut session, "planner", &[decision.observation.ledger_seq]);
    // The answer to that question is {}, which has no value.
    let planned = decision.observation.ledger_seq + 3;
    let hashes = session.find_observations(&[planned]).unwrap();
    assert!(session.has_refused_answer(&hashes).unwrap());
}

#[test]
fn a_refused_answer_that_fed_a_question_all_the_same_is_marked() {
    let (place, mut session) = refused();
    let hashes = session.find_observations(&[BREACH, IN_ALARM]).unwrap();
    let call = OracleCall {
        input: derived(b"", InputKind::Text, hashes, true),
        ..ask(b"")
    };
    let good = OracleReply::Answer(b"{\"value\":1}");
    session.observe(&call, good).unwrap();
    drop(session);
    let report = place.audit();
    assert_eq!(report.verdict(), AuditVerdict::Ok, "{:?}", report.checks);
    let check = audit_derivations(&place);
    assert!(
        check
            .finding
            .contains("2 of their sources may not be acted on")
    );
    assert!(check.details[0].contains("observation 5, which may not be acted on, and says so"));
    let graph = graph(&place);
    let call = &graph.calls[0];
    assert!(call.even_refused);
    let sources = call.sources.as_ref().unwrap();
    assert!(sources.iter().all(|source| call.admits(source)));
    let standings: Vec<_> = sources
        .iter()
        .map(|source| source.observation.as_ref().unwrap().standing)
        .collect();
    assert_eq!(
        standings,
        [Standing::Breach, Standing::NotEnabled(Health::Alarm)]
    );
}

#[test]
fn a_writer_that_feeds_refused_answers_unsaid_is_found() {
    for (source, even_refused) in [(BREACH, false), (IN_ALARM, false), (TIME, true)] {
        let (place, mut session) = refused();
        let hashes = session.find_observations(&[source]).unwrap();
        let input = derived(b"", InputKind::Text, hashes, even_refused);
        drop(session);
        observe_without_validation(&place, input.bytes(), b"{\"value\":1}");
        let check = audit_derivations(&place);
        assert_eq!(check.result, CheckResult::Failed);
        let expected = format!("observation {source}, which may not be acted on: ");
        assert!(check.details[0].contains(&expected), "{:?}", check.details);
        let graph = graph(&place);
        let call = &graph.calls[0];
        assert!(!call.admits(&call.sources.as_ref().unwrap()[0]));
    }
}
