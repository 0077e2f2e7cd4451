//! `host.h`: recording the time and control inputs, and the seal.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use axilog::agent::state::InputClass;
use axilog::ffi::agent::ax_input_class_t;
use axilog_ledger::session::Session;

use crate::boundary::run;
use crate::decision::axh_decision_t;
use crate::open_ledgers::{decide, step};
use crate::options::axh_ledger_t;
use crate::pointer::{Output, enum_number, invalid};

/// Records the time, which policies on elapsed judge.
///
/// @param ledger Ledger that records the time.
/// @param timestamp Time in the unit of the ledger's other times; it must be after the last one.
/// @param force 1: record a time too that is not after the last one, which stops the agent for good; else 0.
/// @param decision Receives the decision; its size is set by the caller. On failure all after the size is 0. NULL where
///     it is not wanted.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT decision has another size.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_REFUSED The time is not after the last one, or the ledger is sealed; nothing was recorded.
/// @retval AXH_ERR_LEDGER The ledger has failed; nothing was recorded.
/// @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
/// @see SRS-004 §19; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_time(
    ledger: *const axh_ledger_t,
    timestamp: u64,
    force: c_int,
    decision: *mut axh_decision_t,
) -> c_int {
    run(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::optional("decision", decision) }?;
        decide(ledger, out, |session| {
            session.observe_time(timestamp, force != 0)
        })
    })
}

/// Records a control input: an operator's or the machine's, not an oracle's.
///
/// @param ledger Ledger that records the input.
/// @param input AX_INPUT_RESET_REQUEST, which the time must follow, AX_INPUT_POLICY_TRIGGER for an alarm that was
///     handled, or AX_INPUT_FAULT_SIGNAL for a fault of the machine.
/// @param decision Receives the decision; its size is set by the caller. On failure all after the size is 0. NULL where
///     it is not wanted.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT input is another number, or decision has another size.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_REFUSED The ledger is sealed; nothing was recorded.
/// @retval AXH_ERR_LEDGER The ledger has failed; nothing was recorded.
/// @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
/// @see SRS-004 §19; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_control(
    ledger: *const axh_ledger_t,
    input: MaybeUninit<ax_input_class_t>,
    decision: *mut axh_decision_t,
) -> c_int {
    run(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::optional("decision", decision) }?;
        let class = match enum_number(input) {
            2 => InputClass::PolicyTrigger,
            3 => InputClass::FaultSignal,
            4 => InputClass::ResetRequest,
            number => {
                return Err(invalid(format!(
                    "input is {number}, expected AX_INPUT_RESET_REQUEST, AX_INPUT_POLICY_TRIGGER or AX_INPUT_FAULT_SIGNAL"
                )));
            }
        };
        decide(ledger, out, |session| session.observe_control(class))
    })
}

/// Ends a ledger with a seal, durably. Nothing may follow it; the handle stays open until axh_ledger_close.
///
/// @param ledger Ledger to seal.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_REFUSED The ledger is sealed already.
/// @retval AXH_ERR_LEDGER The ledger has failed; nothing was recorded.
/// @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
/// @see formats.md §6
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_seal(ledger: *const axh_ledger_t) -> c_int {
    run(|| step(ledger, Session::seal))
}
