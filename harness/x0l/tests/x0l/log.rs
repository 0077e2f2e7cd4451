//! The documents of a run are read back as they were written, and strictly.

use std::collections::BTreeMap;
use std::fs;

use axilog::hash::sha256;
use axilog_x0l::document::{from_value, read, to_line, to_text, to_value};
use axilog_x0l::kernel::Candidate;
use axilog_x0l::log::witness::{ClosingStatement, FileDigest};
use axilog_x0l::log::{Cycle, CycleLog, CycleReader, FrozenSettings, LogLine, RunDirectory};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::strategies;

/// A value of a strategy, always the same.
fn sample<T>(strategy: impl Strategy<Value = T>) -> T {
    let mut runner = TestRunner::deterministic();
    strategy.new_tree(&mut runner).unwrap().current()
}

/// Writes a document as a file has it, and reads it back.
fn write_and_read<T: Serialize + DeserializeOwned>(document: &T) -> T {
    read(to_text(document).as_bytes()).unwrap()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        candidate in strategies::candidate(),
        observation in strategies::observation(),
        decision in strategies::decision(),
        state in strategies::state(),
        cycle in strategies::cycle(),
        metadata in strategies::metadata(),
        frozen in strategies::frozen(),
        outcome in strategies::outcome(),
    ) {
        let read: Candidate = write_and_read(&candidate);
        prop_assert_eq!(read.hash(), candidate.hash());
        prop_assert_eq!(read, candidate);
        prop_assert_eq!(write_and_read(&observation), observation);
        prop_assert_eq!(write_and_read(&decision), decision);
        prop_assert_eq!(write_and_read(&state), state);
        prop_assert_eq!(write_and_read(&cycle), cycle);
        prop_assert_eq!(write_and_read(&metadata), metadata);
        prop_assert_eq!(write_and_read(&frozen), frozen);
        let sealed = FileDigest { sha256: [7; 32], size: u64::MAX };
        let files = BTreeMap::from([("cycles.jsonl".to_owned(), sealed)]);
        let closing = ClosingStatement { outcome, files };
        prop_assert_eq!(write_and_read(&closing), closing);
    }

    /// Every member must be there and no other may; whichever it is, the message names it.
    #[test]
    fn members_that_are_missing_or_too_many_are_named(cycle in strategies::cycle()) {
        let good = to_value(&cycle);
        for name in good.as_object().unwrap().keys() {
            let mut without = good.clone();
            without.as_object_mut().unwrap().remove(name);
            let wrong = from_value::<Cycle>(&without).unwrap_err();
            prop_assert_eq!((&*wrong.field, &*wrong.found), (&**name, "nothing"));
        }
        let mut surplus = good;
        surplus["decision"]["extra"] = json!(1);
        let wrong = from_value::<Cycle>(&surplus).unwrap_err();
        prop_assert_eq!(wrong.to_string(), "decision.extra: found 1, expected no such member");
    }
}

#[test]
fn a_wrong_value_is_named_with_what_was_expected() {
    let good = to_value(&sample(strategies::cycle()));
    for (field, value, message) in [
        (
            "condition",
            json!("L-F"),
            "condition: found \"L-F\", expected one of L-A, L-B, L-C, L-D, L-E",
        ),
        (
            "number",
            json!(-1),
            "number: found -1, expected an integer from 0 to 2^64-1",
        ),
        (
            "number",
            json!(1.5),
            "number: found 1.5, expected an integer",
        ),
        (
            "state",
            json!("AB"),
            "state: found \"AB\", expected 64 lower-case hexadecimal digits",
        ),
        ("raw", json!([]), "raw: found [], expected a text"),
        (
            "attempts",
            json!([{}]),
            "attempts[0].waited_ms: found nothing",
        ),
        (
            "observations",
            json!([{ "kind": "timestamp", "time": "007" }]),
            "observations[0].time: found \"007\", expected an integer from 0 to 2^64-1, as a text",
        ),
        (
            "observations",
            json!([{ "kind": "omen" }]),
            "observations[0].kind: found \"omen\", expected one of user_input, timestamp, budget, system",
        ),
        (
            "refusal_type",
            json!("IV"),
            "refusal_type: found \"IV\", expected one of I, II, III",
        ),
        (
            "permutations",
            json!({ "tried": 1, "equal": null }),
            "permutations.equal: found null",
        ),
    ] {
        let mut wrong = good.clone();
        wrong[field] = value;
        let wrong = from_value::<Cycle>(&wrong).unwrap_err().to_string();
        assert!(wrong.starts_with(message), "{wrong}");
    }
}

#[test]
fn the_log_names_file_and_line_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(&dir.path().join("run")).unwrap();
    let mut log = CycleLog::create(&run).unwrap();
    assert!(CycleLog::create(&run).is_err(), "one log a run");
    let cycle = sample(strategies::cycle());
    for _ in 0..4 {
        log.append(&cycle).unwrap();
    }
    let path = run.cycles();
    let bytes = fs::read(&path).unwrap();
    let good = to_line(&cycle);
    assert_eq!(bytes, good.repeat(4));

    let mut damaged = bytes[..bytes.len() - 10].to_vec();
    // The same value, written otherwise.
    damaged.insert(good.len() + 1, b' ');
    damaged[2 * good.len() + 1] = b'}';
    let mut reader = CycleReader::new(damaged.as_slice(), &path);
    assert_eq!(
        reader.next_line().unwrap(),
        Some(LogLine::Cycle(Box::new(cycle)))
    );
    for (number, found) in [(2, "another form of one"), (3, "not JSON")] {
        let Some(LogLine::Malformed(wrong)) = reader.next_line().unwrap() else {
            panic!("line {number} is not good")
        };
        let message = wrong.to_string();
        let start = format!("{}:{number}: found ", path.display());
        assert!(
            message.starts_with(&start) && message.contains(found),
            "{message}"
        );
    }
    let torn = good.len() as u64 - 10;
    assert_eq!(reader.next_line().unwrap(), Some(LogLine::Torn(torn)));
    assert_eq!(reader.next_line().unwrap(), None);
}

/// A log may be longer than any file that is read whole.
#[test]
fn a_long_file_has_its_hash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cycles.jsonl");
    let long = vec![0; (64 << 20) + 1];
    fs::write(&path, &long).unwrap();
    let sealed = FileDigest {
        sha256: sha256(&long),
        size: long.len() as u64,
    };
    assert_eq!(FileDigest::compute(&path).unwrap(), sealed);
}

#[test]
fn metadata_is_replaced_whole_and_read_strictly() {
    let dir = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(dir.path()).unwrap();
    let path = run.metadata();
    assert!(RunDirectory::open(dir.path()).is_err());
    let mut metadata = sample(strategies::metadata());
    for _ in 0..2 {
        run.write_metadata(&metadata).unwrap();
        assert_eq!(run.read_metadata().unwrap(), metadata);
        metadata.outcome = None;
    }
    assert_eq!(RunDirectory::open(dir.path()).unwrap(), run);
    let names = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(names, 2, "inputs and the metadata, nothing else");

    let good = fs::read_to_string(&path).unwrap();
    for (bad, message) in [
        (good.trim_end().to_owned(), "found no line feed"),
        (
            good.replace("\"X0L:RUN:v", "\"X0L:RUN:v9"),
            "expected X0L:RUN:v1 or X0L:RUN:v2",
        ),
        (
            good.replace("{\"calibration", "{ \"calibration"),
            "another form of one",
        ),
    ] {
        fs::write(&path, bad).unwrap();
        let error = run.read_metadata().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(error.contains("session_metadata.json:1: "), "{error}");
    }
}

#[test]
fn a_run_needs_a_directory_and_plain_names_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b");
    let run = RunDirectory::create(&path).unwrap();
    let error = RunDirectory::create(&path).unwrap_err().to_string();
    assert!(error.contains("is not empty"), "{error}");
    run.write_input("tasks.toml", b"1").unwrap();
    run.write_input("tasks.toml", b"1").unwrap();
    assert!(run.write_input("tasks.toml", b"2").is_err());
    for name in ["", ".", "..", "../x", "a/b", ".hidden", "a b", "é", "a\\b"] {
        assert!(run.write_input(name, b"").is_err(), "{name}");
        let named = json!({ "name": name, "sha256": "00".repeat(32) });
        let mut frozen = to_value(&sample(strategies::frozen()));
        frozen["constitution"] = named;
        let wrong = from_value::<FrozenSettings>(&frozen).unwrap_err();
        assert_eq!(wrong.field, "constitution.name");
    }
    assert_eq!(fs::read_dir(run.inputs()).unwrap().count(), 1);
}
