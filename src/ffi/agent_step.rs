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

/// Extracts the value of the selector "value" from the answer that an input holds.
///
/// @param input Input whose payload is an AX:OBS:v1 record, borrowed for the call; may be NULL.
/// @return The value, raw Q16.16; INT32_MIN where there is none.
/// @see SRS-004 §11.3 and §25.5; formats.md §4 (Extracting the value)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_extract_value")]
pub unsafe extern "C" fn ax_agent_extract_value(input: *const ax_input_t) -> q16_16_t {
    // SAFETY: by contract.
    unsafe { input.as_ref().and_then(|input| input.load()) }
        .map_or(NO_VALUE, |input| extract_value(&input))
}

/// Looks up the intended transition, on top of which a step applies policies, faults, time and
/// genesis.
///
/// @param state State before the input; a number that is not a state gives STOPPED.
/// @param input_class Class of the input; a number that is not a class gives STOPPED.
/// @return The intended next state.
/// @see SRS-004 §19 and §25.5; formats.md §5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_agent_determine_next")]
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

/// Commits an AX:TRANS:v1 record from ctx->health to next with ctx->violation, clears the
/// violation and applies the fault count.
///
/// The caller changes ctx->health afterwards, and only where no flag is set. Where the record
/// cannot be committed (flags ledger_fail and perhaps io_error), the violation is COMMIT_FAILURE.
///
/// @param ctx Agent with a valid sink or none. NULL, or a ledger that was never initialised, sets
///     domain.
/// @param input Input whose type and sequence the record names, borrowed for the call; its payload
///     is not read. NULL sets domain.
/// @param next State that the record names as the next; a number that is not a state sets domain.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing.
/// @see SRS-004 §19.1 and §25.5; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_commit_transition")]
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

/// Reads the timestamp of a time payload: {"timestamp":N} itself, or the record of an ax.time
/// observation.
///
/// @param payload Bytes of the payload, borrowed for the call; may be NULL where payload_len is 0.
/// @param payload_len Bytes of payload.
/// @param out Receives the timestamp in the integrator's unit; overlaps no other argument. Untouched
///     on failure. NULL sets domain.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns 0.
/// @return 1 where the payload has a timestamp, else 0.
/// @see SRS-004 §25.5; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_extract_timestamp")]
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

/// Names a health state as records do.
///
/// @param state State, or any other number.
/// @return A static string of the library, never NULL: such as "ENABLED", or "UNKNOWN" for another
///     number.
/// @see SRS-004 §19; formats.md §5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_health_state_to_str")]
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

/// Names an input class as records do.
///
/// @param input_class Class, or any other number.
/// @return A static string of the library, never NULL: such as "LLM_OBS", or "UNKNOWN" for another
///     number.
/// @see SRS-004 §19; formats.md §5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_input_class_to_str")]
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

/// Names a violation as records do.
///
/// @param violation Violation, or any other number.
/// @return A static string of the library, such as "POLICY_BREACH", or "UNKNOWN" for another
///     number; NULL for AX_VIOLATION_NONE.
/// @see SRS-004 §19; formats.md §5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_violation_to_str")]
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
