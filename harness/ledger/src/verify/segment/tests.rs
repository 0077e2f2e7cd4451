//! A ledger that is cut anywhere, and whose segments come as bytes from elsewhere, gets the report of one pass.

use std::io::Cursor;

use super::*;
use crate::rules::load_builtin_policies;
use crate::verify::forged_ledgers::{
    DEFECTS, Numbers, describe_report, replace, rules, write_ledger,
};
use crate::verify::{EarlierHead, verify_ledger};

/// Examines the segments that begin at 0 and at `cuts`, and hands what was found through text.
fn examine_all(
    file: &[u8],
    cuts: &[u64],
    rules: Option<&RuleSet>,
    expected: &LedgerExpectations,
) -> Vec<SegmentFacts> {
    let mut source = Cursor::new(file);
    let mut from = 0;
    let mut all = Vec::new();
    for to in cuts.iter().copied().chain([file.len() as u64]) {
        let facts = examine_segment(&mut source, from, to, rules, expected).unwrap();
        all.push(SegmentFacts::from_text(&facts.to_text()).unwrap());
        from = to;
    }
    all
}

/// The number of bytes of a ledger that no stretch has.
fn measure_gaps(file: &[u8], all: &[SegmentFacts]) -> u64 {
    let mut at = 0;
    let mut gaps = 0;
    for stretch in all.iter().flat_map(|facts| &facts.stretches) {
        assert!(at <= stretch.begin && stretch.begin < stretch.end);
        gaps += stretch.begin - at;
        at = stretch.end;
    }
    gaps + file.len() as u64 - at
}

/// Compares segments with one pass, verified and replayed. Gives what is said of a replay.
fn compare(file: &[u8], cuts: &[u64], expected: &LedgerExpectations, what: &str) -> String {
    let rules = rules();
    let [_, replayed] = [None, Some(&rules)].map(|rules| {
        let whole = verify_ledger(file, rules, expected, &mut |_| {}).unwrap();
        let facts = examine_all(file, cuts, rules, expected);
        let joined = join_segments(&mut Cursor::new(file), &facts, rules, expected).unwrap();
        let whole = describe_report(&whole);
        assert_eq!(describe_report(&joined), whole, "{what}, cut at {cuts:?}");
        whole
    });
    replayed
}

fn no_expectations() -> LedgerExpectations {
    LedgerExpectations::default()
}

/// The offsets that cut a file into so many parts of one length.
fn cut_evenly(file: &[u8], parts: u64) -> Vec<u64> {
    let length = file.len() as u64;
    (1..parts).map(|part| length * part / parts).collect()
}

#[test]
fn honest_ledgers_are_joined_but_for_a_few_lines() {
    let mut numbers = Numbers(0x1234_5678);
    for (stops, is_sealed) in [(false, true), (true, false)] {
        let file = write_ledger(&mut numbers, stops, is_sealed).concat();
        for parts in [1, 2, 3, 7, 16] {
            let cuts = cut_evenly(&file, parts);
            let told = compare(&file, &cuts, &no_expectations(), "honest");
            assert!(told.starts_with("None"), "{told}");
            for rules in [None, Some(&rules())] {
                let facts = examine_all(&file, &cuts, rules, &no_expectations());
                let gaps = measure_gaps(&file, &facts);
                assert!(
                    gaps < 60_000 * parts,
                    "{gaps} bytes to read in {parts} parts"
                );
            }
        }
    }
}

#[test]
fn cuts_at_every_byte_of_some_lines() {
    let lines = write_ledger(&mut Numbers(0xabcd), false, true);
    let file = lines[..40].concat();
    let first = lines[..20].concat().len() as u64;
    for cut in (first..first + 2_000).step_by(37) {
        let told = compare(&file, &[cut], &no_expectations(), "cut");
        assert!(told.starts_with("None"), "{told}");
    }
    // No cut between two lines moves the first byte of a segment.
    for cut in [first, first + 1] {
        compare(&file, &[cut, cut + 1], &no_expectations(), "two cuts");
    }
}

#[test]
fn defects_near_the_cuts() {
    let mut numbers = Numbers(0x7777);
    let honest = write_ledger(&mut numbers, false, true);
    let mut found = 0;
    for (kind, plant) in DEFECTS {
        let middle = honest.len() / 2;
        let border = honest[..middle].concat().len() as u64;
        for at in [
            middle - 1 - numbers.below(2),
            middle,
            middle + numbers.below(4),
        ] {
            let mut lines = honest.clone();
            plant(&mut lines, at);
            let file = lines.concat();
            let third = file.len() as u64 / 3;
            let told = compare(&file, &[third, border], &no_expectations(), kind);
            found += usize::from(!told.starts_with("None"));
        }
    }
    assert!(found > 45, "{found}");
}

#[test]
fn expectations_of_records_and_of_the_end() {
    let honest = write_ledger(&mut Numbers(0xbee), false, false);
    let (file, records) = (honest.concat(), honest.len() as u64);
    let middle = honest.len() / 2;
    let head_of = |at: usize| ledger_line::parse(&honest[at]).unwrap().chain;
    let noted = |entries: u64| LedgerExpectations {
        earlier_heads: vec![EarlierHead {
            entries,
            head: head_of(middle),
        }],
        ..no_expectations()
    };
    let pinned = LedgerExpectations {
        models: vec![("oracle-2".to_owned(), "model-1".to_owned())],
        ..no_expectations()
    };
    let ended = |entries, head| LedgerExpectations {
        entries,
        head,
        ..no_expectations()
    };
    let last = head_of(honest.len() - 1);
    for (expected, is_good) in [
        (noted(middle as u64 + 1), true),
        (noted(middle as u64 + 2), false),
        (pinned, false),
        (ended(Some(records), Some(last)), true),
        (ended(Some(middle as u64), None), false),
        (ended(None, Some(head_of(middle))), false),
    ] {
        let cuts = cut_evenly(&file, 5);
        let told = compare(&file, &cuts, &expected, &format!("{expected:?}"));
        assert_eq!(told.starts_with("None"), is_good, "{told}");
    }
}

/// What is missing, doubled or out of order is read by the one that joins.
#[test]
fn facts_that_leave_something_out() {
    let file = write_ledger(&mut Numbers(0xfeed), false, true).concat();
    let (rules, expected) = (rules(), no_expectations());
    let whole = verify_ledger(file.as_slice(), Some(&rules), &expected, &mut |_| {}).unwrap();
    let whole = describe_report(&whole);
    let cuts = cut_evenly(&file, 4);
    let examine = |cuts: &[u64]| examine_all(&file, cuts, Some(&rules), &expected);
    let mut reversed = examine(&cuts);
    reversed.reverse();
    let mut overlapping = examine(&cuts);
    overlapping.extend(examine(&cut_evenly(&file, 7)));
    let mut missing = examine(&cuts);
    missing.remove(1);
    for facts in [Vec::new(), reversed, overlapping, missing] {
        let joined = join_segments(&mut Cursor::new(&file), &facts, Some(&rules), &expected);
        assert_eq!(describe_report(&joined.unwrap()), whole);
    }
}

#[test]
fn facts_of_something_else_are_refused() {
    let file = write_ledger(&mut Numbers(0xfeed), false, true).concat();
    let other = write_ledger(&mut Numbers(0xfade), false, true).concat();
    let (rules, expected) = (rules(), no_expectations());
    let other_rules = RuleSet::new(load_builtin_policies().unwrap(), true, false);
    let counted = LedgerExpectations {
        entries: Some(7),
        ..no_expectations()
    };
    let cuts = cut_evenly(&file, 4);
    let own = || examine_all(&file, &cuts, Some(&rules), &expected);
    for (strange, told) in [
        (
            examine_all(&other, &cuts, Some(&rules), &expected),
            "another ledger",
        ),
        (examine_all(&file, &cuts, None, &expected), "other rules"),
        (
            examine_all(&file, &cuts, Some(&other_rules), &expected),
            "other rules",
        ),
        (
            examine_all(&file, &cuts, Some(&rules), &counted),
            "expectations",
        ),
    ] {
        let mut facts = own();
        facts.extend(strange.into_iter().skip(2).take(1));
        let joined = join_segments(&mut Cursor::new(&file), &facts, Some(&rules), &expected);
        let refusal = joined.err().unwrap().to_string();
        assert!(refusal.contains(told), "{refusal}");
        let begin = facts.last().unwrap().begin;
        assert!(refusal.contains(&format!("at byte {begin} ")), "{refusal}");
    }
}

/// A ledger that begins as another one, and goes on otherwise: what was found of the one is never taken for the other.
#[test]
fn facts_of_a_ledger_that_parts_ways_are_read_again() {
    let honest = write_ledger(&mut Numbers(0xd1ff), false, true);
    let middle = honest.len() / 2;
    let mut parted = honest.clone();
    replace(&mut parted, middle, "word", "wood");
    let (file, parted) = (honest.concat(), parted.concat());
    assert!(file.len() == parted.len() && file != parted);
    let expected = no_expectations();
    let whole = verify_ledger(file.as_slice(), None, &expected, &mut |_| {}).unwrap();
    for parts in [1, 2, 3, 5] {
        let cuts = cut_evenly(&file, parts);
        let mut facts = examine_all(&parted, &cuts, None, &expected);
        for strange in 0..facts.len() {
            let mut mixed = examine_all(&file, &cuts, None, &expected);
            mixed[strange] = facts.remove(strange);
            let joined = join_segments(&mut Cursor::new(&file), &mixed, None, &expected).unwrap();
            assert_eq!(describe_report(&joined), describe_report(&whole));
            facts.insert(strange, mixed.remove(strange));
        }
        // Of a ledger that was cut off since, its own end counts.
        let cut_off = honest[..honest.len() * 9 / 10].concat();
        let joined = join_segments(&mut Cursor::new(&cut_off), &facts, None, &expected).unwrap();
        let whole = verify_ledger(cut_off.as_slice(), None, &expected, &mut |_| {}).unwrap();
        assert_eq!(describe_report(&joined), describe_report(&whole));
    }
}

/// A file that something writes while its segments are read: the bytes that are there at the end count.
#[test]
fn files_that_grew_or_shrank_since() {
    let lines = write_ledger(&mut Numbers(0x6120), false, true);
    let (long, expected) = (lines[..400].concat(), no_expectations());
    let short = lines[..360].concat().len();
    assert!(short as u64 > TELLING_BYTES);
    let between = long.len() - short;
    for length in (short..long.len()).step_by(between / 40) {
        for (read, joined) in [(&long[..length], &long[..]), (&long, &long[..length])] {
            for (parts, rules) in [
                (1, None),
                (3, None),
                (1, Some(&rules())),
                (3, Some(&rules())),
            ] {
                let facts = examine_all(read, &cut_evenly(read, parts), rules, &expected);
                let found = join_segments(&mut Cursor::new(joined), &facts, rules, &expected);
                let whole = verify_ledger(joined, rules, &expected, &mut |_| {}).unwrap();
                assert_eq!(
                    describe_report(&found.unwrap()),
                    describe_report(&whole),
                    "{} bytes read in {parts} parts, {} joined",
                    read.len(),
                    joined.len()
                );
            }
        }
    }
}

/// Nothing, a piece of a line, one record, a few: always in more segments than there are lines.
#[test]
fn files_with_hardly_any_records() {
    let lines = write_ledger(&mut Numbers(0x1), false, true);
    let genesis = lines[0].len();
    for records in [0, 1, 2, 5] {
        let file = lines[..records].concat();
        for parts in [1, 2, 40, 5 * file.len() as u64 + 3] {
            compare(&file, &cut_evenly(&file, parts), &no_expectations(), "few");
        }
    }
    for length in [1, genesis - 1, genesis + 1] {
        let file = &lines.concat()[..length];
        compare(file, &cut_evenly(file, 7), &no_expectations(), "torn");
    }
    compare(&[], &[0, 5, u64::MAX], &no_expectations(), "empty");
}

/// A bit that is wrong anywhere, with segments of any lengths.
#[test]
fn wrong_bits_and_random_cuts() {
    let mut numbers = Numbers(0xb17);
    let honest = write_ledger(&mut numbers, true, true)[..30].concat();
    let mut found = 0;
    for _ in 0..200 {
        let mut file = honest.clone();
        file[numbers.below(honest.len())] ^= 1 << numbers.below(8);
        let mut cuts: Vec<u64> = (0..numbers.below(9))
            .map(|_| numbers.below(honest.len()) as u64)
            .collect();
        cuts.sort_unstable();
        let told = compare(&file, &cuts, &no_expectations(), "a wrong bit");
        found += usize::from(!told.starts_with("None"));
    }
    assert_eq!(found, 200);
}

#[test]
fn a_changed_text_of_facts_is_none() {
    let file = write_ledger(&mut Numbers(0xc0de), false, true).concat();
    let facts = examine_all(&file, &[], Some(&rules()), &no_expectations());
    let text = facts[0].to_text();
    assert!(SegmentFacts::from_text(&text).is_some());
    for at in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(SegmentFacts::from_text(&changed).is_none());
        assert!(SegmentFacts::from_text(&text[..at]).is_none());
    }
    for other in [
        text.to_uppercase(),
        format!("{text}00"),
        format!("+{text}"),
        "é".to_owned(),
    ] {
        assert!(SegmentFacts::from_text(&other).is_none());
    }
}
