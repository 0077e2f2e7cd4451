//! Ledgers for the tests of verification: honest ones of several blocks, and the defects that are planted in them.

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::hash::{Tag, hex, sha256};
use axilog::ledger::{Entry, Ledger, LedgerSink, SinkFailed};
use axilog::ledger_line;

use super::report::VerificationReport;
use crate::encoding::ByteBuffer;
use crate::file::genesis_line;
use crate::rules::{RuleSet, load_builtin_policies};

/// The lines of a ledger.
#[derive(Default)]
pub(super) struct Lines(pub(super) Vec<Vec<u8>>);

impl LedgerSink for Lines {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        let mut line = ByteBuffer::default();
        ledger_line::write(entry, &mut line);
        self.0.push(line.0);
        Ok(())
    }
}

/// Numbers that look random: an xorshift generator.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

pub(super) fn rules() -> RuleSet {
    RuleSet::new(load_builtin_policies().unwrap(), false, false)
}

/// A ledger of several blocks, under the built-in rules.
pub(super) fn write_ledger(numbers: &mut Numbers, stops: bool, is_sealed: bool) -> Vec<Vec<u8>> {
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
pub(super) type Defect = (&'static str, fn(&mut Vec<Vec<u8>>, usize));

pub(super) fn record_of(line: &[u8]) -> (Tag, String) {
    let entry = ledger_line::parse(line).unwrap();
    (
        entry.tag,
        String::from_utf8(entry.payload.to_vec()).unwrap(),
    )
}

/// Replaces a text in the first record from `at` on that has it, and writes the chain anew.
pub(super) fn replace(lines: &mut [Vec<u8>], at: usize, from: &str, to: &str) {
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

pub(super) const DEFECTS: &[Defect] = &[
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

/// What is said of a ledger. It begins with "None" where nothing is wrong.
pub(super) fn describe_report(report: &VerificationReport) -> String {
    let replay = &report.replay;
    format!(
        "{:?} {:?} {:?} {:?} {} {:?} {} {} {:?}",
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
