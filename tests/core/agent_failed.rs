//! Agents that failed, small work buffers, and replays that were not decided: nothing is recorded
//! that could not be replayed, and nothing is resumed that was not decided.

use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass};
use axilog::agent::stimulus::Input;
use axilog::fault::{Error, Fault, Faults};
use axilog::ledger::{DiscardingSink, Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::policy::{Rules, builtin::BUILTIN};
use axilog::replay::{Replay, Verdict};

const RULES: Rules<'static> = Rules {
    registry: &BUILTIN,
    permit_truncated: false,
    stop_on_invalid: false,
    manifest: None,
};

/// An agent that was reset.
fn reset() -> Agent {
    let (mut agent, mut faults) = (Agent::new(), Faults::NONE);
    let class = InputClass::ResetRequest;
    agent
        .observe_control(
            class,
            &RULES,
            &mut [0; 1024],
            &mut DiscardingSink,
            &mut faults,
        )
        .unwrap();
    agent
}

#[test]
fn a_halted_agent_records_nothing_that_would_not_replay() {
    let mut agent = reset();
    let mut faults = Faults::NONE;
    faults.set(Fault::Protocol);
    let input = Input {
        class: Some(InputClass::FaultSignal),
        payload: b"",
        ledger_seq: 9,
    };
    assert!(
        agent
            .step(&input, &RULES, &mut DiscardingSink, &mut faults)
            .is_none()
    );
    assert!(agent.failed && agent.health == Health::Stopped);

    let (head, mut cleared) = (agent.ledger.head, Faults::NONE);
    let observed = agent.observe_time(2, &RULES, &mut [0; 1024], &mut DiscardingSink, &mut cleared);
    assert_eq!(observed, Err(Error::Ledger));
    assert!(cleared.has(Fault::LedgerFail));
    assert_eq!((agent.ledger.head, agent.ledger.failed), (head, false));
}

#[test]
fn a_small_work_buffer_never_stops_an_agent() {
    let record = 415;
    let before = reset();
    for len in 0..record + 40 {
        let (mut agent, mut faults) = (before.clone(), Faults::NONE);
        let mut work = vec![0; len];
        let observed = agent.observe_time(1, &RULES, &mut work, &mut DiscardingSink, &mut faults);
        assert_eq!(faults, Faults::NONE, "{len}");
        if len < record {
            assert_eq!((observed, &agent), (Err(Error::Buffer), &before), "{len}");
        } else {
            assert!(observed.is_ok() && agent.health == Health::Enabled, "{len}");
        }
    }
}

#[test]
fn the_last_sequence_fails_the_ledger() {
    let mut agent = reset();
    agent.ledger.sequence = u64::MAX;
    let mut faults = Faults::NONE;
    let observed = agent.observe_time(1, &RULES, &mut [0; 1024], &mut DiscardingSink, &mut faults);
    assert_eq!(observed, Err(Error::Ledger));
    assert!(agent.ledger.failed && agent.failed && agent.health == Health::Stopped);
}

/// Keeps the payloads it is given.
struct RecordedEntries(Vec<(Vec<u8>, Entry<'static>)>);

impl LedgerSink for RecordedEntries {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        let Entry {
            tag,
            sequence,
            commit,
            chain,
            payload,
        } = *entry;
        let bare = Entry {
            tag,
            sequence,
            commit,
            chain,
            payload: b"",
        };
        self.0.push((payload.to_vec(), bare));
        Ok(())
    }
}

#[test]
fn a_ledger_that_was_only_verified_in_part_gives_no_agent() {
    let mut kept = RecordedEntries(Vec::new());
    kept.append(&genesis_entry()).unwrap();
    let (mut agent, mut faults, mut work) = (Agent::new(), Faults::NONE, [0; 1024]);
    let class = InputClass::ResetRequest;
    agent
        .observe_control(class, &RULES, &mut work, &mut kept, &mut faults)
        .unwrap();
    agent
        .observe_time(1, &RULES, &mut work, &mut kept, &mut faults)
        .unwrap();
    // Which records are fed with rules; the second observation is record 3.
    for decided in [5, 3, 1, 0] {
        let mut replay = Replay::new();
        for (n, (payload, bare)) in kept.0.iter().enumerate() {
            let entry = Entry { payload, ..*bare };
            let verdict = replay.feed(&entry, (n < decided).then_some(&RULES));
            assert_eq!(verdict, Verdict::Ok, "{n}");
        }
        assert_eq!(replay.resume().is_ok(), decided == 5, "{decided}");
    }
}
