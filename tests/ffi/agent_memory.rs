//! Agents and replays through the C functions, in memory that nobody cleared, with sinks that look at
//! what is going on and refuse. Under Miri (`cargo xtask miri`) a reference that is still held where C
//! may look is an error.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null;

use axilog::ffi::{
    agent::*, agent_observe::*, audit::*, audit_line::*, audit_record::*, obs::*, obs_input::*,
    policy::*, policy_init::*, replay::*, types::*,
};

use crate::buffers::{ANSWER, Room, exact, flags};

/// Everything that a sink looks at while it is called: its entry, the live agent and ledger.
struct SinkContext {
    agent: *const ax_agent_ctx_t,
    lines: Vec<u8>,
    count: usize,
    fails_at: usize,
}

unsafe extern "C" fn look(user: *mut c_void, entry: *const ax_ledger_entry_t) -> c_int {
    // SAFETY: the tests below pass a `SinkContext`.
    unsafe {
        let context = &mut *user.cast::<SinkContext>();
        if context.count == context.fails_at {
            return 1;
        }
        context.count += 1;
        let agent = context.agent.read();
        // The context is written back when the call is over, whatever it records.
        assert!(agent.ledger.sequence < (*entry).sequence);
        assert_eq!(
            ax_verify_chain(&raw const (*context.agent).ledger, &mut flags()),
            AX_OK
        );
        let mut room = Room::new(4096);
        let len = ax_ledger_line_write(room.at(), 4096, entry);
        context
            .lines
            .extend(room.written(usize::try_from(len).unwrap()));
        0
    }
}

/// Runs an agent in memory that nobody cleared, with `work` uninitialised bytes and a sink that
/// refuses record `fails_at`; gives the lines, the genesis first, and how often it was refused.
fn run(work: usize, fails_at: usize) -> (Vec<u8>, ax_agent_ctx_t, usize) {
    let mut agent = Box::<ax_agent_ctx_t>::new_uninit();
    let mut policy = Box::<ax_policy_ctx_t>::new_uninit();
    let mut input = Box::<ax_obs_input_t>::new_uninit();
    let (agent, policy) = (agent.as_mut_ptr(), policy.as_mut_ptr());
    let mut context = SinkContext {
        agent,
        lines: Vec::new(),
        count: 0,
        fails_at,
    };
    let sink = ax_ledger_sink_t {
        append: Some(look),
        user: (&raw mut context).cast(),
    };
    let mut faults = Box::new(flags());
    let faults = &raw mut *faults;
    let (_text, text, len) = exact(ANSWER.as_bytes());
    let mut codes = Vec::new();
    // SAFETY: every pointer is to memory that stays and is of the length given.
    unsafe {
        ax_agent_init(agent, faults);
        let ledger = &raw mut (*agent).ledger;
        assert_eq!(ax_ledger_set_sink(ledger, &sink, faults), AX_OK);
        let made = ax_policy_init(policy, ledger, agent, faults);
        assert_eq!(made, ax_policy_err_t::AX_POLICY_OK);
        let reset = MaybeUninit::new(ax_input_class_t::AX_INPUT_RESET_REQUEST);
        let mut room = Room::new(work);
        codes.push(ax_agent_observe_control(
            agent,
            policy,
            reset,
            room.at(),
            work,
            faults,
        ));
        let mut room = Room::new(work);
        codes.push(ax_agent_observe_time(
            agent,
            policy,
            1,
            room.at(),
            work,
            faults,
        ));
        let (llm, model) = (c"llm".as_ptr(), c"m".as_ptr());
        ax_obs_input_set_complete(
            input.as_mut_ptr(),
            0,
            llm,
            model,
            text,
            len,
            text,
            len,
            null(),
        );
        let mut room = Room::new(work);
        codes.push(ax_agent_observe(
            agent,
            policy,
            input.as_ptr(),
            room.at(),
            work,
            faults,
        ));
        ax_ledger_seal(ledger, faults);
        let refused = codes.iter().filter(|&&code| code != AX_OK).count();
        (context.lines, agent.read(), refused)
    }
}

#[test]
fn agents_in_uncleared_memory() {
    let (lines, agent, refused) = run(1024, usize::MAX);
    assert_eq!((refused, agent.ledger.sealed), (0, 1));
    let mut entry = Box::<ax_ledger_entry_t>::new_uninit();
    let mut replay = Box::<ax_replay_ctx_t>::new_uninit();
    let mut again = Box::<ax_agent_ctx_t>::new_uninit();
    let mut faults = flags();
    let replay = replay.as_mut_ptr();
    // SAFETY: every pointer is to memory of the length given.
    unsafe {
        assert_eq!(
            ax_replay_init(replay, ax_policy_get_registry(), 0, 0, &mut faults),
            AX_OK
        );
        assert_eq!(ax_ledger_genesis_entry(entry.as_mut_ptr()), AX_OK);
        let good = ax_verdict_t::AX_VERDICT_OK;
        assert_eq!(ax_replay_feed(replay, entry.as_ptr(), &mut faults), good);
        for line in lines.split_inclusive(|&b| b == b'\n') {
            let (_line, at, len) = exact(line);
            let mut tag = Box::new_uninit();
            let parsed = ax_ledger_line_parse(entry.as_mut_ptr(), tag.as_mut_ptr(), at.cast(), len);
            assert_eq!(parsed, AX_OK);
            assert_eq!(ax_replay_feed(replay, entry.as_ptr(), &mut faults), good);
        }
        let head = agent.ledger.current_hash;
        assert_eq!(ax_replay_finish(replay, 0, &head, &mut faults), good);
        assert_eq!(
            ax_replay_agent(replay, again.as_mut_ptr(), &mut faults),
            AX_OK
        );
        assert_eq!(
            ax_replay_complete(replay, again.as_mut_ptr(), &mut faults),
            AX_OK
        );
        assert_eq!((*again.as_ptr()).ledger.current_hash, head);
    }
    assert!(faults == flags());
}

#[test]
fn agents_whose_sink_refuses() {
    let all = run(1024, usize::MAX).0;
    let mut kept = 0;
    for fails_at in 0..all.iter().filter(|&&b| b == b'\n').count() {
        let (lines, agent, _) = run(1024, fails_at);
        assert!(all.starts_with(&lines) && lines.len() >= kept);
        assert_eq!(agent.ledger.failed, 1);
        kept = lines.len();
    }
}

#[test]
fn agents_with_little_room_to_work() {
    let (mut refused, mut kept) = (3, 0);
    for work in (0..640).step_by(if cfg!(miri) { 80 } else { 1 }) {
        let (lines, _, refusals) = run(work, usize::MAX);
        // An answer that is no longer cut needs no RAW record.
        let is_raw = |line: &&[u8]| line.windows(12).any(|part| part == b"\"kind\":\"RAW\"");
        let lines = lines.split_inclusive(|&b| b == b'\n');
        let held = lines.filter(|line| !is_raw(line)).map(<[u8]>::len).sum();
        assert!(refusals <= refused && held >= kept, "{work}");
        (refused, kept) = (refusals, held);
    }
    assert_eq!(refused, 0);
}
