//! A replay of the records one by one, and one in segments: what both give is compared.

use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog::policy::Rules;
use axilog::replay::stretch::{SegmentReplay, Stretch};
use axilog::replay::{CheckedEntry, Replay, Verdict};
use axilog_testkit::core::ledger::{Bytes, Store};

use super::recording::with_rules;

/// What anybody can learn of a replay.
pub fn describe(replay: &Replay, registry: &Rules<'_>) -> String {
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

pub fn replay_at_once(entries: &[Entry<'_>], rules: Option<&Rules<'_>>) -> Replay {
    let mut replay = Replay::new();
    for entry in entries {
        replay.feed(entry, rules);
    }
    replay
}

/// The stretches of a segment, each with the number of records of the segment before it.
pub fn find_stretches(
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

pub fn parse(lines: &[Vec<u8>]) -> Vec<Entry<'_>> {
    let entries = lines.iter().map(|line| ledger_line::parse(line).unwrap());
    entries.collect()
}

/// Compares both ways of replaying, with rules and without. Gives the verdicts, and how many records were joined.
pub fn compare(entries: &[Entry<'_>], cuts: &[usize]) -> [(Verdict, usize); 2] {
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
