//! Entries that are checked together get the verdicts that each gets alone.

use axilog::admission::{Answer, Limits};
use axilog::hash::{Hash, Tag};
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog::profile::Profile;
use axilog::replay::{CheckedEntry, Replay, Verdict};
use axilog_testkit::core::ledger::{Record, answer, chained, genesis, golden, record_under};

/// What a check says of an entry: the verdict up to it, and the profile of the observation that it is.
type EntryCheck = (Verdict, Option<Profile>);

fn check_together(entries: &[Entry<'_>]) -> Vec<EntryCheck> {
    let mut replay = Replay::new();
    let mut said = Vec::new();
    CheckedEntry::of_neighbours(entries, None, &mut |checked| {
        let profile = checked.observation().map(|view| view.profile);
        said.push((replay.take(&checked, None), profile));
    });
    said
}

/// The same, each entry alone, with the chain value before it and without.
fn check_alone(entries: &[Entry<'_>]) -> Vec<EntryCheck> {
    let mut replay = Replay::new();
    let mut said = Vec::new();
    let mut previous: Option<Hash> = None;
    for (number, entry) in entries.iter().enumerate() {
        let known = previous.as_ref().filter(|_| number % 2 == 0);
        let checked = CheckedEntry::of(entry, known);
        let profile = checked.observation().map(|view| view.profile);
        said.push((replay.take(&checked, None), profile));
        previous = Some(entry.chain);
    }
    said
}

/// Observations of all profiles, of many lengths and more than are checked together.
fn observations() -> Vec<Record> {
    let mut records = vec![genesis()];
    for number in 1..150u64 {
        let length = if number == 40 {
            20_000
        } else {
            number as usize * 7 % 300
        };
        // Line feeds tell some of the profiles apart.
        let output = "a line\n and \"more\" ".repeat(length / 10 + 1);
        let limits = Limits {
            profile: Profile::ALL[number as usize % 3],
            ..Limits::DEFAULT
        };
        let answer = Answer {
            ledger_seq: number,
            ..answer(&output.as_bytes()[..length])
        };
        records.push((Tag::Obs, record_under(&answer, &limits)));
    }
    records
}

fn parse(lines: &[Vec<u8>]) -> Vec<Entry<'_>> {
    let entries = lines.iter().map(|line| ledger_line::parse(line).unwrap());
    entries.collect()
}

/// Compares the checks of the entries, and of those with any one of them damaged.
fn compare(entries: &[Entry<'_>]) {
    let said = check_together(entries);
    assert_eq!(said, check_alone(entries));
    assert!(said.iter().all(|(verdict, _)| *verdict == Verdict::Ok));
    for (number, entry) in entries.iter().enumerate() {
        let mut changed = entry.payload.to_vec();
        // A digit of a hash or of a number: the record is still canonical, but for its first character.
        let place = [100, 250, 0, 60][number % 4].min(changed.len() - 1);
        changed[place] ^= 1;
        let (mut commit, mut chain) = (entry.commit, entry.chain);
        commit[number % 32] ^= 1;
        chain[number % 32] ^= 0x80;
        let damaged = [
            Entry {
                payload: &changed,
                ..*entry
            },
            Entry { commit, ..*entry },
            Entry { chain, ..*entry },
            Entry {
                tag: Tag::Proof,
                ..*entry
            },
        ];
        for damage in damaged {
            let mut entries = entries.to_vec();
            entries[number] = damage;
            let said = check_together(&entries);
            assert_eq!(said, check_alone(&entries), "entry {number}");
            assert_ne!(said[number].0, Verdict::Ok, "entry {number}");
        }
    }
}

#[test]
fn observations_of_all_profiles() {
    let (lines, _) = chained(&observations());
    let entries = parse(&lines);
    compare(&entries);
    let profiles = check_together(&entries)
        .into_iter()
        .map(|(_, profile)| profile);
    let found: Vec<Profile> = profiles.flatten().collect();
    assert!(Profile::ALL.iter().all(|profile| found.contains(profile)));
}

#[test]
fn the_golden_ledger() {
    let file = golden();
    let lines: Vec<Vec<u8>> = (file.split_inclusive(|byte| *byte == b'\n'))
        .map(<[u8]>::to_vec)
        .collect();
    compare(&parse(&lines));
}

#[test]
fn no_entries() {
    assert!(check_together(&[]).is_empty());
}
