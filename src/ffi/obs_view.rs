//! `obs.h`, third part: reading records (c-abi.md, `ax_obs_parse`).

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::obs::{ax_obs_record_t, ax_profile_t, hex_digits, hex_string, profile_of};
use super::oracle::{
    ax_completion_state_t, ax_failure_type_t, ax_oracle_params_t, completion_of, failure_of,
};
use super::pointer::{Flags, bytes, write_text};
use super::types::ct_fault_flags_t;
use crate::admission::derivation_hash;
use crate::evidence::view::ObservationView;
use crate::fault::{Error, Fault};
use crate::hash::hex;
use crate::json::escaped::Escaped;

/// A verified record. Every pointer borrows from the record; strings are as escaped there and not
/// NUL-terminated.
#[repr(C)]
pub struct ax_obs_view_t {
    /// Whether the answer is whole.
    pub completion_state: MaybeUninit<ax_completion_state_t>,
    /// How the oracle failed, if it did.
    pub failure_type: MaybeUninit<ax_failure_type_t>,
    /// SHA-256 of the canonical input.
    pub input_hash: [u8; 32],
    /// Position in the ledger.
    pub ledger_seq: u64,
    /// Sampling parameters.
    pub params: ax_oracle_params_t,
    /// The record's hash in lower-case hexadecimal.
    pub obs_hash: [c_char; 65],
    /// Bytes of the whole answer.
    pub output_size: u64,
    /// As escaped in the record.
    pub model_id: *const c_char,
    /// Bytes of model_id.
    pub model_id_len: usize,
    /// As escaped in the record.
    pub oracle_id: *const c_char,
    /// Bytes of oracle_id.
    pub oracle_id_len: usize,
    /// As escaped in the record; ax_obs_output unescapes it.
    pub output: *const c_char,
    /// Bytes of output.
    pub output_len: usize,
    /// 1 where only a deployed gateway can have written the record: over AX_MAX_OBS_BYTES, or an
    /// error that kept its output. Never 1 under profile 0.
    pub gateway: u8,
}

/// Reads a record: exactly the canonical bytes of one of the profiles with a matching obs_hash.
///
/// Fills out, and found (which may be NULL) with the profile. Returns AX_OK, AX_ERR_SIZE for a
/// record longer than its profile allows (flag size), AX_ERR_ENCODING (flag encoding), AX_ERR_HASH
/// (flag protocol), AX_ERR_SCHEMA for anything else (flag schema), or AX_ERR_PROTOCOL for a NULL
/// (flag domain). On failure out and found are untouched.
///
/// # Safety
/// record points to len readable bytes, which must outlive out; the others are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_parse(
    out: *mut ax_obs_view_t,
    record: *const u8,
    len: usize,
    found: *mut ax_profile_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(record) = (unsafe { bytes(record, len) }).filter(|_| !out.is_null()) else {
        return flags.null();
    };
    match ObservationView::parse(record) {
        Ok(view) => {
            // SAFETY: `out` is not NULL, `found` is written only where it is not.
            unsafe {
                out.write(ax_obs_view_t::of(&view));
                if !found.is_null() {
                    found.write(profile_of(view.profile));
                }
            }
            0
        }
        Err(error) => {
            flags.set(match error {
                Error::Size => Fault::Size,
                Error::Encoding => Fault::Encoding,
                Error::Hash => Fault::Protocol,
                _ => Fault::Schema,
            });
            error.code()
        }
    }
}

impl ax_obs_view_t {
    fn of(view: &ObservationView<'_>) -> ax_obs_view_t {
        ax_obs_view_t {
            completion_state: completion_of(view.completion),
            failure_type: failure_of(view.failure),
            input_hash: view.input_hash,
            ledger_seq: view.ledger_seq,
            params: ax_oracle_params_t::of(&view.params),
            obs_hash: hex_string(&hex(&view.obs_hash)),
            output_size: view.output_size,
            model_id: view.model_id.bytes().as_ptr().cast(),
            model_id_len: view.model_id.bytes().len(),
            oracle_id: view.oracle_id.bytes().as_ptr().cast(),
            oracle_id_len: view.oracle_id.bytes().len(),
            output: view.output.bytes().as_ptr().cast(),
            output_len: view.output.bytes().len(),
            gateway: u8::from(view.gateway),
        }
    }
}

/// Unescapes the output of a view into dst and ends it with a NUL.
///
/// Returns the bytes written without the NUL, AX_ERR_BUFFER where they do not fit (view->output_len
/// bytes and one always do), or AX_ERR_PROTOCOL for a NULL. On failure dst is untouched.
///
/// # Safety
/// view is NULL or came from ax_obs_parse, its record still there; dst points to dst_size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_output(
    view: *const ax_obs_view_t,
    dst: *mut c_char,
    dst_size: usize,
) -> c_int {
    // SAFETY: by contract.
    let output = unsafe {
        view.as_ref()
            .and_then(|v| bytes(v.output.cast(), v.output_len))
    };
    match output {
        // SAFETY: by contract.
        Some(output) => unsafe {
            write_text(dst, dst_size, |put| Escaped::new(output).unescape(put))
        },
        None => Error::Protocol.code(),
    }
}

/// SHA-256 of the 64 hexadecimal digits of prev->obs_hash followed by len derivation bytes
/// (SRS-004 §10.1). Zeroes hash where prev is NULL or has no hash, or derivation is NULL and len is
/// above 0. A NULL hash does nothing.
///
/// # Safety
/// hash is NULL or 32 writable bytes; prev is NULL or readable; derivation points to len bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_compute_derivation_hash(
    hash: *mut [u8; 32],
    prev: *const ax_obs_record_t,
    derivation: *const c_char,
    len: usize,
) {
    if hash.is_null() {
        return;
    }
    // SAFETY: by contract.
    let (prev, derivation) = unsafe { (prev.as_ref(), bytes(derivation.cast(), len)) };
    let digits = prev.and_then(|prev| hex_digits(&prev.obs_hash));
    let derived = match (digits, derivation) {
        (Some(digits), Some(derivation)) => derivation_hash(&digits, derivation),
        _ => [0; 32],
    };
    // SAFETY: not NULL, writable by contract.
    unsafe { hash.write(derived) }
}
