//! Observations as the deployed gateways admitted, hashed and wrote them.
//!
//! Where SRS-004 and the deployed behaviour contradict each other, these functions follow the deployed one
//! (docs/decisions.md, Compatibility headers). `_1_1` and `_1_2` in a name say which profile is written.

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use crate::evidence::observation::Completion;
use crate::fault::{Error, Fault};
use crate::ffi::canonical::{ax_obs_canonicalise_as, ax_string_escape_as};
use crate::ffi::hash::{ax_compute_input_hash, ax_obs_compute_hash_as};
use crate::ffi::obs::ax_profile_t::{self, AX_PROFILE_ORACLE_1_1, AX_PROFILE_ORACLE_1_2};
use crate::ffi::obs::{
    ax_admission_ctx_t, ax_input_kind_t, ax_obs_admit, ax_obs_init, ax_obs_input_t, ax_obs_record_t,
};
use crate::ffi::oracle::{completion_of, failure_of};
use crate::ffi::pointer::{Flags, bytes};
use crate::ffi::types::ct_fault_flags_t;
use crate::ffi::validate::{
    ax_contains_forbidden_control, ax_validate_and_normalise, ax_validate_encoding,
};

/// The longest raw output that a deployed gateway admits whole.
const MAX_OUTPUT_BYTES: u32 = 64512;

/// The control character that deployed gateways refuse and SRS-004 allows.
const DELETE: u8 = 0x7F;

/// Makes a record read COMPLETE, without a failure and without a hash.
///
/// # Safety
/// As for `ax_obs_init`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_init")]
pub unsafe extern "C" fn ax_compat_obs_init(record: *mut ax_obs_record_t) {
    // SAFETY: forwarded.
    unsafe { ax_obs_init(record) };
    // SAFETY: by contract.
    if let Some(record) = unsafe { record.as_mut() } {
        record.completion_state = completion_of(Completion::Complete);
        record.failure_type = failure_of(None);
    }
}

fn context(last_ledger_seq: u64, initialized: c_int, profile: ax_profile_t) -> ax_admission_ctx_t {
    ax_admission_ctx_t {
        last_ledger_seq,
        initialized,
        profile: MaybeUninit::new(profile),
        max_output_bytes: MAX_OUTPUT_BYTES,
        reject_del: 1,
    }
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
    let profile = AX_PROFILE_ORACLE_1_1;
    // SAFETY: forwarded.
    unsafe { admit(profile, out, output_buf, output_buf_size, r#in, ctx, faults) }
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
    let profile = AX_PROFILE_ORACLE_1_2;
    // SAFETY: forwarded.
    unsafe { admit(profile, out, output_buf, output_buf_size, r#in, ctx, faults) }
}

/// Admits as the deployed gateways do. What differs from `ax_obs_admit`:
///
/// - Of the context only the sequence counts, and it moves with an admitted answer only: after
///   AX_ERR_ENCODING the same sequence is free for the record of the invalid answer.
/// - The input is hashed as it came, whatever its text or its kind; without one the hash is zero.
///
/// # Safety
/// As for `ax_obs_admit`.
unsafe fn admit(
    profile: ax_profile_t,
    out: *mut ax_obs_record_t,
    output_buf: *mut c_char,
    output_buf_size: usize,
    r#in: *const ax_obs_input_t,
    ctx: *mut ax_admission_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let (Some(answer), Some(ctx)) = (unsafe { (r#in.as_ref(), ctx.as_mut()) }) else {
        // SAFETY: forwarded; it says which pointer is missing.
        return unsafe { ax_obs_admit(out, output_buf, output_buf_size, r#in, ctx, faults) };
    };
    let without_input = ax_obs_input_t {
        input: core::ptr::null(),
        input_len: 0,
        input_kind: MaybeUninit::new(ax_input_kind_t::AX_INPUT_KIND_TEXT),
        ..*answer
    };
    let mut admitted = context(ctx.last_ledger_seq, ctx.initialized, profile);
    // SAFETY: forwarded.
    let code = unsafe {
        ax_obs_admit(
            out,
            output_buf,
            output_buf_size,
            &raw const without_input,
            &raw mut admitted,
            faults,
        )
    };
    if code == 0 {
        ctx.last_ledger_seq = admitted.last_ledger_seq;
        ctx.initialized = admitted.initialized;
    }
    if code == 0 || code == Error::Encoding.code() {
        // SAFETY: a record was made, so `out` is not NULL; the input is as by contract.
        unsafe {
            hash_input(&raw mut (*out).input_hash, answer.input, answer.input_len);
            ax_obs_compute_hash_as(out, MaybeUninit::new(profile));
        }
    }
    code
}

/// Hashes an input as it came. Without an input the hash is zero.
///
/// # Safety
/// As for `ax_compute_input_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_compute_input_hash")]
pub unsafe extern "C" fn ax_compat_compute_input_hash(
    hash: *mut [u8; 32],
    input: *const c_char,
    len: usize,
) {
    // SAFETY: forwarded.
    unsafe { hash_input(hash, input, len) }
}

/// # Safety
/// As for `ax_compute_input_hash`.
unsafe fn hash_input(hash: *mut [u8; 32], input: *const c_char, len: usize) {
    if !input.is_null() {
        // SAFETY: forwarded.
        unsafe { ax_compute_input_hash(hash, input, len) }
    } else if !hash.is_null() {
        // SAFETY: not NULL, writable by contract.
        unsafe { hash.write([0; 32]) }
    }
}

/// Computes a record's hash under profile 1.
///
/// # Safety
/// As for `ax_obs_compute_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_compute_hash_1_1")]
pub unsafe extern "C" fn ax_compat_obs_compute_hash_1_1(record: *mut ax_obs_record_t) -> c_int {
    // SAFETY: forwarded.
    unsafe { ax_obs_compute_hash_as(record, MaybeUninit::new(AX_PROFILE_ORACLE_1_1)) }
}

/// Computes a record's hash under profile 2.
///
/// # Safety
/// As for `ax_obs_compute_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_compute_hash_1_2")]
pub unsafe extern "C" fn ax_compat_obs_compute_hash_1_2(record: *mut ax_obs_record_t) -> c_int {
    // SAFETY: forwarded.
    unsafe { ax_obs_compute_hash_as(record, MaybeUninit::new(AX_PROFILE_ORACLE_1_2)) }
}

/// Writes a record under profile 1.
///
/// # Safety
/// As for `ax_obs_canonicalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_canonicalise_1_1")]
pub unsafe extern "C" fn ax_compat_obs_canonicalise_1_1(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
) -> c_int {
    let profile = MaybeUninit::new(AX_PROFILE_ORACLE_1_1);
    // SAFETY: forwarded.
    unsafe { ax_obs_canonicalise_as(dst, dst_size, record, include_hash, profile) }
}

/// Writes a record under profile 2.
///
/// # Safety
/// As for `ax_obs_canonicalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_canonicalise_1_2")]
pub unsafe extern "C" fn ax_compat_obs_canonicalise_1_2(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
) -> c_int {
    let profile = MaybeUninit::new(AX_PROFILE_ORACLE_1_2);
    // SAFETY: forwarded.
    unsafe { ax_obs_canonicalise_as(dst, dst_size, record, include_hash, profile) }
}

/// Escapes a string as the profiles 1 and 2 alike do.
///
/// # Safety
/// As for `ax_string_escape`.
#[unsafe(export_name = "axilog_impl_ax_compat_string_escape")]
pub unsafe extern "C" fn ax_compat_string_escape(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
) -> c_int {
    let profile = MaybeUninit::new(AX_PROFILE_ORACLE_1_2);
    // SAFETY: forwarded.
    unsafe { ax_string_escape_as(dst, dst_size, src, src_len, profile) }
}

/// AX_OK for UTF-8 in Normalization Form C, else AX_ERR_ENCODING.
///
/// # Safety
/// As for `ax_validate_encoding`.
#[unsafe(export_name = "axilog_impl_ax_compat_validate_encoding")]
pub unsafe extern "C" fn ax_compat_validate_encoding(data: *const c_char, len: usize) -> c_int {
    // SAFETY: forwarded.
    match unsafe { ax_validate_encoding(data, len) } {
        0 => Error::Encoding.code(),
        _ => 0,
    }
}

/// 1 where a control character other than a line end is in the text, U+007F included.
///
/// # Safety
/// As for `ax_contains_forbidden_control`.
#[unsafe(export_name = "axilog_impl_ax_compat_contains_forbidden_control")]
pub unsafe extern "C" fn ax_compat_contains_forbidden_control(
    data: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: forwarded.
    let forbidden = unsafe { ax_contains_forbidden_control(data, len) };
    // SAFETY: by contract.
    let deletes = unsafe { bytes(data.cast(), len) }.is_some_and(|text| text.contains(&DELETE));
    forbidden | c_int::from(deletes)
}

/// Checks and normalises a text; refuses U+007F, and sets `size` where the buffer is too small.
///
/// # Safety
/// As for `ax_validate_and_normalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_validate_and_normalise")]
pub unsafe extern "C" fn ax_compat_validate_and_normalise(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let (flags, text) = unsafe { (Flags::new(faults), bytes(src.cast(), src_len)) };
    let deletes = text.is_some_and(|text| text.contains(&DELETE));
    if let (Some(flags), true, false) = (flags, deletes, dst.is_null()) {
        flags.set(Fault::Encoding);
        return Error::Encoding.code();
    }
    // SAFETY: forwarded.
    let code = unsafe { ax_validate_and_normalise(dst, dst_size, src, src_len, faults) };
    if let (Some(flags), true) = (flags, code == Error::Buffer.code()) {
        flags.set(Fault::Size);
    }
    code
}
