//! `hash.h`: hashes of observations (formats.md §3; SRS-004 §5.8, §8.2).

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::obs::{ax_obs_record_t, ax_profile_t, hex_string, load_profile, load_record};
use super::sha256::ax_sha256;
use crate::fault::Error;
use crate::hash::hex;

/// Computes the input_hash of an input that is already canonical: its SHA-256.
///
/// @param hash Receives the 32 bytes of the digest; all zero where input is NULL and len is above
///     0. NULL: the call does nothing.
/// @param input Bytes of the input, borrowed for the call; may be NULL where len is 0, and may
///     overlap hash.
/// @param len Bytes of input.
/// @see SRS-004 §8.2; formats.md §3 (Admission 4)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_compute_input_hash")]
pub unsafe extern "C" fn ax_compute_input_hash(
    hash: *mut [u8; 32],
    input: *const c_char,
    len: usize,
) {
    // SAFETY: forwarded.
    unsafe { ax_sha256(hash, input.cast(), len) }
}

/// Computes the obs_hash of a filled record under profile 0 and writes it into the record.
///
/// @param record Record with NUL-terminated strings, owned by the caller; on failure its obs_hash
///     becomes the empty string.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
/// @retval AX_ERR_ENCODING The output is not admissible text.
/// @retval AX_ERR_SIZE No record can hold the output.
/// @retval AX_ERR_PROTOCOL record or one of its strings is NULL.
/// @see SRS-004 §5.8; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_compute_hash")]
pub unsafe extern "C" fn ax_obs_compute_hash(record: *mut ax_obs_record_t) -> c_int {
    let profile = MaybeUninit::new(ax_profile_t::AX_PROFILE_RFC8785);
    // SAFETY: forwarded.
    unsafe { ax_obs_compute_hash_as(record, profile) }
}

/// Computes the obs_hash of a filled record under a chosen profile and writes it into the record.
///
/// @param record Record with NUL-terminated strings, owned by the caller; on failure its obs_hash
///     becomes the empty string.
/// @param profile Profile to hash under; a number that is not a profile is AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
/// @retval AX_ERR_ENCODING The output is not admissible text.
/// @retval AX_ERR_SIZE No record can hold the output.
/// @retval AX_ERR_PROTOCOL record or one of its strings is NULL.
/// @see SRS-004 §5.8; formats.md §3 (Profiles)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_compute_hash_as")]
pub unsafe extern "C" fn ax_obs_compute_hash_as(
    record: *mut ax_obs_record_t,
    profile: MaybeUninit<ax_profile_t>,
) -> c_int {
    // SAFETY: by contract.
    let Some(record) = (unsafe { record.as_mut() }) else {
        return Error::Protocol.code();
    };
    record.obs_hash = [0; 65];
    let Some(profile) = load_profile(profile) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    match unsafe { load_record(record) } {
        Ok(observation) => {
            record.obs_hash = hex_string(&hex(&observation.obs_hash(profile)));
            0
        }
        Err(error) => error.code(),
    }
}
