//! Answers that their records do not hold: an audit admits each again, and finds what admission did not make.

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog::evidence::view::ObservationView;
use axilog::hash::Tag;
use axilog::ledger_line;
use axilog_ledger::admission::{AnswerFit, AnswerText, COMPARED_BYTES, compare_answer};
use axilog_ledger::audit::{AuditCheck, AuditVerdict, CheckResult};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};

use crate::support::{Place, observe};

/// A ledger without schemas, in which each of these is an answer of an oracle with the id `oracle_id`.
fn record_answers(oracle_id: &str, answers: &[Vec<u8>]) -> Place {
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    let rules = RuleSet::without_policies().unwrap();
    let (mut session, _) = Session::create(&place.ledger(), rules, 1).unwrap();
    let call = OracleCall {
        oracle_id: oracle_id.to_owned(),
        model_id: "m".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"why?", InputKind::Text).unwrap(),
    };
    for answer in answers {
        session.observe(&call, OracleReply::Answer(answer)).unwrap();
    }
    place
}

fn find_raw_answers(place: &Place) -> (AuditVerdict, AuditCheck) {
    let report = place.audit();
    let check = report.checks.iter().find(|c| c.subject == "raw answers");
    (report.verdict(), check.unwrap().clone())
}

/// Answers of every kind of character around the length at which a record is full, and far beyond.
#[test]
fn what_a_session_cuts_and_refuses_is_what_admission_makes() {
    let mut answers = Vec::new();
    for unit in [
        "x",
        "\u{e9}",
        "\u{20ac}",
        "\u{1f600}",
        "\"",
        "\n",
        "\r\n",
        "a\r\n\u{e9}",
    ] {
        let full = 65_536 / unit.replace('\r', "").len();
        for count in [full / 2 - 120, full - 140, full, 3 * full] {
            answers.push(unit.repeat(count).into_bytes());
        }
        // The record is full within a character, at each place of it.
        for before in 0..5 {
            answers.push(format!("{}{}", "y".repeat(before), unit.repeat(2 * full)).into_bytes());
        }
    }
    for refused in ["\u{7}", "e\u{301}", "tab\t"] {
        answers.push(refused.as_bytes().to_vec());
        answers.push(format!("{}{refused}", "x".repeat(200_000)).into_bytes());
    }
    answers.push(b"\xff".to_vec());
    for oracle_id in ["o", &"o".repeat(256)] {
        let place = record_answers(oracle_id, &answers);
        let (verdict, check) = find_raw_answers(&place);
        assert_eq!(verdict, AuditVerdict::Ok, "{check:?}");
        let bound = check.finding.split(' ').next().unwrap();
        assert!(bound.parse::<u32>().unwrap() > 60, "{check:?}");
    }
}

/// A longer answer is compared by its beginning.
#[test]
fn the_beginning_of_an_answer_is_enough() {
    let long = "z\u{e9}\r\n".repeat(100_000);
    let place = record_answers("o", &[long.clone().into_bytes()]);
    let ledger = std::fs::read(place.ledger()).unwrap();
    let record = ledger
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| ledger_line::parse(line).unwrap())
        .rfind(|entry| entry.tag == Tag::Obs)
        .unwrap();
    let view = ObservationView::parse(record.payload).unwrap();
    let whole = long.as_bytes();
    let text = AnswerText::of(whole);
    for beginning in [
        whole,
        &whole[..COMPARED_BYTES],
        &whole[..COMPARED_BYTES + 1],
    ] {
        assert_eq!(compare_answer(&view, text, beginning), AnswerFit::Recorded);
    }
    let other = long.replacen('z', "y", 1);
    let AnswerFit::Differs(reason) = compare_answer(&view, text, other.as_bytes()) else {
        panic!("another beginning");
    };
    assert_eq!(reason, "it does not begin with what the record holds");
    let shorter = &whole[..70_000];
    let AnswerFit::Differs(reason) = compare_answer(&view, AnswerText::of(shorter), shorter) else {
        panic!("another length");
    };
    assert!(
        reason.ends_with(&format!("the record says {}", 4 * 100_000)),
        "{reason}"
    );
}

/// The missing blob is what fails; whether its answer was recorded rightly, nobody can say.
#[test]
fn an_answer_that_is_missing_is_not_checked() {
    let place = record_answers("o", &[b"\xff".to_vec()]);
    std::fs::remove_file(place.blob(b"\xff")).unwrap();
    let (verdict, check) = find_raw_answers(&place);
    assert_eq!(verdict, AuditVerdict::Failed);
    assert_eq!(check.result, CheckResult::NotChecked, "{check:?}");
}

/// The manifest and its schemas lie among the blobs too, and are taken for no answer.
#[test]
fn an_answer_whose_binding_was_interrupted_is_bound_by_the_next_session() {
    for answer in [&b"\xff"[..], br#"{"pump":"unknown","speed":1}"#] {
        let (place, mut session) = Place::with_schemas();
        observe(&mut session, answer);
        drop(session);
        let whole = std::fs::read(place.ledger()).unwrap();
        let precedes_binding = |line: &&[u8]| ledger_line::parse(line).unwrap().tag != Tag::Proof;
        let lines = whole.split_inclusive(|byte| *byte == b'\n');
        let cut: Vec<&[u8]> = lines.take_while(precedes_binding).collect();
        assert!(cut.concat().len() < whole.len());
        std::fs::write(place.ledger(), cut.concat()).unwrap();
        drop(place.open().unwrap());
        assert!(std::fs::read(place.ledger()).unwrap() == whole);
        assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
    }
}
