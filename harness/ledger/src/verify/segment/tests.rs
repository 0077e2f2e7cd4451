//! A ledger that is cut anywhere, and whose segments come as bytes from elsewhere, gets the report of one pass.

use std::io::Cursor;

use super::*;
use crate::verify::forged_ledgers::{DEFECTS, Numbers, describe_report, rules, write_ledger};
use crate::verify::{EarlierHead, verify_ledger};

/// Examines the segments that begin at 0 and at `cuts`, and hands what was found through bytes.
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
        let bytes = facts.to_bytes();
        assert!(SegmentFacts::from_bytes(&bytes[..bytes.len() - 1]).is_none());
        all.push(SegmentFacts::from_bytes(&bytes).unwrap());
        from = to;
    }
    all
}

/// The number of bytes of a ledger that the parts hold: the lines and the stretches.
fn measure_parts(all: &[SegmentFacts]) -> (u64, u64) {
    let (mut lines, mut stretches) = (0, 0);
    for facts in all {
        let mut at = facts.begin;
        for part in &facts.parts {
            match part {
                SegmentPart::Line { offset, bytes } => {
                    assert_eq!(*offset, at);
                    at += bytes.len() as u64;
                    lines += bytes.len() as u64;
                }
                SegmentPart::Stretch { end, .. } => {
                    stretches += end - at;
                    at = *end;
                }
            }
        }
    }
    (lines, stretches)
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
                let (lines, stretches) = measure_parts(&facts);
                assert_eq!(lines + stretches, file.len() as u64, "nothing is left out");
                assert!(
                    lines < 60_000 * parts,
                    "{lines} bytes of lines in {parts} parts"
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

/// What is missing, doubled, out of order, or of another ledger or other rules, is read by the one that joins.
#[test]
fn facts_that_do_not_fit() {
    let honest = write_ledger(&mut Numbers(0xfeed), false, true);
    let file = honest.concat();
    let other = write_ledger(&mut Numbers(0xfade), false, true).concat();
    let (rules, expected) = (rules(), no_expectations());
    let whole = verify_ledger(file.as_slice(), Some(&rules), &expected, &mut |_| {}).unwrap();
    let whole = describe_report(&whole);
    let cuts = cut_evenly(&file, 4);
    let examine = |file: &[u8], rules| examine_all(file, &cuts, rules, &expected);
    let mut reversed = examine(&file, Some(&rules));
    reversed.reverse();
    let mut doubled = examine(&file, Some(&rules));
    doubled.extend(examine(&file, Some(&rules)));
    let mut missing = examine(&file, Some(&rules));
    missing.remove(1);
    for facts in [Vec::new(), reversed, doubled, missing, examine(&file, None)] {
        let joined = join_segments(&mut Cursor::new(&file), &facts, Some(&rules), &expected);
        assert_eq!(describe_report(&joined.unwrap()), whole);
    }
    // The lines of another ledger are no lines of this chain.
    let mixed: Vec<SegmentFacts> = (examine(&file, Some(&rules)).into_iter().take(2))
        .chain(examine(&other, Some(&rules)).into_iter().skip(2))
        .collect();
    let joined = join_segments(&mut Cursor::new(&file), &mixed, Some(&rules), &expected).unwrap();
    assert!(joined.fault.is_some() || describe_report(&joined) == whole);
    for bytes in [&b""[..], b"axilog segment 1", &[0; 100], file.as_slice()] {
        assert!(SegmentFacts::from_bytes(bytes).is_none());
    }
}
