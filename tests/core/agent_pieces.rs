//! The pieces of a step that callers use by themselves, and the genesis that the first reset checks
//! (formats.md §5).

use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass, Violation};
use axilog::agent::stimulus::Input;
use axilog::fault::{Fault, Faults};
use axilog::hash::{GOLDEN_GENESIS, Tag};
use axilog::ledger::DiscardingSink;
use axilog::policy::{Policy, Rules};
use axilog_testkit::core::ledger::Store;

const SEQ: u64 = 40;

fn agent(health: Health, fault_count: u32) -> Agent {
    Agent {
        health,
        fault_count,
        ..Agent::new()
    }
}

#[test]
fn genesis_is_checked_at_the_first_reset() {
    let registry: [Policy<'_>; 0] = [];
    let rules = Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    for (state, next, expected) in [
        (
            Health::Uninit,
            Health::Stopped,
            "\"STOPPED\",\"prev_state\":\"UNINIT\",\"violation\":\"GENESIS_MISMATCH\"}",
        ),
        (
            Health::Degraded,
            Health::Init,
            "\"INIT\",\"prev_state\":\"DEGRADED\",\"violation\":null}",
        ),
    ] {
        let mut agent = agent(state, 2);
        agent.ledger.genesis[31] ^= 1;
        let (mut store, mut faults) = (Store::default(), Faults::NONE);
        let reset = Input {
            class: Some(InputClass::ResetRequest),
            payload: b"",
            ledger_seq: SEQ,
        };
        agent.step(&reset, &rules, &mut store, &mut faults);
        assert_eq!(faults, Faults::NONE);
        assert_eq!((agent.health, agent.failed), (next, false));
        let texts = store.texts(0);
        assert!(
            texts.len() == 1 && texts[0].ends_with(expected),
            "{texts:?}"
        );
    }
}

#[test]
fn bind_stops_an_agent_on_another_genesis() {
    let (mut bound, mut faults) = (Agent::new(), Faults::NONE);
    bound.bind(&mut faults);
    assert_eq!((&bound, faults), (&Agent::new(), Faults::NONE));
    assert_eq!(bound.ledger.genesis, GOLDEN_GENESIS);
    bound.ledger.genesis = [0; 32];
    bound.bind(&mut faults);
    assert_eq!(bound.health, Health::Stopped);
    assert_eq!(bound.violation, Some(Violation::GenesisMismatch));
    assert!(faults.iter().eq([Fault::Domain]));
}

/// A transition that a caller commits piece by piece has the count and violation of a step's.
#[test]
fn commit_transition_writes_what_is_in_memory() {
    use {Health as H, InputClass as I};
    for (state, class, next, before, after) in [
        (H::Enabled, I::FaultSignal, H::Alarm, u32::MAX, u32::MAX),
        (H::Enabled, I::LlmObs, H::Alarm, 2, 2),
        (H::Degraded, I::ResetRequest, H::Init, 4, 0),
        (H::Init, I::ResetRequest, H::Init, 4, 4),
    ] {
        let (mut agent, mut faults) = (agent(state, before), Faults::NONE);
        agent.violation = Some(Violation::PolicyBreach);
        let mut store = Store::default();
        agent
            .commit_transition(Some(class), SEQ, next, &mut store, &mut faults)
            .unwrap();
        assert_eq!(store.records.len(), 1);
        assert_eq!(store.records[0].0, Tag::Trans);
        assert_eq!(
            store.texts(0)[0],
            format!(
                "AX:TRANS:v1 {{\"fault_count\":{after},\"input_class\":\"{}\",\"ledger_seq\":40,\
                 \"next_state\":\"{}\",\"prev_state\":\"{}\",\
                 \"violation\":\"POLICY_BREACH\"}}",
                class.as_str(),
                next.as_str(),
                state.as_str(),
            )
        );
        assert_eq!((agent.fault_count, agent.violation), (after, None));
        assert_eq!(agent.health, state);
        agent.ledger.sealed = true;
        let sealed = agent.clone();
        let refused =
            agent.commit_transition(Some(class), SEQ, next, &mut DiscardingSink, &mut faults);
        assert!(refused.is_err());
        assert_eq!(agent.violation, Some(Violation::CommitFailure));
        assert_eq!(
            Agent {
                violation: None,
                ..agent
            },
            sealed
        );
    }
}
