//! The core never touches the heap: every function of it, on small inputs, large ones and the worst
//! there are, under an allocator that counts.

use axilog::admission::{Answer, InputKind, Limits, admit, derivation_hash, input_hash};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::agent::stimulus::{Input, extract_timestamp, extract_value};
use axilog::evidence::observation::Failure;
use axilog::evidence::view::ObservationView;
use axilog::fault::{Error, Fault, Faults};
use axilog::hash::{Hasher, Tag, chain, commit, equal_ct, hex, sha256, unhex};
use axilog::json::canonical::is_canonical_json;
use axilog::json::number::{decimal_to_q16, integer_to_q16};
use axilog::json::shortest::is_canonical_number;
use axilog::json::writer::{Buffer, Counter};
use axilog::ledger::{DiscardingSink, Entry, Ledger, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;
use axilog::policy::{Comparison, Policy, PolicyInput, Rules, check, evaluate_all};
use axilog::profile::Profile;
use axilog::q16;
use axilog::replay::{Replay, Verdict};
use axilog::text::{Text, check_piece, is_nfc, is_utf8, runs};
use axilog_testkit::core::ledger::{
    Store, answer, failed, golden, policy, record_under, with_golden_rules,
};

use crate::counting::{uses_of_heap, without_heap};

/// Texts that are long, or hard to judge.
fn texts() -> Vec<Vec<u8>> {
    let marks = |n: usize| format!("a{}", "\u{308}\u{323}".repeat(n)).into_bytes();
    vec![
        Vec::new(),
        b"short".to_vec(),
        "é漢😀\r\n\"\\".repeat(9_000).into_bytes(),
        "q\u{323}\u{307}".repeat(20_000).into_bytes(),
        "\u{1100}\u{1161}".repeat(5_000).into_bytes(),
        "가\u{11a8}".repeat(5_000).into_bytes(),
        "\u{315}".repeat(30).into_bytes(),
        "\u{315}".repeat(31).into_bytes(),
        marks(15),
        marks(40_000),
        "\r".repeat(200_000).into_bytes(),
        "\"".repeat(200_000).into_bytes(),
        b"\xf0\x90\x80".repeat(30_000),
        vec![0xff; 70_000],
    ]
}

#[test]
fn text_and_json() {
    for text in texts() {
        without_heap(|| {
            let _ = (
                is_nfc(&text),
                is_utf8(&text),
                check_piece(&text),
                sha256(&text),
            );
            let length = runs(&text).map(<[u8]>::len).sum::<usize>();
            if let Ok(checked) = Text::check(&text, true) {
                assert_eq!(checked.len(), length);
                let _ = checked.prefix(length / 2);
            }
        });
    }
    let numbers = format!("[{}1]", "0.1234567890123456,1e+300,-5e-324,".repeat(2_000));
    let nested = format!("{}{}", "[".repeat(127), "]".repeat(127));
    let sorted: String = (0..9_000).map(|n| format!("\"k{n:05}\":{n},")).collect();
    let object = format!("{{{}\"z\":null}}", sorted);
    for (text, canonical) in [
        (numbers, true),
        (nested.clone(), true),
        (nested.replace('[', "{\"a\":").replace(']', "}"), false),
        (object, true),
        ("9".repeat(100_000), false),
    ] {
        let text = text.into_bytes();
        assert_eq!(without_heap(|| is_canonical_json(&text)), canonical);
        without_heap(|| {
            let _ = is_canonical_number(&text);
            let _ = (decimal_to_q16(&text), integer_to_q16(&text));
        });
    }
}

#[test]
fn admission_and_records() {
    let mut buffer = vec![0; 140_000];
    for text in texts() {
        for profile in Profile::ALL {
            for kind in [InputKind::Text, InputKind::Json] {
                let given = Answer {
                    input: &text,
                    input_kind: kind,
                    ..answer(&text)
                };
                let limits = Limits {
                    profile,
                    max_output: Some(60_000),
                    ..Limits::DEFAULT
                };
                without_heap(|| {
                    let _ = input_hash(&text, kind);
                    let (observation, _) = admit(&given, Some(0), &limits).unwrap();
                    let hash = observation.obs_hash(profile);
                    assert!(observation.verify(Some(&hash)).is_ok());
                    assert_eq!(observation.verify(None), Err(Error::Hash));
                    assert!(observation.len(profile) <= 65_536);
                    let sealed = observation.seal(profile, &mut buffer).unwrap();
                    let view = ObservationView::parse(sealed.record).unwrap();
                    let mut length = 0;
                    view.output.unescape(&mut |bytes| length += bytes.len());
                    assert_eq!(length, observation.output.len());
                });
            }
        }
    }
    without_heap(|| {
        let given = answer(b"x");
        let error = admit(&given, Some(1), &Limits::DEFAULT).map(|_| ());
        assert_eq!(error, Err(Error::Ordering));
        let _ = derivation_hash(&hex(&[1; 32]), b"derived");
    });
}

/// Stores nothing, refuses at last.
struct Limited(usize);

impl LedgerSink for Limited {
    fn append(&mut self, _: &Entry<'_>) -> Result<(), SinkFailed> {
        self.0 = self.0.checked_sub(1).ok_or(SinkFailed)?;
        Ok(())
    }
}

fn many_policies(names: &[String]) -> Vec<Policy<'_>> {
    let selectors = ["value", "elapsed", "k7", "speed"];
    let all = names.iter().enumerate().map(|(n, id)| Policy {
        selector: selectors[n % 4],
        ..policy(id, Comparison::Gt, 1_000)
    });
    all.collect()
}

#[test]
fn agents_observe_and_step() {
    let names: Vec<String> = (0..64).map(|n| format!("P-{n:02}")).collect();
    let policies = many_policies(&names);
    let registry = policies.as_slice();
    let members: String = (0..4_000).map(|n| format!("\"k{n}\":{n},")).collect();
    let outputs = [
        format!("{{{members}\"value\":0.001}}"),
        format!("{{{members}\"k0\":1}}"),
        String::from("{\"value\":1}"),
        "[".repeat(5_000),
        "prose ".repeat(20_000),
    ];
    let payload = record_under(&answer(b"{\"value\":1}"), &Limits::DEFAULT);
    let mut work = vec![0; 65_536];
    for stop_on_invalid in [false, true] {
        for permit_truncated in [false, true] {
            let rules = Rules {
                registry: &registry,
                permit_truncated,
                stop_on_invalid,
                manifest: None,
            };
            without_heap(|| {
                assert_eq!(check(rules.registry), Ok(()));
                let _ = rules.hash();
                let mut agent = Agent::new();
                let mut faults = Faults::NONE;
                let mut sink = Limited(2_000);
                let mut control = |agent: &mut Agent, class| {
                    agent.observe_control(class, &rules, &mut work, &mut sink, &mut faults)
                };
                control(&mut agent, InputClass::ResetRequest).unwrap();
                control(&mut agent, InputClass::PolicyTrigger).unwrap();
                for (time, output) in (1u64..).zip(&outputs) {
                    let given = answer(output.as_bytes());
                    let mut agent = agent.clone();
                    agent
                        .observe_time(time, &rules, &mut work, &mut sink, &mut faults)
                        .unwrap();
                    agent
                        .observe(&given, &rules, &mut work, &mut sink, &mut faults)
                        .unwrap();
                    for given in [failed(Failure::Timeout), answer(b"\xff"), given] {
                        agent
                            .observe(&given, &rules, &mut work, &mut sink, &mut faults)
                            .unwrap();
                    }
                }
                for class in InputClass::ALL.into_iter().map(Some).chain([None]) {
                    for payload in [payload.as_slice(), b"{\"timestamp\":5}", b"\xff"] {
                        for room in [2_000, 1, 0] {
                            let input = Input {
                                class,
                                payload,
                                ledger_seq: 1,
                            };
                            let (mut agent, mut faults) = (Agent::new(), Faults::NONE);
                            let _ = (extract_value(&input), extract_timestamp(payload));
                            agent.step(&input, &rules, &mut Limited(room), &mut faults);
                        }
                    }
                }
                agent.bind(&mut faults);
                let input = PolicyInput {
                    value: 1,
                    ledger_seq: 1,
                    obs_ledger_seq: 1,
                };
                let mut ledger = Ledger::genesis();
                let into = Some((&mut ledger, &mut DiscardingSink as &mut dyn LedgerSink));
                evaluate_all(rules.registry, &input, into, &mut faults).unwrap();
            });
        }
    }
}

#[test]
fn ledgers_lines_and_replay() {
    let file = golden();
    let mut line_buffer = [0; 1024];
    with_golden_rules(|rules| {
        for (kept, rules) in [(20, None), (20, Some(rules)), (6, Some(rules))] {
            without_heap(|| {
                let mut replay = Replay::new();
                for line in file.split_inclusive(|&b| b == b'\n').take(kept) {
                    let entry = ledger_line::parse(line).unwrap();
                    assert_eq!(replay.feed(&entry, rules), Verdict::Ok);
                    let mut out = Buffer::new(&mut line_buffer);
                    ledger_line::write(&entry, &mut out);
                    assert_eq!(out.finish().unwrap(), line);
                }
                let verdict = replay.finish(Some(kept as u64), Some(&replay.ledger().head));
                assert_eq!(verdict, Verdict::Ok);
                let mut faults = Faults::NONE;
                if let Ok((mut agent, _)) = replay.resume() {
                    replay
                        .complete(&mut agent, rules, &mut DiscardingSink, &mut faults)
                        .unwrap();
                    agent.ledger.seal(&mut DiscardingSink, &mut faults).unwrap();
                }
                assert_eq!(replay.feed(&genesis_entry(), rules), Verdict::Reordered);
                assert_eq!(replay.refuse(Verdict::Torn), Verdict::Reordered);
            });
        }
    });
    without_heap(|| {
        let mut faults = Faults::NONE;
        let mut ledger = Ledger::resume([1; 32], 5);
        ledger
            .record(Tag::Obs, b"{}", &mut DiscardingSink, &mut faults)
            .unwrap();
        ledger.append_commit([2; 32], &mut faults).unwrap();
        assert!(ledger.is_consistent());
        let mut hasher = Hasher::new();
        hasher.update(b"x");
        assert!(equal_ct(&hasher.finish(), &sha256(b"x")));
        let commit = commit(b"AX:OBS:v1", b"{}");
        assert_eq!(unhex(&hex(&commit)), Some(commit));
        let _ = chain(None, &commit);
        for operation in [q16::add, q16::sub, q16::mul, q16::div] {
            let _ = (
                operation(i32::MAX, 3, &mut faults),
                operation(1, 0, &mut faults),
            );
        }
        assert!(faults.has(Fault::DivZero));
        let mut counter = Counter::default();
        ledger_line::write(&genesis_entry(), &mut counter);
        assert!(counter.len > 0 && ledger_line::parse(b"{\"chain\":").is_err());
    });
    // The measure itself: a sink that stores does use the heap.
    let mut store = Store::default();
    let mut ledger = Ledger::genesis();
    let used = uses_of_heap(|| {
        let mut faults = Faults::NONE;
        ledger.seal(&mut store, &mut faults).unwrap();
    });
    assert!(used > 0);
}
