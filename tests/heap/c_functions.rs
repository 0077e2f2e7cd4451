//! The C functions of every header, called as C calls them: none touches the heap.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use axilog::ffi::{
    agent::*, agent_observe::*, agent_step::*, audit::*, audit_line::*, audit_record::*,
    canonical::*, commitment::*, dvm::*, hash::*, obs::*, obs_input::*, obs_view::*, oracle::*,
    policy::*, policy_evaluate::*, policy_init::*, replay::*, sha256::*, types::*, validate::*,
};

use crate::counting::without_heap;

/// A value whose every byte is zero, for structs that a function fills or that zero is good for.
fn zeroed<T>() -> T {
    // SAFETY: only used for C structs of integers, pointers, optional functions and unchecked enums.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

const TEXT: &CStr = c"an answer, caf\xC3\xA9\n";

fn text() -> (*const c_char, usize) {
    (TEXT.as_ptr(), TEXT.to_bytes().len())
}

fn clear(faults: &ct_fault_flags_t) -> bool {
    *faults == ct_fault_flags_t::default()
}

/// An agent's ledger holds pointers into the structs, so they stay where they are.
struct Rig {
    agent: ax_agent_ctx_t,
    policy: ax_policy_ctx_t,
    faults: ct_fault_flags_t,
    work: [u8; 2048],
}

impl Rig {
    /// # Safety
    /// `rig` is zeroed and stays in place. Nobody refers to it but by this pointer, as in C.
    unsafe fn start(rig: *mut Rig) {
        // SAFETY: all pointers are to fields that stay in place.
        unsafe {
            let (agent, faults) = (&raw mut (*rig).agent, &raw mut (*rig).faults);
            ax_agent_init(agent, faults);
            ax_agent_bind(agent, faults);
            let ledger = &raw mut (*agent).ledger;
            let made = ax_policy_init(&raw mut (*rig).policy, ledger, agent, faults);
            assert_eq!(made, ax_policy_err_t::AX_POLICY_OK);
        }
    }
}

#[test]
fn types_dvm_sha256_commitment_validate_hash() {
    let mut faults = ct_fault_flags_t::default();
    let (data, len) = text();
    without_heap(|| {
        // SAFETY: the pointers are valid for the lengths given.
        unsafe {
            assert!(ax_abi_version() > 0);
            for pointer in [
                ax_version(),
                ax_unicode_version(),
                ax_strerror(-3),
                ax_strerror(9),
            ] {
                assert!(!CStr::from_ptr(pointer).is_empty());
            }
            assert_eq!(dvm_add_q16(1, 2, &mut faults), 3);
            assert_eq!(dvm_sub_q16(1, 2, &mut faults), -1);
            assert_eq!(dvm_mul_q16(65_536, 2, &mut faults), 2);
            assert_eq!(dvm_div_q16(4, 131_072, &mut faults), 2);
            let (mut hash, mut same) = ([0; 32], [0; 32]);
            axilog_sha256(&mut hash, data.cast(), len);
            ax_compute_input_hash(&mut same, data, len);
            assert_eq!(ax_hash_equal_ct(hash.as_ptr(), same.as_ptr(), 32), 1);
            ax_sha256(&mut same, null(), 0);
            assert_eq!(ax_hash_equal_ct(hash.as_ptr(), same.as_ptr(), 32), 0);
            axilog_commit(
                c"any".as_ptr(),
                data.cast(),
                len as u64,
                &mut hash,
                &mut faults,
            );
            assert!(clear(&faults));

            assert_eq!(ax_validate_utf8(data, len), 1);
            assert_eq!(ax_is_nfc(data, len), 1);
            assert_eq!(ax_contains_forbidden_control(data, len), 0);
            assert_eq!(ax_validate_encoding(data, len), 1);
            assert_eq!(ax_is_canonical_json(data, len), 0);
            let mut dst = [0; 64];
            let (to, room) = (dst.as_mut_ptr(), dst.len());
            assert_eq!(ax_normalise_line_endings(to, room, data, len), len as c_int);
            let valid = ax_validate_and_normalise(to, room, data, len, &mut faults);
            assert_eq!(valid, len as c_int);
            assert!(ax_validate_and_normalise(to, 2, data, len, &mut faults) < 0);
        }
    });
}

#[test]
fn canonical() {
    let (data, len) = text();
    let mut dst = [0; 256];
    let (to, room) = (dst.as_mut_ptr(), dst.len());
    let params = ax_oracle_params_t {
        max_tokens: -1,
        seed: -1,
        temperature: i32::MIN,
        top_p: i32::MIN,
    };
    without_heap(|| {
        // SAFETY: the pointers are valid for the lengths given.
        unsafe {
            for (written, expected) in [
                (ax_format_int64(to, room, i64::MIN), 20),
                (ax_format_uint64(to, room, u64::MAX), 20),
                (ax_format_q16(to, room, -1), 2),
                (ax_format_hash_hex(to, room, data.cast(), 16), 32),
                (ax_string_escape(to, room, data, len), len as c_int + 1),
                (ax_params_canonicalise(to, room, &params), 63),
            ] {
                assert_eq!(written, expected);
            }
            let profile = MaybeUninit::new(ax_profile_t::AX_PROFILE_ORACLE_1_2);
            let long = ax_string_escape_as(to, room, data, len, profile);
            assert_eq!(long, len as c_int + 5);
        }
    });
}

#[test]
fn obs() {
    let (data, len) = text();
    let (oracle, model) = (c"llm".as_ptr(), c"model-1".as_ptr());
    let mut output = [0; 64];
    let (to, room) = (output.as_mut_ptr(), output.len());
    let mut record: ax_obs_record_t = zeroed();
    let mut input: ax_obs_input_t = zeroed();
    let mut ctx: ax_admission_ctx_t = zeroed();
    let mut view: ax_obs_view_t = zeroed();
    let mut found = ax_profile_t::AX_PROFILE_ORACLE_1_2;
    let mut bytes = [0u8; 1024];
    let mut faults = ct_fault_flags_t::default();
    without_heap(|| {
        // SAFETY: the pointers are valid for the lengths given.
        unsafe {
            ax_obs_init(&mut record);
            ax_obs_input_init(&mut input);
            let to_record = bytes.as_mut_ptr().cast::<c_char>();
            ax_obs_input_set_complete(&mut input, 1, oracle, model, data, len, data, len, null());
            assert_eq!(
                ax_obs_admit(&mut record, to, room, &input, &mut ctx, &mut faults),
                0
            );
            assert_eq!(ax_obs_validate(&record, &mut faults), 0);
            assert_eq!(ax_obs_compute_hash(&mut record), 0);
            let mut derived = [0; 32];
            ax_compute_derivation_hash(&mut derived, &record, data, len);
            let length = ax_obs_canonicalise(to_record, 1024, &record, 1);
            let length = usize::try_from(length).unwrap();
            let parsed = ax_obs_parse(&mut view, bytes.as_ptr(), length, &mut found, &mut faults);
            assert_eq!((parsed, found), (0, ax_profile_t::AX_PROFILE_RFC8785));
            assert_eq!(ax_obs_output(&view, to, room), len as c_int);
            assert!(clear(&faults));
            let refused = ax_obs_parse(&mut view, bytes.as_ptr(), 9, null_mut(), &mut faults);
            assert!(refused < 0 && faults.schema == 1);

            ax_obs_input_set_timeout(&mut input, 2, oracle, model, data, len);
            assert_eq!(
                ax_obs_admit(&mut record, to, room, &input, &mut ctx, &mut faults),
                0
            );
            ax_obs_input_set_transport_error(&mut input, 2, oracle, model, data, len);
            let late = ax_obs_admit(&mut record, to, room, &input, &mut ctx, &mut faults);
            assert_eq!((late, faults.ordering), (AX_ERR_ORDERING, 1));
            ax_obs_input_set_invalid_output(&mut input, 3, oracle, model, data, len, data, len);
            assert_eq!(
                ax_obs_admit(&mut record, to, room, &input, &mut ctx, &mut faults),
                0
            );
            for profile in [
                ax_profile_t::AX_PROFILE_RFC8785,
                ax_profile_t::AX_PROFILE_ORACLE_1_1,
                ax_profile_t::AX_PROFILE_ORACLE_1_2,
            ] {
                let profile = MaybeUninit::new(profile);
                assert_eq!(ax_obs_compute_hash_as(&mut record, profile), 0);
                assert_eq!(ax_obs_validate(&record, &mut faults), 0);
                assert!(ax_obs_canonicalise_as(to_record, 1024, &record, 0, profile) > 0);
            }
        }
    });
}

unsafe extern "C" fn store(user: *mut c_void, _: *const ax_ledger_entry_t) -> c_int {
    // SAFETY: the tests below pass a counter.
    unsafe { *user.cast::<usize>() += 1 };
    0
}

#[test]
fn audit() {
    let mut faults = ct_fault_flags_t::default();
    let mut ledger: ax_ledger_ctx_t = zeroed();
    let mut stored = 0usize;
    let sink = ax_ledger_sink_t {
        append: Some(store),
        user: (&raw mut stored).cast(),
    };
    let evidence = ax_evidence_t {
        tag: c"AX:OBS:v1".as_ptr(),
        payload: b"{}".as_ptr(),
        payload_len: 2,
    };
    let mut entry: ax_ledger_entry_t = zeroed();
    let mut line = [0u8; 1024];
    without_heap(|| {
        // SAFETY: the pointers are valid for the lengths given.
        unsafe {
            assert_eq!(ax_ledger_genesis(&mut ledger, &mut faults), 0);
            assert_eq!(ax_ledger_set_sink(&mut ledger, &sink, &mut faults), 0);
            let mut commit = [0; 32];
            assert_eq!(ax_commit_evidence(&evidence, &mut commit, &mut faults), 0);
            assert_eq!(ax_ledger_append(&mut ledger, &commit, &mut faults), 0);
            assert_eq!(ax_ledger_record(&mut ledger, &evidence, &mut faults), 0);
            assert_eq!(ax_verify_chain(&ledger, &mut faults), 0);
            assert_eq!(ax_ledger_seal(&mut ledger, &mut faults), 0);
            assert!(clear(&faults));
            assert!(ax_ledger_seal(&mut ledger, &mut faults) < 0);
            let head = ledger.current_hash;
            assert_eq!(ax_ledger_resume(&mut ledger, &head, 3, &mut faults), 0);
            assert_eq!(ax_ledger_genesis_entry(&mut entry), 0);
            let length = ax_ledger_line_write(line.as_mut_ptr(), line.len(), &entry);
            let (length, mut tag) = (usize::try_from(length).unwrap(), [0; 16]);
            assert_eq!(
                ax_ledger_line_parse(&mut entry, &mut tag, line.as_ptr(), length),
                0
            );
        }
    });
    assert_eq!(stored, 2);
}

#[test]
fn policy() {
    let mut rig: Rig = zeroed();
    let rig = &raw mut rig;
    without_heap(|| {
        // SAFETY: the pointers are valid for the lengths given.
        unsafe {
            Rig::start(rig);
            assert_eq!(
                (ax_policy_get_count(), ax_policy_verify_registry_sorted()),
                (1, 1)
            );
            let registry = ax_policy_get_registry();
            let input = ax_policy_input_t {
                value: 4_587_521,
                ledger_seq: 1,
                obs_ledger_seq: 1,
            };
            let (policy, faults) = (&raw mut (*rig).policy, &raw mut (*rig).faults);
            let breach = ax_policy_result_t::AX_POLICY_BREACH;
            assert_eq!(ax_policy_evaluate_all(policy, &input, faults), breach);
            assert_eq!(
                ax_policy_evaluate(policy, (*registry).policies, &input, faults),
                breach
            );
            assert_eq!(ax_policy_has_breach(policy), 1);
            ax_policy_reset_cycle(policy);
            assert_eq!(ax_policy_has_breach(policy), 0);
            let less = MaybeUninit::new(ax_policy_cmp_t::AX_POLICY_CMP_LT);
            assert_eq!(ax_policy_check_breach(1, 1, less), 0);
            let record = ax_policy_record_t {
                actual: 1,
                ledger_seq: 1,
                obs_ledger_seq: 1,
                policy_id: c"P".as_ptr(),
                result: 1,
                threshold: 1,
            };
            let mut text = [0; 224];
            assert!(ax_policy_serialize(text.as_mut_ptr(), 224, &record, faults) > 0);
            let mut hash = [0; 32];
            assert_eq!(ax_policy_config_hash(policy, &mut hash, faults), 0);
            assert!(!ax_policy_result_to_str(MaybeUninit::new(breach)).is_null());
            assert!(!ax_policy_cmp_to_str(less).is_null());
            let (ledger, agent) = (&raw mut (*rig).agent.ledger, &raw mut (*rig).agent);
            let made = ax_policy_init_with_registry(policy, registry, ledger, agent, faults);
            assert_eq!(made, ax_policy_err_t::AX_POLICY_OK);
            assert!(clear(&*faults));
            assert_eq!((*agent).ledger.sequence, 2);
        }
    });
}

/// Everything that an agent commits goes straight into a replay, and comes back as an agent.
unsafe extern "C" fn replay_it(user: *mut c_void, entry: *const ax_ledger_entry_t) -> c_int {
    let mut faults = ct_fault_flags_t::default();
    // SAFETY: the test below passes a replay.
    let verdict = unsafe { ax_replay_feed(user.cast(), entry, &mut faults) };
    c_int::from(verdict != ax_verdict_t::AX_VERDICT_OK || !clear(&faults))
}

#[test]
fn agent_and_replay() {
    let (mut rig, mut replay): (Rig, ax_replay_ctx_t) = (zeroed(), zeroed());
    let (rig, replay) = (&raw mut rig, &raw mut replay);
    let mut entry: ax_ledger_entry_t = zeroed();
    let sink = ax_ledger_sink_t {
        append: Some(replay_it),
        user: replay.cast(),
    };
    let mut input: ax_obs_input_t = zeroed();
    let output = c"{\"value\":1}";
    without_heap(|| {
        // SAFETY: the pointers are valid for the lengths given.
        unsafe {
            Rig::start(rig);
            let (agent, policy) = (&raw mut (*rig).agent, &raw mut (*rig).policy);
            let (faults, work) = (&raw mut (*rig).faults, (&raw mut (*rig).work).cast());
            let registry = ax_policy_get_registry();
            assert_eq!(ax_replay_init(replay, registry, 0, 0, faults), 0);
            assert_eq!(ax_ledger_genesis_entry(&mut entry), 0);
            let good = ax_verdict_t::AX_VERDICT_OK;
            assert_eq!(ax_replay_feed(replay, &entry, faults), good);
            ax_ledger_set_sink(&raw mut (*agent).ledger, &sink, faults);
            let reset = MaybeUninit::new(ax_input_class_t::AX_INPUT_RESET_REQUEST);
            let room = 2048;
            assert_eq!(
                ax_agent_observe_control(agent, policy, reset, work, room, faults),
                0
            );
            assert_eq!(
                ax_agent_observe_time(agent, policy, 1, work, room, faults),
                0
            );
            for answer in [output, c"prose", c"\xff"] {
                let (data, len) = (answer.as_ptr(), answer.to_bytes().len());
                let (oracle, model) = (c"llm".as_ptr(), c"m".as_ptr());
                ax_obs_input_set_complete(
                    &mut input,
                    0,
                    oracle,
                    model,
                    data,
                    len,
                    data,
                    len,
                    null(),
                );
                let result = ax_agent_observe(agent, policy, &input, work, room, faults);
                let expected = if answer == c"\xff" {
                    AX_ERR_ENCODING
                } else {
                    AX_OK
                };
                assert_eq!(result, expected);
            }
            assert!(clear(&*faults));
            let head = (*agent).ledger.current_hash;
            let entries = (*agent).ledger.sequence + 1;
            let verdict = ax_replay_finish(replay, entries, &head, faults);
            assert_eq!(verdict, good);
            let mut again: ax_agent_ctx_t = zeroed();
            assert_eq!(ax_replay_agent(replay, &mut again, faults), 0);
            assert_eq!(again.ledger.current_hash, head);
            assert_eq!(ax_replay_complete(replay, &mut again, faults), 0);
            assert!(!ax_verdict_to_str(MaybeUninit::new(good)).is_null());

            let bare = b"{\"timestamp\":9}";
            let stepped = ax_input_t {
                r#type: MaybeUninit::new(ax_input_class_t::AX_INPUT_TIME_OBS),
                payload: bare.as_ptr(),
                payload_len: bare.len() as u64,
                ledger_seq: 99,
            };
            let mut timestamp = 0;
            assert_eq!(
                ax_extract_timestamp(bare.as_ptr(), 15, &mut timestamp, faults),
                1
            );
            assert_eq!((timestamp, ax_agent_extract_value(&stepped)), (9, i32::MIN));
            ax_ledger_set_sink(&raw mut (*agent).ledger, null(), faults);
            axilog_agent_step(agent, policy, &stepped, faults);
            assert_eq!((*agent).last_timestamp, 9);
            let alarm = MaybeUninit::new(ax_health_state_t::AX_HEALTH_ALARM);
            let next = MaybeUninit::new(ax_agent_determine_next(alarm, reset));
            ax_agent_commit_transition(agent, &stepped, next, faults);
            let names = [
                ax_health_state_to_str(alarm),
                ax_input_class_to_str(reset),
                ax_violation_to_str(MaybeUninit::new(ax_violation_t::AX_VIOLATION_PROTOCOL)),
            ];
            assert!(names.iter().all(|name| !name.is_null()));
            assert!(clear(&*faults));
        }
    });
}
