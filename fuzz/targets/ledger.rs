//! Whole ledgers: the entries of a valid file write the same file again, byte for byte; no other valid
//! file has the same head; the ledger that an agent wrote replays to the same agent.

#![no_main]

use arbitrary::Arbitrary;
use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::fault::Faults;
use axilog::hash::{Hash, Tag};
use axilog::ledger_line;
use axilog::policy::{Comparison, Policy, Rules};
use axilog::replay::{Replay, Verdict};
use axilog_testkit::core::ledger::{
    Record, Store, chained, feed, genesis, records_of, with_golden_rules, written,
};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    /// A whole file.
    File(&'a [u8]),
    /// Records, one to a line: a tag and its payload. The target computes the chain.
    Records(&'a [u8]),
    /// Events of an agent; after them a byte of the agent's file changes.
    Events {
        policies: Vec<(u8, u8, i32, bool)>,
        permit_truncated: bool,
        stop_on_invalid: bool,
        work: u16,
        events: Vec<Event<'a>>,
        at: usize,
        byte: u8,
    },
}

#[derive(Arbitrary, Debug)]
enum Event<'a> {
    Answer {
        completion: u8,
        failure: u8,
        oracle: u8,
        output: &'a [u8],
    },
    Value(i16),
    Time(u8),
    Control(u8),
}

fuzz_target!(|case: Case<'_>| match case {
    Case::File(file) => with_golden_rules(|rules| {
        check_file(file, None);
        check_file(file, Some(rules));
    }),
    Case::Records(text) => {
        let mut records = vec![genesis()];
        records.extend(text.split(|&b| b == b'\n').filter_map(parse_record));
        let (lines, head) = chained(&records);
        let file = lines.concat();
        with_golden_rules(|rules| {
            let verified = check_file(&file, None);
            let replayed = check_file(&file, Some(rules));
            assert!(verified == Verdict::Ok || replayed != Verdict::Ok);
            if verified == Verdict::Ok {
                assert_eq!(replay_head(&file, None), Some(head));
            }
        });
    }
    Case::Events {
        policies,
        permit_truncated,
        stop_on_invalid,
        work,
        events,
        at,
        byte,
    } => {
        let policies: Vec<Policy<'_>> = policies
            .iter()
            .take(IDS.len())
            .zip(IDS)
            .map(to_policy)
            .collect();
        let registry = policies.as_slice();
        let rules = Rules {
            registry: &registry,
            permit_truncated,
            stop_on_invalid,
            manifest: None,
        };
        let work = usize::from(work);
        let (file, agent) = run_agent(&events, &rules, work);
        // An agent resumes from a whole file, in the state in which it wrote the file.
        let mut replay = Replay::new();
        assert_eq!(feed(&mut replay, &file, Some(&rules)), Verdict::Ok);
        assert_eq!(
            replay.finish(Some(agent.ledger.sequence + 1), Some(&agent.ledger.head)),
            Verdict::Ok
        );
        let (resumed, step) = replay.resume().unwrap();
        assert!(step.is_none());
        if !agent.failed {
            assert_eq!(
                resumed,
                Agent {
                    violation: None,
                    ..agent
                }
            );
        }
        check_file(&file, Some(&rules));
        check_tampering(&file, at, byte, &rules);
    }
});

const IDS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

fn to_policy(
    (&(operator, selector, threshold, enabled), id): (&(u8, u8, i32, bool), &'static str),
) -> Policy<'static> {
    let operators = [
        Comparison::Gt,
        Comparison::Lt,
        Comparison::Ge,
        Comparison::Le,
        Comparison::Unknown,
    ];
    Policy {
        id,
        threshold,
        comparison: operators[usize::from(operator) % operators.len()],
        enabled,
        selector: ["value", "elapsed", "speed"][usize::from(selector) % 3],
    }
}

/// Parses a record such as `AX:OBS:v1 {…}`.
fn parse_record(line: &[u8]) -> Option<Record> {
    let at = line.iter().position(|&b| b == b' ')?;
    let (tag, payload) = line.split_at(at);
    Some((Tag::parse(tag)?, payload[1..].to_vec()))
}

/// Runs an agent through the events, and returns its ledger file and its last state.
fn run_agent(events: &[Event<'_>], rules: &Rules<'_>, work: usize) -> (Vec<u8>, Agent) {
    let mut store = Store::default();
    store.lines = chained(&[genesis()]).0.concat();
    let (mut agent, mut work) = (Agent::new(), vec![0; work]);
    for event in events {
        let (before, lines) = (agent.clone(), store.lines.len());
        let mut faults = Faults::NONE;
        let result = match event {
            Event::Answer {
                completion,
                failure,
                oracle,
                output,
            } => agent.observe(
                &Answer {
                    completion: Completion::ALL[usize::from(*completion) % 3],
                    failure: Failure::ALL.get(usize::from(*failure) % 4).copied(),
                    ..make_answer(*oracle, output)
                },
                rules,
                &mut work,
                &mut store,
                &mut faults,
            ),
            Event::Value(value) => {
                let output = format!("{{\"speed_q16\":{value},\"value\":{value}}}");
                agent.observe(
                    &make_answer(0, output.as_bytes()),
                    rules,
                    &mut work,
                    &mut store,
                    &mut faults,
                )
            }
            Event::Time(time) => {
                agent.observe_time(u64::from(*time), rules, &mut work, &mut store, &mut faults)
            }
            Event::Control(class) => {
                let class = InputClass::ALL[usize::from(*class) % 5];
                agent.observe_control(class, rules, &mut work, &mut store, &mut faults)
            }
        };
        if result.is_err() {
            assert_eq!((agent, store.lines.len()), (before.clone(), lines));
            agent = before;
        }
    }
    (store.lines, agent)
}

/// Makes an answer of one of four oracles, each of which has a model of its own.
fn make_answer<'a>(oracle: u8, output: &'a [u8]) -> Answer<'a> {
    let oracle_id = ["llm", "other", "ax.time", "ax.control"][usize::from(oracle) % 4];
    Answer {
        completion: Completion::Complete,
        failure: None,
        input: b"ask",
        input_kind: InputKind::Text,
        ledger_seq: 0,
        model_id: oracle_id.as_bytes(),
        oracle_id: oracle_id.as_bytes(),
        output,
        params: Params::NULL,
    }
}

/// Replays a file and returns the verdict. The entries of a valid file must write the same file, with the
/// same head.
fn check_file(file: &[u8], rules: Option<&Rules<'_>>) -> Verdict {
    let mut replay = Replay::new();
    feed(&mut replay, file, rules);
    let verdict = replay.finish(None, None);
    if verdict == Verdict::Ok {
        let records = records_of(file);
        let (lines, head) = chained(&records);
        assert_eq!(lines.concat(), file);
        assert_eq!(replay.ledger().head, head);
        let entry = ledger_line::parse(lines.last().unwrap()).unwrap();
        assert_eq!(
            written(|out| ledger_line::write(&entry, out)),
            *lines.last().unwrap()
        );
        assert_eq!(
            replay.finish(Some(replay.entries() + 1), None),
            Verdict::Truncated
        );
        if replay.entries() > 1 && !replay.ledger().sealed {
            assert_eq!(
                replay.finish(Some(replay.entries() - 1), None),
                Verdict::Altered
            );
        }
    }
    verdict
}

/// Replays a file and returns its head, where the file is valid.
fn replay_head(file: &[u8], rules: Option<&Rules<'_>>) -> Option<Hash> {
    let mut replay = Replay::new();
    feed(&mut replay, file, rules);
    (replay.finish(None, None) == Verdict::Ok).then_some(replay.ledger().head)
}

/// Changes, removes and inserts one byte: the file is invalid then, or has another head.
fn check_tampering(file: &[u8], at: usize, byte: u8, rules: &Rules<'_>) {
    let at = at % file.len();
    let (before, after) = file.split_at(at);
    let head = replay_head(file, Some(rules));
    let changed = [before, &[byte], &after[1..]].concat();
    for other in [
        changed,
        [before, &after[1..]].concat(),
        [before, &[byte], after].concat(),
    ] {
        for rules in [None, Some(rules)] {
            assert!(other == file || replay_head(&other, rules) != head);
        }
    }
}
