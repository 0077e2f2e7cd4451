//! Ledgers that are cut anywhere and replayed in segments give what one pass over them gives: the same state, and the
//! same verdict at the same record.

use axilog::admission::{Answer, Limits};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::agent::stimulus::Input;
use axilog::evidence::observation::{Completion, Failure};
use axilog::fault::Faults;
use axilog::hash::{Tag, hex, sha256};
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog::policy::{Comparison, Policy, Rules};
use axilog::profile::Profile;
use axilog::replay::stretch::{SegmentReplay, Stretch};
use axilog::replay::{CheckedEntry, MAX_ORACLES, Replay, Verdict};
use axilog_testkit::core::ledger::{
    Bytes, Record, Store, answer, chained, failed, genesis, golden, record_under, records_of,
};
use proptest::prelude::*;

use crate::cases::cases;

const POLICIES: [Policy<'static>; 4] = [
    Policy {
        selector: "elapsed",
        ..policy_above("P-0-ELAPSED", 50 << 16)
    },
    policy_above("P-1", 70 << 16),
    Policy {
        selector: "o-1#value",
        ..policy_above("P-2", 60 << 16)
    },
    Policy {
        selector: "/list/~#",
        ..policy_above("P-3", 3 << 16)
    },
];

const fn policy_above(id: &'static str, threshold: i32) -> Policy<'static> {
    Policy {
        id,
        threshold,
        comparison: Comparison::Gt,
        enabled: true,
        selector: "value",
    }
}

fn with_rules<R>(call: impl FnOnce(&Rules<'_>) -> R) -> R {
    let registry = POLICIES.as_slice();
    call(&Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    })
}

/// What an agent is given.
#[derive(Clone, Debug)]
enum Event {
    /// An answer of an oracle with this number, of a length, and with this value.
    Answer(u8, usize, u8),
    /// One that the caller refuses, which a RAW record binds.
    Refused(u8),
    Failed,
    /// One that a gateway has recorded, in the profile with this number.
    Gateway(u8, u8),
    /// The time, so much later.
    Time(u8),
    Control(InputClass),
}

fn event() -> impl Strategy<Value = Event> {
    let control = prop::sample::select(&[
        InputClass::FaultSignal,
        InputClass::PolicyTrigger,
        InputClass::ResetRequest,
    ]);
    prop_oneof![
        8 => (0..5u8, 0..400usize, 0..80u8).prop_map(|(o, l, v)| Event::Answer(o, l, v)),
        1 => (0..5u8).prop_map(Event::Refused),
        1 => Just(Event::Failed),
        2 => (0..3u8, 0..80u8).prop_map(|(p, v)| Event::Gateway(p, v)),
        4 => (1..60u8).prop_map(Event::Time),
        1 => control.prop_map(Event::Control),
    ]
}

/// The records of an agent that is reset, told the time, and given these events. A STOPPED one goes on recording.
fn record_events(events: &[Event], is_sealed: bool) -> Vec<Record> {
    with_rules(|rules| {
        let mut store = Store::default();
        let (mut agent, mut work, mut time) = (Agent::new(), vec![0; 70_000], 1);
        let mut take = |agent: &mut Agent, event: &Event| {
            let (store, work) = (&mut store, work.as_mut_slice());
            let mut faults = Faults::NONE;
            match event {
                Event::Answer(oracle, length, value) => {
                    let output = format!(
                        "{{\"list\":[1,2],\"value\":{value},\"x\":\"{}\"}}",
                        "y".repeat(*length)
                    );
                    let (oracle, model) = (format!("o-{oracle}"), format!("m-{oracle}"));
                    let answer = Answer {
                        oracle_id: oracle.as_bytes(),
                        model_id: model.as_bytes(),
                        ..answer(output.as_bytes())
                    };
                    let observed = agent.observe(&answer, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Refused(value) => {
                    let output = format!("{{\"value\":{value}}}");
                    let answer = answer(output.as_bytes());
                    let observed = agent.observe_refused(&answer, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Failed => {
                    let observed =
                        agent.observe(&failed(Failure::Timeout), rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Gateway(profile, value) => {
                    let ledger_seq = agent.ledger.sequence + 1;
                    let output = format!("{{\"value\":{value}}}\n");
                    let limits = Limits {
                        profile: Profile::ALL[usize::from(*profile)],
                        ..Limits::DEFAULT
                    };
                    let answer = Answer {
                        ledger_seq,
                        completion: Completion::Complete,
                        ..answer(output.as_bytes())
                    };
                    let payload = record_under(&answer, &limits);
                    agent
                        .ledger
                        .record(Tag::Obs, &payload, store, &mut faults)
                        .unwrap();
                    let input = Input {
                        class: Some(InputClass::LlmObs),
                        payload: &payload,
                        ledger_seq,
                    };
                    agent.step(&input, rules, store, &mut faults);
                }
                Event::Time(later) => {
                    time += u64::from(*later);
                    let observed = agent.observe_time(time, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Control(class) => {
                    let observed = agent.observe_control(*class, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
            }
        };
        take(&mut agent, &Event::Control(InputClass::ResetRequest));
        take(&mut agent, &Event::Time(1));
        events.iter().for_each(|event| take(&mut agent, event));
        if is_sealed {
            let mut faults = Faults::NONE;
            agent.ledger.seal(&mut store, &mut faults).unwrap();
        }
        let mut records = vec![genesis()];
        records.append(&mut store.records);
        records
    })
}

/// What anybody can learn of a replay.
fn describe(replay: &Replay, registry: &Rules<'_>) -> String {
    let resumed = replay.resume().map(|(agent, step)| {
        let rest = step.map(|mut step| {
            let mut rest = Store::default();
            while let Some(record) = step.next(registry.registry) {
                let mut bytes = Bytes::default();
                record.write(&mut bytes);
                rest.records.push((record.tag(), bytes.0));
            }
            rest.texts(0)
        });
        format!("{agent:?} {rest:?}")
    });
    format!(
        "{:?} {} {:?} {} {} {} {:?}",
        replay.verdict(),
        replay.entries(),
        replay.ledger(),
        replay.unbound_answers(),
        replay.awaits_raw_answer(),
        replay.lost_track_of_models(),
        resumed.map_err(|_| "nothing to resume"),
    )
}

fn replay_at_once(entries: &[Entry<'_>], rules: Option<&Rules<'_>>) -> Replay {
    let mut replay = Replay::new();
    for entry in entries {
        replay.feed(entry, rules);
    }
    replay
}

/// The stretches of a segment, each with the number of records of the segment before it.
fn find_stretches(
    records: &[CheckedEntry<'_>],
    rules: Option<&Rules<'_>>,
) -> Vec<(usize, Stretch)> {
    let mut segment = SegmentReplay::new(rules);
    let mut found = Vec::new();
    for (number, record) in records.iter().enumerate() {
        let ended = segment.take(record);
        found.extend(ended.map(|stretch| (number - stretch.len() as usize, stretch)));
    }
    let ended = segment.finish();
    found.extend(ended.map(|stretch| (records.len() - stretch.len() as usize, stretch)));
    found
}

/// The stretch as another process reads it; itself where it ends within a step.
fn through_bytes(stretch: &Stretch) -> Stretch {
    let mut bytes = Bytes::default();
    if !stretch.write(&mut bytes) {
        return stretch.clone();
    }
    bytes.0.extend_from_slice(b"after it");
    let (read, rest) = Stretch::read(&bytes.0).unwrap();
    assert_eq!(rest, b"after it");
    assert!(Stretch::read(&bytes.0[..bytes.0.len() - 9]).is_none());
    read
}

/// Replays the entries in segments that begin at `cuts`. Gives the number of joined records too.
fn replay_in_segments(
    entries: &[Entry<'_>],
    cuts: &[usize],
    rules: Option<&Rules<'_>>,
) -> (Replay, usize) {
    let (mut replay, mut joined) = (Replay::new(), 0);
    let mut begin = 0;
    for end in cuts.iter().copied().chain([entries.len()]) {
        let segment = &entries[begin..end];
        let mut records = Vec::new();
        CheckedEntry::of_neighbours(segment, None, &mut |record| records.push(record));
        let stretches = find_stretches(&records, rules);
        let mut stretches = stretches.iter().peekable();
        let mut at = 0;
        while at < records.len() {
            if let Some((_, stretch)) = stretches.next_if(|(first, _)| *first == at) {
                assert!(!stretch.is_empty());
                let stretch = &through_bytes(stretch);
                if replay.join(stretch) {
                    at += stretch.len() as usize;
                    joined += stretch.len() as usize;
                    continue;
                }
            }
            replay.take(&records[at], rules);
            at += 1;
        }
        begin = end;
    }
    (replay, joined)
}

fn parse(lines: &[Vec<u8>]) -> Vec<Entry<'_>> {
    let entries = lines.iter().map(|line| ledger_line::parse(line).unwrap());
    entries.collect()
}

/// Compares both ways of replaying, with rules and without. Gives the verdicts, and how many records were joined.
fn compare(entries: &[Entry<'_>], cuts: &[usize]) -> [(Verdict, usize); 2] {
    with_rules(|rules| {
        [None, Some(rules)].map(|chosen| {
            let whole = replay_at_once(entries, chosen);
            let (parts, joined) = replay_in_segments(entries, cuts, chosen);
            let expected = describe(&whole, rules);
            assert_eq!(describe(&parts, rules), expected, "cut at {cuts:?}");
            (whole.verdict(), joined)
        })
    })
}

/// A change of a ledger by somebody who then writes its chain anew.
#[derive(Clone, Debug)]
enum Forgery {
    Drop,
    Repeat,
    Exchange,
    /// The same text in place of another, with the hash of the observation made anew.
    Replace(&'static str, &'static str),
    Reseal,
}

const FORGERIES: [Forgery; 22] = [
    Forgery::Drop,
    Forgery::Repeat,
    Forgery::Exchange,
    Forgery::Reseal,
    Forgery::Replace("\"PERMITTED\"", "\"BREACH\""),
    Forgery::Replace("\"BREACH\"", "\"PERMITTED\""),
    Forgery::Replace("\"next_state\":\"ENABLED\"", "\"next_state\":\"ALARM\""),
    Forgery::Replace("\"next_state\":\"ENABLED\"", "\"next_state\":\"STOPPED\""),
    Forgery::Replace("\"next_state\":\"ALARM\"", "\"next_state\":\"ENABLED\""),
    Forgery::Replace("\"fault_count\":0", "\"fault_count\":1"),
    Forgery::Replace("\"fault_count\":1", "\"fault_count\":0"),
    Forgery::Replace("\"prev_state\":\"ENABLED\"", "\"prev_state\":\"INIT\""),
    Forgery::Replace("\"model_id\":\"m-1\"", "\"model_id\":\"m-2\""),
    Forgery::Replace("\"oracle_id\":\"o-1\"", "\"oracle_id\":\"o-2\""),
    Forgery::Replace("timestamp\\\":", "timestamp\\\":1"),
    Forgery::Replace("\"oracle_id\":\"ax.time\"", "\"oracle_id\":\"ax.tame\""),
    Forgery::Replace("\"ledger_seq\":1", "\"ledger_seq\":2"),
    Forgery::Replace("\"obs_ledger_seq\":", "\"obs_ledger_seq\":1"),
    Forgery::Replace("\"actual\":", "\"actual\":1"),
    Forgery::Replace("\"kind\":\"RAW\"", "\"kind\":\"ROW\""),
    Forgery::Replace("\"threshold\":", "\"threshold\":1"),
    Forgery::Replace("\\\"value\\\":", "\\\"value\\\":1"),
];

/// Applies a forgery to the record numbered `at`, or to the next one that it can be applied to. Tells whether there is one.
fn forge(records: &mut Vec<Record>, forgery: &Forgery, at: usize) -> bool {
    let last = records.len() - 1;
    match forgery {
        Forgery::Drop => drop(records.remove(at.max(1))),
        Forgery::Repeat => records.insert(at, records[at].clone()),
        Forgery::Exchange => records.swap(at, (at + 1).min(last)),
        Forgery::Reseal => {
            let seal = records[last].clone();
            records.insert(at.max(1), seal);
        }
        Forgery::Replace(from, to) => {
            let has = |(_, payload): &Record| String::from_utf8_lossy(payload).contains(from);
            let Some(found) = (at..=last).find(|&at| has(&records[at])) else {
                return false;
            };
            let (tag, payload) = &mut records[found];
            let text = String::from_utf8(payload.clone())
                .unwrap()
                .replacen(from, to, 1);
            *payload = text.clone().into_bytes();
            if *tag == Tag::Obs
                && let Some(at) = text.find("\"obs_hash\":\"")
            {
                let at = at + 12;
                let empty = [&text[..at], &text[at + 64..]].concat();
                payload.splice(at..at + 64, hex(&sha256(empty.as_bytes())));
            }
        }
    }
    true
}

/// Some cuts around `at`, and others everywhere.
fn cuts_near(at: usize, length: usize, parts: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for near in at.saturating_sub(2)..=(at + 3).min(length) {
        all.push(vec![near]);
    }
    all.push((1..parts).map(|part| length * part / parts).collect());
    all
}

proptest! {
    #![proptest_config(cases(400))]

    /// Honest ledgers, cut into any number of segments.
    #[test]
    fn honest_ledgers(
        events in prop::collection::vec(event(), 0..40),
        is_sealed: bool,
        parts in prop::sample::select(&[1usize, 2, 3, 7, 16]),
    ) {
        let records = record_events(&events, is_sealed);
        let (lines, _) = chained(&records);
        let entries = parse(&lines);
        for cuts in cuts_near(entries.len() / 2, entries.len(), parts) {
            let [(verified, _), (replayed, _)] = compare(&entries, &cuts);
            prop_assert_eq!((verified, replayed), (Verdict::Ok, Verdict::Ok));
        }
    }

    /// Ledgers that somebody changed and whose chain he wrote anew, cut before, at and after the change.
    #[test]
    fn forged_ledgers(
        events in prop::collection::vec(event(), 5..40),
        is_sealed: bool,
        forgery in prop::sample::select(&FORGERIES),
        place in any::<prop::sample::Index>(),
        parts in prop::sample::select(&[1usize, 2, 3, 7, 16]),
    ) {
        let mut records = record_events(&events, is_sealed);
        let at = place.index(records.len());
        forge(&mut records, &forgery, at);
        let (lines, _) = chained(&records);
        let entries = parse(&lines);
        for cuts in cuts_near(at, entries.len(), parts) {
            compare(&entries, &cuts);
        }
    }

    /// Ledgers with damage that nobody hid.
    #[test]
    fn damaged_ledgers(
        events in prop::collection::vec(event(), 5..40),
        place in any::<prop::sample::Index>(),
        damage in 0..5usize,
    ) {
        let (lines, _) = chained(&record_events(&events, true));
        let mut entries = parse(&lines);
        let at = place.index(entries.len());
        let other = entries[entries.len() / 3];
        match damage {
            0 => entries[at].commit[7] ^= 1,
            1 => entries[at].chain[7] ^= 1,
            2 => entries[at].sequence += 1,
            3 => entries[at].payload = other.payload,
            _ => entries.truncate(at),
        }
        for cuts in cuts_near(at.min(entries.len()), entries.len(), 3) {
            compare(&entries, &cuts);
        }
    }
}

#[test]
fn every_cut_and_nearly_every_record_is_joined() {
    let events: Vec<Event> = (0..60u8)
        .map(|n| match n % 10 {
            3 => Event::Time(2),
            6 => Event::Refused(1),
            7 => Event::Control(InputClass::PolicyTrigger),
            8 => Event::Gateway(n % 3, 4),
            _ => Event::Answer(n % 5, 20, n / 2),
        })
        .collect();
    let (lines, _) = chained(&record_events(&events, true));
    let entries = parse(&lines);
    for cut in 0..=entries.len() {
        let [(verified, joined), (replayed, rejoined)] = compare(&entries, &[cut]);
        assert_eq!((verified, replayed), (Verdict::Ok, Verdict::Ok));
        assert!(
            joined + 8 > entries.len(),
            "{joined} of {}, cut at {cut}",
            entries.len()
        );
        assert!(
            rejoined + 32 > entries.len(),
            "{rejoined} of {}, cut at {cut}",
            entries.len()
        );
    }
    // Every forgery at every record, cut there.
    let honest = record_events(&events, true);
    let mut refused = 0;
    for forgery in &FORGERIES {
        for at in (0..honest.len()).step_by(13) {
            let mut records = honest.clone();
            if !forge(&mut records, forgery, at) {
                continue;
            }
            let (lines, _) = chained(&records);
            let entries = parse(&lines);
            for cut in [at.saturating_sub(1), at, at + 1, at + 4] {
                let [_, (verdict, _)] = compare(&entries, &[cut.min(entries.len())]);
                refused += usize::from(verdict != Verdict::Ok);
            }
        }
    }
    assert!(refused > 400, "{refused}");
}

#[test]
fn the_golden_ledger_and_one_that_only_records() {
    let mut recorded = vec![genesis()];
    for number in 1..100u64 {
        let limits = Limits {
            profile: Profile::ALL[number as usize % 3],
            ..Limits::DEFAULT
        };
        let answer = Answer {
            ledger_seq: number,
            ..answer(b"a line\n")
        };
        recorded.push((Tag::Obs, record_under(&answer, &limits)));
    }
    for records in [records_of(&golden()), recorded] {
        let (lines, _) = chained(&records);
        let entries = parse(&lines);
        for cut in 0..=entries.len() {
            compare(&entries, &[cut]);
            compare(&entries, &[cut, (cut + 7).min(entries.len())]);
        }
    }
}

/// The models of the oracles are merged, as far as one replay can hold them.
#[test]
fn many_oracles() {
    let observation = |number: u64, oracle: u64, model: u64| {
        let (oracle, model) = (format!("o-{oracle}"), format!("m-{model}"));
        let answer = Answer {
            ledger_seq: number,
            oracle_id: oracle.as_bytes(),
            model_id: model.as_bytes(),
            ..answer(b"yes")
        };
        (Tag::Obs, record_under(&answer, &Limits::DEFAULT))
    };
    let most = MAX_ORACLES as u64;
    for oracles in [most - 1, most, most + 1, most + 20] {
        for (number_of_other, model) in [(oracles + 3, 0), (oracles + 3, 7), (oracles + 40, 99)] {
            let mut records = vec![genesis()];
            for number in 1..2 * oracles + 10 {
                let oracle = number % oracles;
                let is_other = number == number_of_other;
                records.push(observation(
                    number,
                    oracle,
                    if is_other { model } else { oracle },
                ));
            }
            let (lines, _) = chained(&records);
            let entries = parse(&lines);
            for cut in 0..=entries.len() {
                compare(&entries, &[cut]);
            }
        }
    }
}

#[test]
fn a_stretch_is_joined_only_where_it_belongs() {
    let events: Vec<Event> = (0..12u8).map(|n| Event::Answer(n % 3, 5, n)).collect();
    let (lines, _) = chained(&record_events(&events, false));
    let entries = parse(&lines);
    with_rules(|rules| {
        let mut records = Vec::new();
        CheckedEntry::of_neighbours(&entries[8..], None, &mut |record| records.push(record));
        let stretches = find_stretches(&records, Some(rules));
        let (first, stretch) = &stretches[0];
        assert_eq!(stretch.first(), (8 + first) as u64);
        for taken in 0..entries.len() {
            let mut replay = replay_at_once(&entries[..taken], Some(rules));
            let before = describe(&replay, rules);
            let joined = replay.join(stretch);
            assert_eq!(joined, taken as u64 == stretch.first(), "after {taken}");
            assert_eq!(describe(&replay, rules) != before, joined);
        }
        // A replay is not joined with a verification, nor the other way around.
        let taken = &entries[..8 + first];
        assert!(!replay_at_once(taken, None).join(stretch));
        let verified = find_stretches(&records, None);
        let taken = &entries[..8 + verified[0].0];
        assert!(!replay_at_once(taken, Some(rules)).join(&verified[0].1));
        assert!(replay_at_once(taken, None).join(&verified[0].1));
    });
}
