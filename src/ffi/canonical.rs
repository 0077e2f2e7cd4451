//! `canonical.h`: the canonical writer (formats.md §2 and §3; SRS-004-SHALL-006, SHALL-045).
//!
//! Every function here returns the bytes written, without the NUL that it also writes, or a negative
//! code: AX_ERR_BUFFER where they do not fit, AX_ERR_PROTOCOL for a NULL. On failure dst is untouched.

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::obs::{ax_obs_record_t, ax_profile_t, load_profile, load_record};
use super::oracle::ax_oracle_params_t;
use super::pointer::{Through, bytes, write_text};
use super::types::q16_16_t;
use crate::fault::Error;
use crate::hash::{hex, hex_pair};
use crate::json::writer;
use crate::sink::shared;
use crate::text;

/// Writes the canonical record under profile 0, with its obs_hash or, where include_hash is 0, with
/// the empty string in its place. The hash is computed afresh; the one in the record is not read.
///
/// Also returns AX_ERR_SCHEMA for states, identities or parameters that are not ones,
/// AX_ERR_ENCODING for an output that is not admissible, AX_ERR_SIZE for one that fits no record.
///
/// # Safety
/// dst points to dst_size bytes; record is NULL or a record with NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_canonicalise(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
) -> c_int {
    let profile = MaybeUninit::new(ax_profile_t::AX_PROFILE_RFC8785);
    // SAFETY: forwarded.
    unsafe { ax_obs_canonicalise_as(dst, dst_size, record, include_hash, profile) }
}

/// As ax_obs_canonicalise, under any profile; AX_ERR_PROTOCOL for a profile that is not one.
///
/// # Safety
/// As for ax_obs_canonicalise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_obs_canonicalise_as(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
    profile: MaybeUninit<ax_profile_t>,
) -> c_int {
    // SAFETY: by contract.
    let (Some(record), Some(profile)) = (unsafe { record.as_ref() }, load_profile(profile)) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let observation = match unsafe { load_record(record) } {
        Ok(observation) => observation,
        Err(error) => return error.code(),
    };
    let digits = (include_hash != 0).then(|| hex(&observation.obs_hash(profile)));
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            observation.write(profile, digits.as_ref(), shared(&mut Through(put)));
        })
    }
}

/// Writes the canonical object of sampling parameters; AX_ERR_SCHEMA for one out of range.
///
/// # Safety
/// dst points to dst_size bytes; params is NULL or readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_params_canonicalise(
    dst: *mut c_char,
    dst_size: usize,
    params: *const ax_oracle_params_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(params) = (unsafe { params.as_ref() }).map(ax_oracle_params_t::load) else {
        return Error::Protocol.code();
    };
    if !params.is_valid() {
        return Error::Schema.code();
    }
    // SAFETY: by contract.
    unsafe { write_text(dst, dst_size, |put| params.write(shared(&mut Through(put)))) }
}

/// Writes src with the escapes of RFC 8785, without quotes; AX_ERR_ENCODING where it is not UTF-8.
///
/// # Safety
/// dst points to dst_size bytes, src to src_len; they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_string_escape(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
) -> c_int {
    let profile = MaybeUninit::new(ax_profile_t::AX_PROFILE_RFC8785);
    // SAFETY: forwarded.
    unsafe { ax_string_escape_as(dst, dst_size, src, src_len, profile) }
}

/// As ax_string_escape, with the escapes of any profile.
///
/// # Safety
/// As for ax_string_escape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_string_escape_as(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
    profile: MaybeUninit<ax_profile_t>,
) -> c_int {
    // SAFETY: by contract.
    let (Some(src), Some(profile)) = (unsafe { bytes(src.cast(), src_len) }, load_profile(profile))
    else {
        return Error::Protocol.code();
    };
    if !text::is_utf8(src) {
        return Error::Encoding.code();
    }
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            writer::escape(src, profile, shared(&mut Through(put)))
        })
    }
}

/// Writes value in decimal.
///
/// # Safety
/// dst points to dst_size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_format_int64(dst: *mut c_char, dst_size: usize, value: i64) -> c_int {
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            writer::i64(value, shared(&mut Through(put)))
        })
    }
}

/// Writes value in decimal.
///
/// # Safety
/// dst points to dst_size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_format_uint64(dst: *mut c_char, dst_size: usize, value: u64) -> c_int {
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            writer::u64(value, shared(&mut Through(put)))
        })
    }
}

/// Writes a Q16.16 value as records hold it: the raw integer in decimal.
///
/// # Safety
/// dst points to dst_size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_format_q16(
    dst: *mut c_char,
    dst_size: usize,
    value: q16_16_t,
) -> c_int {
    // SAFETY: forwarded.
    unsafe { ax_format_int64(dst, dst_size, i64::from(value)) }
}

/// Writes len bytes as lower-case hexadecimal digits.
///
/// # Safety
/// dst points to dst_size bytes, hash to len.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_format_hash_hex(
    dst: *mut c_char,
    dst_size: usize,
    hash: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: by contract.
    let Some(hash) = (unsafe { bytes(hash, len) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            hash.iter().for_each(|&byte| put(&hex_pair(byte)))
        })
    }
}
