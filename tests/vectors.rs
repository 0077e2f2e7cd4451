//! The golden vectors, through the Rust surface.

use axilog::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass};
use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::view::ObservationView;
use axilog::fault::{Fault, Faults};
use axilog::hash::{Tag, commit, sha256};
use axilog::json::writer::{Buffer, Sink};
use axilog::ledger::{Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;
use axilog::policy::{Comparison, Policy, Rules, is_valid_selector};
use axilog::profile::Profile;
use axilog::q16;
use axilog::replay::{Replay, Verdict};
use axilog_policyc::PolicySet;
use axilog_testkit::core::ledger::{Store, answer};
use axilog_testkit::vectors::{agents, decode, hex, observations, selectors, unhex, vector};

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

#[test]
fn observations_come_out_byte_for_byte_under_every_profile() {
    let vectors = observations();
    assert!(vectors.len() >= 36);
    for v in &vectors {
        let (input, output) = (decode(&v.input_b64), decode(&v.output_b64));
        let answer = Answer {
            completion: Completion::ALL[usize::from(v.completion_state)],
            failure: v
                .failure_type
                .checked_sub(1)
                .map(|n| Failure::ALL[usize::from(n)]),
            input: &input,
            input_kind: InputKind::Text,
            ledger_seq: v.ledger_seq,
            model_id: v.model_id.as_bytes(),
            oracle_id: v.oracle_id.as_bytes(),
            output: &output,
            params: Params {
                max_tokens: v.params.max_tokens,
                seed: v.params.seed,
                temperature: v.params.temperature,
                top_p: v.params.top_p,
            },
        };
        let profiles = [&v.rfc8785, &v.oracle_1_1, &v.oracle_1_2];
        for (profile, expected) in Profile::ALL.into_iter().zip(profiles) {
            let Some(expected) = expected else { continue };
            let limits = Limits {
                profile,
                ..Limits::DEFAULT
            };
            let (observation, admitted) = admit(&answer, None, &limits).unwrap();
            let status = match admitted {
                AdmissionOutcome::AsGiven => "ok",
                AdmissionOutcome::Cut => "truncated",
                AdmissionOutcome::Invalid => "encoding",
            };
            assert_eq!(status, v.status, "{} {profile:?}", v.name);
            let mut buffer = vec![0; expected.len];
            let sealed = observation.seal(profile, &mut buffer).unwrap();
            assert_eq!(sealed.record.len(), expected.len, "{} {profile:?}", v.name);
            assert_eq!(
                hex(&sealed.obs_hash),
                expected.obs_hash,
                "{} {profile:?}",
                v.name
            );
            assert_eq!(hex(&sha256(sealed.record)), expected.sha256);
            assert_eq!(hex(&commit(b"AX:OBS:v1", sealed.record)), expected.commit);
            if let Some(bytes) = &expected.bytes {
                assert_eq!(std::str::from_utf8(sealed.record).unwrap(), bytes);
            }
            assert_eq!(observation.obs_hash(profile), sealed.obs_hash);
            assert_eq!(
                observation.verify(Some(&sealed.obs_hash)).map(|_| ()),
                Ok(())
            );
            let view = ObservationView::parse(sealed.record).unwrap();
            assert_eq!(view.output.bytes(), sealed.output.bytes(), "{}", v.name);
            assert_eq!(view.obs_hash, sealed.obs_hash);
        }
    }
}

#[test]
fn published_fingerprints_of_profiles_1_and_2() {
    let reference = |profile| {
        let output = "The answer is 42.\nCafé résumé naïve.";
        let mut input_hash = [0u8; 32];
        for (i, byte) in input_hash.iter_mut().enumerate() {
            *byte = u8::try_from((7 * i + 3) % 256).unwrap();
        }
        let text = axilog::text::Text::check(output.as_bytes(), false).unwrap();
        let observation = axilog::evidence::observation::Observation {
            completion: Completion::Complete,
            failure: None,
            input_hash,
            ledger_seq: 12_345_678_901_234,
            model_id: b"gpt-4-turbo-2024-04-09",
            oracle_id: b"azure-openai-prod-westeurope",
            output: text,
            output_size: text.len() as u64,
            params: Params {
                max_tokens: Some(4096),
                seed: Some(42),
                temperature: Some(45875),
                top_p: Some(58982),
            },
        };
        let mut buffer = vec![0; 2048];
        let sealed = observation.seal(profile, &mut buffer).unwrap();
        (
            hex(&sealed.obs_hash),
            hex(&sha256(sealed.record)),
            sealed.record.len(),
        )
    };
    let (obs_hash, record, _) = reference(Profile::Oracle1_1);
    assert_eq!(
        obs_hash,
        "25c5a320b17a80678e67210be12b8aac1092f28ca2e657fcdbfce0081624fce6"
    );
    assert_eq!(
        record,
        "9cee40af579964043b84f1305acd12dfb80a0956baab95796dacfacc7e4334d9"
    );
    let (obs_hash, record, len) = reference(Profile::Oracle1_2);
    assert_eq!(
        obs_hash,
        "1d666c07e8622af5be44681e74f72a2f83d84c5bd97e970194c4356b86f3eef2"
    );
    assert_eq!(
        record,
        "86c7773c9efe37e71b39dadb5135bed6db22f04cffac44bdc2c47b90dccc4455"
    );
    assert_eq!(len, 492);
}

#[test]
fn golden_genesis() {
    assert_eq!(genesis_entry().chain, axilog::hash::GOLDEN_GENESIS);
    let first = vector("breach-alarm-recover.jsonl")
        .lines()
        .next()
        .unwrap()
        .to_owned()
        + "\n";
    let mut line = Bytes::default();
    ledger_line::write(&genesis_entry(), &mut line);
    assert_eq!(String::from_utf8(line.0).unwrap(), first);
}

/// The entries that a ledger commits, as lines and as records.
struct CommittedEntries {
    file: Vec<u8>,
    records: Vec<(String, String)>,
}

impl LedgerSink for CommittedEntries {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        let mut line = Bytes::default();
        ledger_line::write(entry, &mut line);
        assert_eq!(ledger_line::parse(&line.0).unwrap().payload, entry.payload);
        self.file.extend(line.0);
        let record = String::from_utf8(entry.payload.to_vec()).unwrap();
        self.records.push((entry.tag.as_str().to_owned(), record));
        Ok(())
    }
}

fn parse_comparison(name: &str) -> Comparison {
    match name {
        "GT" => Comparison::Gt,
        "LT" => Comparison::Lt,
        "GE" => Comparison::Ge,
        "LE" => Comparison::Le,
        _ => Comparison::Unknown,
    }
}

#[test]
fn agents_decide_and_replay_byte_for_byte() {
    let vectors = agents();
    assert!(vectors.len() >= 25);
    for v in vectors {
        let policies: Vec<Policy<'_>> = v
            .policies
            .iter()
            .map(|p| Policy {
                id: &p.policy_id,
                threshold: p.threshold,
                comparison: parse_comparison(&p.comparison),
                enabled: p.enabled != 0,
                selector: &p.selector,
            })
            .collect();
        let registry = policies.as_slice();
        let rules = Rules {
            registry: &registry,
            permit_truncated: v.permit_truncated,
            stop_on_invalid: v.stop_on_invalid,
            manifest: v.manifest.as_deref().map(unhex),
        };
        let mut configuration = Bytes::default();
        rules.write(&mut configuration);
        assert_eq!(
            String::from_utf8(configuration.0).unwrap(),
            v.configuration,
            "{}",
            v.name
        );

        let mut genesis = Bytes::default();
        ledger_line::write(&genesis_entry(), &mut genesis);
        let mut kept = CommittedEntries {
            file: genesis.0,
            records: Vec::new(),
        };
        let mut agent = Agent::new();
        let mut work = vec![0u8; 70_000];
        for (n, step) in v.steps.iter().enumerate() {
            let (input, output) = (decode(&step.input_b64), decode(&step.output_b64));
            let mut faults = Faults::NONE;
            kept.records.clear();
            let answer = Answer {
                completion: Completion::Complete,
                failure: None,
                input: &input,
                input_kind: InputKind::Text,
                ledger_seq: 0,
                model_id: step.model_id.as_bytes(),
                oracle_id: step.oracle_id.as_bytes(),
                output: &output,
                params: Params::NULL,
            };
            agent
                .observe(&answer, &rules, &mut work, &mut kept, &mut faults)
                .unwrap();
            assert_eq!(faults, Faults::NONE, "{} {n}", v.name);
            assert_eq!(kept.records, step.records, "{} {n}", v.name);
            assert_eq!(agent.health.as_str(), step.health, "{} {n}", v.name);
            assert_eq!(agent.fault_count, step.fault_count, "{} {n}", v.name);
            assert_eq!(hex(&agent.ledger.head), step.head, "{} {n}", v.name);
            assert_eq!(agent.ledger.sequence, step.sequence, "{} {n}", v.name);
        }
        assert_eq!(hex(&sha256(&kept.file)), v.ledger_sha256, "{}", v.name);
        if v.name == "breach-alarm-recover" {
            assert_eq!(kept.file, vector("breach-alarm-recover.jsonl").into_bytes());
        }

        let (mut replay, mut verified) = (Replay::new(), Replay::new());
        for line in kept.file.split_inclusive(|&b| b == b'\n') {
            let entry = ledger_line::parse(line).unwrap();
            assert_eq!(replay.feed(&entry, Some(&rules)), Verdict::Ok, "{}", v.name);
            assert_eq!(verified.feed(&entry, None), Verdict::Ok, "{}", v.name);
        }
        let entries = agent.ledger.sequence + 1;
        let head = agent.ledger.head;
        assert_eq!(replay.finish(Some(entries), Some(&head)), Verdict::Ok);
        assert_eq!(verified.finish(Some(entries), Some(&head)), Verdict::Ok);
        let (resumed, step) = replay.resume().unwrap();
        assert!(step.is_none());
        assert_eq!(
            resumed,
            Agent {
                violation: None,
                ..agent
            }
        );
    }
}

#[test]
fn q16_arithmetic() {
    #[derive(serde::Deserialize)]
    struct File {
        arith: Vec<(String, i32, i32, i32, Vec<String>)>,
        decimal: Vec<(String, Option<i32>)>,
    }
    let file: File = serde_json::from_str(&vector("q16.json")).unwrap();
    for (name, a, b, expected, flags) in &file.arith {
        let operation = match name.as_str() {
            "add" => q16::add,
            "sub" => q16::sub,
            "mul" => q16::mul,
            "div" => q16::div,
            _ => panic!("{name}"),
        };
        let mut faults = Faults::NONE;
        assert_eq!(operation(*a, *b, &mut faults), *expected, "{name} {a} {b}");
        let mut raised: Vec<&str> = faults
            .iter()
            .map(|fault| match fault {
                Fault::Overflow => "overflow",
                Fault::Underflow => "underflow",
                Fault::DivZero => "div_zero",
                Fault::Saturation => "saturation",
                _ => "another",
            })
            .collect();
        raised.sort_unstable();
        assert_eq!(raised, *flags, "{name} {a} {b}");
    }
    for (text, expected) in &file.decimal {
        let raw = axilog::json::number::decimal_to_q16(text.as_bytes());
        assert_eq!(raw, *expected, "{text}");
    }
}

#[test]
fn control_and_time_shortcuts_write_the_same_records() {
    let (mut a, mut b) = (Agent::new(), Agent::new());
    let policies: [Policy<'_>; 1] = axilog::policy::builtin::BUILTIN;
    let rules = Rules {
        registry: &policies,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    let mut discard = axilog::ledger::DiscardingSink;
    let (mut work, mut faults) = ([0u8; 1024], Faults::NONE);
    a.observe_control(
        InputClass::ResetRequest,
        &rules,
        &mut work,
        &mut discard,
        &mut faults,
    )
    .unwrap();
    a.observe_time(1, &rules, &mut work, &mut discard, &mut faults)
        .unwrap();
    for (oracle, output) in [
        ("ax.control", "{\"input_class\":\"RESET_REQUEST\"}"),
        ("ax.time", "{\"timestamp\":1}"),
    ] {
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: b"ignored",
            input_kind: InputKind::Json,
            ledger_seq: 99,
            model_id: b"ignored",
            oracle_id: oracle.as_bytes(),
            output: output.as_bytes(),
            params: Params {
                seed: Some(1),
                ..Params::NULL
            },
        };
        b.observe(&answer, &rules, &mut work, &mut discard, &mut faults)
            .unwrap();
    }
    assert_eq!(a, b);
    assert_eq!(a.health, Health::Enabled);
    let mut room = [0u8; 8];
    assert!(Buffer::new(&mut room).finish().is_some());
    assert_eq!(Tag::parse(b"AX:LEDGER:v1"), None);
}

#[test]
fn selectors_lead_to_the_values() {
    let vectors = selectors();
    assert!(vectors.extracted.len() >= 295);
    for v in &vectors.extracted {
        let policies = [Policy {
            id: "P",
            threshold: 0,
            comparison: parse_comparison(&v.comparison),
            enabled: true,
            selector: &v.selector,
        }];
        let rules = Rules {
            registry: &policies,
            permit_truncated: false,
            stop_on_invalid: false,
            manifest: None,
        };
        let (mut agent, mut store, mut faults) = (Agent::new(), Store::default(), Faults::NONE);
        agent.health = Health::Enabled;
        let oracle = v.selector.split('#').next().filter(|o| !o.starts_with('/'));
        let given = Answer {
            oracle_id: oracle.unwrap_or("oracle").as_bytes(),
            ..answer(v.answer.as_bytes())
        };
        let observed = agent.observe(&given, &rules, &mut [0; 4096], &mut store, &mut faults);
        observed.unwrap();
        let record = store.records.iter().find(|(tag, _)| *tag == Tag::Policy);
        let found = PolicyRecord::parse(&record.unwrap().1).unwrap().actual;
        let (selector, text) = (&v.selector, &v.answer);
        assert_eq!(found, v.value.unwrap_or(i32::MIN), "{selector} in {text}");
    }
    for (selectors, is_valid) in [(&vectors.valid, true), (&vectors.refused, false)] {
        for selector in selectors {
            let found = is_valid_selector(selector.as_bytes());
            assert_eq!(found, is_valid, "{selector}");
            let file = format!(r#"{{"{selector}":[]}}"#);
            let compiled = PolicySet::parse_lenient(file.as_bytes());
            assert_eq!(compiled.is_ok(), is_valid, "{selector}");
        }
    }
}
