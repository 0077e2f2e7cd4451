//! `obs.h`, second part: filling an input (c-abi.md).

use core::ffi::c_char;
use core::mem::MaybeUninit;

use super::obs::{ax_input_kind_t, ax_obs_input_t};
use super::oracle::{ax_oracle_params_t, completion_of, failure_of};
use crate::evidence::observation::{Completion, Failure};

/// Makes an input a text call with an empty input and output and without identities.
///
/// @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
/// @see SRS-004 §25.3; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_input_init")]
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

/// Describes a call that the oracle answered in full.
///
/// The function sets every field of in and copies nothing but the numbers.
///
/// @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
/// @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
///     ignores it.
/// @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
///     in.
/// @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
///     outlive in.
/// @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
///     input_len is 0.
/// @param input_len Bytes of input.
/// @param output Exact output of the call, not NUL-terminated; kept, and must outlive in. NULL
///     where output_len is 0.
/// @param output_len Bytes of output.
/// @param params Sampling parameters of the call, copied; NULL stands for none.
/// @see SRS-004 §6.1 and §25.3; formats.md §3
///
/// @par Example
/// ```c
/// const char *prompt = "How fast?";
/// const char *answer = "{\"value\": 40}";
/// ax_obs_input_t input;
///
/// ax_obs_input_set_complete(&input, 0, "llm", "model-1", prompt, strlen(prompt), answer,
///                           strlen(answer), NULL);
/// assert(input.completion_state == AX_COMPLETION_COMPLETE);
/// assert(input.output == answer && input.output_len == 13);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_input_set_complete")]
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

/// Describes a call that the oracle did not answer in time: an ERROR / TIMEOUT without an output.
///
/// The function sets every field of in and copies nothing but the numbers.
///
/// @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
/// @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
///     ignores it.
/// @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
///     in.
/// @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
///     outlive in.
/// @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
///     input_len is 0.
/// @param input_len Bytes of input.
/// @see SRS-004 §15.3; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_input_set_timeout")]
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

/// Describes a call that failed on the network or in the protocol: an ERROR / TRANSPORT_ERROR
/// without an output.
///
/// The function sets every field of in and copies nothing but the numbers.
///
/// @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
/// @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
///     ignores it.
/// @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
///     in.
/// @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
///     outlive in.
/// @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
///     input_len is 0.
/// @param input_len Bytes of input.
/// @see SRS-004 §15.1; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_input_set_transport_error")]
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

/// Describes a call whose answer the caller found invalid: an ERROR / INVALID_OUTPUT without an
/// output.
///
/// The function sets every field of in and copies nothing but the numbers.
///
/// @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
/// @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
///     ignores it.
/// @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
///     in.
/// @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
///     outlive in.
/// @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
///     input_len is 0.
/// @param input_len Bytes of input.
/// @param output Output of the call; neither read nor kept, because an ERROR has no output. May be
///     NULL.
/// @param output_len Bytes of output; not read.
/// @see SRS-004 §15.2; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_input_set_invalid_output")]
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
