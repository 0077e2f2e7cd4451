//! Every number of cores gives the report of one core: honest ledgers, and those with a defect of every kind at,
//! before and after the borders of blocks.

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::hash::sha256;
use axilog::ledger_line;

use super::*;
use crate::file::genesis_line;
use crate::file::lines::LineBlock;
use crate::verify::EarlierHead;
use crate::verify::forged_ledgers::{
    DEFECTS, Lines, Numbers, describe_report, replace, rules, write_ledger,
};

/// What is said of a ledger, and the records that were seen.
fn describe(
    cores: usize,
    file: &[u8],
    rules: Option<&RuleSet>,
    expected: &LedgerExpectations,
) -> String {
    let mut seen = sha256(b"");
    let mut count = 0;
    let report = verify_ledger_on(cores, file, rules, expected, &mut |record| {
        let oracle = record.observation.map(|view| view.oracle_id.bytes());
        count += 1;
        let told = format!("{seen:?} {} {oracle:?}", record.offset);
        seen = sha256(&[told.as_bytes(), &record.entry.chain].concat());
    })
    .unwrap();
    format!("{} {count} {seen:?}", describe_report(&report))
}

/// Compares what several numbers of cores say. Gives what one says, of a verification and of a replay.
fn compare(lines: &[Vec<u8>], expected: &LedgerExpectations, what: &str) -> [String; 2] {
    let (file, rules) = (lines.concat(), rules());
    [None, Some(&rules)].map(|rules| {
        let one = describe(1, &file, rules, expected);
        for cores in [2, 3] {
            let more = describe(cores, &file, rules, expected);
            assert_eq!(
                more,
                one,
                "{what}, {cores} cores, rules: {}",
                rules.is_some()
            );
        }
        one
    })
}

/// The numbers of the lines with which blocks begin, but for the first.
fn find_borders(lines: &[Vec<u8>]) -> Vec<usize> {
    let file = lines.concat();
    let mut blocks = BlockReader::new(file.as_slice());
    let (mut borders, mut before) = (Vec::new(), 0);
    while let Some(block) = blocks.next_block(LineBlock::default()).unwrap() {
        before += block.lines().count();
        borders.push(before);
    }
    borders.pop();
    borders
}

fn no_expectations() -> LedgerExpectations {
    LedgerExpectations::default()
}

#[test]
fn defects_near_the_borders_of_blocks() {
    let mut numbers = Numbers(0x5eed_cafe);
    let mut found = 0;
    for (stops, is_sealed) in [(false, false), (false, true), (true, false)] {
        let honest = write_ledger(&mut numbers, stops, is_sealed);
        let borders = find_borders(&honest);
        assert!(borders.len() >= 3);
        let good = compare(&honest, &no_expectations(), "honest");
        assert!(good.iter().all(|told| told.starts_with("None")), "{good:?}");
        for (kind, plant) in DEFECTS {
            let border = borders[numbers.below(borders.len())];
            for at in [
                border - 1 - numbers.below(2),
                border,
                border + numbers.below(4),
            ] {
                let mut lines = honest.clone();
                plant(&mut lines, at);
                let what = format!("{kind} at {at}, where a block begins at {border}");
                let told = compare(&lines, &no_expectations(), &what);
                found += told.iter().filter(|told| !told.starts_with("None")).count();
            }
        }
    }
    assert!(found > 250, "{found}");
}

/// What no stretch holds is replayed on one core.
#[test]
fn nearly_all_records_stand_in_stretches() {
    let honest = write_ledger(&mut Numbers(0xfeed), false, false);
    let (file, rules, expected) = (honest.concat(), rules(), no_expectations());
    for rules in [None, Some(&rules)] {
        let terms = Terms::new(rules, &expected);
        let (mut records, mut within) = (0, 0);
        visit_blocks(2, BlockReader::new(file.as_slice()), &terms, &mut |block| {
            records += block.lines.len();
            within += block
                .stretches
                .iter()
                .map(|placed| placed.count)
                .sum::<usize>();
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(records, honest.len());
        assert!(within * 100 > records * 95, "{within} of {records}");
    }
}

#[test]
fn expectations_that_are_disappointed_inside_a_block() {
    let mut numbers = Numbers(0xbeef);
    let honest = write_ledger(&mut numbers, false, true);
    let records = honest.len() as u64;
    let head_of = |at: usize| ledger_line::parse(&honest[at]).unwrap().chain;
    let middle = honest.len() / 2;
    let noted = |entries: u64, head| LedgerExpectations {
        earlier_heads: vec![EarlierHead { entries, head }],
        ..no_expectations()
    };
    let pinned = |model: &str| LedgerExpectations {
        models: vec![("oracle-2".to_owned(), model.to_owned())],
        ..no_expectations()
    };
    let ended = |entries, head| LedgerExpectations {
        entries,
        head,
        ..no_expectations()
    };
    for (expected, is_good) in [
        (noted(middle as u64 + 1, head_of(middle)), true),
        (noted(middle as u64 + 2, head_of(middle)), false),
        (noted(records + 1, head_of(middle)), false),
        (pinned("model-2"), true),
        (pinned("model-1"), false),
        (ended(Some(records - 1), None), true),
        (ended(Some(records), None), false),
        (ended(Some(middle as u64), None), false),
        (ended(None, Some(head_of(honest.len() - 1))), true),
        (ended(None, Some(head_of(middle))), false),
        (ended(Some(records - 1), Some([7; 32])), false),
    ] {
        let what = format!("{expected:?}");
        for told in compare(&honest, &expected, &what) {
            assert_eq!(told.starts_with("None"), is_good, "{what}: {told}");
        }
    }
}

/// More oracles than the core holds to their models, so that blocks after that are replayed record by record.
#[test]
fn more_oracles_than_can_be_merged() {
    let (rules, mut sink) = (rules(), Lines(vec![genesis_line()]));
    let rules = rules.rules();
    let (mut agent, mut work, mut faults) = (Agent::new(), vec![0u8; 1 << 16], Faults::NONE);
    let reset = InputClass::ResetRequest;
    agent
        .observe_control(reset, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    agent
        .observe_time(1, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    for number in 0..900u64 {
        let oracle = format!("oracle-{}", number / 13 % 60);
        let output = format!("{{\"value\":1,\"why\":\"{}\"}}", "word ".repeat(100));
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: b"how fast?",
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: b"model-1",
            oracle_id: oracle.as_bytes(),
            output: output.as_bytes(),
            params: Params::NULL,
        };
        agent
            .observe(&answer, &rules, &mut work, &mut sink, &mut faults)
            .unwrap();
    }
    let honest = sink.0;
    for at in [0, 20, 500, 1500, 2600] {
        let mut lines = honest.clone();
        if at > 0 {
            replace(
                &mut lines,
                at,
                "\"model_id\":\"model-1\"",
                "\"model_id\":\"model-2\"",
            );
        }
        let told = compare(
            &lines,
            &no_expectations(),
            &format!("another model at {at}"),
        );
        let is_good = told.iter().all(|told| told.starts_with("None"));
        assert_eq!(is_good, at == 0, "{told:?}");
    }
}
