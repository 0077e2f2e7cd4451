//! The values that policies see, through the agent: which records count, which members, and the time
//! that went by (formats.md §4, Extracting the value; §5).

use axilog::admission::{Answer, Limits};
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass};
use axilog::agent::stimulus::{Input, extract_timestamp, extract_value};
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::policy::PolicyRecord;
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::policy::{Comparison, Policy, Registry, Rules};
use axilog::profile::Profile;
use axilog_testkit::core::ledger::{Store, answer, failed, policy, record, record_under, reserved};
use proptest::prelude::*;

use crate::cases::cases;

const NONE: i32 = i32::MIN;

fn on<'a>(id: &'a str, selector: &'a str) -> Policy<'a> {
    Policy {
        selector,
        ..policy(id, Comparison::Gt, i32::MAX)
    }
}

/// An enabled agent; the values of the policies in the records of what `act` makes it do.
fn values(
    registry: &dyn Registry,
    permit_truncated: bool,
    act: impl FnOnce(&mut Agent, &Rules<'_>, &mut Store),
) -> (Vec<i32>, Health) {
    let rules = Rules {
        registry,
        permit_truncated,
        stop_on_invalid: false,
        manifest: None,
    };
    let (mut agent, mut store) = (Agent::new(), Store::default());
    agent.health = Health::Enabled;
    act(&mut agent, &rules, &mut store);
    let values = store.records.iter().filter(|(tag, _)| *tag == Tag::Policy);
    let values = values.map(|(_, payload)| PolicyRecord::parse(payload).unwrap().actual);
    (values.collect(), agent.health)
}

fn observed(given: &Answer<'_>, registry: &dyn Registry, permit: bool, work: usize) -> Vec<i32> {
    let (values, _) = values(registry, permit, |agent, rules, store| {
        let (mut work, mut faults) = (vec![0; work], Faults::NONE);
        agent
            .observe(given, rules, &mut work, store, &mut faults)
            .unwrap();
    });
    values
}

/// The value of the selector `value`, by observing and by the function of its own.
fn value(output: &str) -> i32 {
    let given = answer(output.as_bytes());
    let values = observed(&given, &[on("P", "value")], false, 4096);
    let payload = record(&given);
    let input = Input {
        class: Some(InputClass::LlmObs),
        payload: &payload,
        ledger_seq: 1,
    };
    assert_eq!(values, [extract_value(&input)], "{output}");
    values[0]
}

#[test]
fn members_give_values() {
    for (output, expected) in [
        ("{\"value\":1}", 65_536),
        (" { \"a\" : [ ] ,\r\n\"value\" : -1.5e0 } ", -98_304),
        ("{\"value_q16\":-7}", -7),
        ("{\"v\\u0061lue\":2}", 131_072),
        ("{\"value\":32767.99999}", i32::MAX),
        ("{\"value\":0.00000762939453125}", 0),
        ("{\"value\":0.000022888183593750}", 2),
        ("{\"value_q16\":2147483647}", i32::MAX),
        ("{\"value_q16\":-2147483647}", -i32::MAX),
        // Both, or neither, or at the wrong level.
        ("{\"value\":1,\"value_q16\":65536}", NONE),
        ("{}", NONE),
        ("{\"a\":{\"value\":1}}", NONE),
        ("{\"VALUE\":1,\"value \":1}", NONE),
        // Wrong types.
        ("{\"value\":\"1\"}", NONE),
        ("{\"value\":null}", NONE),
        ("{\"value\":true}", NONE),
        ("{\"value\":[1]}", NONE),
        ("{\"value\":{}}", NONE),
        ("{\"value_q16\":1.0}", NONE),
        ("{\"value_q16\":1e0}", NONE),
        ("{\"value_q16\":\"1\"}", NONE),
        // Out of range.
        ("{\"value\":32768}", NONE),
        ("{\"value\":-32768}", NONE),
        ("{\"value_q16\":-2147483648}", NONE),
        ("{\"value_q16\":2147483648}", NONE),
        ("{\"value\":1e19}", NONE),
        ("{\"value\":1.000000000000000000}", NONE),
        // Not one strict object.
        ("[{\"value\":1}]", NONE),
        ("{\"value\":1}{}", NONE),
        ("{\"value\":1,}", NONE),
        ("{\"value\":01}", NONE),
        ("{'value':1}", NONE),
        ("{\"value\":1,\"a\":0,\"\\u0061\":0}", NONE),
        ("{\"value\":1,\"value\":1}", NONE),
        ("{\"value\":1,\"a\":\"\\ud800\"}", NONE),
        ("{\"value\":1,\"a\":{\"b\":0,\"b\":0}}", NONE),
        ("\u{feff}{\"value\":1}", NONE),
        ("value is 1", NONE),
        ("", NONE),
    ] {
        assert_eq!(value(output), expected, "{output}");
    }
    let nested = |depth: usize| {
        let inner = depth - 1;
        format!(
            "{{\"value\":1,\"a\":{}{}}}",
            "[".repeat(inner),
            "]".repeat(inner)
        )
    };
    assert_eq!((value(&nested(32)), value(&nested(33))), (65_536, NONE));
}

/// Each selector by itself: one without a value does not take the others' away.
#[test]
fn selectors_are_independent() {
    let mut off = on("D", "speed");
    off.enabled = false;
    let registry = [
        on("A", "speed"),
        on("B", "value"),
        on("C", "elapsed"),
        off,
        on("E", "range"),
        on("F", "speed"),
    ];
    let given = answer(b"{\"speed\":3,\"value\":\"x\",\"elapsed\":9,\"range_q16\":4}");
    let expected = [196_608, NONE, 4, 196_608];
    assert_eq!(observed(&given, &registry, false, 4096), expected);
}

#[test]
fn only_whole_answers_count_unless_truncation_is_permitted() {
    let registry = [on("P", "value")];
    let brought = Answer {
        completion: Completion::Truncated,
        ..answer(b"{\"value\":1}")
    };
    assert_eq!(observed(&brought, &registry, false, 4096), [NONE]);
    assert_eq!(observed(&brought, &registry, true, 4096), [65_536]);
    // Cut in its trailing white space, the rest is still one object.
    let long = format!("{{\"value\":1}}{}", " ".repeat(600));
    let long = answer(long.as_bytes());
    assert_eq!(observed(&long, &registry, false, 4096), [65_536]);
    assert_eq!(observed(&long, &registry, false, 700), [NONE]);
    assert_eq!(observed(&long, &registry, true, 700), [65_536]);
    assert_eq!(
        observed(&failed(Failure::Timeout), &registry, true, 700),
        [NONE]
    );
    assert_eq!(observed(&answer(b"\xff"), &registry, true, 700), [NONE]);
    for (permit, health) in [(false, Health::Alarm), (true, Health::Enabled)] {
        let none: [Policy<'_>; 0] = [];
        let (_, after) = values(&none, permit, |agent, rules, store| {
            let mut faults = Faults::NONE;
            agent
                .observe(&brought, rules, &mut [0; 1024], store, &mut faults)
                .unwrap();
        });
        assert_eq!(after, health);
    }
}

/// What is handed straight to a step counts only as the record of that very observation.
#[test]
fn payloads_of_a_step() {
    let given = answer(b"{\"value\":1}\n");
    let stepped = |class, payload: &[u8], ledger_seq| {
        let registry = [on("A", "value"), on("B", "elapsed")];
        let input = Input {
            class: Some(class),
            payload,
            ledger_seq,
        };
        let (values, health) = values(&registry, false, |agent, rules, store| {
            agent.last_timestamp = 1;
            agent
                .step(&input, rules, store, &mut Faults::default())
                .unwrap();
        });
        let alone = match class {
            InputClass::LlmObs => values[0],
            _ => NONE,
        };
        assert_eq!(extract_value(&input), alone);
        (values, health)
    };
    for profile in Profile::ALL {
        let limits = Limits {
            profile,
            ..Limits::DEFAULT
        };
        let payload = record_under(&given, &limits);
        let (llm, time) = (InputClass::LlmObs, InputClass::TimeObs);
        assert_eq!(stepped(llm, &payload, 1), (vec![65_536], Health::Enabled));
        // Under another sequence it is another observation.
        assert_eq!(stepped(llm, &payload, 2), (vec![NONE], Health::Alarm));
        assert_eq!(stepped(time, &payload, 1), (vec![], Health::Stopped));
        let clock = record_under(&reserved("ax.time", b"{\"timestamp\":3}"), &limits);
        assert_eq!(extract_timestamp(&clock), Some(3));
        assert_eq!(stepped(time, &clock, 1), (vec![131_072], Health::Enabled));
        assert_eq!(stepped(time, &clock, 2), (vec![], Health::Stopped));
        // A reserved oracle gives no answers.
        assert_eq!(stepped(llm, &clock, 1), (vec![NONE], Health::Alarm));
        let control = reserved("ax.control", b"{\"input_class\":\"RESET_REQUEST\"}");
        let control = record_under(&control, &limits);
        assert_eq!(stepped(llm, &control, 1), (vec![NONE], Health::Alarm));
        assert_eq!(stepped(time, &control, 1), (vec![], Health::Stopped));
    }
    let bare = b"{\"timestamp\":4}";
    let time = stepped(InputClass::TimeObs, bare, 7);
    assert_eq!(time, (vec![196_608], Health::Enabled));
    let llm = stepped(InputClass::LlmObs, bare, 7);
    assert_eq!(llm, (vec![NONE], Health::Alarm));
    let bare_value = stepped(InputClass::LlmObs, b"{\"value\":1}", 1);
    assert_eq!(bare_value, (vec![NONE], Health::Alarm));
}

#[test]
fn timestamps_are_exact() {
    for (text, expected) in [
        ("{\"timestamp\":0}", Some(0)),
        ("{\"timestamp\":18446744073709551615}", Some(u64::MAX)),
        ("{\"timestamp\":18446744073709551616}", None),
        ("{\"timestamp\":00}", None),
        ("{\"timestamp\":-1}", None),
        ("{\"timestamp\":1.0}", None),
        ("{\"timestamp\":\"1\"}", None),
        ("{\"timestamp\": 1}", None),
        ("{\"timestamp\":1}\n", None),
        ("{\"timestamp\":}", None),
        ("{\"timestamp\":1,\"a\":2}", None),
    ] {
        assert_eq!(extract_timestamp(text.as_bytes()), expected, "{text}");
        let given = reserved("ax.time", text.as_bytes());
        assert_eq!(extract_timestamp(&record(&given)), expected, "{text}");
        let another = answer(text.as_bytes());
        assert_eq!(extract_timestamp(&record(&another)), None, "{text}");
        let cut = Answer {
            completion: Completion::Truncated,
            ..given
        };
        assert_eq!(extract_timestamp(&record(&cut)), None, "{text}");
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn elapsed_is_the_difference_saturated(
        last in prop_oneof![Just(0), 1..100u64, any::<u64>(), Just(u64::MAX - 1)],
        step in prop_oneof![1..3u64, 32_760..32_775u64, any::<u64>()],
    ) {
        let now = last.saturating_add(step).max(1);
        prop_assume!(now > last);
        let registry = [on("E", "elapsed"), on("V", "value")];
        let (values, health) = values(&registry, false, |agent, rules, store| {
            agent.last_timestamp = last;
            let mut faults = Faults::NONE;
            agent.observe_time(now, rules, &mut [0; 1024], store, &mut faults).unwrap();
            assert_eq!(faults, Faults::NONE);
            assert_eq!(agent.last_timestamp, now);
        });
        let units = i128::from(now - last) * 65_536;
        let expected = if last == 0 { 0 } else { units.min(i128::from(i32::MAX)) };
        prop_assert_eq!(values.len(), 1);
        prop_assert_eq!(i128::from(values[0]), expected);
        prop_assert_eq!(health, Health::Enabled);
    }
}
