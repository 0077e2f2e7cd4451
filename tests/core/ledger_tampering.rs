//! A ledger that somebody changed without rewriting it whole is never found good (formats.md §6).

use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::fault::Faults;
use axilog::hash::Hash;
use axilog::policy::{Comparison, Rules};
use axilog::replay::{Replay, Verdict};
use axilog_testkit::core::ledger::{
    Store, answer, chained, feed, genesis, golden, policy, records_of, with_golden_rules,
};
use proptest::prelude::*;

use crate::cases::cases;

fn lines(file: &[u8]) -> Vec<&[u8]> {
    file.split_inclusive(|&b| b == b'\n').collect()
}

/// The replays of every prefix of `lines`, the empty one first.
fn prefixes(lines: &[&[u8]], rules: Option<&Rules<'_>>) -> Vec<Replay> {
    let mut all = vec![Replay::new()];
    for line in lines {
        let mut next = all[all.len() - 1].clone();
        assert_eq!(feed(&mut next, line, rules), Verdict::Ok);
        all.push(next);
    }
    all
}

fn verdict(
    file: &[u8],
    rules: Option<&Rules<'_>>,
    entries: Option<u64>,
    head: Option<&Hash>,
) -> Verdict {
    let mut replay = Replay::new();
    feed(&mut replay, file, rules);
    replay.finish(entries, head)
}

/// Flips the bits of `file` that `chosen` chooses by number, one at a time.
fn flip(file: &[u8], rules: Option<&Rules<'_>>, chosen: impl Fn(usize) -> bool) {
    let lines = lines(file);
    let replays = prefixes(&lines, rules);
    let mut start = 0;
    let mut copy = file.to_vec();
    for (number, line) in lines.iter().enumerate() {
        for at in start..start + line.len() {
            for bit in 0..8 {
                if !chosen(at * 8 + bit) {
                    continue;
                }
                copy[at] ^= 1 << bit;
                let mut replay = replays[number].clone();
                let verdict = feed(&mut replay, &copy[start..], rules);
                copy[at] ^= 1 << bit;
                // Found where it is, and without anything known from outside.
                assert_ne!(verdict, Verdict::Ok, "bit {bit} of byte {at}");
                assert_eq!(replay.entries(), number as u64, "bit {bit} of byte {at}");
                assert_eq!(replay.finish(None, None), verdict);
                assert!(replay.resume().is_err());
            }
        }
        start += line.len();
    }
}

#[test]
fn every_bit_of_the_golden_ledger_counts() {
    let file = golden();
    flip(&file, None, |_| true);
    with_golden_rules(|rules| flip(&file, Some(rules), |_| true));
}

/// What removing, repeating and exchanging lines gives, and cutting the file short.
fn edit(file: &[u8], rules: Option<&Rules<'_>>) {
    let lines = lines(file);
    let count = lines.len() as u64;
    let mut whole = Replay::new();
    assert_eq!(feed(&mut whole, file, rules), Verdict::Ok);
    let head = whole.ledger().head;
    assert_eq!(whole.finish(Some(count), Some(&head)), Verdict::Ok);
    assert_eq!(whole.finish(Some(count + 1), None), Verdict::Truncated);
    assert_eq!(whole.finish(Some(count - 1), None), Verdict::Altered);
    assert_eq!(whole.finish(None, Some(&[0; 32])), Verdict::Truncated);
    assert_eq!(whole.finish(Some(count), Some(&[0; 32])), Verdict::Altered);

    for (n, line) in lines.iter().enumerate() {
        let without = [&lines[..n], &lines[n + 1..]].concat().concat();
        let expected = if n + 1 == lines.len() {
            assert_eq!(
                verdict(&without, rules, None, Some(&head)),
                Verdict::Truncated
            );
            Verdict::Truncated
        } else {
            assert_ne!(verdict(&without, rules, None, None), Verdict::Ok);
            Verdict::Reordered
        };
        assert_eq!(verdict(&without, rules, Some(count), None), expected);

        let twice = [&lines[..=n], &lines[n..]].concat().concat();
        assert_eq!(verdict(&twice, rules, None, None), Verdict::Reordered);
        for m in n + 1..lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(n, m);
            let swapped = swapped.concat();
            assert_eq!(verdict(&swapped, rules, None, None), Verdict::Reordered);
        }

        let cut = lines[..n].concat();
        let alone = if n == 0 {
            Verdict::Truncated
        } else {
            Verdict::Ok
        };
        assert_eq!(verdict(&cut, rules, None, None), alone);
        assert_eq!(verdict(&cut, rules, Some(count), None), Verdict::Truncated);
        assert_eq!(verdict(&cut, rules, None, Some(&head)), Verdict::Truncated);
        assert_eq!(
            verdict(&cut, rules, Some(count), Some(&head)),
            Verdict::Truncated
        );
        for kept in [1, line.len() / 2, line.len() - 1] {
            let torn = [&cut, &line[..kept]].concat();
            assert_eq!(verdict(&torn, rules, None, None), Verdict::Torn);
        }
    }
}

#[test]
fn lines_of_the_golden_ledger_stay_where_they_are() {
    edit(&golden(), None);
    with_golden_rules(|rules| edit(&golden(), Some(rules)));
}

/// One input of a random run.
#[derive(Clone, Debug)]
enum Event {
    Control(InputClass),
    Time(u64),
    Answer(Vec<u8>),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Control(InputClass::ResetRequest)),
        Just(Event::Control(InputClass::PolicyTrigger)),
        Just(Event::Control(InputClass::FaultSignal)),
        (0..40_000u64).prop_map(Event::Time),
        (-3..9i32).prop_map(|v| Event::Answer(format!("{{\"value\":{v}}}").into_bytes())),
        "[a-c\"\\\\\n\r,é{}]{0,12}".prop_map(|text| Event::Answer(text.into_bytes())),
        prop::collection::vec(any::<u8>(), 0..6).prop_map(Event::Answer),
    ]
}

/// The file that `events` leave, under some rules which are then lent.
fn run<R>(events: &[Event], call: impl FnOnce(&[u8], &Rules<'_>) -> R) -> R {
    let mut late = policy("LATE", Comparison::Ge, i32::MAX);
    late.selector = "elapsed";
    let registry = [
        policy("A", Comparison::Lt, 0),
        late,
        policy("Z", Comparison::Gt, 5 << 16),
    ];
    let rules = Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    let (lines, _) = chained(&[genesis()]);
    let mut store = Store {
        lines: lines.concat(),
        ..Store::default()
    };
    let (mut agent, mut faults, mut work) = (Agent::new(), Faults::NONE, [0; 1024]);
    let mut first = agent.observe_control(
        InputClass::ResetRequest,
        &rules,
        &mut work,
        &mut store,
        &mut faults,
    );
    for event in events {
        assert!(first.is_ok());
        first = match event {
            Event::Control(class) => {
                agent.observe_control(*class, &rules, &mut work, &mut store, &mut faults)
            }
            Event::Time(t) => agent.observe_time(*t, &rules, &mut work, &mut store, &mut faults),
            Event::Answer(output) => {
                agent.observe(&answer(output), &rules, &mut work, &mut store, &mut faults)
            }
        };
    }
    assert!(first.is_ok() && faults == Faults::NONE);
    let mut replay = Replay::new();
    feed(&mut replay, &store.lines, Some(&rules));
    let entries = agent.ledger.sequence + 1;
    assert_eq!(
        replay.finish(Some(entries), Some(&agent.ledger.head)),
        Verdict::Ok
    );
    assert_eq!(replay.resume().unwrap().0, agent);
    call(&store.lines, &rules)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn random_ledgers_are_found_good_and_then_never_again(
        events in prop::collection::vec(event(), 0..12),
        stride in 61..127usize,
    ) {
        run(&events, |file, rules| {
            flip(file, None, |bit| bit % stride == 0);
            flip(file, Some(rules), |bit| bit % stride == 1);
            edit(file, None);
            edit(file, Some(rules));
            let (again, _) = chained(&records_of(file));
            prop_assert_eq!(again.concat(), file);
            Ok(())
        })?;
    }

    #[test]
    fn any_change_of_a_file_is_found(at: prop::sample::Index, with: Vec<u8>, drop in 0..40usize) {
        let file = golden();
        let at = at.index(file.len() + 1);
        let end = (at + drop).min(file.len());
        let changed = [&file[..at], &with, &file[end..]].concat();
        let mut replay = Replay::new();
        feed(&mut replay, &file, None);
        let head = replay.ledger().head;
        let found = verdict(&changed, None, Some(20), Some(&head));
        prop_assert_eq!(found == Verdict::Ok, changed == file);
    }
}
