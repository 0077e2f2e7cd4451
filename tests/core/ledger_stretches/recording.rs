//! An agent's ledger that random events make, and the rules that it is judged by.

use axilog::admission::{Answer, Limits};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::agent::stimulus::Input;
use axilog::evidence::observation::{Completion, Failure};
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::policy::{Comparison, Policy, Rules};
use axilog::profile::Profile;
use axilog_testkit::core::ledger::{Record, Store, answer, failed, genesis, record_under};
use proptest::prelude::*;

const POLICIES: [Policy<'static>; 4] = [
    Policy {
        selector: "elapsed",
        ..policy_above("P-0-ELAPSED", 50 << 16)
    },
    policy_above("P-1", 70 << 16),
    Policy {
        selector: "o-1#value",
        ..policy_above("P-2", 60 << 16)
    },
    Policy {
        selector: "/list/~#",
        ..policy_above("P-3", 3 << 16)
    },
];

const fn policy_above(id: &'static str, threshold: i32) -> Policy<'static> {
    Policy {
        id,
        threshold,
        comparison: Comparison::Gt,
        enabled: true,
        selector: "value",
    }
}

pub fn with_rules<R>(call: impl FnOnce(&Rules<'_>) -> R) -> R {
    let registry = POLICIES.as_slice();
    call(&Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    })
}

/// What an agent is given.
#[derive(Clone, Debug)]
pub enum Event {
    /// An answer of an oracle with this number, of a length, and with this value.
    Answer(u8, usize, u8),
    /// One that the caller refuses, which a RAW record binds.
    Refused(u8),
    Failed,
    /// One that a gateway has recorded, in the profile with this number.
    Gateway(u8, u8),
    /// The time, so much later.
    Time(u8),
    Control(InputClass),
}

pub fn event() -> impl Strategy<Value = Event> {
    let control = prop::sample::select(&[
        InputClass::FaultSignal,
        InputClass::PolicyTrigger,
        InputClass::ResetRequest,
    ]);
    prop_oneof![
        8 => (0..5u8, 0..400usize, 0..80u8).prop_map(|(o, l, v)| Event::Answer(o, l, v)),
        1 => (0..5u8).prop_map(Event::Refused),
        1 => Just(Event::Failed),
        2 => (0..3u8, 0..80u8).prop_map(|(p, v)| Event::Gateway(p, v)),
        4 => (1..60u8).prop_map(Event::Time),
        1 => control.prop_map(Event::Control),
    ]
}

/// The records of an agent that is reset, told the time, and given these events. A STOPPED one goes on recording.
pub fn record_events(events: &[Event], is_sealed: bool) -> Vec<Record> {
    with_rules(|rules| {
        let mut store = Store::default();
        let (mut agent, mut work, mut time) = (Agent::new(), vec![0; 70_000], 1);
        let mut take = |agent: &mut Agent, event: &Event| {
            let (store, work) = (&mut store, work.as_mut_slice());
            let mut faults = Faults::NONE;
            match event {
                Event::Answer(oracle, length, value) => {
                    let output = format!(
                        "{{\"list\":[1,2],\"value\":{value},\"x\":\"{}\"}}",
                        "y".repeat(*length)
                    );
                    let (oracle, model) = (format!("o-{oracle}"), format!("m-{oracle}"));
                    let answer = Answer {
                        oracle_id: oracle.as_bytes(),
                        model_id: model.as_bytes(),
                        ..answer(output.as_bytes())
                    };
                    let observed = agent.observe(&answer, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Refused(value) => {
                    let output = format!("{{\"value\":{value}}}");
                    let answer = answer(output.as_bytes());
                    let observed = agent.observe_refused(&answer, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Failed => {
                    let observed =
                        agent.observe(&failed(Failure::Timeout), rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Gateway(profile, value) => {
                    let ledger_seq = agent.ledger.sequence + 1;
                    let output = format!("{{\"value\":{value}}}\n");
                    let limits = Limits {
                        profile: Profile::ALL[usize::from(*profile)],
                        ..Limits::DEFAULT
                    };
                    let answer = Answer {
                        ledger_seq,
                        completion: Completion::Complete,
                        ..answer(output.as_bytes())
                    };
                    let payload = record_under(&answer, &limits);
                    agent
                        .ledger
                        .record(Tag::Obs, &payload, store, &mut faults)
                        .unwrap();
                    let input = Input {
                        class: Some(InputClass::LlmObs),
                        payload: &payload,
                        ledger_seq,
                    };
                    agent.step(&input, rules, store, &mut faults);
                }
                Event::Time(later) => {
                    time += u64::from(*later);
                    let observed = agent.observe_time(time, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
                Event::Control(class) => {
                    let observed = agent.observe_control(*class, rules, work, store, &mut faults);
                    assert!(observed.is_ok());
                }
            }
        };
        take(&mut agent, &Event::Control(InputClass::ResetRequest));
        take(&mut agent, &Event::Time(1));
        events.iter().for_each(|event| take(&mut agent, event));
        if is_sealed {
            let mut faults = Faults::NONE;
            agent.ledger.seal(&mut store, &mut faults).unwrap();
        }
        let mut records = vec![genesis()];
        records.append(&mut store.records);
        records
    })
}
