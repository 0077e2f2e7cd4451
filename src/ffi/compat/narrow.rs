//! Functions over the eight fault flags of the deployed substrate.
//!
//! The library's functions that set a flag behind the eighth byte have a form here that works on sixteen
//! flags of its own and tells the caller what its eight can say. All others take the eight as they are.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use crate::fault::Fault;
use crate::ffi::agent::{ax_agent_ctx_t, ax_input_class_t, ax_input_t};
use crate::ffi::agent_observe::{
    ax_agent_observe, ax_agent_observe_control, ax_agent_observe_time, axilog_agent_step,
};
use crate::ffi::obs::ax_obs_input_t;
use crate::ffi::policy::ax_policy_ctx_t;
use crate::ffi::types::ct_fault_flags_t;

/// Flags that the deployed struct has, before its reserved byte.
const NARROW: usize = 7;

/// Calls `call` with sixteen flags that begin as the caller's seven, and sets the caller's seven as they
/// then are. Of the flags that the caller's struct has no byte for, `io_error` is told as `ledger_fail`, and
/// every other one as `domain`.
///
/// # Safety
/// `faults` is NULL or points to seven flags.
unsafe fn with_sixteen_flags<T>(
    faults: *mut u8,
    call: impl FnOnce(*mut ct_fault_flags_t) -> T,
) -> T {
    if faults.is_null() {
        return call(core::ptr::null_mut());
    }
    let mut sixteen = [0u8; 16];
    // SAFETY: by contract.
    unsafe { faults.copy_to_nonoverlapping(sixteen.as_mut_ptr(), NARROW) };
    let result = call(sixteen.as_mut_ptr().cast());
    for (offset, &flag) in sixteen.iter().enumerate() {
        let told = match offset {
            0..NARROW => offset,
            NARROW => Fault::LedgerFail as usize,
            _ => Fault::Domain as usize,
        };
        if flag != 0 {
            // SAFETY: below seven.
            unsafe { faults.add(told).write(1) }
        }
    }
    result
}

/// Observes an answer.
///
/// # Safety
/// As for `ax_agent_observe`; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_agent_observe")]
pub unsafe extern "C" fn ax_compat_agent_observe(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    r#in: *const ax_obs_input_t,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: forwarded.
    unsafe {
        with_sixteen_flags(faults.cast(), |faults| {
            ax_agent_observe(agent, policy, r#in, work, work_len, faults)
        })
    }
}

/// Observes a timestamp.
///
/// # Safety
/// As for `ax_agent_observe_time`; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_agent_observe_time")]
pub unsafe extern "C" fn ax_compat_agent_observe_time(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    timestamp: u64,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: forwarded.
    unsafe {
        with_sixteen_flags(faults.cast(), |faults| {
            ax_agent_observe_time(agent, policy, timestamp, work, work_len, faults)
        })
    }
}

/// Observes a control input.
///
/// # Safety
/// As for `ax_agent_observe_control`; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_agent_observe_control")]
pub unsafe extern "C" fn ax_compat_agent_observe_control(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    input_class: MaybeUninit<ax_input_class_t>,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: forwarded.
    unsafe {
        with_sixteen_flags(faults.cast(), |faults| {
            ax_agent_observe_control(agent, policy, input_class, work, work_len, faults)
        })
    }
}

/// Steps an agent under a policy context.
///
/// # Safety
/// As for `axilog_agent_step`; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_agent_step_with_policies")]
pub unsafe extern "C" fn ax_compat_agent_step_with_policies(
    ctx: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    input: *const ax_input_t,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: forwarded.
    unsafe {
        with_sixteen_flags(faults.cast(), |faults| {
            axilog_agent_step(ctx, policy, input, faults);
        });
    }
}
