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
use crate::json::escaped::EscapedText;

/// A verified record. The view borrows its strings from the record, as escaped there and not
/// NUL-terminated.
#[repr(C)]
pub struct ax_obs_view_t {
    /// Whether the answer was received in full, in part or not at all.
    pub completion_state: MaybeUninit<ax_completion_state_t>,
    /// The failure of the oracle; AX_FAILURE_NULL where it did not fail.
    pub failure_type: MaybeUninit<ax_failure_type_t>,
    /// SHA-256 of the canonical input.
    pub input_hash: [u8; 32],
    /// Position of the observation in the ledger.
    pub ledger_seq: u64,
    /// Sampling parameters of the call.
    pub params: ax_oracle_params_t,
    /// Hash of the record in lower-case hexadecimal.
    pub obs_hash: [c_char; 65],
    /// Bytes of the whole normalised answer.
    pub output_size: u64,
    /// Versioned model identity, as escaped in the record.
    pub model_id: *const c_char,
    /// Bytes of model_id.
    pub model_id_len: usize,
    /// Identity of the oracle, as escaped in the record.
    pub oracle_id: *const c_char,
    /// Bytes of oracle_id.
    pub oracle_id_len: usize,
    /// Output, as escaped in the record; ax_obs_output unescapes it.
    pub output: *const c_char,
    /// Bytes of output.
    pub output_len: usize,
    /// 1 where only a deployed gateway can have written the record, which is then longer than
    /// AX_MAX_OBS_BYTES or an error with an output; else 0, as always under profile 0.
    pub gateway: u8,
}

/// Reads a record: exactly the canonical bytes of one of the profiles with a matching obs_hash.
///
/// @param out Receives the view, which borrows from record; untouched on failure.
/// @param record Bytes of the record, not NUL-terminated; they must outlive out and overlap no
///     other argument.
/// @param len Bytes of record.
/// @param found Receives the profile that wrote the record; untouched on failure. May be NULL.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_SIZE The record is longer than its profile allows (flag size).
/// @retval AX_ERR_ENCODING A string is not admissible text (flag encoding).
/// @retval AX_ERR_HASH The bytes are canonical but obs_hash does not match them (flag protocol).
/// @retval AX_ERR_SCHEMA The bytes are not a canonical record (flag schema).
/// @retval AX_ERR_PROTOCOL out or record is NULL (flag domain).
/// @see SRS-004 §5; formats.md §3 (Profiles)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_parse")]
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

/// Unescapes the output of a view.
///
/// @param view View that ax_obs_parse filled, borrowed for the call; its record must still exist.
/// @param dst Receives the output and a NUL; overlaps neither view nor its record. Untouched on
///     failure.
/// @param dst_size Bytes of room in dst; view->output_len bytes and one always suffice.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @see SRS-004 §5.7; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_output")]
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
            write_text(dst, dst_size, |put| EscapedText::new(output).unescape(put))
        },
        None => Error::Protocol.code(),
    }
}

/// Computes the hash of a derived input: SHA-256 of the 64 hexadecimal digits of an observation's
/// hash, followed by the derivation.
///
/// @param hash Receives the 32 bytes of the digest; all zero where prev is NULL or has no hash, or
///     derivation is NULL and len is above 0; may overlap derivation. NULL: the call does nothing.
/// @param prev Observation that the input is derived from, borrowed for the call.
/// @param derivation Bytes of the derivation, borrowed for the call; may be NULL where len is 0.
/// @param len Bytes of derivation.
/// @see SRS-004 §10.1; formats.md §5 (Derived inputs)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_compute_derivation_hash")]
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
