//! What a session does with questions and answers that conform, and with others.

use axilog::agent::state::Health;
use axilog::evidence::observation::{Completion, Failure};
use axilog::replay::Verdict;
use axilog_ledger::audit::{AuditVerdict, CheckResult};
use axilog_ledger::error::LedgerError;
use axilog_ledger::session::OracleReply;

use crate::support::{Place, ask, observe};

#[test]
fn an_answer_that_conforms_may_be_acted_on() {
    let (place, mut session) = Place::with_schemas();
    let decision = observe(&mut session, br#"{"pump":"inlet","speed":60}"#);
    assert!(decision.may_act);
    assert_eq!(decision.schema_violation, None);
    drop(session);
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
    let check = place.audit_schemas();
    assert_eq!(
        check.finding,
        "1 questions and 1 answers conform, 0 answers were refused"
    );
    // No policy judged the answer, and the schema covers the oracle.
    assert!(place.audit().unjudged_oracles.is_empty());
}

#[test]
fn an_answer_that_violates_is_invalid_output_with_its_bytes_bound() {
    let cases: [(&[u8], &str); 7] = [
        (
            br#"{"pump":"inlet","speed":61}"#,
            "the value at /speed violates /properties/speed/maximum of the schema: 60",
        ),
        (
            br#"{"pump":"drain","speed":1}"#,
            r#"the value at /pump violates /properties/pump/enum of the schema: ["inlet","outlet"]"#,
        ),
        (
            br#"{"pump":"inlet"}"#,
            r#"the whole value violates /required of the schema: ["pump","speed"]"#,
        ),
        (
            br#"{"pump":"inlet","speed":1,"speed":61}"#,
            "it is not JSON: byte 26",
        ),
        (
            b"{\"pump\":\"inlet\",\"speed\":1,\"x\\u202e\":1}",
            "violates /additionalProperties of the schema: false",
        ),
        (b"run the inlet at 40", "it is not JSON: byte 0"),
        (b"", "it is not JSON: byte 0: not JSON: it ends too early"),
    ];
    for (answer, reason) in cases {
        let (place, mut session) = Place::with_schemas();
        let decision = observe(&mut session, answer);
        let told = decision.schema_violation.unwrap().to_string();
        assert!(told.contains(reason), "{told}");
        assert!(!told.contains('\u{202e}'), "{told}");
        assert_eq!(decision.observation.completion, Completion::Error);
        assert_eq!(decision.observation.failure, Some(Failure::InvalidOutput));
        assert!(decision.binds_raw_answer && !decision.may_act && !decision.is_permitted);
        assert_eq!(decision.health, Health::Alarm);
        // In STOPPED, too, the answer is recorded and bound; nothing follows.
        drop(session);
        let report = place.audit();
        assert_eq!(report.verdict(), AuditVerdict::Ok, "{:?}", report.checks);
        assert_eq!(report.verification.verdict(), Verdict::Ok);
        let raw = report.checks.iter().find(|c| c.subject == "raw answers");
        assert_eq!(
            raw.unwrap().finding,
            "1 bound by their length and hash, and recorded as admission makes them"
        );
        if !answer.is_empty() {
            assert_eq!(std::fs::read(place.blob(answer)).unwrap(), answer);
        }
        let check = place.audit_schemas();
        assert!(check.finding.ends_with("1 answers were refused"));
        // The audit finds the reason again, from the answer and the schema.
        let refusal = format!("refused answer 5 of oracle \"o\": {told}");
        assert_eq!(check.details, [refusal]);
    }
}

#[test]
fn a_long_answer_is_validated_whole() {
    let (place, mut session) = Place::with_schemas();
    let mut long = br#"{"pump":"inlet","speed":1}"#.to_vec();
    long.resize(80_000, b' ');
    let decision = observe(&mut session, &long);
    assert_eq!(decision.observation.completion, Completion::Truncated);
    assert_eq!(decision.schema_violation, None);
    let mut violating = br#"{"pump":"inlet","speed":61}"#.to_vec();
    violating.resize(80_000, b' ');
    let decision = observe(&mut session, &violating);
    assert_eq!(decision.observation.failure, Some(Failure::InvalidOutput));
    let mut too_long = br#"{"pump":"inlet","speed":1}"#.to_vec();
    too_long.resize((1 << 20) + 1, b' ');
    let decision = observe(&mut session, &too_long);
    let told = decision.schema_violation.unwrap().to_string();
    assert_eq!(
        told,
        "it has 1048577 bytes, and at most 1048576 are validated"
    );
    drop(session);
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
    let finding = place.audit_schemas().finding;
    assert_eq!(
        finding,
        "3 questions and 1 answers conform, 2 answers were refused"
    );
}

#[test]
fn what_is_no_text_stays_the_cores_to_refuse() {
    let (place, mut session) = Place::with_schemas();
    let decision = observe(&mut session, b"\xff");
    assert_eq!(decision.observation.failure, Some(Failure::InvalidOutput));
    assert_eq!(decision.schema_violation, None);
    let timeout = OracleReply::Failure(Failure::Timeout);
    session.observe(&crate::support::call(), timeout).unwrap();
    drop(session);
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
}

#[test]
fn a_question_that_violates_is_refused_before_the_call() {
    let (place, mut session) = Place::with_schemas();
    let before = std::fs::read(place.ledger()).unwrap();
    for question in [
        b"{\"depth\":1}".as_slice(),
        b"[]",
        b"",
        b"What level?",
        b"{\"level\":1,\"level\":2}",
    ] {
        let call = ask(question);
        let refused = session.check_question(&call).unwrap_err();
        assert!(
            matches!(refused, LedgerError::QuestionViolatesSchema { .. }),
            "{refused}"
        );
        let answer = OracleReply::Answer(br#"{"pump":"inlet","speed":1}"#);
        let refused = session.observe(&call, answer).unwrap_err().to_string();
        assert!(
            refused.contains("violates the input schema of the oracle \"o\""),
            "{refused}"
        );
        assert!(refused.ends_with("nothing was recorded"), "{refused}");
    }
    assert_eq!(std::fs::read(place.ledger()).unwrap(), before);
    // The agent goes on.
    assert!(observe(&mut session, br#"{"pump":"outlet","speed":0}"#).may_act);
}

#[test]
fn other_oracles_and_other_ledgers_have_no_schemas() {
    let (place, mut session) = Place::with_schemas();
    let mut other = ask(b"anything");
    other.oracle_id = "p".to_owned();
    let decision = session
        .observe(&other, OracleReply::Answer(b"prose"))
        .unwrap();
    assert_eq!(decision.observation.completion, Completion::Complete);
    drop(session);
    let report = place.audit();
    let unjudged: Vec<&str> = report
        .unjudged_oracles
        .iter()
        .map(|o| o.oracle_id.as_str())
        .collect();
    assert_eq!(unjudged, ["p"]);
}

#[test]
fn a_stopped_agent_still_records_and_binds_what_violates() {
    let (place, mut session) = Place::with_schemas();
    session.observe_time(1, true).unwrap();
    assert_eq!(session.agent().health, Health::Stopped);
    let decision = observe(&mut session, b"prose");
    assert!(decision.binds_raw_answer && decision.transition.is_none());
    drop(session);
    let report = place.audit();
    assert_eq!(report.verdict(), AuditVerdict::Ok, "{:?}", report.checks);
    assert_eq!(place.audit_schemas().result, CheckResult::Passed);
}

#[test]
fn a_session_that_opens_the_ledger_again_validates_too() {
    let (place, session) = Place::with_schemas();
    drop(session);
    let mut session = place.open().unwrap();
    assert!(observe(&mut session, b"{}").schema_violation.is_some());
}
