//! What keeps the agent from acting at all (formats.md §5, rules 0 to 3), and what it does when a
//! record cannot be committed (rules 6 and 7, §6).

use axilog::admission::Answer;
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass, Violation};
use axilog::agent::stimulus::Input;
use axilog::fault::{Error, Fault, Faults};
use axilog::policy::{Comparison, Policy, Rules};
use axilog_testkit::core::ledger::{Store, answer, policy, record, reserved};

const SEQ: u64 = 40;

/// Three policies that permit, so that an answer has four records.
fn policies() -> [Policy<'static>; 3] {
    ["A", "B", "C"].map(|id| policy(id, Comparison::Gt, 131_072))
}

fn rules<R>(call: impl FnOnce(&Rules<'_>) -> R) -> R {
    let registry = policies();
    call(&Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    })
}

fn agent(health: Health) -> Agent {
    Agent {
        health,
        fault_count: 1,
        last_timestamp: 7,
        last_seen_seq: SEQ - 1,
        violation: Some(Violation::TimeRollback),
        ..Agent::new()
    }
}

fn payload_of(class: Option<InputClass>) -> Vec<u8> {
    match class {
        Some(InputClass::TimeObs) => b"{\"timestamp\":8}".to_vec(),
        Some(InputClass::LlmObs) => record(&Answer {
            ledger_seq: SEQ,
            ..answer(b"{\"value\":1}")
        }),
        _ => Vec::new(),
    }
}

fn classes() -> impl Iterator<Item = Option<InputClass>> {
    InputClass::ALL.into_iter().map(Some).chain([None])
}

/// Every state with every class, but those in STOPPED.
fn live() -> impl Iterator<Item = (Health, Option<InputClass>)> {
    let live = Health::ALL.into_iter().filter(|&h| h != Health::Stopped);
    live.flat_map(|health| classes().map(move |class| (health, class)))
}

/// Steps; nothing may be recorded or evaluated unless `store` says otherwise.
fn step(
    agent: &mut Agent,
    class: Option<InputClass>,
    ledger_seq: u64,
    store: &mut Store,
    faults: &mut Faults,
) -> Option<axilog::policy::Evaluation> {
    let payload = payload_of(class);
    let input = Input {
        class,
        payload: &payload,
        ledger_seq,
    };
    rules(|rules| agent.step(&input, rules, store, faults))
}

fn set(flags: &[Fault]) -> Faults {
    let mut faults = Faults::NONE;
    flags.iter().for_each(|&flag| faults.set(flag));
    faults
}

/// A step that must leave no record: the agent becomes `after`, the faults `raised`.
fn refuses(before: &Agent, class: Option<InputClass>, seq: u64, entry: Faults) -> (Agent, Faults) {
    let (mut agent, mut store, mut faults) = (before.clone(), Store::default(), entry);
    let evaluation = step(&mut agent, class, seq, &mut store, &mut faults);
    assert_eq!(evaluation, None);
    assert!(store.records.is_empty());
    assert_eq!(agent.ledger, before.ledger);
    (agent, faults)
}

#[test]
fn rule_0_a_flag_on_entry_stops_for_good() {
    for (health, class) in Health::ALL
        .into_iter()
        .flat_map(|h| classes().map(move |c| (h, c)))
    {
        for flag in Fault::ALL {
            let before = agent(health);
            let (after, faults) = refuses(&before, class, SEQ, set(&[flag]));
            assert_eq!(faults, set(&[flag]));
            let expected = Agent {
                health: Health::Stopped,
                failed: true,
                ..before
            };
            assert_eq!(after, expected, "{health:?} {class:?} {flag:?}");
        }
    }
}

#[test]
fn rule_1_stopped_stays_stopped() {
    for class in classes() {
        // Also where rules 2 and 3 would say more: rule 1 comes first.
        for (failed, ledger_failed, seq) in
            [(false, false, SEQ), (true, true, SEQ), (false, false, 0)]
        {
            let mut before = agent(Health::Stopped);
            (before.failed, before.ledger.failed) = (failed, ledger_failed);
            let (after, faults) = refuses(&before, class, seq, Faults::NONE);
            assert_eq!(faults, set(&[Fault::Protocol]));
            let expected = Agent {
                violation: Some(Violation::Terminality),
                ..before
            };
            assert_eq!(after, expected, "{class:?}");
        }
    }
}

#[test]
fn rule_2_nothing_is_done_on_a_failed_ledger() {
    for (health, class) in live() {
        for (failed, ledger_failed, seq) in [
            (true, false, SEQ),
            (false, true, SEQ),
            (true, true, SEQ - 1),
        ] {
            let mut before = agent(health);
            (before.failed, before.ledger.failed) = (failed, ledger_failed);
            let (after, faults) = refuses(&before, class, seq, Faults::NONE);
            assert_eq!(faults, set(&[Fault::LedgerFail]));
            let expected = Agent {
                health: Health::Stopped,
                ..before
            };
            assert_eq!(after, expected, "{health:?} {class:?}");
        }
    }
}

#[test]
fn rule_3_sequences_increase() {
    for (health, class) in live() {
        for seq in [0, 1, SEQ - 1] {
            let before = agent(health);
            let (after, faults) = refuses(&before, class, seq, Faults::NONE);
            assert_eq!(faults, set(&[Fault::Protocol, Fault::Ordering]));
            let expected = Agent {
                health: Health::Stopped,
                failed: true,
                violation: Some(Violation::SequenceOrder),
                ..before
            };
            assert_eq!(after, expected, "{health:?} {class:?} {seq}");
        }
        let mut store = Store::default();
        let mut faults = Faults::NONE;
        // Gaps are allowed, up to the greatest sequence there is.
        for seq in [SEQ, SEQ + 5, u64::MAX] {
            let mut before = agent(health);
            assert!(step(&mut before, class, seq, &mut store, &mut faults).is_some());
            assert_eq!(before.last_seen_seq, seq);
        }
    }
}

/// The step is cut at each of its records; all that was committed before stays committed.
#[test]
fn a_record_that_cannot_be_stored_stops_the_agent() {
    for (health, class) in live() {
        let (mut whole, mut all, mut faults) = (agent(health), Store::default(), Faults::NONE);
        step(&mut whole, class, SEQ, &mut all, &mut faults);
        let expected_records = if class == Some(InputClass::LlmObs) {
            4
        } else {
            1
        };
        assert_eq!(all.records.len(), expected_records);
        let mut reached = agent(health).ledger;
        for fails_at in 0..expected_records {
            let mut agent = agent(health);
            let before = agent.clone();
            let mut store = Store {
                fails_at: Some(fails_at),
                ..Store::default()
            };
            let mut faults = Faults::NONE;
            let evaluation = step(&mut agent, class, SEQ, &mut store, &mut faults).unwrap();
            assert!(evaluation.breach);
            assert_eq!(faults, set(&[Fault::IoError, Fault::LedgerFail]));
            assert_eq!(store.records, all.records[..fails_at]);
            reached.failed = true;
            let expected = Agent {
                ledger: reached.clone(),
                health: Health::Stopped,
                failed: true,
                violation: Some(Violation::CommitFailure),
                ..before
            };
            assert_eq!(agent, expected, "{health:?} {class:?} {fails_at}");
            reached.failed = false;
            let (tag, payload) = &all.records[fails_at];
            reached
                .record(*tag, payload, &mut Store::default(), &mut Faults::default())
                .unwrap();
        }
        assert_eq!(reached, whole.ledger);
    }
}

#[test]
fn a_sealed_or_exhausted_ledger_takes_no_step() {
    for (health, class) in live() {
        let mut sealed = agent(health);
        sealed
            .ledger
            .seal(&mut Store::default(), &mut Faults::default())
            .unwrap();
        let mut exhausted = agent(health);
        exhausted.ledger.sequence = u64::MAX;
        for mut before in [sealed, exhausted] {
            let (mut agent, mut store, mut faults) =
                (before.clone(), Store::default(), Faults::NONE);
            let evaluation = step(&mut agent, class, SEQ, &mut store, &mut faults).unwrap();
            assert!(evaluation.breach);
            assert!(store.records.is_empty());
            assert_eq!(faults, set(&[Fault::LedgerFail]));
            before.ledger.failed = !before.ledger.sealed;
            let expected = Agent {
                health: Health::Stopped,
                failed: true,
                violation: Some(Violation::CommitFailure),
                ..before
            };
            assert_eq!(agent, expected, "{health:?} {class:?}");
        }
    }
}

fn observe(
    agent: &mut Agent,
    answer: &Answer<'_>,
    store: &mut Store,
    faults: &mut Faults,
) -> Result<axilog::agent::observe::ObservedAnswer, Error> {
    let mut work = [0u8; 1024];
    rules(|rules| agent.observe(answer, rules, &mut work, store, faults))
}

#[test]
fn observing_with_a_flag_set_does_nothing() {
    for flag in Fault::ALL {
        let (mut agent, mut store, mut faults) = (Agent::new(), Store::default(), set(&[flag]));
        let refused = observe(&mut agent, &answer(b"x"), &mut store, &mut faults);
        assert_eq!(refused, Err(Error::Protocol));
        assert_eq!((&agent, faults), (&Agent::new(), set(&[flag])));
        assert!(store.records.is_empty());
    }
}

#[test]
fn observing_records_in_stopped_and_does_no_more() {
    let mut agent = Agent::new();
    agent.health = Health::Stopped;
    // What is not held is bound by a RAW record.
    for (answer, records) in [
        (answer(b"{\"value\":3}"), 1),
        (answer(b"\xff"), 2),
        (reserved("ax.time", b"{\"timestamp\":1}"), 1),
        (
            reserved("ax.control", b"{\"input_class\":\"RESET_REQUEST\"}"),
            1,
        ),
    ] {
        let (before, mut store, mut faults) = (agent.clone(), Store::default(), Faults::NONE);
        let observed = observe(&mut agent, &answer, &mut store, &mut faults).unwrap();
        assert_eq!(observed.evaluation, None);
        assert_eq!(observed.ledger_seq, before.ledger.sequence + 1);
        assert!(!observed.may_act);
        assert_eq!(store.records.len(), records);
        assert_eq!(faults, Faults::NONE);
        let ledger = agent.ledger.clone();
        assert_eq!(ledger.sequence, before.ledger.sequence + records as u64);
        assert_eq!(agent, Agent { ledger, ..before });
    }
}

/// The observation is record 0 of what observing commits.
#[test]
fn observing_stops_where_a_record_cannot_be_stored() {
    for fails_at in 0..5 {
        let mut agent = Agent::new();
        agent.health = Health::Enabled;
        let mut store = Store {
            fails_at: Some(fails_at),
            ..Store::default()
        };
        let mut faults = Faults::NONE;
        let given = answer(b"{\"value\":1}");
        let result = observe(&mut agent, &given, &mut store, &mut faults);
        assert_eq!(result, Err(Error::Ledger));
        assert_eq!(faults, set(&[Fault::IoError, Fault::LedgerFail]));
        assert_eq!(store.records.len(), fails_at);
        assert_eq!(agent.ledger.sequence, fails_at as u64);
        assert!(agent.failed && agent.ledger.failed);
        assert_eq!(agent.health, Health::Stopped);
        assert_eq!(agent.violation, Some(Violation::CommitFailure));
        assert_eq!(agent.last_seen_seq, 0);
        let again = observe(&mut agent, &given, &mut store, &mut Faults::default());
        assert_eq!(again, Err(Error::Ledger));
        assert_eq!(store.records.len(), fails_at);
    }
}

#[test]
fn observing_needs_a_ledger_that_takes_records() {
    let mut failed = Agent::new();
    failed.ledger.failed = true;
    let mut sealed = Agent::new();
    sealed
        .ledger
        .seal(&mut Store::default(), &mut Faults::default())
        .unwrap();
    let mut exhausted = Agent::new();
    exhausted.ledger.sequence = u64::MAX;
    for mut agent in [failed, sealed, exhausted] {
        let (head, sequence) = (agent.ledger.head, agent.ledger.sequence);
        let (mut store, mut faults) = (Store::default(), Faults::NONE);
        let result = observe(&mut agent, &answer(b"x"), &mut store, &mut faults);
        assert_eq!(result, Err(Error::Ledger));
        assert_eq!(faults, set(&[Fault::LedgerFail]));
        assert!(store.records.is_empty() && agent.failed);
        assert_eq!(agent.health, Health::Stopped);
        assert_eq!(agent.violation, Some(Violation::CommitFailure));
        assert_eq!((agent.ledger.head, agent.ledger.sequence), (head, sequence));
    }
}

/// What is the caller's mistake is refused before anything is recorded, and the agent goes on.
#[test]
fn observing_refuses_the_callers_mistakes() {
    let given = answer(b"{\"value\":1}");
    let mut before = Agent::new();
    before.last_seen_seq = 1;
    let (mut agent, mut store, mut faults) = (before.clone(), Store::default(), Faults::NONE);
    let refused = observe(&mut agent, &given, &mut store, &mut faults);
    assert_eq!(refused, Err(Error::Ordering));
    assert_eq!(faults, set(&[Fault::Ordering, Fault::Protocol]));
    assert_eq!(agent, before);

    let mut agent = Agent::new();
    let mut faults = Faults::NONE;
    let nameless = Answer {
        oracle_id: b"",
        ..given
    };
    let refused = observe(&mut agent, &nameless, &mut store, &mut faults);
    assert_eq!(refused, Err(Error::Schema));
    assert_eq!(faults, set(&[Fault::Schema]));

    let mut faults = Faults::NONE;
    for len in 0..=record(&answer(b"")).len() + 3 {
        let mut work = vec![0; len];
        let result =
            rules(|rules| agent.observe(&given, rules, &mut work, &mut store, &mut faults));
        // TRUNCATED is one character longer than COMPLETE, and so is 11 than 0.
        let fits = len >= record(&answer(b"")).len() + 2;
        assert_eq!(
            result.map(|_| ()),
            if fits { Ok(()) } else { Err(Error::Buffer) }
        );
        assert_eq!(faults, Faults::NONE);
        if fits {
            break;
        }
        assert_eq!(agent, Agent::new());
    }
    // The observation, its RAW record as it was cut, three policies, the transition.
    assert_eq!(store.records.len(), 2 + 3 + 1);

    let mut agent = Agent::new();
    let mut schema = Faults::NONE;
    schema.set(Fault::Schema);
    for class in [InputClass::TimeObs, InputClass::LlmObs] {
        let mut faults = Faults::NONE;
        let refused = rules(|rules| {
            agent.observe_control(class, rules, &mut [0; 1024], &mut store, &mut faults)
        });
        assert_eq!(refused, Err(Error::Schema));
        assert_eq!((&agent, faults), (&Agent::new(), schema));
    }
}
