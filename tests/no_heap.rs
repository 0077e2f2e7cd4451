//! No core function allocates: every layer is run under an allocator that counts.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use axilog::admission::{Answer, InputKind, Limits, admit, input_hash};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::agent::stimulus::{Input, extract_timestamp, extract_value};
use axilog::evidence::observation::{Completion, Params};
use axilog::evidence::view::ObservationView;
use axilog::fault::Faults;
use axilog::hash::{GOLDEN_GENESIS, chain, commit, sha256};
use axilog::json::canonical::is_canonical_json;
use axilog::json::escaped::Escaped;
use axilog::json::extract::{MAX_POLICIES, NO_VALUE, Selectors, extract};
use axilog::json::writer::Buffer;
use axilog::ledger::{Discard, Entry, Ledger, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;
use axilog::policy::{PolicyInput, Rules, builtin::BUILTIN, check, evaluate_all};
use axilog::profile::Profile;
use axilog::q16;
use axilog::replay::{Replay, Verdict};
use axilog::text::{Text, is_nfc};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts what the thread at hand allocates.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() {
    // Gone only while a thread ends, when nothing is measured.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: forwarded.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: forwarded.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: forwarded.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `work`, which may not allocate, and gives its result.
#[track_caller]
fn without_heap<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let before = ALLOCATIONS.get();
    let result = work();
    let allocations = ALLOCATIONS.get() - before;
    assert_eq!(allocations, 0, "{what}");
    result
}

#[test]
fn the_allocator_counts() {
    let before = ALLOCATIONS.get();
    let boxed = std::hint::black_box(Box::new(7));
    assert_eq!((ALLOCATIONS.get() - before, *boxed), (1, 7));
}

/// Texts that are hard on one layer or another.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let many_keys: Vec<String> = (0..7000).map(|n| format!("\"{n:x}\":0")).collect();
    vec![
        ("empty", Vec::new()),
        ("value", b"{\"value\":60.5}".to_vec()),
        ("prose", "The answer is 42.\r\n".repeat(5000).into_bytes()),
        ("marks", "a\u{323}\u{301}".repeat(9000).into_bytes()),
        (
            "thirty marks",
            format!("a{}", "\u{301}".repeat(30))
                .repeat(500)
                .into_bytes(),
        ),
        (
            "too many marks",
            format!("a{}", "\u{301}".repeat(31)).into_bytes(),
        ),
        ("jamo", "\u{1100}\u{1161}\u{11a8}".repeat(5000).into_bytes()),
        ("hangul", "각힣".repeat(9000).into_bytes()),
        ("cjk", "水泵应当减速运行。".repeat(2000).into_bytes()),
        ("invalid", vec![0xff; 70_000]),
        ("quotes", vec![b'"'; 60_000]),
        (
            "many keys",
            format!("{{{}}}", many_keys.join(",")).into_bytes(),
        ),
        ("nested", [vec![b'['; 40_000], vec![b']'; 40_000]].concat()),
        ("digits", vec![b'9'; 50_000]),
    ]
}

fn answer<'a>(output: &'a [u8]) -> Answer<'a> {
    Answer {
        completion: Completion::Complete,
        failure: None,
        input: b"how fast?",
        input_kind: InputKind::Text,
        ledger_seq: 1,
        model_id: b"model-1",
        oracle_id: b"oracle-1",
        output,
        params: Params::NULL,
    }
}

#[test]
fn text_json_and_numbers() {
    struct Value;
    impl Selectors for Value {
        fn count(&self) -> usize {
            1
        }
        fn selector(&self, _: usize) -> Option<&str> {
            Some("value")
        }
    }
    for (name, text) in texts() {
        without_heap(name, || {
            let nfc = is_nfc(&text);
            let checked = Text::check(&text, false).is_ok();
            assert!(nfc || !checked);
            let canonical = is_canonical_json(&text);
            let hashed = input_hash(&text, InputKind::Json).is_ok();
            assert!(canonical || !hashed);
            let mut values = [0; MAX_POLICIES];
            extract(Escaped::new(&text), &[7; 16], &Value, &mut values);
            assert_eq!(values[1], NO_VALUE);
        });
    }
    without_heap("arithmetic", || {
        let mut faults = Faults::NONE;
        let all = [q16::add, q16::sub, q16::mul, q16::div];
        all.map(|operation| operation(i32::MIN, -1, &mut faults))
    });
}

#[test]
fn admission_and_records() {
    let mut buffer = vec![0u8; 131_072];
    for (name, text) in texts() {
        for profile in Profile::ALL {
            without_heap(name, || {
                let limits = Limits {
                    profile,
                    ..Limits::DEFAULT
                };
                let (observation, _) = admit(&answer(&text), None, &limits).unwrap();
                let sealed = observation.seal(profile, &mut buffer).unwrap();
                assert_eq!(observation.obs_hash(profile), sealed.obs_hash);
                assert!(observation.verify(Some(&sealed.obs_hash)).is_ok());
                let view = ObservationView::parse(sealed.record).unwrap();
                assert_eq!(view.obs_hash, sealed.obs_hash);
                view.output
                    .unescape(&mut |run| assert!(run.len() <= text.len()));
                let class = Some(InputClass::LlmObs);
                let input = Input {
                    class,
                    payload: sealed.record,
                    ledger_seq: 1,
                };
                let value = extract_value(&input);
                assert!(value == NO_VALUE || name == "value");
                assert_eq!(extract_timestamp(sealed.record), None);
            });
        }
    }
}

/// Keeps what it is given in memory that is there already.
struct Room {
    bytes: Vec<u8>,
    used: usize,
}

impl LedgerSink for Room {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        let mut out = Buffer::new(&mut self.bytes[self.used..]);
        ledger_line::write(entry, &mut out);
        self.used += out.finish().ok_or(SinkFailed)?.len();
        Ok(())
    }
}

#[test]
fn a_session_its_lines_and_its_replay() {
    let texts = texts();
    let mut work = vec![0u8; 65_536];
    let mut room = Room {
        bytes: vec![0u8; 2 << 20],
        used: 0,
    };
    without_heap("session", || {
        let rules = Rules {
            registry: &BUILTIN,
            permit_truncated: true,
            stop_on_invalid: false,
        };
        room.append(&genesis_entry()).unwrap();
        let (mut agent, mut faults) = (Agent::new(), Faults::NONE);
        agent.bind(&mut faults);
        let reset = InputClass::ResetRequest;
        agent
            .observe_control(reset, &rules, &mut work, &mut room, &mut faults)
            .unwrap();
        agent
            .observe_time(1, &rules, &mut work, &mut room, &mut faults)
            .unwrap();
        for (_, text) in &texts {
            agent
                .observe(&answer(text), &rules, &mut work, &mut room, &mut faults)
                .unwrap();
        }
        agent.ledger.seal(&mut room, &mut faults).unwrap();
        assert_eq!(faults, Faults::NONE);

        for rules in [Some(&rules), None] {
            let mut replay = Replay::new();
            for line in room.bytes[..room.used].split_inclusive(|&b| b == b'\n') {
                assert_eq!(
                    replay.feed(&ledger_line::parse(line).unwrap(), rules),
                    Verdict::Ok
                );
            }
            assert_eq!(replay.finish(None, Some(&agent.ledger.head)), Verdict::Ok);
            assert_eq!(replay.resume().is_ok(), rules.is_some());
        }
        assert_ne!(rules.hash(), [0; 32]);
        assert_eq!(check(rules.registry), Ok(()));
    });
}

#[test]
fn ledger_hashes_and_policies() {
    without_heap("ledger", || {
        let (mut ledger, mut faults) = (Ledger::genesis(), Faults::NONE);
        ledger
            .append_commit(commit(b"AX:OBS:v1", b"x"), &mut faults)
            .unwrap();
        assert_eq!(
            ledger.head,
            chain(Some(&GOLDEN_GENESIS), &commit(b"AX:OBS:v1", b"x"))
        );
        let input = PolicyInput {
            value: 1,
            ledger_seq: 1,
            obs_ledger_seq: 1,
        };
        let into: Option<(&mut Ledger, &mut dyn LedgerSink)> = Some((&mut ledger, &mut Discard));
        assert_eq!(
            evaluate_all(&BUILTIN, &input, into, &mut faults)
                .unwrap()
                .count,
            1
        );
        assert_ne!(sha256(b""), [0; 32]);
    });
}

#[test]
fn the_functions_behind_the_headers() {
    use axilog::ffi::{canonical, dvm, sha256, types, validate};
    let text = "Héllo wörld\r\n";
    let (data, len) = (text.as_ptr().cast(), text.len());
    let mut out = [0 as std::ffi::c_char; 64];
    let mut faults = types::ct_fault_flags_t::default();
    // SAFETY: every pointer has the length that is given.
    without_heap("C surface", || unsafe {
        let mut hash = [0u8; 32];
        sha256::ax_sha256(&mut hash, text.as_ptr(), len);
        assert_eq!(validate::ax_is_nfc(data, len), 1);
        assert_eq!(
            canonical::ax_string_escape(out.as_mut_ptr(), 64, data, len),
            17
        );
        let written =
            validate::ax_validate_and_normalise(out.as_mut_ptr(), 64, data, len, &mut faults);
        assert_eq!(written, 14);
        assert_eq!(dvm::dvm_add_q16(1, 2, &mut faults), 3);
        assert_eq!(faults, types::ct_fault_flags_t::default());
    });
}
