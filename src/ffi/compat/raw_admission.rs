//! Admission as the deployed gateways do it to the last detail: for rigs that are compiled with
//! `AXILOG_COMPAT_AS_DEPLOYED`. `_1_1` and `_1_2` in a name say which profile is written.

use core::ffi::{c_char, c_int};

use super::admission::{MAX_OUTPUT_BYTES, fault_of, fresh, hash_input};
use super::raw_record::compute_hash;
use super::text::{Decoded, write};
use crate::evidence::observation::{Completion, Failure};
use crate::fault::{Error, Fault};
use crate::ffi::obs::{ax_admission_ctx_t, ax_obs_input_t, ax_obs_record_t};
use crate::ffi::oracle::completion_of;
use crate::ffi::pointer::{Flags, buffer, bytes};
use crate::ffi::types::ct_fault_flags_t;
use crate::profile::Profile;

/// Admits an oracle's answer for profile 1; `admit` below says how.
///
/// # Safety
/// As for `ax_obs_admit`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_obs_admit_1_1")]
pub unsafe extern "C" fn ax_compat_raw_obs_admit_1_1(
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
#[unsafe(export_name = "axilog_impl_ax_compat_raw_obs_admit_1_2")]
pub unsafe extern "C" fn ax_compat_raw_obs_admit_1_2(
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

/// Admits as the deployed gateways do. Of an answer only its sequence and its text are judged: states, identities
/// and parameters go into the record as they are. What is longer than the cap is cut at that byte, TRUNCATED
/// whatever the oracle said; a text that was NULL is empty.
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
    let is_cut = input.output_len > MAX_OUTPUT_BYTES;
    let admission = (|| {
        if ctx.initialized != 0 && input.ledger_seq <= ctx.last_ledger_seq {
            return Err(Error::Ordering);
        }
        if is_cut {
            flags.set(Fault::Size);
            out.output_size = input.output_len as u64;
        }
        // SAFETY: by contract.
        let given = unsafe { bytes(input.output.cast(), input.output_len.min(MAX_OUTPUT_BYTES)) };
        let text = Decoded::read(given.unwrap_or_default())?;
        if text.len() > 0 && text.len() >= room.len() {
            return Err(Error::Buffer);
        }
        let text = text.admit()?;
        if room.is_empty() {
            return Ok((c"".as_ptr(), 0));
        }
        write(&text, room)?;
        Ok((output_buf.cast_const(), text.len() as u64))
    })();
    let (output, len) = match admission {
        Ok(written) => written,
        Err(error) => {
            flags.set(fault_of(error));
            return error.code();
        }
    };
    *out = ax_obs_record_t {
        completion_state: match is_cut {
            true => completion_of(Completion::Truncated),
            false => input.completion_state,
        },
        failure_type: input.failure_type,
        input_hash: [0; 32],
        ledger_seq: input.ledger_seq,
        model_id: input.model_id,
        obs_hash: [0; 65],
        oracle_id: input.oracle_id,
        output,
        output_size: match is_cut && !input.output.is_null() {
            true => input.output_len as u64,
            false => len,
        },
        params: input.params,
        schema_version: out.schema_version,
    };
    if input.input_len > 0 {
        // SAFETY: by contract.
        unsafe { hash_input(&mut out.input_hash, input) };
    }
    // SAFETY: the strings of `in` are valid by contract, and the text was written.
    let hashed = unsafe { compute_hash(out, profile) };
    if hashed != 0 {
        flags.set(Fault::Protocol);
        return hashed;
    }
    ctx.last_ledger_seq = input.ledger_seq;
    ctx.initialized = 1;
    0
}
