//! The agent of deployed rigs: a step of three arguments, which knows no policies.
//!
//! The rig evaluates its policies itself and tells a breach by a fault signal or not at all, so an answer is not
//! read here. Where SRS-004 §19 and the deployed step contradict each other, this one follows the deployed step,
//! but for what docs/rigs.md lists under "What differs from the deployed code". With `AXILOG_COMPAT_AS_DEPLOYED` it
//! follows it there too.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use crate::agent::Agent;
use crate::agent::state::{
    FAULT_THRESHOLD_ALARM, FAULT_THRESHOLD_STOP, Health, InputClass, Violation, determine_next,
};
use crate::evidence::transition::TransitionRecord;
use crate::fault::{Fault, Faults};
use crate::ffi::agent::{
    ax_agent_ctx_t, ax_health_state_t, ax_input_t, load_class, load_health, violation_of,
};
use crate::ffi::pointer::{Flags, bytes};
use crate::ffi::sink::CSink;
use crate::ffi::types::ct_fault_flags_t;
use crate::hash::{GOLDEN_GENESIS, Tag};
use crate::sink::shared;

/// Acts on one input whose observation is already in the agent's ledger.
///
/// What differs from `ax_agent_step`: flags that are set on entry are ignored, a sequence that does not increase is
/// recorded, an answer's record is not read, and a ledger that was never initialised stops the agent.
///
/// # Safety
/// `ctx` is NULL or an agent with a valid sink or none; `input` is NULL or readable, its payload too; `faults` is
/// NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_agent_step")]
pub unsafe extern "C" fn ax_compat_agent_step(
    ctx: *mut ax_agent_ctx_t,
    input: *const ax_input_t,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: forwarded.
    unsafe { step::<false>(ctx, input, faults) }
}

/// Acts on one input as the deployed step does, also where no reader of ledgers takes its records: a STOPPED agent
/// goes on recording, a state and a class without a name are recorded as UNKNOWN, a class without a name changes
/// nothing, the count of faults wraps around, and a reset does not look at the genesis.
///
/// # Safety
/// As for `ax_compat_agent_step`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_agent_step")]
pub unsafe extern "C" fn ax_compat_raw_agent_step(
    ctx: *mut ax_agent_ctx_t,
    input: *const ax_input_t,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: forwarded.
    unsafe { step::<true>(ctx, input, faults) }
}

/// # Safety
/// As for `ax_compat_agent_step`.
unsafe fn step<const AS_DEPLOYED: bool>(
    ctx: *mut ax_agent_ctx_t,
    input: *const ax_input_t,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: by contract; no reference to the agent is held while the sink is called.
    unsafe {
        let Some(flags) = Flags::new(faults) else {
            return;
        };
        let (Some(raw), Some(input)) = (ctx.as_ref(), input.as_ref()) else {
            flags.set(Fault::Domain);
            return;
        };
        let initialised = super::ledger::load(&raw.ledger).is_some();
        let state = load_health(raw.health);
        // `load` counts a state without a name as failed, which the deployed step does not.
        let failed = raw.local_failed_flag != 0 || (state.is_none() && !AS_DEPLOYED);
        let agent = match raw.load() {
            Some(agent) if initialised && !failed && !agent.ledger.failed => Agent {
                failed: false,
                ..agent
            },
            _ => {
                flags.set(Fault::LedgerFail);
                halt(ctx, !initialised);
                return;
            }
        };
        if state == Some(Health::Stopped) && !AS_DEPLOYED {
            flags.set(Fault::Domain);
            (*ctx).violation = MaybeUninit::new(violation_of(Some(Violation::Terminality)));
            return;
        }
        let payload = usize::try_from(input.payload_len)
            .ok()
            .and_then(|len| bytes(input.payload, len))
            .unwrap_or_default();
        let class = load_class(input.r#type);
        let (mut stepped, transition) =
            decide::<AS_DEPLOYED>(agent, state, class, payload, input.ledger_seq);
        let mut sink = CSink::new((*ctx).ledger.sink);
        let committed = stepped.ledger.record_written(
            Tag::Trans,
            |out| transition.write_from(state.map_or("UNKNOWN", Health::as_str), shared(out)),
            &mut sink,
            &mut Faults::default(),
        );
        if committed.is_err() {
            flags.set(Fault::LedgerFail);
            halt(ctx, true);
            return;
        }
        (*ctx).store(&stepped);
    }
}

/// Stops the agent for good, and its ledger where that is the reason.
///
/// # Safety
/// `ctx` is an agent.
unsafe fn halt(ctx: *mut ax_agent_ctx_t, fails_ledger: bool) {
    // SAFETY: by contract.
    unsafe {
        (*ctx).health = MaybeUninit::new(ax_health_state_t::AX_HEALTH_STOPPED);
        if (*ctx).local_failed_flag == 0 {
            (*ctx).local_failed_flag = 1;
        }
        if fails_ledger {
            (*ctx).ledger.failed = 1;
        }
    }
}

/// What an agent that may act becomes by an input, and the record that says so. A state without a name is `None`.
fn decide<const AS_DEPLOYED: bool>(
    mut agent: Agent,
    state: Option<Health>,
    class: Option<InputClass>,
    payload: &[u8],
    ledger_seq: u64,
) -> (Agent, TransitionRecord) {
    let prev = agent.health;
    let (next, violation) = match refusal_of(&agent, class, payload, ledger_seq) {
        Some(Violation::SequenceOrder) => (Health::Stopped, Some(Violation::SequenceOrder)),
        refusal => {
            if class == Some(InputClass::FaultSignal) {
                agent.fault_count = match AS_DEPLOYED {
                    true => agent.fault_count.wrapping_add(1),
                    false => agent.fault_count.saturating_add(1),
                };
            }
            match (refusal, state, class) {
                (Some(violation), _, _) => (Health::Stopped, Some(violation)),
                (None, None, _) => (Health::Stopped, Some(Violation::ProtocolViolation)),
                (None, Some(Health::Stopped), _) => (Health::Stopped, Some(Violation::Terminality)),
                (None, Some(Health::Uninit), Some(InputClass::ResetRequest)) if AS_DEPLOYED => {
                    (Health::Init, None)
                }
                (None, Some(state), None) if AS_DEPLOYED && state != Health::Uninit => {
                    (state, None)
                }
                _ => next_of(&agent, class),
            }
        }
    };
    let timestamp = read_timestamp(payload);
    if let (Some(InputClass::TimeObs), Some(timestamp), None) = (class, timestamp, violation) {
        agent.last_timestamp = timestamp;
    }
    if class == Some(InputClass::ResetRequest) && next == Health::Init && prev != Health::Init {
        agent.fault_count = 0;
    }
    agent.health = next;
    agent.last_seen_seq = ledger_seq;
    agent.violation = None;
    let transition = TransitionRecord {
        fault_count: agent.fault_count,
        input_class: class,
        ledger_seq,
        next_state: next,
        prev_state: prev,
        violation,
    };
    (agent, transition)
}

/// Why an input stops the agent, whatever its state.
fn refusal_of(
    agent: &Agent,
    class: Option<InputClass>,
    payload: &[u8],
    ledger_seq: u64,
) -> Option<Violation> {
    if agent.last_seen_seq != 0 && ledger_seq <= agent.last_seen_seq {
        return Some(Violation::SequenceOrder);
    }
    match (class, read_timestamp(payload)) {
        (Some(InputClass::TimeObs), None) => Some(Violation::ProtocolViolation),
        (Some(InputClass::TimeObs), Some(timestamp)) => (agent.last_timestamp != 0
            && timestamp <= agent.last_timestamp)
            .then_some(Violation::TimeRollback),
        _ => None,
    }
}

/// The next state by the table of transitions, faults and the genesis.
fn next_of(agent: &Agent, class: Option<InputClass>) -> (Health, Option<Violation>) {
    let prev = agent.health;
    match (prev, class) {
        (Health::Enabled, Some(InputClass::FaultSignal)) => match agent.fault_count {
            FAULT_THRESHOLD_STOP.. => (Health::Stopped, Some(Violation::FaultBudgetExceeded)),
            FAULT_THRESHOLD_ALARM.. => (Health::Alarm, None),
            _ => (prev, None),
        },
        (Health::Uninit, Some(InputClass::ResetRequest))
            if agent.ledger.genesis != GOLDEN_GENESIS =>
        {
            (Health::Stopped, Some(Violation::GenesisMismatch))
        }
        _ => determine_next(prev, class),
    }
}

/// The number of `{"timestamp":N}`, where N may begin with zeros.
fn read_timestamp(payload: &[u8]) -> Option<u64> {
    let digits = payload
        .strip_prefix(b"{\"timestamp\":")?
        .strip_suffix(b"}")?;
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Reads a timestamp; what is none also sets `domain`.
///
/// # Safety
/// `payload` is NULL or readable; `out` is NULL or writable; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_extract_timestamp")]
pub unsafe extern "C" fn ax_compat_extract_timestamp(
    payload: *const u8,
    payload_len: u64,
    out: *mut u64,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        let Some(flags) = Flags::new(faults) else {
            return 0;
        };
        let timestamp = usize::try_from(payload_len)
            .ok()
            .and_then(|len| bytes(payload, len))
            .and_then(read_timestamp);
        let (Some(timestamp), false) = (timestamp, out.is_null()) else {
            flags.set(Fault::Domain);
            return 0;
        };
        out.write(timestamp);
        1
    }
}
