//! Oracles that answer from a ledger.

use std::fs;

use axilog::hash::sha256;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::BlobStore;
use axilog_oracle::OracleError;
use axilog_oracle::{Oracle, OracleKind, RecordedOracle, ServerOptions};
use axilog_testkit::harness::test_ledger::{TestLedger, question};

fn open_recorded(ledger: &TestLedger) -> Oracle {
    Oracle::Recorded(RecordedOracle::open(&ledger.path()).unwrap())
}

/// Creates a ledger that holds the answers of `script` to `questions`.
fn record_answers(script: &str, questions: &[&str]) -> TestLedger {
    let mut ledger = TestLedger::new();
    let mut endpoint = ledger.open_script(script).unwrap();
    for user in questions {
        ledger.ask(&mut endpoint, user).unwrap();
    }
    ledger
}

#[test]
fn equal_questions_get_equal_answers_in_order() {
    let script = "{\"answer\":\"1\"}\n{\"answer\":\"2\\nlines\"}\n{\"faults\":[\"timeout\"]}\n\
                  {\"answer\":\"4\"}\n{\"answer\":\"bad\\u0007\"}";
    let questions = ["a", "b", "c", "a", "d"];
    let first = record_answers(script, &questions);
    let mut second = TestLedger::new();
    let path = first.path();
    let kind = OracleKind::Recorded(path);
    let mut endpoint = Oracle::open(&kind, &ServerOptions::default()).unwrap();
    // In another order, where the order between questions does not matter.
    let mut texts = Vec::new();
    for user in ["b", "a", "a", "c", "d"] {
        let consultation = second.ask(&mut endpoint, user).unwrap();
        let reply = consultation.exchange.reply;
        texts.push(reply.map(|a| a.text).map_err(|fault| fault.to_string()));
    }
    let expected = [
        Ok("2\nlines"),
        Ok("1"),
        Ok("4"),
        Err("a recorded TIMEOUT"),
        // The record does not hold this one; the blob that its RAW record names does.
        Ok("bad\u{7}"),
    ];
    let expected = expected.map(|r| r.map(str::to_owned).map_err(str::to_owned));
    assert_eq!(texts, expected);
    let error = second.ask(&mut endpoint, "a").unwrap_err().to_string();
    assert!(error.contains("was asked 2 times"), "{error}");

    // Asked in the same order, the third ledger equals the first.
    let mut third = TestLedger::new();
    let mut endpoint = open_recorded(&first);
    for user in questions {
        third.ask(&mut endpoint, user).unwrap();
    }
    let same = fs::read(third.path()).unwrap() == fs::read(first.path()).unwrap();
    assert!(same);
}

#[test]
fn a_miss_shows_the_nearest_question_and_the_difference() {
    let ledger = record_answers(
        "{\"answer\":\"1\"}",
        &[
            "Item: pump\nLimit: 70\nBe brief.",
            "Something else altogether",
        ],
    );
    let mut other = TestLedger::new();
    let mut endpoint = open_recorded(&ledger);
    let before = fs::read(other.path()).unwrap();
    let asked = "Item: pump\nLimit: 75\nBe brief.";
    let error = other.ask(&mut endpoint, asked).unwrap_err().to_string();
    for part in [
        "\n-Limit: 70\n",
        "\n+Limit: 75\n",
        " Be brief.",
        "ledger.jsonl: holds no answer",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert!(!error.contains("altogether"), "{error}");
    assert_eq!(fs::read(other.path()).unwrap(), before);

    // Without the blob there is nothing to compare with.
    let blobs = BlobStore::of_ledger(&ledger.path());
    for user in [
        "Item: pump\nLimit: 70\nBe brief.",
        "Something else altogether",
    ] {
        let hash = question(user).to_canonical_input().unwrap().hash();
        fs::remove_file(blobs.path(&hash)).unwrap();
    }
    let error = other.ask(&mut endpoint, asked).unwrap_err().to_string();
    assert!(error.contains("no input it names is kept"), "{error}");
}

#[test]
fn ledgers_that_are_not_good_or_not_whole_do_not_answer() {
    let ledger = record_answers("{\"answer\":\"one\"}", &["a"]);
    let good = fs::read_to_string(ledger.path()).unwrap();
    fs::write(ledger.path(), good.replace("\"one\"", "\"two\"")).unwrap();
    let damaged = RecordedOracle::open(&ledger.path());
    assert!(matches!(
        damaged,
        Err(OracleError::Ledger(LedgerError::Damaged { .. }))
    ));
    let missing = RecordedOracle::open(&ledger.dir.path().join("nowhere.jsonl"));
    assert!(matches!(
        missing,
        Err(OracleError::File(FileError::Io { .. }))
    ));

    let long = format!("{{\"answer\":\"{}\"}}", "x".repeat(70_000));
    let ledger = record_answers(&long, &["a"]);
    // Whole from its blob; only in part without that.
    let mut endpoint = open_recorded(&ledger);
    let reply = TestLedger::new().ask(&mut endpoint, "a").unwrap();
    assert_eq!(reply.exchange.reply.unwrap().text.len(), 70_000);
    let raw = sha256("x".repeat(70_000).as_bytes());
    fs::remove_file(BlobStore::of_ledger(&ledger.path()).path(&raw)).unwrap();
    let mut endpoint = open_recorded(&ledger);
    let mut other = TestLedger::new();
    let error = other.ask(&mut endpoint, "a").unwrap_err().to_string();
    assert!(error.contains("only in part (TRUNCATED)"), "{error}");
}
