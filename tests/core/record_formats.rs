//! Records and lines: what is written reads back as it was, in no more bytes than the constants say,
//! and nothing that is read can do harm (formats.md §2, §4 to §6).

use axilog::admission::{Answer, InputKind, Limits, admit};
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass, Violation};
use axilog::agent::stimulus::{Input, extract_timestamp, extract_value};
use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::evidence::policy::{MAX_POLICY_RECORD_BYTES, PolicyRecord, PolicyResult};
use axilog::evidence::proof::{MAX_SEAL_RECORD_BYTES, Seal};
use axilog::evidence::transition::{MAX_TRANSITION_RECORD_BYTES, TransitionRecord};
use axilog::evidence::view::ObservationView;
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::json::extract::NO_VALUE;
use axilog::ledger::{DiscardingSink, Entry};
use axilog::ledger_line::{self, MAX_LINE_OVERHEAD};
use axilog::profile::Profile;
use axilog::replay::{Replay, Verdict};
use axilog_testkit::core::ledger::{
    answer, chained, genesis, golden, record, with_golden_rules, written,
};
use proptest::prelude::*;

use crate::cases::cases;

fn policy_record() -> impl Strategy<Value = (String, [i32; 2], [u64; 2], bool)> {
    (
        "[A-Za-z0-9._-]{1,64}",
        any::<[i32; 2]>(),
        any::<[u64; 2]>(),
        any::<bool>(),
    )
}

fn transition() -> impl Strategy<Value = TransitionRecord> {
    (
        any::<u32>(),
        0..6usize,
        any::<u64>(),
        [0..6usize, 0..6],
        0..9usize,
    )
        .prop_map(
            |(fault_count, class, ledger_seq, [next, prev], violation)| TransitionRecord {
                fault_count,
                input_class: InputClass::ALL.get(class).copied(),
                ledger_seq,
                next_state: Health::ALL[next],
                prev_state: Health::ALL[prev],
                violation: Violation::ALL.get(violation).copied(),
            },
        )
}

/// That the library's reader and the canonical form of a JSON library agree on `record`.
fn is_canonical(record: &[u8]) {
    let value: serde_json::Value = serde_json::from_slice(record).unwrap();
    // `serde_json` keeps the members sorted, and integers of up to 64 bits as they are.
    assert_eq!(serde_json::to_vec(&value).unwrap(), record);
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn policy_records((id, [actual, threshold], [ledger_seq, obs_ledger_seq], breach) in policy_record()) {
        let given = PolicyRecord {
            actual,
            ledger_seq,
            obs_ledger_seq,
            policy_id: id.as_bytes(),
            result: if breach { PolicyResult::Breach } else { PolicyResult::Permitted },
            threshold,
        };
        let bytes = written(|out| given.write(out));
        is_canonical(&bytes);
        prop_assert!(bytes.len() <= MAX_POLICY_RECORD_BYTES);
        prop_assert_eq!(PolicyRecord::parse(&bytes), Ok(given));
    }

    #[test]
    fn transitions(given in transition()) {
        let bytes = written(|out| given.write(out));
        is_canonical(&bytes);
        prop_assert!(bytes.len() <= MAX_TRANSITION_RECORD_BYTES);
        prop_assert_eq!(TransitionRecord::parse(&bytes), Ok(given));
    }

    #[test]
    fn seals(entries: u64, head: [u8; 32]) {
        let given = Seal { entries, head };
        let bytes = written(|out| given.write(out));
        is_canonical(&bytes);
        prop_assert!(bytes.len() <= MAX_SEAL_RECORD_BYTES);
        prop_assert_eq!(Seal::parse(&bytes), Ok(given));
    }

    /// Also where the record's own text looks like the end of a line.
    #[test]
    fn lines(
        inside in "([a-z\"{}:,\\\\]|,\"seq\":|\"tag\":\"AX:OBS:v1\"){0,12}",
        sequence: u64, commit: [u8; 32], chain: [u8; 32], tag in 0..5usize,
    ) {
        let payload = format!("{{{inside}}}").into_bytes();
        let tag = Tag::ALL[tag];
        let entry = Entry { tag, payload: &payload, sequence, commit, chain };
        let line = written(|out| ledger_line::write(&entry, out));
        prop_assert!(line.len() <= payload.len() + MAX_LINE_OVERHEAD);
        for line in [line.as_slice(), line.strip_suffix(b"\n").unwrap()] {
            let read = ledger_line::parse(line).unwrap();
            prop_assert_eq!((read.tag, read.payload), (tag, payload.as_slice()));
            prop_assert_eq!((read.sequence, read.commit, read.chain), (sequence, commit, chain));
        }
        prop_assert!(ledger_line::parse(&[&line[..], b"\n"].concat()).is_err());
    }

    /// One byte replaced, added or removed: refused, or a record whose own bytes these are.
    #[test]
    fn a_changed_record_is_another_or_none(
        (id, [actual, threshold], [ledger_seq, obs_ledger_seq], _) in policy_record(),
        transition in transition(),
        at: prop::sample::Index,
        with in prop::sample::select(b" 019-+.eE\"\\{}[],:aZ_\n\0\xff".to_vec()),
        how in 0..3u8,
    ) {
        let change = |mut bytes: Vec<u8>| {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = with,
                1 => bytes.insert(at, with),
                _ => drop(bytes.remove(at)),
            }
            bytes
        };
        let result = PolicyResult::Permitted;
        let policy_id = id.as_bytes();
        let policy = PolicyRecord { actual, ledger_seq, obs_ledger_seq, policy_id, result, threshold };
        let bytes = change(written(|out| policy.write(out)));
        if let Ok(read) = PolicyRecord::parse(&bytes) {
            prop_assert_eq!(written(|out| read.write(out)), bytes);
        }
        let bytes = change(written(|out| transition.write(out)));
        if let Ok(read) = TransitionRecord::parse(&bytes) {
            prop_assert_eq!(written(|out| read.write(out)), bytes);
        }
        let bytes = change(written(|out| Seal { entries: ledger_seq, head: [0xa5; 32] }.write(out)));
        if let Ok(read) = Seal::parse(&bytes) {
            prop_assert_eq!(written(|out| read.write(out)), bytes);
        }
    }
}

/// Numbers have one spelling, within the range of their field.
#[test]
fn integers_in_records() {
    for (actual, expected) in [
        ("0", Some(0)),
        ("-1", Some(-1)),
        ("-2147483648", Some(i32::MIN)),
        ("2147483647", Some(i32::MAX)),
        ("-0", None),
        ("-01", None),
        ("00", None),
        ("+1", None),
        ("--1", None),
        ("1.0", None),
        ("1e1", None),
        ("", None),
        ("-", None),
        ("2147483648", None),
        ("-2147483649", None),
        ("-9223372036854775809", None),
        ("99999999999999999999", None),
    ] {
        let record = format!(
            "{{\"actual\":{actual},\"ledger_seq\":1,\"obs_ledger_seq\":1,\"policy_id\":\"P\",\
             \"result\":\"BREACH\",\"threshold\":0}}"
        );
        let read = PolicyRecord::parse(record.as_bytes()).map(|record| record.actual);
        assert_eq!(read.ok(), expected, "{actual}");
    }
    for (count, good) in [("4294967295", true), ("4294967296", false), ("-1", false)] {
        let record = format!(
            "{{\"fault_count\":{count},\"input_class\":\"UNKNOWN\",\"ledger_seq\":1,\
             \"next_state\":\"INIT\",\"prev_state\":\"INIT\",\"violation\":null}}"
        );
        assert_eq!(TransitionRecord::parse(record.as_bytes()).is_ok(), good);
    }
}

/// The constants leave room for a NUL, and are no more than 17 bytes above what there can be.
#[test]
fn the_longest_records() {
    let policy = PolicyRecord {
        actual: i32::MIN,
        ledger_seq: u64::MAX,
        obs_ledger_seq: u64::MAX,
        policy_id: &[b'A'; 64],
        result: PolicyResult::Permitted,
        threshold: i32::MIN,
    };
    assert_eq!(written(|out| policy.write(out)).len(), 218);

    let mut longest = 0;
    for class in InputClass::ALL.into_iter().map(Some).chain([None]) {
        for (prev, next) in Health::ALL
            .iter()
            .flat_map(|p| Health::ALL.iter().map(move |n| (p, n)))
        {
            for violation in Violation::ALL.into_iter().map(Some).chain([None]) {
                let transition = TransitionRecord {
                    fault_count: u32::MAX,
                    input_class: class,
                    ledger_seq: u64::MAX,
                    next_state: *next,
                    prev_state: *prev,
                    violation,
                };
                longest = longest.max(written(|out| transition.write(out)).len());
            }
        }
    }
    assert_eq!(longest, 175);

    let seal = Seal {
        entries: u64::MAX,
        head: [0; 32],
    };
    assert_eq!(written(|out| seal.write(out)).len(), 120);
    let entry = Entry {
        tag: Tag::Policy,
        payload: b"{}",
        sequence: u64::MAX,
        commit: [0; 32],
        chain: [0; 32],
    };
    assert_eq!(
        written(|out| ledger_line::write(&entry, out)).len() - 2,
        211
    );
    for (longest, constant) in [
        (218, MAX_POLICY_RECORD_BYTES),
        (175, MAX_TRANSITION_RECORD_BYTES),
        (120, MAX_SEAL_RECORD_BYTES),
        (211, MAX_LINE_OVERHEAD),
    ] {
        assert!(longest < constant && constant <= longest + 17, "{constant}");
    }
}

/// Bytes that are nothing, or nearly something.
fn junk() -> impl Strategy<Value = Vec<u8>> {
    let pieces = golden()
        .split(|&b| b == b',' || b == b'\n')
        .map(<[u8]>::to_vec)
        .collect::<Vec<_>>();
    let observation = record(&answer("a \"quoted\" \\ é\n".as_bytes()));
    let near = move |base: Vec<u8>| {
        (any::<prop::sample::Index>(), any::<Vec<u8>>(), 0..4usize).prop_map(
            move |(at, with, drop)| {
                let at = at.index(base.len() + 1);
                let end = (at + drop).min(base.len());
                [&base[..at], &with, &base[end..]].concat()
            },
        )
    };
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        prop::collection::vec(prop::sample::select(pieces), 0..12).prop_map(|p| p.join(&b',')),
        near(golden()[..1200].to_vec()),
        near(observation),
        near(b"{\"timestamp\":18446744073709551615}".to_vec()),
    ]
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn nothing_that_is_read_can_do_harm(bytes in junk(), class in 0..6usize, ledger_seq: u64) {
        if let Ok(entry) = ledger_line::parse(&bytes) {
            let line = written(|out| ledger_line::write(&entry, out));
            prop_assert_eq!(line.strip_suffix(b"\n"), bytes.strip_suffix(b"\n").or(Some(&bytes)));
            prop_assert_ne!(Replay::new().feed(&entry, None), Verdict::Torn);
        }
        let _ = ObservationView::parse(&bytes);
        let _ = PolicyRecord::parse(&bytes);
        let _ = TransitionRecord::parse(&bytes);
        let _ = Seal::parse(&bytes);
        let bare: Option<u64> = std::str::from_utf8(&bytes).ok()
            .and_then(|t| t.strip_prefix("{\"timestamp\":")?.strip_suffix('}'))
            .filter(|n| n.bytes().all(|b| b.is_ascii_digit()) && (*n == "0" || !n.starts_with('0')))
            .and_then(|n| n.parse().ok());
        if bare.is_some() || !bytes.starts_with(b"{\"c") {
            prop_assert_eq!(extract_timestamp(&bytes), bare);
        }

        let class = InputClass::ALL.get(class).copied();
        let input = Input { class, payload: &bytes, ledger_seq };
        if class != Some(InputClass::LlmObs) {
            prop_assert_eq!(extract_value(&input), NO_VALUE);
        }
        with_golden_rules(|rules| {
            let (mut agent, mut faults) = (Agent::new(), Faults::NONE);
            agent.health = Health::Enabled;
            agent.step(&input, rules, &mut DiscardingSink, &mut faults);
            prop_assert_eq!(faults.any(), ledger_seq == 0);
            prop_assert_eq!(agent.failed, ledger_seq == 0);
            Ok(())
        })?;

        let kinds = [InputKind::Text, InputKind::Json];
        for (n, profile) in Profile::ALL.into_iter().enumerate() {
            let given = Answer {
                completion: Completion::ALL[n],
                failure: Failure::ALL.get(n).copied(),
                input: &bytes,
                input_kind: kinds[n % 2],
                ledger_seq,
                model_id: &bytes,
                oracle_id: &bytes,
                output: &bytes,
                params: Params { seed: Some(-1), ..Params::NULL },
            };
            let limits = Limits { profile, max_record: bytes.len(), max_output: Some(n), reject_del: true };
            prop_assert!(admit(&given, Some(0), &limits).is_err());
        }
        let chained = chained(&[genesis(), (Tag::ALL[usize::from(ledger_seq as u8 % 5)], bytes)]);
        if let Some(Ok(entry)) = chained.0.get(1).map(|line| ledger_line::parse(line)) {
            let mut replay = Replay::new();
            let first = ledger_line::parse(&chained.0[0]).unwrap();
            prop_assert_eq!(replay.feed(&first, None), Verdict::Ok);
            with_golden_rules(|rules| replay.feed(&entry, Some(rules)));
        }
    }
}
