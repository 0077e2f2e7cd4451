//! RAW records: an answer that its observation does not hold is bound to the ledger all the same
//! (formats.md §6, Raw answers; decision D28).

use axilog::admission::{AdmissionOutcome, Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass};
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::proof::{MAX_RAW_RECORD_BYTES, Proof, RawAnswer};
use axilog::evidence::view::ObservationView;
use axilog::fault::{Error, Faults};
use axilog::hash::{Tag, sha256};
use axilog::policy::Rules;
use axilog::replay::{Replay, Verdict};
use axilog_testkit::core::ledger::{
    Record, Store, answer, chained, failed, feed, genesis, golden, reserved, with_golden_rules,
    written,
};

use Verdict::{NonCanonical, Ok as Good, Reordered};

/// An agent that is ENABLED, and its ledger.
fn enabled(rules: &Rules<'_>) -> (Agent, Store) {
    let (mut agent, mut store) = (Agent::new(), Store::default());
    let (mut work, mut faults) = ([0; 1024], Faults::NONE);
    agent
        .observe_control(
            InputClass::ResetRequest,
            rules,
            &mut work,
            &mut store,
            &mut faults,
        )
        .unwrap();
    agent
        .observe_time(1, rules, &mut work, &mut store, &mut faults)
        .unwrap();
    assert_eq!(agent.health, Health::Enabled);
    (agent, store)
}

fn observe(
    agent: &mut Agent,
    store: &mut Store,
    rules: &Rules<'_>,
    given: &Answer<'_>,
    work: usize,
) {
    let mut faults = Faults::NONE;
    agent
        .observe(given, rules, &mut vec![0; work], store, &mut faults)
        .unwrap();
    assert_eq!(faults, Faults::NONE);
}

/// The tags of the records that observing `given` adds, and the RAW record among them.
fn recorded(given: &Answer<'_>, work: usize) -> (Vec<&'static str>, Option<RawAnswer>) {
    with_golden_rules(|rules| {
        let (mut agent, mut store) = enabled(rules);
        let before = store.records.len();
        observe(&mut agent, &mut store, rules, given, work);
        let added = &store.records[before..];
        let raw = added
            .iter()
            .find(|(tag, _)| *tag == Tag::Proof)
            .map(|(_, record)| RawAnswer::parse(record).unwrap());
        let verdict = verdicts(&store.records);
        assert_eq!(verdict, (Good, Good));
        (added.iter().map(|(tag, _)| tag.as_str()).collect(), raw)
    })
}

/// What verification and replay say of a consistent chain over `records`, the genesis before them.
fn verdicts(records: &[Record]) -> (Verdict, Verdict) {
    let file = chained(&[&[genesis()], records].concat()).0.concat();
    let one = |rules: Option<&Rules<'_>>| feed(&mut Replay::new(), &file, rules);
    (one(None), with_golden_rules(|rules| one(Some(rules))))
}

fn raw(ledger_seq: u64, bytes: &[u8]) -> Record {
    let raw = RawAnswer::of(ledger_seq, bytes);
    (Tag::Proof, written(|out| raw.write(out)))
}

const WITH_RAW: [&str; 4] = ["AX:OBS:v1", "AX:PROOF:v1", "AX:POLICY:v1", "AX:TRANS:v1"];

/// A refused answer is bound whatever its bytes are, also none, and whatever the caller says of it.
#[test]
fn an_answer_that_the_caller_refuses_is_bound() {
    let long = "y".repeat(70_000);
    let outputs = [b"{\"value\":1}".as_slice(), b"", b"\xff", long.as_bytes()];
    for output in outputs {
        for completion in Completion::ALL {
            let given = Answer {
                completion,
                ..answer(output)
            };
            with_golden_rules(|rules| {
                let (mut agent, mut store) = enabled(rules);
                let before = store.records.len();
                let mut faults = Faults::NONE;
                let observed = agent
                    .observe_refused(&given, rules, &mut [0; 1024], &mut store, &mut faults)
                    .unwrap();
                assert_eq!(faults, Faults::NONE);
                assert!(observed.binds_raw_answer && !observed.may_act);
                assert_eq!(observed.admitted, AdmissionOutcome::Invalid);
                assert_eq!(agent.health, Health::Alarm);
                let added = &store.records[before..];
                let tags: Vec<&str> = added.iter().map(|(tag, _)| tag.as_str()).collect();
                assert_eq!(tags, WITH_RAW);
                let view = ObservationView::parse(&added[0].1).unwrap();
                assert_eq!(view.completion, Completion::Error);
                assert_eq!(view.failure, Some(Failure::InvalidOutput));
                assert_eq!(view.input_hash, sha256(given.input));
                let bound = RawAnswer::parse(&added[1].1).unwrap();
                assert_eq!(bound, RawAnswer::of(observed.ledger_seq, output));
                assert_eq!(verdicts(&store.records), (Good, Good));
            });
        }
    }
}

#[test]
fn an_answer_that_is_not_held_is_bound() {
    let long = format!("{{\"value\":1,\"why\":\"{}\"}}", "y".repeat(70_000));
    let crlf = "line\r\n".repeat(20_000);
    let bad_input = Answer {
        input: b"\xff",
        ..answer(b"{\"value\":1}")
    };
    let not_json = Answer {
        input_kind: InputKind::Json,
        ..answer(b"{\"value\":1}")
    };
    let truncated_before = Answer {
        completion: Completion::Truncated,
        ..answer(long.as_bytes())
    };
    for (given, work) in [
        (answer(b"\xff"), 1024),
        (answer(b"a\0b"), 1024),
        (answer("e\u{301}".as_bytes()), 1024),
        (answer(long.as_bytes()), 70_000),
        (answer(long.as_bytes()), 1024),
        (answer(crlf.as_bytes()), 70_000),
        (truncated_before, 70_000),
        (bad_input, 1024),
        (not_json, 1024),
        (reserved("ax.control", b"\xff"), 1024),
    ] {
        let (tags, raw) = recorded(&given, work);
        let raw = raw.unwrap();
        assert_eq!(raw.bytes, given.output.len() as u64);
        assert_eq!(raw.sha256, sha256(given.output));
        assert_eq!(raw.ledger_seq, 5);
        assert_eq!(tags[..2], WITH_RAW[..2]);
    }
    assert_eq!(recorded(&answer(b"\xff"), 1024).0, WITH_RAW);
}

#[test]
fn an_answer_that_is_held_or_never_came_needs_no_record() {
    let bad_input = Answer {
        input: b"\xff",
        ..answer(b"")
    };
    let truncated = Answer {
        completion: Completion::Truncated,
        ..answer(b"{\"value\":")
    };
    for given in [
        answer(b"{\"value\":1}"),
        answer(b"prose\r\nwith line ends"),
        answer(b""),
        truncated,
        bad_input,
        failed(Failure::Timeout),
        failed(Failure::TransportError),
        failed(Failure::InvalidOutput),
        reserved("ax.time", b"{\"timestamp\":9}"),
    ] {
        let (tags, raw) = recorded(&given, 1024);
        assert_eq!(raw, None, "{tags:?}");
    }
}

#[test]
fn a_stopped_agent_binds_answers_too() {
    with_golden_rules(|rules| {
        let (mut agent, mut store) = enabled(rules);
        observe(
            &mut agent,
            &mut store,
            rules,
            &reserved("ax.time", b"{\"timestamp\":1}"),
            1024,
        );
        assert_eq!(agent.health, Health::Stopped);
        let before = store.records.len();
        observe(&mut agent, &mut store, rules, &answer(b"\xff"), 1024);
        let seq = before as u64 + 1;
        assert_eq!(store.records[before + 1..], [raw(seq, b"\xff")]);
        assert_eq!(verdicts(&store.records), (Good, Good));
    });
}

/// A refused answer whose record is not the last of the ledger that the attacks rewrite.
fn refused_and_recovered() -> Vec<Record> {
    with_golden_rules(|rules| {
        let (mut agent, mut store) = enabled(rules);
        observe(&mut agent, &mut store, rules, &answer(b"\xff"), 1024);
        observe(
            &mut agent,
            &mut store,
            rules,
            &answer(b"{\"value\":1}"),
            1024,
        );
        assert_eq!(store.records[5], raw(5, b"\xff"));
        store.records
    })
}

#[test]
fn a_raw_record_stands_behind_its_observation_alone() {
    let good = refused_and_recovered();
    assert_eq!(verdicts(&good), (Good, Good));
    let changed = |change: &dyn Fn(&mut Vec<Record>)| {
        let mut records = good.clone();
        change(&mut records);
        verdicts(&records)
    };
    let reordered = (Reordered, Reordered);
    // Of another observation.
    for seq in [0, 3, 4, 6, u64::MAX] {
        assert_eq!(changed(&|r| r[5] = raw(seq, b"\xff")), reordered);
    }
    // After its policy, its transition, a second RAW record.
    assert_eq!(changed(&|r| r.swap(5, 6)), reordered);
    assert_eq!(changed(&|r| r[5..8].rotate_left(1)), reordered);
    assert_eq!(changed(&|r| r.insert(6, r[5].clone())), reordered);
    // After the genesis, a reset, a time, and an answer that was held.
    for at in [0, 1, 2, 3, 4, 9, 10, 11] {
        let mut records = good[..at].to_vec();
        records.push(raw(at as u64, b"x"));
        assert_eq!(verdicts(&records), reordered, "{at}");
    }
    // After failures without an answer, and an answer that its caller had cut.
    let cut = Answer {
        completion: Completion::Truncated,
        ..answer(b"{\"value\":")
    };
    for given in [
        failed(Failure::Timeout),
        failed(Failure::TransportError),
        cut,
    ] {
        let records = with_golden_rules(|rules| {
            let (mut agent, mut store) = enabled(rules);
            observe(&mut agent, &mut store, rules, &given, 1024);
            store.records
        });
        let with = [&records[..5], &[raw(5, b"x")], &records[5..]].concat();
        assert_eq!(verdicts(&with), reordered);
    }
}

/// The chain binds the bytes: another answer takes another record, and another head.
#[test]
fn a_raw_record_is_canonical_and_binds_one_answer() {
    let good = refused_and_recovered();
    let exchanged = [&good[..5], &[raw(5, b"\xfe")], &good[6..]].concat();
    let head = |records: &[Record]| chained(&[&[genesis()], records].concat()).1;
    assert_ne!(head(&exchanged), head(&good));

    let text = String::from_utf8(good[5].1.clone()).unwrap();
    assert_eq!(
        text,
        "{\"bytes\":1,\"kind\":\"RAW\",\"ledger_seq\":5,\
         \"sha256\":\"a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89\"}"
    );
    for (from, to) in [
        ("{\"bytes\":1", "{ \"bytes\":1"),
        ("\"bytes\":1", "\"bytes\":01"),
        ("\"bytes\":1", "\"bytes\":-1"),
        ("\"bytes\":1", "\"bytes\":18446744073709551616"),
        ("RAW", "Raw"),
        ("a8100ae6", "A8100AE6"),
        ("\"}", "\",\"x\":1}"),
    ] {
        let changed = text.replacen(from, to, 1).into_bytes();
        assert_eq!(RawAnswer::parse(&changed), Err(Error::Schema), "{to}");
        assert_eq!(Proof::parse(&changed), Err(Error::Schema), "{to}");
        let records = [&good[..5], &[(Tag::Proof, changed)], &good[6..]].concat();
        assert_eq!(verdicts(&records), (NonCanonical, NonCanonical), "{to}");
    }
    let longest = RawAnswer {
        bytes: u64::MAX,
        ledger_seq: u64::MAX,
        sha256: [0xff; 32],
    };
    let record = written(|out| longest.write(out));
    assert_eq!(record.len(), 153);
    assert!(record.len() <= MAX_RAW_RECORD_BYTES);
    assert_eq!(Proof::parse(&record), Ok(Proof::Raw(longest)));
}

/// Ledgers of older versions have none: they are good, and say how many answers nothing binds.
#[test]
fn a_ledger_without_raw_records_counts_its_unbound_answers() {
    let mut old = refused_and_recovered();
    assert!(ObservationView::parse(&old[4].1).is_ok());
    old.truncate(8);
    let unbound = |records: &[Record]| {
        let file = chained(&[&[genesis()], records].concat()).0.concat();
        let mut replay = Replay::new();
        let verdict = feed(&mut replay, &file, None);
        (verdict, replay.unbound_answers())
    };
    assert_eq!(unbound(&old), (Good, 0));
    old.remove(5);
    assert_eq!(unbound(&old), (Good, 1));
    assert_eq!(verdicts(&old), (Good, Good));
    let mut replay = Replay::new();
    assert_eq!(feed(&mut replay, &golden(), None), Good);
    assert_eq!(replay.unbound_answers(), 0);
}

/// Where the RAW record cannot be stored, the agent does not act.
#[test]
fn an_agent_stops_where_the_binding_cannot_be_stored() {
    with_golden_rules(|rules| {
        let (mut agent, mut store) = enabled(rules);
        store.fails_at = Some(store.records.len() + 1);
        let mut faults = Faults::NONE;
        let result = agent.observe(
            &answer(b"\xff"),
            rules,
            &mut [0; 1024],
            &mut store,
            &mut faults,
        );
        assert_eq!(result, Err(Error::Ledger));
        assert_eq!((agent.health, agent.failed), (Health::Stopped, true));
        assert_eq!(agent.ledger.sequence, 5);
        assert_eq!(verdicts(&store.records), (Good, Good));
    });
}
