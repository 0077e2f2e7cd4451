//! `obs.h`, second part: filling an input (c-abi.md).

use core::ffi::c_char;
use core::mem::MaybeUninit;

use super::obs::{ax_input_kind_t, ax_obs_input_t};
use super::oracle::{ax_oracle_params_t, completion_of, failure_of};
use crate::evidence::observation::{Completion, Failure};

/// Makes in a text input with everything else absent; NULL is left alone.
///
/// # Safety
/// in is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_input_init(r#in: *mut ax_obs_input_t) {
    // SAFETY: forwarded.
    unsafe {
        fill(
            r#in,
            Completion::Complete,
            None,
            0,
            Call::NONE,
            (core::ptr::null(), 0),
            None,
        );
    }
}

/// Fills in with a whole answer. params may be NULL for none; nothing is copied.
///
/// # Safety
/// in is NULL or writable; the other pointers are kept and must outlive it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_input_set_complete(
    r#in: *mut ax_obs_input_t,
    ledger_seq: u64,
    oracle_id: *const c_char,
    model_id: *const c_char,
    input: *const c_char,
    input_len: usize,
    output: *const c_char,
    output_len: usize,
    params: *const ax_oracle_params_t,
) {
    let call = Call {
        oracle_id,
        model_id,
        input,
        input_len,
    };
    // SAFETY: forwarded.
    unsafe {
        fill(
            r#in,
            Completion::Complete,
            None,
            ledger_seq,
            call,
            (output, output_len),
            params.as_ref(),
        );
    }
}

/// Fills in with a call that was not answered in time.
///
/// # Safety
/// As for ax_obs_input_set_complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_input_set_timeout(
    r#in: *mut ax_obs_input_t,
    ledger_seq: u64,
    oracle_id: *const c_char,
    model_id: *const c_char,
    input: *const c_char,
    input_len: usize,
) {
    let call = Call {
        oracle_id,
        model_id,
        input,
        input_len,
    };
    // SAFETY: forwarded.
    unsafe { fail(r#in, Failure::Timeout, ledger_seq, call) }
}

/// Fills in with a call that the network or the protocol failed.
///
/// # Safety
/// As for ax_obs_input_set_complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_input_set_transport_error(
    r#in: *mut ax_obs_input_t,
    ledger_seq: u64,
    oracle_id: *const c_char,
    model_id: *const c_char,
    input: *const c_char,
    input_len: usize,
) {
    let call = Call {
        oracle_id,
        model_id,
        input,
        input_len,
    };
    // SAFETY: forwarded.
    unsafe { fail(r#in, Failure::TransportError, ledger_seq, call) }
}

/// Fills in with an answer that the caller found invalid. output is dropped: an ERROR has none.
///
/// # Safety
/// As for ax_obs_input_set_complete; output is not read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_input_set_invalid_output(
    r#in: *mut ax_obs_input_t,
    ledger_seq: u64,
    oracle_id: *const c_char,
    model_id: *const c_char,
    input: *const c_char,
    input_len: usize,
    output: *const c_char,
    output_len: usize,
) {
    let _ = (output, output_len);
    let call = Call {
        oracle_id,
        model_id,
        input,
        input_len,
    };
    // SAFETY: forwarded.
    unsafe { fail(r#in, Failure::InvalidOutput, ledger_seq, call) }
}

/// What every way of filling an input has in common.
#[derive(Clone, Copy)]
struct Call {
    oracle_id: *const c_char,
    model_id: *const c_char,
    input: *const c_char,
    input_len: usize,
}

impl Call {
    const NONE: Call = Call {
        oracle_id: core::ptr::null(),
        model_id: core::ptr::null(),
        input: core::ptr::null(),
        input_len: 0,
    };
}

/// # Safety
/// `to` is NULL or writable.
unsafe fn fail(to: *mut ax_obs_input_t, failure: Failure, ledger_seq: u64, call: Call) {
    let none = (core::ptr::null(), 0);
    // SAFETY: forwarded.
    unsafe {
        fill(
            to,
            Completion::Error,
            Some(failure),
            ledger_seq,
            call,
            none,
            None,
        )
    }
}

/// # Safety
/// `to` is NULL or writable.
unsafe fn fill(
    to: *mut ax_obs_input_t,
    completion: Completion,
    failure: Option<Failure>,
    ledger_seq: u64,
    call: Call,
    (output, output_len): (*const c_char, usize),
    params: Option<&ax_oracle_params_t>,
) {
    if to.is_null() {
        return;
    }
    let input = ax_obs_input_t {
        completion_state: completion_of(completion),
        failure_type: failure_of(failure),
        input: call.input,
        input_len: call.input_len,
        ledger_seq,
        model_id: call.model_id,
        oracle_id: call.oracle_id,
        output,
        output_len,
        params: params.copied().unwrap_or(ax_oracle_params_t::NULL),
        input_kind: MaybeUninit::new(ax_input_kind_t::AX_INPUT_KIND_TEXT),
    };
    // SAFETY: not NULL, writable by contract.
    unsafe { to.write(input) }
}
