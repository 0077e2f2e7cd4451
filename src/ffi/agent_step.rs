//! `agent.h`, third part: the pieces of a step, for firmware with a step of its own, and names
//! (c-abi.md; SRS-004 §25.5).

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::agent::{
    ax_agent_ctx_t, ax_health_state_t, ax_input_class_t, ax_input_t, ax_violation_t, health_of,
    load_class, load_health, load_violation,
};
use super::pointer::{Flags, bytes};
use super::sink::CSink;
use super::types::{ct_fault_flags_t, q16_16_t};
use crate::agent::state::{Health, InputClass, Violation, determine_next};
use crate::agent::stimulus::{extract_timestamp, extract_value};
use crate::fault::{Fault, Faults};
use crate::json::extract::NO_VALUE;

/// The value of the selector "value" in the answer that input holds, raw Q16.16; INT32_MIN where
/// there is none, or input is NULL (formats.md §4).
///
/// # Safety
/// input is NULL or readable, its payload too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_agent_extract_value(input: *const ax_input_t) -> q16_16_t {
    // SAFETY: by contract.
    unsafe { input.as_ref().and_then(|input| input.load()) }
        .map_or(NO_VALUE, |input| extract_value(&input))
}

/// The pure table of intended transitions (formats.md §5). A number that is no state gives STOPPED.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_agent_determine_next(
    state: MaybeUninit<ax_health_state_t>,
    input_class: MaybeUninit<ax_input_class_t>,
) -> ax_health_state_t {
    health_of(
        determine_next(
            load_health(state).unwrap_or(Health::Stopped),
            load_class(input_class),
        )
        .0,
    )
}

/// Commits an AX:TRANS:v1 from ctx->health to next with ctx->violation, clears the violation and
/// applies the fault count. ctx->health is the caller's to change, and only if no flag is set.
///
/// Where the record cannot be committed (flags ledger_fail and perhaps io_error) the violation is
/// COMMIT_FAILURE. A NULL, a ledger that was never initialised or a next that is no state: flag
/// domain, nothing else.
///
/// # Safety
/// ctx is NULL or an agent with a valid sink; input is NULL or readable; its payload is not read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_agent_commit_transition(
    ctx: *mut ax_agent_ctx_t,
    input: *const ax_input_t,
    next: MaybeUninit<ax_health_state_t>,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return;
    };
    // SAFETY: by contract; no reference to the agent is held while the sink is called.
    unsafe {
        let agent = ctx.as_ref().and_then(ax_agent_ctx_t::load);
        let (Some(mut agent), Some(input), Some(next)) = (agent, input.as_ref(), load_health(next))
        else {
            flags.set(Fault::Domain);
            return;
        };
        let mut sink = CSink::new((*ctx).ledger.sink);
        let mut raised = Faults::NONE;
        let class = load_class(input.r#type);
        // The flags and the violation say everything that the result does.
        let _ = agent.commit_transition(class, input.ledger_seq, next, &mut sink, &mut raised);
        (*ctx).store(&agent);
        flags.raise(raised);
    }
}

/// The timestamp of a time payload: {"timestamp":N} itself, or the record of an ax.time observation.
///
/// Returns 1 and writes out, or 0 and leaves it; flag domain for a NULL, and nothing at all but 0
/// for a NULL faults.
///
/// # Safety
/// payload is NULL or points to payload_len bytes; out is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_extract_timestamp(
    payload: *const u8,
    payload_len: u64,
    out: *mut u64,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return 0;
    };
    let len = usize::try_from(payload_len).ok();
    // SAFETY: by contract.
    let payload = len.and_then(|len| unsafe { bytes(payload, len) });
    let Some(payload) = payload.filter(|_| !out.is_null()) else {
        flags.set(Fault::Domain);
        return 0;
    };
    match extract_timestamp(payload) {
        Some(timestamp) => {
            // SAFETY: not NULL.
            unsafe { out.write(timestamp) }
            1
        }
        None => 0,
    }
}

/// The state's name, such as "ENABLED"; "UNKNOWN" for another number. Never NULL.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_health_state_to_str(
    state: MaybeUninit<ax_health_state_t>,
) -> *const c_char {
    match load_health(state) {
        Some(Health::Uninit) => c"UNINIT",
        Some(Health::Init) => c"INIT",
        Some(Health::Enabled) => c"ENABLED",
        Some(Health::Alarm) => c"ALARM",
        Some(Health::Degraded) => c"DEGRADED",
        Some(Health::Stopped) => c"STOPPED",
        None => c"UNKNOWN",
    }
    .as_ptr()
}

/// The class's name, such as "LLM_OBS"; "UNKNOWN" for another number. Never NULL.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_input_class_to_str(
    input_class: MaybeUninit<ax_input_class_t>,
) -> *const c_char {
    match load_class(input_class) {
        Some(InputClass::TimeObs) => c"TIME_OBS",
        Some(InputClass::LlmObs) => c"LLM_OBS",
        Some(InputClass::PolicyTrigger) => c"POLICY_TRIGGER",
        Some(InputClass::FaultSignal) => c"FAULT_SIGNAL",
        Some(InputClass::ResetRequest) => c"RESET_REQUEST",
        None => c"UNKNOWN",
    }
    .as_ptr()
}

/// The violation's name, such as "POLICY_BREACH"; NULL for none, "UNKNOWN" for another number.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_violation_to_str(
    violation: MaybeUninit<ax_violation_t>,
) -> *const c_char {
    match load_violation(violation) {
        None => c"UNKNOWN",
        Some(None) => return core::ptr::null(),
        Some(Some(Violation::TimeRollback)) => c"TIME_ROLLBACK",
        Some(Some(Violation::PolicyBreach)) => c"POLICY_BREACH",
        Some(Some(Violation::FaultBudgetExceeded)) => c"FAULT_BUDGET_EXCEEDED",
        Some(Some(Violation::ProtocolViolation)) => c"PROTOCOL_VIOLATION",
        Some(Some(Violation::GenesisMismatch)) => c"GENESIS_MISMATCH",
        Some(Some(Violation::CommitFailure)) => c"COMMIT_FAILURE",
        Some(Some(Violation::SequenceOrder)) => c"SEQUENCE_ORDER",
        Some(Some(Violation::Terminality)) => c"TERMINALITY",
    }
    .as_ptr()
}
