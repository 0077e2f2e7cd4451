//! The records and blobs of a call.

use std::fs::File;

use axilog::admission::AdmissionOutcome;
use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::hash::sha256;
use axilog::replay::Verdict;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};
use axilog_oracle::OracleError;
use axilog_oracle::{LocalOracle, Oracle, Question, consult_oracle};
use axilog_testkit::harness::test_ledger::{TestLedger, question};

#[test]
fn every_answer_and_failure_is_an_observation_and_every_prompt_a_blob() {
    let mut ledger = TestLedger::new();
    let script = "{\"answer\":\"fine\"}\n{\"faults\":[\"timeout\"]}\n{\"faults\":[500]}\n\
                  {\"answer\":\"a tab\\there\"}\n{\"answer\":\"cr\\r\\nlf\"}\n";
    let mut endpoint = ledger.open_script(script).unwrap();
    let expected = [
        (Completion::Complete, None, Some("fine")),
        (Completion::Error, Some(Failure::Timeout), None),
        (Completion::Error, Some(Failure::TransportError), None),
        // SRS-004 §5.6 admits no tab: the record holds no output, and the caller gets no text.
        (Completion::Error, Some(Failure::InvalidOutput), None),
        (Completion::Complete, None, Some("cr\r\nlf")),
    ];
    let blobs = BlobStore::of_ledger(&ledger.path());
    for (index, (completion, failure, text)) in expected.into_iter().enumerate() {
        let user = format!("question {index}");
        let consultation = ledger.ask(&mut endpoint, &user).unwrap();
        let recorded = &consultation.decision.observation;
        assert_eq!(
            (recorded.completion, recorded.failure),
            (completion, failure)
        );
        assert_eq!(consultation.admitted_text(), text);
        let held = text.map(|text| text.replace("\r\n", "\n"));
        assert_eq!(consultation.recorded_text(), held);
        assert!(held.is_none_or(|held| recorded.output_size == held.len() as u64));
        let input = question(&user).to_canonical_input().unwrap();
        assert_eq!(recorded.input_hash, input.hash());
        let blob = blobs.read(&input.hash(), 1 << 20).unwrap();
        assert_eq!(blob.as_deref(), Some(input.bytes()));
        if consultation.decision.admission == AdmissionOutcome::Invalid && text.is_none() {
            let raw = b"a tab\there";
            let kept = blobs.read(&sha256(raw), 1 << 20).unwrap();
            assert_eq!(kept.is_some(), failure == Some(Failure::InvalidOutput));
        }
    }
    let mut observations = 0;
    let checked = verify_ledger(
        File::open(ledger.path()).unwrap(),
        None,
        &LedgerExpectations::default(),
        &mut |record| {
            let view = record.observation.as_ref();
            observations += usize::from(view.is_some_and(|v| v.oracle_id.bytes() == b"llm"));
        },
    )
    .unwrap();
    assert_eq!(checked.verdict(), Verdict::Ok);
    assert_eq!(observations, 5);
}

#[test]
fn what_could_not_be_recorded_is_not_asked() {
    let mut ledger = TestLedger::new();
    let script = "{\"answer\":\"one\"}\n{\"answer\":\"two\"}\n{\"answer\":\"three\"}";
    let mut endpoint = ledger.open_script(script).unwrap();
    ledger.ask(&mut endpoint, "first").unwrap();
    let mut ask = |oracle: &str, question: &Question| {
        consult_oracle(&mut ledger.session, &mut endpoint, oracle, question)
    };
    let other = Question::new("model-2", "", "", Params::NULL);
    assert!(matches!(
        ask("llm", &other),
        Err(OracleError::Ledger(LedgerError::ModelMismatch { .. }))
    ));
    let reserved = ask("ax.time", &question("?"));
    assert!(matches!(
        reserved,
        Err(OracleError::Ledger(LedgerError::ReservedOracleId { .. }))
    ));
    let nameless = Question::new("", "", "", Params::NULL);
    assert!(matches!(
        ask("o", &nameless),
        Err(OracleError::Ledger(LedgerError::InvalidIdentity { .. }))
    ));
    let decomposed = ask("llm", &question("e\u{301}"));
    assert!(matches!(
        decomposed,
        Err(OracleError::Ledger(LedgerError::InvalidInput { .. }))
    ));
    // None of the refused questions reached the script.
    let next = ask("llm", &question("second")).unwrap();
    assert_eq!(next.admitted_text(), Some("two"));
    ledger.session.seal().unwrap();
    let sealed = ledger.ask(&mut endpoint, "third");
    assert!(matches!(
        sealed,
        Err(OracleError::Ledger(LedgerError::Sealed(_)))
    ));
}

/// An oracle that answers with the question.
#[derive(Debug)]
struct Echo;

impl LocalOracle for Echo {
    fn answer(&mut self, question: &Question) -> String {
        question.messages[1].content.clone()
    }
}

#[test]
fn what_code_answers_is_recorded_like_any_other_answer() {
    let mut ledger = TestLedger::new();
    let mut endpoint = Oracle::Code(Box::new(Echo));
    let consultation = ledger.ask(&mut endpoint, "Is it so?").unwrap();
    assert_eq!(consultation.admitted_text(), Some("Is it so?"));
    assert_eq!(consultation.decision.observation.output_size, 9);
    let inadmissible = ledger.ask(&mut endpoint, "a tab\there").unwrap();
    assert_eq!(inadmissible.admitted_text(), None);
}
