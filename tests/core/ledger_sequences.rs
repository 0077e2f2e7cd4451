//! In a ledger file the `ledger_seq` of a record is the `seq` of its observation's line (formats.md §6,
//! Sequences): otherwise a good ledger could be one after which the next observation is not.

use axilog::admission::{Answer, Limits};
use axilog::agent::Agent;
use axilog::agent::state::Health;
use axilog::fault::{Error, Faults};
use axilog::hash::Tag;
use axilog::policy::Rules;
use axilog::profile::Profile;
use axilog::replay::{Replay, Verdict};
use axilog_testkit::core::ledger::{
    Record, Store, answer, chained, feed, golden, record, record_under, records_of, reserved,
    with_golden_rules,
};

fn replay(file: &[u8], rules: Option<&Rules<'_>>) -> (Verdict, Replay) {
    let mut replay = Replay::new();
    (feed(&mut replay, file, rules), replay)
}

/// The golden ledger, stopped by a time that goes back.
fn stopped() -> Vec<Record> {
    let mut records = records_of(&golden());
    let time = Answer {
        ledger_seq: 20,
        ..reserved("ax.time", b"{\"timestamp\":2}")
    };
    records.push((Tag::Obs, record(&time)));
    let transition = "{\"fault_count\":0,\"input_class\":\"TIME_OBS\",\"ledger_seq\":20,\
         \"next_state\":\"STOPPED\",\"prev_state\":\"ENABLED\",\"violation\":\"TIME_ROLLBACK\"}";
    records.push((Tag::Trans, transition.into()));
    records
}

/// The attack: an observation far ahead of its line, which a STOPPED agent never acts on. The ledger
/// would replay, and the next observation, whose sequence follows the line's, would break it.
#[test]
fn a_shifted_sequence_cannot_make_the_next_observation_break_the_ledger() {
    with_golden_rules(|rules| {
        let mut records = stopped();
        let ahead = Answer {
            ledger_seq: 1_000_000,
            ..answer(b"{\"value\":1}")
        };
        records.push((Tag::Obs, record(&ahead)));
        let file = chained(&records).0.concat();
        for rules in [None, Some(rules)] {
            let (verdict, replay) = replay(&file, rules);
            assert_eq!((verdict, replay.entries()), (Verdict::Reordered, 22));
            assert_eq!(replay.resume().map(|_| ()), Err(Error::Protocol));
        }
    });
}

/// Gateways keep sequences of their own. After theirs, an observation that would fall back is refused
/// before it is recorded.
#[test]
fn behind_a_gateways_sequence_nothing_falls_back() {
    with_golden_rules(|rules| {
        for profile in [Profile::Oracle1_1, Profile::Oracle1_2] {
            let mut records = stopped();
            let ahead = Answer {
                ledger_seq: 1_000_000,
                ..answer(b"two\nlines")
            };
            let limits = Limits {
                profile,
                ..Limits::DEFAULT
            };
            records.push((Tag::Obs, record_under(&ahead, &limits)));
            let file = chained(&records).0.concat();
            let (verdict, replay) = replay(&file, Some(rules));
            assert_eq!(verdict, Verdict::Ok);
            let (mut agent, step) = replay.resume().unwrap();
            assert!(step.is_none() && agent.health == Health::Stopped);
            let (mut store, mut faults) = (Store::default(), Faults::NONE);
            let result = agent.observe(
                &answer(b"1"),
                rules,
                &mut [0; 1024],
                &mut store,
                &mut faults,
            );
            assert_eq!(result, Err(Error::Ordering));
            assert!(store.records.is_empty());
        }
    });
}

/// Every shift of any part of a step, hashed anew.
#[test]
fn no_part_of_a_step_may_be_shifted() {
    let shifted = |n: usize, seq: u64| {
        let mut records = records_of(&golden());
        let value = Answer {
            ledger_seq: seq,
            model_id: b"m-1",
            oracle_id: b"llm-1",
            ..answer(b"{\"value\":71}")
        };
        records[n] = (Tag::Obs, record(&value));
        records.truncate(n + 1);
        chained(&records).0.concat()
    };
    for seq in [4, 6, 7, 8, u64::MAX] {
        let (verdict, replay) = replay(&shifted(5, seq), None);
        assert_eq!(
            (verdict, replay.entries()),
            (Verdict::Reordered, 5),
            "{seq}"
        );
    }
    assert_eq!(replay(&shifted(5, 5), None).0, Verdict::Ok);
    // A whole step moved by one, and everything after it.
    let mut records = records_of(&golden());
    records.drain(8..11);
    let (verdict, replay) = replay(&chained(&records).0.concat(), None);
    assert_eq!((verdict, replay.entries()), (Verdict::Reordered, 8));
}

#[test]
fn what_an_agent_writes_has_the_sequences_of_its_lines() {
    with_golden_rules(|rules| {
        let (mut agent, mut store) = (Agent::new(), Store::default());
        let mut work = vec![0; 70_000];
        let long = vec![b'x'; 70_000];
        let outputs: [&[u8]; 4] = [b"{\"value\":1}", b"\xff", &long, b""];
        for round in 0..40usize {
            let mut faults = Faults::NONE;
            let given = answer(outputs[round % 4]);
            agent
                .observe(&given, rules, &mut work, &mut store, &mut faults)
                .unwrap();
        }
        let genesis = axilog_testkit::core::ledger::genesis();
        let file = chained(&[&[genesis], &store.records[..]].concat())
            .0
            .concat();
        for rules in [None, Some(rules)] {
            assert_eq!(replay(&file, rules).0, Verdict::Ok);
        }
    });
}
