//! A ledger answers what it was asked before.

use std::fs;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::Blobs;
use axilog_oracle::OracleError;
use axilog_oracle::{Endpoint, Kind, Limits, Recorded};

use crate::place::{Place, question};

fn recorded(place: &Place) -> Endpoint {
    Endpoint::Recorded(Recorded::read(&place.ledger()).unwrap())
}

/// A place whose ledger holds the answers of `script` to `questions`.
fn after(script: &str, questions: &[&str]) -> Place {
    let mut place = Place::new();
    let mut endpoint = place.script(script).unwrap();
    for user in questions {
        place.ask(&mut endpoint, user).unwrap();
    }
    place
}

#[test]
fn equal_questions_get_equal_answers_in_order() {
    let script = "{\"answer\":\"1\"}\n{\"answer\":\"2\\nlines\"}\n{\"faults\":[\"timeout\"]}\n\
                  {\"answer\":\"4\"}\n{\"answer\":\"bad\\u0007\"}";
    let questions = ["a", "b", "c", "a", "d"];
    let first = after(script, &questions);
    let mut second = Place::new();
    let path = first.ledger();
    let kind = Kind::Recorded(path);
    let mut endpoint = Endpoint::open(&kind, "", Limits::default()).unwrap();
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
        Err("a recorded INVALID_OUTPUT"),
    ];
    let expected = expected.map(|r| r.map(str::to_owned).map_err(str::to_owned));
    assert_eq!(texts, expected);
    let error = second.ask(&mut endpoint, "a").unwrap_err().to_string();
    assert!(error.contains("was asked 2 times"), "{error}");

    // In the same order the second ledger is the first, but for what a ledger cannot say again.
    let mut third = Place::new();
    let mut endpoint = recorded(&first);
    for user in questions {
        third.ask(&mut endpoint, user).unwrap();
    }
    let same = fs::read(third.ledger()).unwrap() == fs::read(first.ledger()).unwrap();
    assert!(same);
}

#[test]
fn a_miss_shows_the_nearest_question_and_the_difference() {
    let place = after(
        "{\"answer\":\"1\"}",
        &[
            "Item: pump\nLimit: 70\nBe brief.",
            "Something else altogether",
        ],
    );
    let mut other = Place::new();
    let mut endpoint = recorded(&place);
    let before = fs::read(other.ledger()).unwrap();
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
    assert_eq!(fs::read(other.ledger()).unwrap(), before);

    // Without the blob there is nothing to compare with.
    let blobs = Blobs::beside(&place.ledger());
    for user in [
        "Item: pump\nLimit: 70\nBe brief.",
        "Something else altogether",
    ] {
        let hash = question(user).input().unwrap().hash();
        fs::remove_file(blobs.path(&hash)).unwrap();
    }
    let error = other.ask(&mut endpoint, asked).unwrap_err().to_string();
    assert!(error.contains("no input it names is kept"), "{error}");
}

#[test]
fn ledgers_that_are_not_good_or_not_whole_do_not_answer() {
    let place = after("{\"answer\":\"one\"}", &["a"]);
    let good = fs::read_to_string(place.ledger()).unwrap();
    fs::write(place.ledger(), good.replace("\"one\"", "\"two\"")).unwrap();
    let damaged = Recorded::read(&place.ledger());
    assert!(matches!(
        damaged,
        Err(OracleError::Ledger(LedgerError::Damaged { .. }))
    ));
    let missing = Recorded::read(&place.dir.path().join("nowhere.jsonl"));
    assert!(matches!(
        missing,
        Err(OracleError::File(FileError::Io { .. }))
    ));

    let long = format!("{{\"answer\":\"{}\"}}", "x".repeat(70_000));
    let place = after(&long, &["a"]);
    let mut endpoint = recorded(&place);
    let mut other = Place::new();
    let error = other.ask(&mut endpoint, "a").unwrap_err().to_string();
    assert!(error.contains("only in part (TRUNCATED)"), "{error}");
}
