//! Ledgers that are cut anywhere and replayed in segments give what one pass over them gives: the same state, and the
//! same verdict at the same record.

mod comparing;
mod forging;
mod recording;

use axilog::admission::{Answer, Limits};
use axilog::agent::state::InputClass;
use axilog::hash::Tag;
use axilog::profile::Profile;
use axilog::replay::{CheckedEntry, MAX_ORACLES, Verdict};
use axilog_testkit::core::ledger::{answer, chained, genesis, golden, record_under, records_of};
use proptest::prelude::*;

use self::comparing::{compare, describe, find_stretches, parse, replay_at_once};
use self::forging::{FORGERIES, forge};
use self::recording::{Event, event, record_events, with_rules};
use crate::cases::cases;

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
