//! What the benches share: corpora, a recorded session, and ratios that hold on a noisy machine.

#![allow(dead_code)]

use std::hint::black_box;
use std::mem::{MaybeUninit, zeroed};
use std::time::{Duration, Instant};

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::ffi::agent::{ax_agent_ctx_t, ax_agent_init, ax_input_class_t, ax_input_t};
use axilog::ffi::agent_observe::{
    ax_agent_observe, ax_agent_observe_control, ax_agent_observe_time, axilog_agent_step,
};
use axilog::ffi::obs::ax_obs_input_t;
use axilog::ffi::obs_input::ax_obs_input_set_complete;
use axilog::ffi::policy::ax_policy_ctx_t;
use axilog::ffi::policy_init::ax_policy_init;
use axilog::ffi::types::ct_fault_flags_t;
use axilog::ledger::{Entry, LedgerSink, SinkFailed, genesis_entry};
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
        manifest: None,
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
pub struct CommittedSession(pub Vec<OwnedEntry>);

pub struct OwnedEntry {
    pub entry: Entry<'static>,
    pub payload: Vec<u8>,
}

impl OwnedEntry {
    pub fn entry(&self) -> Entry<'_> {
        Entry {
            payload: &self.payload,
            ..self.entry
        }
    }
}

impl CommittedSession {
    pub fn new() -> CommittedSession {
        let mut committed = CommittedSession(Vec::new());
        committed.append(&genesis_entry()).unwrap();
        committed
    }
}

impl LedgerSink for CommittedSession {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        let (tag, sequence) = (entry.tag, entry.sequence);
        let empty = Entry {
            tag,
            payload: b"",
            sequence,
            commit: entry.commit,
            chain: entry.chain,
        };
        self.0.push(OwnedEntry {
            entry: empty,
            payload: entry.payload.to_vec(),
        });
        Ok(())
    }
}

/// A session of `count` copies of an answer.
pub fn session(output: &str, count: usize) -> CommittedSession {
    let rules = rules(&ONE_POLICY);
    let mut committed = CommittedSession::new();
    let mut agent = enabled(&rules, &mut committed);
    let (mut work, mut faults) = (vec![0u8; 65_536], Faults::NONE);
    for _ in 0..count {
        agent
            .observe(
                &answer(output.as_bytes()),
                &rules,
                &mut work,
                &mut committed,
                &mut faults,
            )
            .unwrap();
    }
    committed
}

/// An agent as C has it, on which one call can be made again and again.
pub struct CAgent {
    enabled: ax_agent_ctx_t,
    agent: ax_agent_ctx_t,
    policy: ax_policy_ctx_t,
    faults: ct_fault_flags_t,
    work: Vec<u8>,
}

impl CAgent {
    /// Reset and given the time, with the built-in policy and no sink. Boxed, since the policy
    /// context points into it.
    pub fn enabled() -> Box<CAgent> {
        // SAFETY: plain C structs, for which zero is a value; the calls get what they ask for.
        unsafe {
            let mut this: Box<CAgent> = Box::new(CAgent {
                enabled: zeroed(),
                agent: zeroed(),
                policy: zeroed(),
                faults: zeroed(),
                work: vec![0; 65_536],
            });
            let CAgent {
                agent,
                policy,
                faults,
                work,
                ..
            } = &mut *this;
            let (work, len) = (work.as_mut_ptr(), work.len());
            let agent: *mut ax_agent_ctx_t = agent;
            ax_agent_init(agent, faults);
            ax_policy_init(policy, &raw mut (*agent).ledger, agent, faults);
            let reset = MaybeUninit::new(ax_input_class_t::AX_INPUT_RESET_REQUEST);
            assert_eq!(
                ax_agent_observe_control(agent, policy, reset, work, len, faults),
                0
            );
            assert_eq!(
                ax_agent_observe_time(agent, policy, 1, work, len, faults),
                0
            );
            this.enabled = agent.read();
            this
        }
    }

    /// `ax_agent_observe` of an answer, always from the same state.
    pub fn observe(&mut self, output: &[u8]) {
        // SAFETY: as above; the state is plain data.
        unsafe {
            let mut input: ax_obs_input_t = zeroed();
            let (id, model) = (c"oracle-1".as_ptr(), c"model-1".as_ptr());
            let (text, len) = (output.as_ptr().cast(), output.len());
            let prompt = c"how fast?".as_ptr();
            let none = std::ptr::null();
            ax_obs_input_set_complete(&mut input, 0, id, model, prompt, 9, text, len, none);
            std::ptr::copy_nonoverlapping(&self.enabled, &mut self.agent, 1);
            let (work, len) = (self.work.as_mut_ptr(), self.work.len());
            let (agent, faults) = (&mut self.agent, &mut self.faults);
            let code = ax_agent_observe(agent, &mut self.policy, &input, work, len, faults);
            assert_eq!(black_box(code), 0);
        }
    }

    /// `ax_agent_step` on a record of sequence 5, always from the same state.
    pub fn step(&mut self, record: &[u8]) {
        let input = ax_input_t {
            r#type: MaybeUninit::new(ax_input_class_t::AX_INPUT_LLM_OBS),
            payload: record.as_ptr(),
            payload_len: record.len() as u64,
            ledger_seq: 5,
        };
        // SAFETY: as above.
        unsafe {
            std::ptr::copy_nonoverlapping(&self.enabled, &mut self.agent, 1);
            axilog_agent_step(&mut self.agent, &mut self.policy, &input, &mut self.faults);
        }
        assert_eq!((self.agent.last_seen_seq, self.policy.breach_flag), (5, 0));
    }
}

/// How long `call` takes over `peer`: both in turn in short batches, the median of the ratios, so that a
/// machine whose speed drifts slows both alike. `name` names both, in this order.
pub fn ratio(name: &str, limit: &str, mut call: impl FnMut(), mut peer: impl FnMut()) {
    const ROUNDS: usize = 101;
    let batch = batch_of(&mut peer);
    let mut rounds: Vec<(f64, f64, f64)> = (0..ROUNDS)
        .map(|_| {
            let (a, b) = (time(batch, &mut call), time(batch, &mut peer));
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
        "ratio {name:<54} {:>6.2} (80 % within {:.2} to {:.2}; {:.2} us over {:.2} us) {limit}",
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
