//! `hash.h`: hashes of observations (formats.md §3; SRS-004 §5.8, §8.2).

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::obs::{ax_obs_record_t, ax_profile_t, hex_string, load_profile, load_record};
use super::sha256::ax_sha256;
use crate::fault::Error;
use crate::hash::hex;

/// SHA-256 of an input that is already canonical. A NULL input of length above 0 zeroes hash.
///
/// # Safety
/// hash is NULL or 32 writable bytes; input is NULL or points to len readable ones.
#[unsafe(no_mangle)]
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
/// Returns AX_OK, AX_ERR_SCHEMA, AX_ERR_ENCODING, AX_ERR_SIZE, or AX_ERR_PROTOCOL for a NULL. On
/// failure the record's hash is the empty string.
///
/// # Safety
/// record is NULL or a writable record with NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_compute_hash(record: *mut ax_obs_record_t) -> c_int {
    let profile = MaybeUninit::new(ax_profile_t::AX_PROFILE_RFC8785);
    // SAFETY: forwarded.
    unsafe { ax_obs_compute_hash_as(record, profile) }
}

/// As ax_obs_compute_hash, under any profile; AX_ERR_PROTOCOL for a profile that is not one.
///
/// # Safety
/// As for ax_obs_compute_hash.
#[unsafe(no_mangle)]
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
