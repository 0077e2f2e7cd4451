//! What the policy context of C says after a step (formats.md §5, rule 6; c-abi.md, policy.h).

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null;

use axilog::ffi::{
    agent::*, agent_observe::*, audit::*, obs::*, obs_input::*, policy::*, policy_evaluate::*,
    policy_init::*, types::*,
};

/// Stores as many records as `user` counts, and refuses the next.
unsafe extern "C" fn store(user: *mut c_void, _: *const ax_ledger_entry_t) -> c_int {
    // SAFETY: the tests pass a counter.
    let room = unsafe { &mut *user.cast::<u32>() };
    match room.checked_sub(1) {
        Some(rest) => {
            *room = rest;
            0
        }
        None => -1,
    }
}

/// Runs a permitted answer, then the answer `{"value":1}` again with room for `room` records only.
/// Gives the code of the second and the context after it.
fn second_answer(room: u32) -> (c_int, ax_policy_ctx_t) {
    let mut left = 100u32;
    let sink = ax_ledger_sink_t {
        append: Some(store),
        user: (&raw mut left).cast(),
    };
    let mut faults = ct_fault_flags_t::default();
    let mut work = [0u8; 1024];
    let output = c"{\"value\":1}";
    let (data, len) = (output.as_ptr(), output.to_bytes().len());
    // SAFETY: zero is good for these structs of integers and pointers until they are filled; every
    // pointer is valid for the length given and stays so.
    unsafe {
        let mut agent: ax_agent_ctx_t = MaybeUninit::zeroed().assume_init();
        let mut policy: ax_policy_ctx_t = MaybeUninit::zeroed().assume_init();
        let mut input: ax_obs_input_t = MaybeUninit::zeroed().assume_init();
        let (agent, policy) = (&raw mut agent, &raw mut policy);
        let (faults, to) = (&raw mut faults, work.as_mut_ptr());
        ax_agent_init(agent, faults);
        let ledger = &raw mut (*agent).ledger;
        ax_policy_init(policy, ledger, agent, faults);
        ax_ledger_set_sink(ledger, &sink, faults);
        let reset = MaybeUninit::new(ax_input_class_t::AX_INPUT_RESET_REQUEST);
        assert_eq!(
            ax_agent_observe_control(agent, policy, reset, to, 1024, faults),
            0
        );
        assert_eq!(ax_agent_observe_time(agent, policy, 1, to, 1024, faults), 0);
        let (oracle, model) = (c"llm".as_ptr(), c"m".as_ptr());
        ax_obs_input_set_complete(&mut input, 0, oracle, model, null(), 0, data, len, null());
        assert_eq!(ax_agent_observe(agent, policy, &input, to, 1024, faults), 0);
        assert_eq!(
            (ax_policy_has_breach(policy), (*policy).evaluation_count),
            (0, 1)
        );
        sink.user.cast::<u32>().write(room);
        let code = ax_agent_observe(agent, policy, &input, to, 1024, faults);
        (code, policy.read())
    }
}

/// Whoever asks the context and not the return code must not be told that all is well.
#[test]
fn what_cannot_be_committed_is_a_breach() {
    for room in 0..3 {
        let (code, policy) = second_answer(room);
        assert_eq!((code, policy.breach_flag), (AX_ERR_LEDGER, 1), "{room}");
    }
    let (code, policy) = second_answer(3);
    assert_eq!(
        (code, policy.breach_flag, policy.evaluation_count),
        (0, 0, 1)
    );
}
