//! `canonical.h`: the canonical writer (formats.md §2 and §3; SRS-004-SHALL-006, SHALL-045).
//!
//! Every function here returns the bytes written, without the NUL that it also writes, or a negative
//! code: AX_ERR_BUFFER where they do not fit, AX_ERR_PROTOCOL for a NULL. On failure dst is untouched.

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::obs::{ax_obs_record_t, ax_profile_t, load_profile, load_record};
use super::oracle::ax_oracle_params_t;
use super::pointer::{ClosureSink, bytes, write_text};
use super::types::q16_16_t;
use crate::fault::Error;
use crate::hash::{hex, hex_pair};
use crate::json::writer;
use crate::sink::shared;
use crate::text;

/// Writes the canonical record of an observation under profile 0.
///
/// The function computes obs_hash afresh and does not read the one in record.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param record Observation to write, borrowed for the call, with NUL-terminated strings.
/// @param include_hash 0 writes the empty string as obs_hash; any other number writes the hash.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
/// @retval AX_ERR_ENCODING The output is not admissible text.
/// @retval AX_ERR_SIZE No record can hold the output.
/// @see SRS-004 §5.1 and §5.8; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_canonicalise")]
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

/// Writes the canonical record of an observation under a chosen profile.
///
/// The function computes obs_hash afresh and does not read the one in record.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param record Observation to write, borrowed for the call, with NUL-terminated strings.
/// @param include_hash 0 writes the empty string as obs_hash; any other number writes the hash.
/// @param profile Profile to write under; a number that is not a profile is AX_ERR_PROTOCOL.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
/// @retval AX_ERR_ENCODING The output is not admissible text.
/// @retval AX_ERR_SIZE No record can hold the output.
/// @see SRS-004 §5.1 and §5.8; formats.md §3 (Profiles)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_canonicalise_as")]
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
            observation.write(profile, digits.as_ref(), shared(&mut ClosureSink(put)));
        })
    }
}

/// Writes the canonical object of sampling parameters.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param params Parameters to write, borrowed for the call.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @retval AX_ERR_SCHEMA A parameter is out of range.
/// @see SRS-004 §5.4; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_params_canonicalise")]
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
    unsafe {
        write_text(dst, dst_size, |put| {
            params.write(shared(&mut ClosureSink(put)))
        })
    }
}

/// Writes a string with the escapes of RFC 8785, without quotes around it.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
///     NULL where src_len is 0.
/// @param src_len Bytes of src.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @retval AX_ERR_ENCODING src is not UTF-8.
/// @see SRS-004 §5.7; formats.md §2
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_string_escape")]
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

/// Writes a string with the escapes of a chosen profile, without quotes around it.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
///     NULL where src_len is 0.
/// @param src_len Bytes of src.
/// @param profile Profile whose escapes to use; a number that is not a profile is AX_ERR_PROTOCOL.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @retval AX_ERR_ENCODING src is not UTF-8.
/// @see SRS-004 §5.7; formats.md §3 (Profiles)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_string_escape_as")]
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
            writer::escape(src, profile, shared(&mut ClosureSink(put)))
        })
    }
}

/// Writes a signed integer in decimal.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param value Any number; a negative one gets a minus sign.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @see formats.md §2
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_format_int64")]
pub unsafe extern "C" fn ax_format_int64(dst: *mut c_char, dst_size: usize, value: i64) -> c_int {
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            writer::i64(value, shared(&mut ClosureSink(put)))
        })
    }
}

/// Writes an unsigned integer in decimal.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param value Any number.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @see formats.md §2
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_format_uint64")]
pub unsafe extern "C" fn ax_format_uint64(dst: *mut c_char, dst_size: usize, value: u64) -> c_int {
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            writer::u64(value, shared(&mut ClosureSink(put)))
        })
    }
}

/// Writes a Q16.16 number as records hold it: the raw integer in decimal.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param value Any raw Q16.16 number.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @see formats.md §2 and §7
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_format_q16")]
pub unsafe extern "C" fn ax_format_q16(
    dst: *mut c_char,
    dst_size: usize,
    value: q16_16_t,
) -> c_int {
    // SAFETY: forwarded.
    unsafe { ax_format_int64(dst, dst_size, i64::from(value)) }
}

/// Writes bytes as lower-case hexadecimal digits, two for each.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param hash Bytes to write, borrowed for the call; may be NULL where len is 0.
/// @param len Bytes of hash.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @see formats.md §1
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_format_hash_hex")]
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
