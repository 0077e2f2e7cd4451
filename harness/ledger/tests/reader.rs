//! A reader of a ledger gives the records that verification accepts, and ends where verification does.

use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axilog::admission::InputKind;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Failure, Params};
use axilog::hash::Tag;
use axilog::replay::Verdict;
use axilog_ledger::durability::Durability;
use axilog_ledger::error::{LedgerError, LedgerFault};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::reader::{LedgerReader, RecordFilter};
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

/// The fields of a record that are compared.
#[derive(Debug, PartialEq, Eq)]
struct ComparedRecord {
    sequence: u64,
    offset: u64,
    tag: Tag,
    bytes: Vec<u8>,
    is_observation: bool,
}

fn call(oracle: &str) -> OracleCall {
    OracleCall {
        oracle_id: oracle.to_owned(),
        model_id: "model-1".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"How fast?", InputKind::Text).unwrap(),
    }
}

/// Writes a ledger with every kind of record, and leaves it open.
fn write_ledger(path: &Path) -> Session {
    let (mut session, _) = Session::open_or_create(path, None, 5).unwrap();
    let good = OracleReply::Answer(b"{\"value\": 60, \"why\": \"\xc3\xa9\"}");
    session.observe(&call("llm"), good).unwrap();
    session
        .observe(&call("sensor"), OracleReply::Answer(b"{\"value\": 71}"))
        .unwrap();
    session.observe_control(InputClass::PolicyTrigger).unwrap();
    session.observe_control(InputClass::ResetRequest).unwrap();
    session.observe_time(7, false).unwrap();
    session
        .observe(&call("llm"), OracleReply::Answer(b"\xff"))
        .unwrap();
    session
        .observe(&call("llm"), OracleReply::Failure(Failure::Timeout))
        .unwrap();
    session
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.jsonl");
    (directory, path)
}

fn verify(path: &Path) -> (Vec<ComparedRecord>, Option<LedgerFault>) {
    let mut seen = Vec::new();
    let file = fs::File::open(path).unwrap();
    let report = verify_ledger(file, None, &LedgerExpectations::default(), &mut |record| {
        seen.push(ComparedRecord {
            sequence: record.entry.sequence,
            offset: record.offset,
            tag: record.entry.tag,
            bytes: record.entry.payload.to_vec(),
            is_observation: record.observation.is_some(),
        });
    });
    (seen, report.unwrap().fault)
}

fn open(path: &Path, filter: RecordFilter) -> LedgerReader {
    LedgerReader::open(path, filter).unwrap()
}

/// Reads up to the end, or a fault.
fn read_on(reader: &mut LedgerReader) -> (Vec<ComparedRecord>, Option<LedgerFault>) {
    let mut seen = Vec::new();
    loop {
        let read = reader.read_next(|read| ComparedRecord {
            sequence: read.verified.entry.sequence,
            offset: read.verified.offset,
            tag: read.verified.entry.tag,
            bytes: read.verified.entry.payload.to_vec(),
            is_observation: read.verified.observation.is_some(),
        });
        match read {
            Ok(Some(record)) => seen.push(record),
            Ok(None) => return (seen, None),
            Err(LedgerError::Damaged { fault, .. }) => return (seen, Some(fault)),
            Err(error) => panic!("{error}"),
        }
    }
}

fn read(path: &Path) -> (Vec<ComparedRecord>, Option<LedgerFault>) {
    read_on(&mut open(path, RecordFilter::default()))
}

#[test]
fn a_reader_gives_what_verification_accepts() {
    let (_directory, path) = place();
    write_ledger(&path).seal().unwrap();
    let (records, fault) = read(&path);
    assert_eq!((&records, &fault), (&verify(&path).0, &None));
    assert!(records.len() > 20);
    let mut reader = open(&path, RecordFilter::default());
    read_on(&mut reader);
    let replay = &reader.verification().replay;
    assert_eq!(replay.entries(), records.len() as u64);
    assert!(replay.ledger().sealed && reader.torn_bytes() == 0 && reader.time() == 7);
}

#[test]
fn every_damage_ends_a_reader_where_it_ends_verification() {
    let (_directory, path) = place();
    drop(write_ledger(&path));
    let whole = fs::read(&path).unwrap();
    let mut verdicts = 0;
    for at in (0..whole.len()).step_by(11) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 7);
        fs::write(&path, &damaged).unwrap();
        let (verified, fault) = verify(&path);
        let fault = fault.unwrap();
        let (records, found) = read(&path);
        assert_eq!(records, verified, "byte {at}");
        // Of the last line a reader cannot tell whether it is being written.
        if fault.verdict == Verdict::Torn {
            assert_eq!(found, None);
            continue;
        }
        assert_eq!(found, Some(fault), "byte {at}");
        verdicts += 1;
    }
    assert!(verdicts > 200, "{verdicts}");
    fs::write(&path, "no ledger").unwrap();
    assert_eq!(read(&path).1.unwrap().verdict, Verdict::Torn);
    fs::write(&path, "no\nledger\n").unwrap();
    assert_eq!(read(&path), verify(&path));
}

#[test]
fn a_reader_of_a_ledger_that_was_cut_off_gives_its_whole_lines() {
    let (_directory, path) = place();
    drop(write_ledger(&path));
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(37) {
        fs::write(&path, &whole[..length]).unwrap();
        let lines = whole[..length].iter().filter(|b| **b == b'\n').count();
        let torn = whole[..length].rsplit(|b| *b == b'\n').next();
        let mut reader = open(&path, RecordFilter::default());
        let (records, fault) = read_on(&mut reader);
        assert_eq!((records.len(), fault), (lines, None), "{length} bytes");
        assert_eq!(reader.torn_bytes(), torn.map_or(0, <[u8]>::len) as u64);
        // What was being written is read once it is whole.
        fs::write(&path, &whole).unwrap();
        let (rest, fault) = read_on(&mut reader);
        assert_eq!(fault, None);
        assert_eq!(records.len() + rest.len(), verify(&path).0.len());
    }
}

#[test]
fn a_reader_at_the_end_gives_what_is_recorded_later() {
    let (_directory, path) = place();
    let mut session = write_ledger(&path);
    let mut reader = open(&path, RecordFilter::default());
    read_on(&mut reader);
    assert_eq!(read_on(&mut reader), (Vec::new(), None));
    session.observe_time(9, false).unwrap();
    session.seal().unwrap();
    let (later, fault) = read_on(&mut reader);
    let tags: Vec<Tag> = later.iter().map(|record| record.tag).collect();
    assert_eq!((tags.last(), fault), (Some(&Tag::Proof), None));
    assert!(reader.verification().replay.ledger().sealed && reader.time() == 9);

    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(1000))
        .unwrap();
    let fault = read_on(&mut reader).1.unwrap();
    assert_eq!(fault.verdict, Verdict::Truncated);
    assert_eq!(read_on(&mut reader).1, Some(fault), "once bad, always bad");
}

#[test]
fn a_reader_beside_a_writer_sees_a_good_prefix_at_any_time() {
    const STEPS: u64 = 300;
    let (_directory, path) = place();
    let mut session = write_ledger(&path);
    let every = NonZeroU64::new(1000).unwrap();
    let within = Duration::from_secs(60);
    session
        .set_durability(Durability::Interval {
            records: every,
            within,
        })
        .unwrap();
    let writer = std::thread::spawn(move || {
        for time in 10..10 + STEPS {
            session.observe_time(time, false).unwrap();
        }
    });
    let mut reader = open(&path, RecordFilter::default());
    while reader.time() < 9 + STEPS {
        let (_, fault) = read_on(&mut reader);
        assert_eq!(fault, None);
    }
    writer.join().unwrap();
    assert_eq!(verify(&path).1, None);
}

#[test]
fn a_filter_leaves_records_out_and_verifies_them() {
    let (_directory, path) = place();
    drop(write_ledger(&path));
    let (all, _) = read(&path);
    let select = |filter: RecordFilter| read_on(&mut open(&path, filter)).0;
    let policies = select(RecordFilter {
        tags: vec![Tag::Policy],
        ..RecordFilter::default()
    });
    assert!(policies.len() > 1 && policies.iter().all(|record| record.tag == Tag::Policy));
    let range = select(RecordFilter {
        first: 4,
        last: Some(9),
        ..RecordFilter::default()
    });
    assert_eq!(range, all[4..10]);
    let of_oracle = |oracle: &str| {
        select(RecordFilter {
            oracle: Some(oracle.to_owned()),
            ..RecordFilter::default()
        })
    };
    let sensor = of_oracle("sensor");
    let tags: Vec<Tag> = sensor.iter().map(|record| record.tag).collect();
    assert_eq!(tags, [Tag::Obs, Tag::Policy, Tag::Trans]);
    assert_eq!(
        of_oracle("llm").iter().filter(|r| r.is_observation).count(),
        3
    );
    assert_eq!(of_oracle("nobody").len(), 0);

    // Damage before the first record that is given is found.
    let mut damaged = fs::read(&path).unwrap();
    damaged[700] ^= 1;
    fs::write(&path, damaged).unwrap();
    let mut reader = open(
        &path,
        RecordFilter {
            first: 20,
            ..RecordFilter::default()
        },
    );
    let (given, fault) = read_on(&mut reader);
    assert!(given.is_empty() && fault.is_some());
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    let (directory, path) = place();
    for wrong in [directory.path(), &path] {
        assert!(LedgerReader::open(wrong, RecordFilter::default()).is_err());
    }
}
