//! What the benches share: corpora, a recorded session, and ratios that hold on a noisy machine.

#![allow(dead_code)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::ledger::{Discard, Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::policy::{Comparison, Policy, Rules, builtin::BUILTIN};

/// About 16 KiB of one kind of text.
pub const SIZE: usize = 16 * 1024;

pub const ASCII: &str = "The pump ran at sixty percent for an hour, and the valve stayed shut. ";
pub const LATIN: &str =
    "Die Übergrößenträger prüfen täglich, où l'été s'achève à côté du café où l'âme rêve. ";
pub const CJK: &str = "今天的气温比昨天低了三度，所以水泵应当减速运行。控制室确认了这个决定。";

/// Whole repetitions of `sentence` up to `size` bytes.
pub fn text(sentence: &str, size: usize) -> String {
    sentence.repeat(size / sentence.len())
}

/// An answer whose bulk is `why`.
pub fn answer_text(why: &str) -> String {
    format!("{{\"value\":60.5,\"why\":\"{why}\"}}")
}

pub fn answer<'a>(output: &'a [u8]) -> Answer<'a> {
    Answer {
        completion: Completion::Complete,
        failure: None,
        input: b"how fast?",
        input_kind: InputKind::Text,
        ledger_seq: 0,
        model_id: b"model-1",
        oracle_id: b"oracle-1",
        output,
        params: Params::NULL,
    }
}

pub const ONE_POLICY: [Policy<'static>; 1] = [Policy {
    id: "POL-001-MAX-VELOCITY",
    threshold: 4_587_520,
    comparison: Comparison::Gt,
    enabled: true,
    selector: "value",
}];

pub fn rules<'r>(registry: &'r [Policy<'static>; 1]) -> Rules<'r> {
    assert_eq!(registry, &BUILTIN);
    Rules {
        registry,
        permit_truncated: false,
        stop_on_invalid: false,
    }
}

/// An agent that was reset and given the time.
pub fn enabled(rules: &Rules<'_>, sink: &mut dyn LedgerSink) -> Agent {
    let (mut agent, mut work, mut faults) = (Agent::new(), [0u8; 1024], Faults::NONE);
    agent
        .observe_control(
            InputClass::ResetRequest,
            rules,
            &mut work,
            sink,
            &mut faults,
        )
        .unwrap();
    agent
        .observe_time(1, rules, &mut work, sink, &mut faults)
        .unwrap();
    agent
}

/// Keeps what a session commits, the genesis first.
pub struct Kept(pub Vec<Owned>);

pub struct Owned {
    pub entry: Entry<'static>,
    pub payload: Vec<u8>,
}

impl Owned {
    pub fn entry(&self) -> Entry<'_> {
        Entry {
            payload: &self.payload,
            ..self.entry
        }
    }
}

impl Kept {
    pub fn new() -> Kept {
        let mut kept = Kept(Vec::new());
        kept.append(&genesis_entry()).unwrap();
        kept
    }
}

impl LedgerSink for Kept {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        let (tag, sequence) = (entry.tag, entry.sequence);
        let empty = Entry {
            tag,
            payload: b"",
            sequence,
            commit: entry.commit,
            chain: entry.chain,
        };
        self.0.push(Owned {
            entry: empty,
            payload: entry.payload.to_vec(),
        });
        Ok(())
    }
}

/// A session of `count` copies of an answer.
pub fn session(output: &str, count: usize) -> Kept {
    let rules = rules(&ONE_POLICY);
    let mut kept = Kept::new();
    let mut agent = enabled(&rules, &mut kept);
    let (mut work, mut faults) = (vec![0u8; 65_536], Faults::NONE);
    for _ in 0..count {
        agent
            .observe(
                &answer(output.as_bytes()),
                &rules,
                &mut work,
                &mut kept,
                &mut faults,
            )
            .unwrap();
    }
    kept
}

/// One observation of `output`, without a sink, on an agent that stays as it is.
pub fn observe(agent: &Agent, output: &[u8], rules: &Rules<'_>, work: &mut [u8]) {
    let (mut agent, mut faults) = (agent.clone(), Faults::NONE);
    let observed = agent.observe(&answer(output), rules, work, &mut Discard, &mut faults);
    black_box(observed.unwrap());
}

/// How long `ours` takes over `theirs`: both in turn in short batches, the median of the ratios, so
/// that a machine whose speed drifts slows both alike.
pub fn ratio(name: &str, limit: &str, mut ours: impl FnMut(), mut theirs: impl FnMut()) {
    const ROUNDS: usize = 101;
    let batch = batch_of(&mut theirs);
    let mut rounds: Vec<(f64, f64, f64)> = (0..ROUNDS)
        .map(|_| {
            let (a, b) = (time(batch, &mut ours), time(batch, &mut theirs));
            (a / b, a, b)
        })
        .collect();
    rounds.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (middle, low, high) = (
        rounds[ROUNDS / 2],
        rounds[ROUNDS / 10],
        rounds[ROUNDS - ROUNDS / 10 - 1],
    );
    println!(
        "ratio {name:<44} {:>6.2} (80 % within {:.2} to {:.2}; ours {:.2} us, theirs {:.2} us) {limit}",
        middle.0, low.0, high.0, middle.1, middle.2
    );
}

/// How many calls take about two milliseconds.
fn batch_of(call: &mut impl FnMut()) -> u32 {
    let once = (time(64, call) / 1e6).max(1e-9);
    let wanted = Duration::from_millis(2).as_secs_f64();
    // A count within reach of u32, by the bounds of both factors.
    (wanted / once).clamp(1.0, 1e6) as u32
}

/// Microseconds per call.
fn time(count: u32, call: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        call();
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(count)
}
