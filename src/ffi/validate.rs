//! `validate.h`: what is admissible text (formats.md §3, Admission 4 and 5; SRS-004 §5.5, §5.6).

use core::ffi::{c_char, c_int};

use super::pointer::{Flags, Through, bytes, write_text};
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault};
use crate::json::canonical::is_canonical_json;
use crate::sink::Sink;
use crate::text::{self, Text};

/// 1 where data is well-formed UTF-8, else 0; 0 for a NULL of length above 0.
///
/// # Safety
/// data is NULL or points to len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_validate_utf8(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { bytes(data.cast(), len) }.is_some_and(text::is_utf8))
}

/// 1 where data is UTF-8 in Unicode Normalization Form C with at most 30 consecutive characters of
/// non-zero combining class (after UAX #15, Stream-Safe), else 0. The Unicode version is
/// ax_unicode_version().
///
/// # Safety
/// data is NULL or points to len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_is_nfc(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { bytes(data.cast(), len) }.is_some_and(text::is_nfc))
}

/// 1 where data holds a character from U+0000 to U+001F other than LF, else 0; 1 for a NULL of
/// length above 0.
///
/// # Safety
/// data is NULL or points to len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_contains_forbidden_control(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    let data = unsafe { bytes(data.cast(), len) };
    c_int::from(data.is_none_or(|data| text::has_forbidden_control(data, false)))
}

/// 1 where data is UTF-8 in NFC (SRS-004-SHALL-042), else 0. Says nothing of control characters.
///
/// # Safety
/// data is NULL or points to len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_validate_encoding(data: *const c_char, len: usize) -> c_int {
    // SAFETY: forwarded.
    unsafe { ax_is_nfc(data, len) }
}

/// 1 where data is exactly one JSON value as RFC 8785 writes it, else 0. Integers from -2^63 to
/// 2^64-1 are canonical in exact decimal (decision D2). At most 128 levels deep.
///
/// # Safety
/// data is NULL or points to len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_is_canonical_json(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { bytes(data.cast(), len) }.is_some_and(is_canonical_json))
}

/// Writes src with CRLF and CR as LF, and a NUL behind it.
///
/// Returns the bytes written without the NUL, AX_ERR_BUFFER or, for a NULL, AX_ERR_PROTOCOL. On
/// failure dst is untouched.
///
/// # Safety
/// dst points to dst_size bytes, src to src_len; they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_normalise_line_endings(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
) -> c_int {
    // SAFETY: by contract.
    let Some(src) = (unsafe { bytes(src.cast(), src_len) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            text::runs(src).for_each(|run| Through(put).put(run));
        })
    }
}

/// The whole of admission for one text: UTF-8, NFC, no control character but line ends, which become
/// LF. Writes the result and a NUL.
///
/// Returns the bytes written without the NUL, AX_ERR_ENCODING (flag encoding), AX_ERR_BUFFER, or
/// AX_ERR_PROTOCOL for a NULL (flag domain). On failure dst is untouched.
///
/// # Safety
/// dst points to dst_size bytes, src to src_len; they do not overlap. faults is NULL or points to a
/// whole ct_fault_flags_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_validate_and_normalise(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(src) = (unsafe { bytes(src.cast(), src_len) }) else {
        return flags.null();
    };
    if dst.is_null() {
        return flags.null();
    }
    match Text::check(src, false) {
        // SAFETY: by contract.
        Ok(text) => unsafe {
            write_text(dst, dst_size, |put| {
                text.runs().for_each(|run| Through(put).put(run))
            })
        },
        Err(error) => {
            flags.set(Fault::Encoding);
            error.code()
        }
    }
}
