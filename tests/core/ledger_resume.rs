//! A ledger that ends anywhere is taken up there (formats.md §6): completing the interrupted step
//! and going on gives the bytes of a run that was never interrupted. The one record that cannot be
//! made again is the RAW record of an answer whose bytes only the caller has.

use axilog::admission::Answer;
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass, Violation};
use axilog::evidence::proof::RawAnswer;
use axilog::fault::{Error, Fault, Faults};
use axilog::hash::Tag;
use axilog::json::writer::Buffer;
use axilog::ledger_line;
use axilog::policy::{Comparison, Policy, Rules};
use axilog::replay::{Replay, Verdict};
use axilog_testkit::core::ledger::{
    Store, answer, chained, feed, genesis, golden, with_golden_rules,
};
use axilog_testkit::vectors::{AgentVector, StepVector, agents, decode, unhex};

fn policies(vector: &AgentVector) -> Vec<Policy<'_>> {
    let policies = vector.policies.iter().map(|p| Policy {
        id: &p.policy_id,
        threshold: p.threshold,
        comparison: match p.comparison.as_str() {
            "GT" => Comparison::Gt,
            "LT" => Comparison::Lt,
            "GE" => Comparison::Ge,
            "LE" => Comparison::Le,
            _ => Comparison::Unknown,
        },
        enabled: p.enabled != 0,
        selector: &p.selector,
    });
    policies.collect()
}

/// Lets `agent` observe the inputs of `vector` from number `first` on.
fn go_on(
    agent: &mut Agent,
    vector: &AgentVector,
    rules: &Rules<'_>,
    first: usize,
    store: &mut Store,
) {
    let mut work = vec![0; 70_000];
    for step in &vector.steps[first..] {
        let (input, output) = (decode(&step.input_b64), decode(&step.output_b64));
        let answer = Answer {
            input: &input,
            model_id: step.model_id.as_bytes(),
            oracle_id: step.oracle_id.as_bytes(),
            ..answer(&output)
        };
        let mut faults = Faults::NONE;
        agent
            .observe(&answer, rules, &mut work, store, &mut faults)
            .unwrap();
    }
}

fn is_raw_answer(line: &[u8]) -> bool {
    RawAnswer::parse(ledger_line::parse(line).unwrap().payload).is_ok()
}

/// The observation was written and its RAW record was not: the answer stays unbound and the ledger good,
/// or the caller brings the bytes and the ledger is the uninterrupted one.
#[test]
fn a_step_interrupted_before_its_raw_record_goes_on_without_it_or_with_the_callers_bytes() {
    let mut interrupted = 0;
    for vector in agents() {
        let policies = policies(&vector);
        let registry = policies.as_slice();
        let rules = Rules {
            registry: &registry,
            permit_truncated: vector.permit_truncated,
            stop_on_invalid: vector.stop_on_invalid,
            manifest: vector.manifest.as_deref().map(unhex),
        };
        let mut whole = Store {
            lines: chained(&[genesis()]).0.concat(),
            ..Store::default()
        };
        let mut uninterrupted = Agent::new();
        go_on(&mut uninterrupted, &vector, &rules, 0, &mut whole);
        let lines: Vec<&[u8]> = whole.lines.split_inclusive(|&b| b == b'\n').collect();
        for kept in (1..lines.len()).filter(|&n| is_raw_answer(lines[n])) {
            interrupted += 1;
            let mut replay = Replay::new();
            let mut store = Store {
                lines: lines[..kept].concat(),
                ..Store::default()
            };
            feed(&mut replay, &store.lines, Some(&rules));
            let observed = replay.ledger().sequence;
            let mut faults = Faults::NONE;

            let (mut agent, _) = replay.resume().unwrap();
            let mut unbound = store.clone();
            replay
                .complete(&mut agent, Some(&rules), &mut unbound, &mut faults)
                .unwrap();
            assert_eq!(agent.health, uninterrupted.health, "{}", vector.name);
            let mut again = Replay::new();
            let verdict = feed(&mut again, &unbound.lines, Some(&rules));
            assert_eq!((verdict, again.unbound_answers()), (Verdict::Ok, 1));

            let is_this = |step: &&StepVector| {
                step.records.iter().any(|(tag, record)| {
                    tag == "AX:OBS:v1" && record.contains(&format!("\"ledger_seq\":{observed},"))
                })
            };
            let output = decode(&vector.steps.iter().find(is_this).unwrap().output_b64);
            let (mut agent, _) = replay.resume().unwrap();
            let write = |out: &mut Buffer<'_>| RawAnswer::of(observed, &output).write(out);
            agent
                .ledger
                .record_written(Tag::Proof, write, &mut store, &mut faults)
                .unwrap();
            let raw = ledger_line::parse(lines[kept]).unwrap();
            assert_eq!(replay.feed(&raw, Some(&rules)), Verdict::Ok);
            assert_eq!(replay.unbound_answers(), 0);
            let (mut agent, _) = replay.resume().unwrap();
            replay
                .complete(&mut agent, Some(&rules), &mut store, &mut faults)
                .unwrap();
            let count = store.lines.split_inclusive(|&b| b == b'\n').count();
            assert_eq!(store.lines, lines[..count].concat(), "{}", vector.name);
        }
    }
    assert_eq!(interrupted, 5);
}

#[test]
fn every_prefix_of_every_vector_goes_on_to_the_same_ledger() {
    let mut interrupted = 0;
    for vector in agents() {
        let policies = policies(&vector);
        let registry = policies.as_slice();
        let rules = Rules {
            registry: &registry,
            permit_truncated: vector.permit_truncated,
            stop_on_invalid: vector.stop_on_invalid,
            manifest: vector.manifest.as_deref().map(unhex),
        };
        let mut whole = Store {
            lines: chained(&[genesis()]).0.concat(),
            ..Store::default()
        };
        let mut uninterrupted = Agent::new();
        go_on(&mut uninterrupted, &vector, &rules, 0, &mut whole);
        if vector.name == "breach-alarm-recover" {
            assert_eq!(whole.lines, golden());
        }

        let lines: Vec<&[u8]> = whole.lines.split_inclusive(|&b| b == b'\n').collect();
        for kept in 1..=lines.len() {
            let prefix = lines[..kept].concat();
            let mut replay = Replay::new();
            assert_eq!(feed(&mut replay, &prefix, Some(&rules)), Verdict::Ok);
            assert_eq!(replay.entries(), kept as u64);
            let (mut agent, step) = replay.resume().unwrap();
            assert_eq!(agent.ledger.sequence + 1, kept as u64);
            let mut store = Store {
                lines: prefix.clone(),
                ..Store::default()
            };
            let mut faults = Faults::NONE;
            replay
                .complete(&mut agent, Some(&rules), &mut store, &mut faults)
                .unwrap();
            assert_eq!(faults, Faults::NONE);
            assert_eq!(step.is_some(), !store.records.is_empty(), "{kept}");
            interrupted += usize::from(step.is_some());
            if lines.get(kept).is_some_and(|line| is_raw_answer(line)) {
                assert_eq!(replay.unbound_answers(), 1, "{} {kept}", vector.name);
                continue;
            }
            assert_eq!(replay.unbound_answers(), 0, "{} {kept}", vector.name);

            let observed = prefix
                .split_inclusive(|&b| b == b'\n')
                .filter(|line| ledger_line::parse(line).unwrap().tag == Tag::Obs)
                .count();
            go_on(&mut agent, &vector, &rules, observed, &mut store);
            assert_eq!(store.lines, whole.lines, "{} {kept}", vector.name);
            assert_eq!(agent, uninterrupted, "{} {kept}", vector.name);
        }
    }
    assert!(interrupted > 20, "{interrupted}");
}

/// The golden ledger up to and without the first policy record, replayed.
fn interrupted(rules: &Rules<'_>) -> (Replay, Agent) {
    let file = golden();
    let six: Vec<&[u8]> = file.split_inclusive(|&b| b == b'\n').take(6).collect();
    let mut replay = Replay::new();
    feed(&mut replay, &six.concat(), Some(rules));
    let (agent, step) = replay.resume().unwrap();
    assert!(step.is_some());
    (replay, agent)
}

#[test]
fn completing_needs_the_agent_the_rules_and_no_fault() {
    with_golden_rules(|rules| {
        let (replay, agent) = interrupted(rules);
        let refused = |agent: &Agent, rules: Option<&Rules<'_>>, mut faults: Faults| {
            let (mut held, mut store) = (agent.clone(), Store::default());
            let entry = faults;
            let result = replay.complete(&mut held, rules, &mut store, &mut faults);
            assert_eq!(result, Err(Error::Protocol));
            assert_eq!((&held, faults), (agent, entry));
            assert!(store.records.is_empty());
        };
        refused(&agent, None, Faults::NONE);
        refused(&Agent::new(), Some(rules), Faults::NONE);
        let mut later = agent.clone();
        later.last_timestamp += 1;
        refused(&later, Some(rules), Faults::NONE);
        let mut faults = Faults::NONE;
        faults.set(Fault::Size);
        refused(&agent, Some(rules), faults);
    });
}

#[test]
fn completing_stops_where_a_record_cannot_be_stored() {
    with_golden_rules(|rules| {
        for fails_at in 0..2 {
            let (replay, mut agent) = interrupted(rules);
            let mut store = Store {
                fails_at: Some(fails_at),
                ..Store::default()
            };
            let mut faults = Faults::NONE;
            let result = replay.complete(&mut agent, Some(rules), &mut store, &mut faults);
            assert_eq!(result, Err(Error::Ledger));
            assert!(faults.iter().eq([Fault::LedgerFail, Fault::IoError]));
            assert_eq!((agent.health, agent.failed), (Health::Stopped, true));
            assert_eq!(agent.violation, Some(Violation::CommitFailure));
            assert_eq!(store.records.len(), fails_at);
        }
    });
}

#[test]
fn only_a_good_and_replayed_ledger_gives_an_agent() {
    let none = Replay::new().resume().map(|_| ());
    assert_eq!(none, Err(Error::Protocol));
    // The genesis alone is the agent that was never anywhere, rules or none.
    let genesis = chained(&[genesis()]).0.concat();
    let mut replay = Replay::new();
    feed(&mut replay, &genesis, None);
    let (agent, step) = replay.resume().unwrap();
    assert!(agent == Agent::new() && step.is_none());

    let mut verified = Replay::new();
    assert_eq!(feed(&mut verified, &golden(), None), Verdict::Ok);
    assert_eq!(verified.resume().map(|_| ()), Err(Error::Protocol));
    with_golden_rules(|rules| {
        let (mut replay, _) = interrupted(rules);
        assert_eq!(replay.refuse(Verdict::Torn), Verdict::Torn);
        assert_eq!(replay.refuse(Verdict::Altered), Verdict::Torn);
        assert_eq!(replay.finish(None, None), Verdict::Torn);
        assert_eq!(replay.resume().map(|_| ()), Err(Error::Protocol));
    });
}

#[test]
fn a_sealed_ledger_gives_an_agent_that_can_do_no_more() {
    with_golden_rules(|rules| {
        let mut store = Store {
            lines: golden(),
            ..Store::default()
        };
        let mut replay = Replay::new();
        feed(&mut replay, &store.lines, Some(rules));
        let (mut agent, _) = replay.resume().unwrap();
        let mut faults = Faults::NONE;
        agent.ledger.seal(&mut store, &mut faults).unwrap();
        let mut replay = Replay::new();
        assert_eq!(feed(&mut replay, &store.lines, Some(rules)), Verdict::Ok);
        let (mut resumed, step) = replay.resume().unwrap();
        assert!(resumed == agent && step.is_none());
        let result = resumed.observe_control(
            InputClass::PolicyTrigger,
            rules,
            &mut [0; 1024],
            &mut store,
            &mut faults,
        );
        assert_eq!(result, Err(Error::Ledger));
        assert_eq!(store.records.len(), 1);
    });
}
