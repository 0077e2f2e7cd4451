//! The state machine against a table written down from formats.md §5, for every combination of
//! state, input, policy result, fault count and switch.

use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass, Violation, determine_next};
use axilog::agent::stimulus::Input;
use axilog::evidence::observation::Failure;
use axilog::fault::Faults;
use axilog::policy::{Comparison, Policy, Rules};
use axilog_testkit::core::ledger::{Store, answer, failed, policy, record};

const CLASSES: [&str; 6] = [
    "TIME_OBS",
    "LLM_OBS",
    "POLICY_TRIGGER",
    "FAULT_SIGNAL",
    "RESET_REQUEST",
    "UNKNOWN",
];

const P: &str = "STOPPED PROTOCOL_VIOLATION";
const F: &str = "STOPPED FAULT_BUDGET_EXCEEDED";
/// ENABLED and a fault: see `FAULTS`.
const BY_COUNT: &str = "?";

/// The intended next state and violation: a row for each state, a column for each class.
const INTENDED: [(&str, [&str; 6]); 5] = [
    ("UNINIT", [P, P, P, P, "INIT", P]),
    ("INIT", ["ENABLED", "INIT", "INIT", P, "INIT", P]),
    (
        "ENABLED",
        ["ENABLED", "ENABLED", "ENABLED", BY_COUNT, "ENABLED", P],
    ),
    ("ALARM", ["ALARM", "ALARM", "DEGRADED", F, "ALARM", P]),
    (
        "DEGRADED",
        ["DEGRADED", "DEGRADED", "DEGRADED", F, "INIT", P],
    ),
];

/// Fault counts before and after a fault, and where it takes ENABLED.
const FAULTS: [(u32, u32, &str); 8] = [
    (0, 1, "ENABLED"),
    (1, 2, "ENABLED"),
    (2, 3, "ALARM"),
    (3, 4, "ALARM"),
    (4, 5, F),
    (5, 6, F),
    (6, 7, F),
    (u32::MAX, u32::MAX, F),
];

const SEQ: u64 = 40;
const LAST_TIMESTAMP: u64 = 100;

fn health(name: &str) -> Health {
    Health::ALL
        .into_iter()
        .find(|h| h.as_str() == name)
        .unwrap()
}

fn class(name: &str) -> Option<InputClass> {
    InputClass::ALL.into_iter().find(|c| c.as_str() == name)
}

/// An agent in `state`, as it may be between two inputs.
fn agent(state: &str, fault_count: u32) -> Agent {
    Agent {
        health: health(state),
        fault_count,
        last_timestamp: LAST_TIMESTAMP,
        last_seen_seq: SEQ - 1,
        // A leftover that no step may write.
        violation: Some(Violation::SequenceOrder),
        ..Agent::new()
    }
}

/// What arrives and what the table says of it.
struct Arrival {
    class: &'static str,
    payload: Vec<u8>,
    policies: Vec<Policy<'static>>,
    /// The POLICY records, in the text they must have.
    evaluated: Vec<String>,
    breach: bool,
    invalid_output: bool,
    /// For time: overrides the intended transition.
    refused: Option<&'static str>,
    timestamp: Option<u64>,
}

fn policy_text(actual: i32, id: &str, result: &str, threshold: i32) -> String {
    format!(
        "AX:POLICY:v1 {{\"actual\":{actual},\"ledger_seq\":40,\"obs_ledger_seq\":40,\
         \"policy_id\":\"{id}\",\"result\":\"{result}\",\"threshold\":{threshold}}}"
    )
}

fn arrivals() -> Vec<Arrival> {
    let on = |selector, mut p: Policy<'static>| {
        p.selector = selector;
        p
    };
    // One that permits, one that is disabled, one on another selector's kind of input.
    let two = |selector: &'static str, other: &'static str, limit| {
        let mut off = on(selector, policy("B-OFF", Comparison::Ge, 0));
        off.enabled = false;
        vec![
            on(selector, policy("A", Comparison::Gt, limit)),
            off,
            on(other, policy("C-OTHER", Comparison::Unknown, 0)),
            on(selector, policy("D", Comparison::Lt, 0)),
        ]
    };
    let base = |class, payload: &[u8]| Arrival {
        class,
        payload: payload.to_vec(),
        policies: two("value", "elapsed", 131_072),
        evaluated: Vec::new(),
        breach: false,
        invalid_output: false,
        refused: None,
        timestamp: None,
    };
    let llm = |output: &[u8]| {
        let mut given = answer(output);
        given.ledger_seq = SEQ;
        base("LLM_OBS", &record(&given))
    };
    let results = |actual, a, d| {
        vec![
            policy_text(actual, "A", a, 131_072),
            policy_text(actual, "D", d, 0),
        ]
    };
    let unvalued = || results(i32::MIN, "BREACH", "BREACH");
    let failure = |failure| {
        let mut given = failed(failure);
        given.ledger_seq = SEQ;
        base("LLM_OBS", &record(&given))
    };
    let time = |text: &str, timestamp, refused| Arrival {
        policies: two("elapsed", "value", 720_896),
        timestamp,
        refused,
        ..base("TIME_OBS", text.as_bytes())
    };
    let ten = |a, d| {
        vec![
            policy_text(655_360, "A", a, 720_896),
            policy_text(655_360, "D", d, 0),
        ]
    };

    let mut all = vec![
        Arrival {
            evaluated: results(65_536, "PERMITTED", "PERMITTED"),
            ..llm(b"{\"value\":1}")
        },
        Arrival {
            evaluated: results(196_608, "BREACH", "PERMITTED"),
            breach: true,
            ..llm(b"{\"value\":3}")
        },
        Arrival {
            evaluated: results(-65_536, "PERMITTED", "BREACH"),
            breach: true,
            ..llm(b"{\"value\":-1}")
        },
        Arrival {
            evaluated: unvalued(),
            breach: true,
            ..llm(b"one")
        },
        // No policy to object: permitted, prose or not.
        Arrival {
            policies: Vec::new(),
            ..llm(b"one")
        },
        // What is no whole answer breaches whatever the policies.
        Arrival {
            evaluated: unvalued(),
            breach: true,
            invalid_output: true,
            ..llm(b"\xff")
        },
        Arrival {
            policies: Vec::new(),
            breach: true,
            invalid_output: true,
            ..failure(Failure::InvalidOutput)
        },
        Arrival {
            policies: Vec::new(),
            breach: true,
            ..failure(Failure::Timeout)
        },
        Arrival {
            evaluated: unvalued(),
            breach: true,
            ..failure(Failure::TransportError)
        },
        Arrival {
            evaluated: unvalued(),
            breach: true,
            ..base("LLM_OBS", b"{}")
        },
        Arrival {
            evaluated: ten("PERMITTED", "PERMITTED"),
            ..time("{\"timestamp\":110}", Some(110), None)
        },
        Arrival {
            evaluated: vec![
                policy_text(786_432, "A", "BREACH", 720_896),
                policy_text(786_432, "D", "PERMITTED", 0),
            ],
            breach: true,
            ..time("{\"timestamp\":112}", Some(112), None)
        },
        Arrival {
            policies: Vec::new(),
            ..time("{\"timestamp\":101}", Some(101), None)
        },
        time("{\"timestamp\":100}", None, Some("STOPPED TIME_ROLLBACK")),
        time("{\"timestamp\":0}", None, Some("STOPPED TIME_ROLLBACK")),
        time("{\"timestamp\":0101}", None, Some(P)),
        time("", None, Some(P)),
    ];
    all.extend(
        CLASSES[2..]
            .iter()
            .map(|class| base(class, b"\xffanything")),
    );
    all
}

/// Steps `agent` with `arrival`.
fn step(
    agent: &mut Agent,
    arrival: &Arrival,
    stop_on_invalid: bool,
    store: &mut Store,
    faults: &mut Faults,
) -> Option<axilog::policy::Evaluation> {
    let registry = arrival.policies.as_slice();
    let rules = Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid,
        manifest: None,
    };
    let input = Input {
        class: class(arrival.class),
        payload: &arrival.payload,
        ledger_seq: SEQ,
    };
    agent.step(&input, &rules, store, faults)
}

#[test]
fn every_combination_steps_as_the_table_says() {
    let mut steps = 0;
    for (state, row) in INTENDED {
        for arrival in arrivals() {
            for (before, counted, by_count) in FAULTS {
                for stop_on_invalid in [false, true] {
                    let is_fault = arrival.class == "FAULT_SIGNAL";
                    let column = CLASSES.iter().position(|&c| c == arrival.class).unwrap();
                    let mut expected = match row[column] {
                        BY_COUNT => by_count,
                        intended => intended,
                    };
                    if let Some(refused) = arrival.refused {
                        expected = refused;
                    }
                    let stops = expected.starts_with("STOPPED")
                        || (arrival.invalid_output && stop_on_invalid);
                    expected = match (arrival.breach, stops) {
                        (true, true) => "STOPPED POLICY_BREACH",
                        (true, false) => "ALARM POLICY_BREACH",
                        (false, _) => expected,
                    };
                    let (next, violation) = match expected.split_once(' ') {
                        Some((next, violation)) => (next, format!("\"{violation}\"")),
                        None => (expected, String::from("null")),
                    };
                    let mut count = if is_fault { counted } else { before };
                    if next == "INIT" && state != "INIT" {
                        count = 0;
                    }

                    let mut texts = arrival.evaluated.clone();
                    texts.push(format!(
                        "AX:TRANS:v1 {{\"fault_count\":{count},\"input_class\":\"{}\",\
                         \"ledger_seq\":40,\"next_state\":\"{next}\",\"prev_state\":\"{state}\",\
                         \"violation\":{violation}}}",
                        arrival.class
                    ));
                    let mut agent = agent(state, before);
                    let (mut store, mut faults) = (Store::default(), Faults::NONE);
                    let evaluation = step(
                        &mut agent,
                        &arrival,
                        stop_on_invalid,
                        &mut store,
                        &mut faults,
                    );
                    let case = format!("{state} {} {before} {stop_on_invalid}", arrival.class);
                    assert_eq!(store.texts(0), texts, "{case}");
                    assert_eq!(faults, Faults::NONE, "{case}");
                    let evaluation = evaluation.unwrap();
                    assert_eq!(evaluation.breach, arrival.breach, "{case}");
                    assert_eq!(usize::from(evaluation.count), arrival.evaluated.len());
                    assert_eq!(evaluation.ledger_seq, SEQ);
                    let after = Agent {
                        health: health(next),
                        fault_count: count,
                        last_timestamp: arrival.timestamp.unwrap_or(LAST_TIMESTAMP),
                        last_seen_seq: SEQ,
                        failed: false,
                        violation: None,
                        ledger: agent.ledger.clone(),
                    };
                    assert_eq!(agent, after, "{case}");
                    assert_eq!(agent.ledger.sequence, texts.len() as u64, "{case}");
                    steps += 1;
                }
            }
        }
    }
    assert_eq!(steps, 5 * 21 * 8 * 2);
}

#[test]
fn the_pure_table() {
    for (state, row) in INTENDED {
        for (name, intended) in CLASSES.into_iter().zip(row) {
            let intended = if intended == BY_COUNT {
                "ALARM"
            } else {
                intended
            };
            let (next, violation) = determine_next(health(state), class(name));
            let text = match violation {
                Some(violation) => format!("{} {}", next.as_str(), violation.as_str()),
                None => next.as_str().to_owned(),
            };
            assert_eq!(text, intended, "{state} {name}");
        }
    }
    for name in CLASSES {
        assert_eq!(
            determine_next(Health::Stopped, class(name)).0,
            Health::Stopped
        );
    }
}
