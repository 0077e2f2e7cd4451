//! Every number of cores gives the report of one core: honest ledgers, and those with a defect of every kind at,
//! before and after the borders of blocks.

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::hash::{Tag, hex, sha256};
use axilog::ledger::{Entry, Ledger, LedgerSink, SinkFailed};
use axilog::ledger_line;

use super::*;
use crate::encoding::ByteBuffer;
use crate::file::genesis_line;
use crate::file::lines::{BlockReader, LineBlock};
use crate::rules::load_builtin_policies;
use crate::verify::EarlierHead;

/// The lines of a ledger.
#[derive(Default)]
struct Lines(Vec<Vec<u8>>);

impl LedgerSink for Lines {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        let mut line = ByteBuffer::default();
        ledger_line::write(entry, &mut line);
        self.0.push(line.0);
        Ok(())
    }
}

/// Numbers that look random: an xorshift generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn rules() -> RuleSet {
    RuleSet::new(load_builtin_policies().unwrap(), false, false)
}

/// A ledger of several blocks, under the built-in rules.
fn write_ledger(numbers: &mut Numbers, stops: bool, is_sealed: bool) -> Vec<Vec<u8>> {
    let (rules, mut sink) = (rules(), Lines(vec![genesis_line()]));
    let rules = rules.rules();
    let (mut agent, mut work, mut faults) = (Agent::new(), vec![0u8; 1 << 16], Faults::NONE);
    let reset = InputClass::ResetRequest;
    agent
        .observe_control(reset, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    let (mut time, mut bytes) = (0, 0);
    for number in 0.. {
        if bytes > 1_100_000 {
            break;
        }
        // Rare times, so that blocks have none, one or many.
        if number == 0 || numbers.below(200) == 0 {
            time += 1;
            agent
                .observe_time(time, &rules, &mut work, &mut sink, &mut faults)
                .unwrap();
        }
        if stops && bytes > 400_000 && agent.health.as_str() != "STOPPED" {
            for _ in 0..5 {
                let fault = InputClass::FaultSignal;
                agent
                    .observe_control(fault, &rules, &mut work, &mut sink, &mut faults)
                    .unwrap();
            }
        }
        let text = "word ".repeat(numbers.below(600));
        let value = numbers.below(60);
        let output = format!("{{\"value\":{value},\"why\":\"{text}\"}}");
        let model = numbers.below(4);
        let (oracle, model) = (format!("oracle-{model}"), format!("model-{model}"));
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: b"how fast?",
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: model.as_bytes(),
            oracle_id: oracle.as_bytes(),
            output: output.as_bytes(),
            params: Params::NULL,
        };
        if numbers.below(12) == 0 {
            agent
                .observe_refused(&answer, &rules, &mut work, &mut sink, &mut faults)
                .unwrap();
            // What ends the alarm of the refusal.
            for class in [InputClass::PolicyTrigger, InputClass::ResetRequest] {
                if !stops || agent.health.as_str() != "STOPPED" {
                    agent
                        .observe_control(class, &rules, &mut work, &mut sink, &mut faults)
                        .unwrap();
                }
            }
            time += 1;
            agent
                .observe_time(time, &rules, &mut work, &mut sink, &mut faults)
                .unwrap();
        } else {
            agent
                .observe(&answer, &rules, &mut work, &mut sink, &mut faults)
                .unwrap();
        }
        bytes = sink.0.iter().map(Vec::len).sum();
    }
    if is_sealed {
        agent.ledger.seal(&mut sink, &mut faults).unwrap();
    }
    sink.0
}

/// Writes the chain over the lines anew, from line `from` on.
fn chain_anew(lines: &mut [Vec<u8>], from: usize) {
    let parsed = |line: &Vec<u8>| {
        let entry = ledger_line::parse(line).unwrap();
        (entry.tag, entry.payload.to_vec(), entry.chain)
    };
    let (_, _, head) = parsed(&lines[from - 1]);
    let (mut ledger, mut faults) = (Ledger::resume(head, from as u64 - 1), Faults::NONE);
    for line in &mut lines[from..] {
        let (tag, payload, _) = parsed(line);
        let mut sink = Lines::default();
        ledger
            .record(tag, &payload, &mut sink, &mut faults)
            .unwrap();
        *line = sink.0.remove(0);
    }
}

/// A kind of defect: plants one at a line, or at the next one that can have it.
type Defect = (&'static str, fn(&mut Vec<Vec<u8>>, usize));

fn record_of(line: &[u8]) -> (Tag, String) {
    let entry = ledger_line::parse(line).unwrap();
    (
        entry.tag,
        String::from_utf8(entry.payload.to_vec()).unwrap(),
    )
}

/// Replaces a text in the first record from `at` on that has it, and writes the chain anew.
fn replace(lines: &mut [Vec<u8>], at: usize, from: &str, to: &str) {
    let found = (at..lines.len()).find(|&at| record_of(&lines[at]).1.contains(from));
    let Some(at) = found else { return };
    let (tag, record) = record_of(&lines[at]);
    let mut record = record.replacen(from, to, 1);
    if tag == Tag::Obs {
        let place = record.find("\"obs_hash\":\"").unwrap() + 12;
        let empty = [&record[..place], &record[place + 64..]].concat();
        let hash = hex(&sha256(empty.as_bytes()));
        record.replace_range(place..place + 64, std::str::from_utf8(&hash).unwrap());
    }
    let head = ledger_line::parse(&lines[at - 1]).unwrap().chain;
    let (mut sink, mut faults) = (Lines::default(), Faults::NONE);
    Ledger::resume(head, at as u64 - 1)
        .record(tag, record.as_bytes(), &mut sink, &mut faults)
        .unwrap();
    lines[at] = sink.0.remove(0);
    chain_anew(lines, at + 1);
}

const DEFECTS: &[Defect] = &[
    ("a bit of a record", |lines, at| lines[at][240] ^= 1),
    ("a bit of a chain value", |lines, at| lines[at][12] ^= 1),
    ("a line left out", |lines, at| drop(lines.remove(at))),
    ("a record left out", |lines, at| {
        lines.remove(at);
        chain_anew(lines, at);
    }),
    ("a record repeated", |lines, at| {
        lines.insert(at, lines[at].clone());
        chain_anew(lines, at);
    }),
    ("records exchanged", |lines, at| {
        lines.swap(at, at + 1);
        chain_anew(lines, at);
    }),
    ("a second genesis", |lines, at| {
        lines.insert(at, genesis_line());
        chain_anew(lines, at);
    }),
    ("no line", |lines, at| lines[at] = b"{}\n".to_vec()),
    ("a line that is too long", |lines, at| {
        lines[at] = vec![b'x'; 300_000];
    }),
    ("a torn line", |lines, at| {
        lines.truncate(at + 1);
        lines[at].pop();
    }),
    ("the end cut off", |lines, at| lines.truncate(at)),
    ("a decision changed", |lines, at| {
        replace(lines, at, "PERMITTED", "BREACH");
    }),
    ("a state changed", |lines, at| {
        replace(
            lines,
            at,
            "\"next_state\":\"ENABLED\"",
            "\"next_state\":\"ALARM\"",
        );
    }),
    ("a number of faults changed", |lines, at| {
        replace(lines, at, "\"fault_count\":0", "\"fault_count\":1");
    }),
    ("a time set back", |lines, at| {
        for last in (2..200).rev() {
            let (from, to) = (format!("timestamp\\\":{last}}}"), "timestamp\\\":1}");
            if lines[at..]
                .iter()
                .any(|line| record_of(line).1.contains(&from))
            {
                return replace(lines, at, &from, to);
            }
        }
    }),
    ("another model", |lines, at| {
        replace(
            lines,
            at,
            "\"model_id\":\"model-2\"",
            "\"model_id\":\"model-3\"",
        );
    }),
    ("a reset to other rules", |lines, at| {
        let hash = String::from_utf8(hex(&rules().hash()).to_vec()).unwrap();
        let other = hash.replace('a', "b");
        replace(lines, at, &hash, &other);
    }),
    ("a form that only deployed gateways write", |lines, at| {
        replace(
            lines,
            at,
            "\"completion_state\":\"COMPLETE\"",
            "\"completion_state\":\"DONE\"",
        );
    }),
    ("a record that is not canonical", |lines, at| {
        replace(lines, at, "\"fault_count\":", "\"fault_count\": ");
    }),
];

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
    let replay = &report.replay;
    format!(
        "{:?} {:?} {:?} {:?} {} {:?} {} {} {:?} {count} {seen:?}",
        report.fault,
        report.profiles,
        report.deployed,
        report.chain_behind,
        replay.entries(),
        replay.ledger(),
        replay.unbound_answers(),
        replay.awaits_raw_answer(),
        replay.resume().map(|(agent, step)| (agent, step.is_some())),
    )
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
        visit_blocks(2, file.as_slice(), &terms, &mut |block| {
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
