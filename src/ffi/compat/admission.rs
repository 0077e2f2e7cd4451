//! Admission as the deployed gateways do it. `_1_1` and `_1_2` in a name say which profile is written.
//!
//! Where SRS-004 and the deployed behaviour contradict each other, these functions follow the deployed one, but
//! for what docs/rigs.md lists under "What differs from the deployed code".

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::text::{Decoded, write};
use crate::admission::{Answer, Limits, truncate};
use crate::evidence::observation::{Completion, Failure, Observation, is_consistent, is_valid_id};
use crate::evidence::view::MAX_GATEWAY_RECORD_BYTES;
use crate::fault::{Error, Fault};
use crate::ffi::hash::ax_compute_input_hash;
use crate::ffi::obs::{
    ax_admission_ctx_t, ax_input_kind_t, ax_obs_input_t, ax_obs_record_t, hex_string,
};
use crate::ffi::obs_input::ax_obs_input_set_invalid_output;
use crate::ffi::oracle::{ax_oracle_params_t, completion_of, failure_of};
use crate::ffi::pointer::{Flags, buffer};
use crate::ffi::types::ct_fault_flags_t;
use crate::hash::hex;
use crate::profile::Profile;

/// The longest raw output that a deployed gateway admits whole.
pub(super) const MAX_OUTPUT_BYTES: usize = 64512;

/// A record that nothing was admitted into.
pub(super) fn fresh(completion: Completion, failure: Option<Failure>) -> ax_obs_record_t {
    ax_obs_record_t {
        completion_state: completion_of(completion),
        failure_type: failure_of(failure),
        input_hash: [0; 32],
        ledger_seq: 0,
        model_id: core::ptr::null(),
        obs_hash: [0; 65],
        oracle_id: core::ptr::null(),
        output: core::ptr::null(),
        output_size: 0,
        params: ax_oracle_params_t::NULL,
        schema_version: c"AX:OBS:v1".as_ptr(),
    }
}

/// Makes a record read COMPLETE, without a failure, without a hash and without strings.
///
/// # Safety
/// As for `ax_obs_init`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_init")]
pub unsafe extern "C" fn ax_compat_obs_init(record: *mut ax_obs_record_t) {
    if !record.is_null() {
        // SAFETY: not NULL, writable by contract.
        unsafe { record.write(fresh(Completion::Complete, None)) }
    }
}

/// Fills an input for an answer that is not admissible; its text is kept as evidence.
///
/// # Safety
/// As for `ax_obs_input_set_invalid_output`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_input_set_invalid_output")]
pub unsafe extern "C" fn ax_compat_obs_input_set_invalid_output(
    r#in: *mut ax_obs_input_t,
    ledger_seq: u64,
    oracle_id: *const c_char,
    model_id: *const c_char,
    input: *const c_char,
    input_len: usize,
    output: *const c_char,
    output_len: usize,
) {
    // SAFETY: forwarded.
    unsafe {
        ax_obs_input_set_invalid_output(
            r#in, ledger_seq, oracle_id, model_id, input, input_len, output, output_len,
        );
        if let Some(answer) = r#in.as_mut() {
            answer.output = output;
            answer.output_len = output_len;
        }
    }
}

/// Hashes an input as it came.
///
/// # Safety
/// As for `ax_compute_input_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_compute_input_hash")]
pub unsafe extern "C" fn ax_compat_compute_input_hash(
    hash: *mut [u8; 32],
    input: *const c_char,
    len: usize,
) {
    let len = if input.is_null() { 0 } else { len };
    // SAFETY: forwarded.
    unsafe { ax_compute_input_hash(hash, input, len) }
}

/// Admits an oracle's answer for profile 1; `admit` below says how.
///
/// # Safety
/// As for `ax_obs_admit`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_admit_1_1")]
pub unsafe extern "C" fn ax_compat_obs_admit_1_1(
    out: *mut ax_obs_record_t,
    output_buf: *mut c_char,
    output_buf_size: usize,
    r#in: *const ax_obs_input_t,
    ctx: *mut ax_admission_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    let room = (output_buf, output_buf_size);
    // SAFETY: forwarded.
    unsafe { admit(Profile::Oracle1_1, out, room, r#in, ctx, faults) }
}

/// Admits an oracle's answer for profile 2; `admit` below says how.
///
/// # Safety
/// As for `ax_obs_admit`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_admit_1_2")]
pub unsafe extern "C" fn ax_compat_obs_admit_1_2(
    out: *mut ax_obs_record_t,
    output_buf: *mut c_char,
    output_buf_size: usize,
    r#in: *const ax_obs_input_t,
    ctx: *mut ax_admission_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    let room = (output_buf, output_buf_size);
    // SAFETY: forwarded.
    unsafe { admit(Profile::Oracle1_2, out, room, r#in, ctx, faults) }
}

/// Admits as the deployed gateways do. What differs from `ax_obs_admit`:
///
/// - Of the context only the sequence counts, and it moves with an admitted answer only: after
///   AX_ERR_ENCODING the same sequence is free for the record of the invalid answer.
/// - The input is hashed as it came, whatever its text or its kind; without one the hash is zero.
/// - An error may have a text, such as what arrived before a timeout.
/// - Raw outputs above 64,512 bytes are cut there, and what is cut off is not judged. Beyond that only a record
///   above 131,072 bytes, which no reader takes, is cut.
/// - Nothing of a refused answer is in the record, but its size where it is too long.
///
/// # Safety
/// As for `ax_obs_admit`.
unsafe fn admit(
    profile: Profile,
    out: *mut ax_obs_record_t,
    (output_buf, output_buf_size): (*mut c_char, usize),
    r#in: *const ax_obs_input_t,
    ctx: *mut ax_admission_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    if let Some(out) = unsafe { out.as_mut() } {
        *out = fresh(Completion::Error, Some(Failure::InvalidOutput));
    }
    // SAFETY: by contract.
    let (Some(out), Some(room), Some(input), Some(ctx)) = (unsafe {
        (
            out.as_mut(),
            buffer(output_buf.cast(), output_buf_size),
            r#in.as_ref(),
            ctx.as_mut(),
        )
    }) else {
        return flags.null();
    };
    let without_input = ax_obs_input_t {
        input: core::ptr::null(),
        input_len: 0,
        input_kind: MaybeUninit::new(ax_input_kind_t::AX_INPUT_KIND_TEXT),
        ..*input
    };
    let last = (ctx.initialized != 0).then_some(ctx.last_ledger_seq);
    // SAFETY: the strings of `in` are valid by contract.
    let admission = unsafe { without_input.load() }.and_then(|answer| {
        if last.is_some_and(|last| answer.ledger_seq <= last) {
            return Err(Error::Ordering);
        }
        let size = answer.output.len();
        if size > MAX_OUTPUT_BYTES {
            flags.set(Fault::Size);
            out.output_size = size as u64;
        }
        let mut observation = observe(&answer, profile, room.len())?;
        if input.input_len > 0 {
            // SAFETY: by contract; a NULL input has the zero hash.
            unsafe { hash_input(&mut observation.input_hash, input) };
        }
        write(&observation.output, room)?;
        Ok(observation)
    });
    let observation = match admission {
        Ok(observation) => observation,
        Err(error) => {
            flags.set(fault_of(error));
            return error.code();
        }
    };
    *out = ax_obs_record_t {
        completion_state: completion_of(observation.completion),
        failure_type: failure_of(observation.failure),
        input_hash: observation.input_hash,
        ledger_seq: observation.ledger_seq,
        model_id: input.model_id,
        obs_hash: hex_string(&hex(&observation.obs_hash(profile))),
        oracle_id: input.oracle_id,
        output: output_buf,
        output_size: observation.output_size,
        params: ax_oracle_params_t::of(&observation.params),
        schema_version: out.schema_version,
    };
    if observation.completion == Completion::Truncated
        && input.output_len > observation.output.len()
    {
        flags.set(Fault::Size);
    }
    ctx.last_ledger_seq = observation.ledger_seq;
    ctx.initialized = 1;
    0
}

/// The flag of a refusal.
pub(super) fn fault_of(error: Error) -> Fault {
    match error {
        Error::Encoding => Fault::Encoding,
        Error::Ordering => Fault::Ordering,
        Error::Schema => Fault::Schema,
        Error::Buffer => Fault::Size,
        _ => Fault::Domain,
    }
}

/// # Safety
/// The input of `answer` is NULL or readable.
pub(super) unsafe fn hash_input(hash: &mut [u8; 32], answer: &ax_obs_input_t) {
    if !answer.input.is_null() {
        // SAFETY: by contract.
        unsafe { ax_compute_input_hash(hash, answer.input, answer.input_len) }
    }
}

/// The observation of an answer, with the zero hash for its input, whose text has room and is admissible.
fn observe<'a>(
    answer: &Answer<'a>,
    profile: Profile,
    room: usize,
) -> Result<Observation<'a>, Error> {
    if !is_valid_id(answer.oracle_id)
        || !is_valid_id(answer.model_id)
        || !answer.params.is_valid()
        || !is_consistent(answer.completion, answer.failure, false)
    {
        return Err(Error::Schema);
    }
    let is_cut = answer.output.len() > MAX_OUTPUT_BYTES;
    let text = Decoded::read(within_cap(answer.output))?;
    if text.len() >= room {
        return Err(Error::Buffer);
    }
    let output = text.admit()?;
    let observation = Observation {
        completion: match answer.completion {
            Completion::Complete if is_cut => Completion::Truncated,
            completion => completion,
        },
        failure: answer.failure,
        input_hash: [0; 32],
        ledger_seq: answer.ledger_seq,
        model_id: answer.model_id,
        oracle_id: answer.oracle_id,
        output,
        output_size: match is_cut {
            true => answer.output.len() as u64,
            false => output.len() as u64,
        },
        params: answer.params,
    };
    if observation.len(profile) <= MAX_GATEWAY_RECORD_BYTES {
        return Ok(observation);
    }
    let limits = Limits {
        profile,
        max_record: MAX_GATEWAY_RECORD_BYTES,
        ..Limits::DEFAULT
    };
    let cut = Observation {
        completion: match observation.completion {
            Completion::Complete => Completion::Truncated,
            completion => completion,
        },
        ..observation
    };
    truncate(cut, &limits)
}

/// What of an output a gateway reads; a character across the cap is left out whole.
fn within_cap(output: &[u8]) -> &[u8] {
    let Some(through) = output.get(..=MAX_OUTPUT_BYTES) else {
        return output;
    };
    let begins = |byte: &u8| byte & 0xC0 != 0x80;
    let cut = through.iter().rposition(begins).unwrap_or(0);
    // No character is longer than four bytes; a longer row of continuations is not UTF-8 and is refused as it is.
    let cut = cut.max(MAX_OUTPUT_BYTES.saturating_sub(3));
    output.get(..cut).unwrap_or(output)
}
