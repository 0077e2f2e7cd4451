//! `validate.h`: what is admissible text (formats.md §3, Admission 4 and 5; SRS-004 §5.5, §5.6).

use core::ffi::{c_char, c_int};

use super::pointer::{ClosureSink, Flags, bytes, write_text};
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault};
use crate::json::canonical::is_canonical_json;
use crate::sink::Sink;
use crate::text::{self, Text};

/// Tells whether a text is well-formed UTF-8.
///
/// @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
/// @param len Bytes of data.
/// @return 1 where it is, else 0; 0 for a NULL of length above 0.
/// @see SRS-004 §5.5; formats.md §3 (Admission 4)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_validate_utf8")]
pub unsafe extern "C" fn ax_validate_utf8(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { bytes(data.cast(), len) }.is_some_and(text::is_utf8))
}

/// Tells whether a text is UTF-8 in Unicode Normalization Form C with at most 30 consecutive
/// characters of non-zero combining class.
///
/// ax_unicode_version gives the Unicode version; the limit follows the Stream-Safe format of UAX
/// #15.
///
/// @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
/// @param len Bytes of data.
/// @return 1 where it is, else 0; 0 for a NULL of length above 0.
/// @see SRS-004 §5.5; formats.md §3 (Admission 5)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_is_nfc")]
pub unsafe extern "C" fn ax_is_nfc(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { bytes(data.cast(), len) }.is_some_and(text::is_nfc))
}

/// Tells whether a text holds a character from U+0000 to U+001F other than LF.
///
/// @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
/// @param len Bytes of data.
/// @return 1 where it does, else 0; 1 for a NULL of length above 0.
/// @see SRS-004 §5.6; formats.md §3 (Admission 4)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_contains_forbidden_control")]
pub unsafe extern "C" fn ax_contains_forbidden_control(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    let data = unsafe { bytes(data.cast(), len) };
    c_int::from(data.is_none_or(|data| text::has_forbidden_control(data, false)))
}

/// Tells whether a text is UTF-8 in Unicode Normalization Form C, whatever control characters it
/// holds.
///
/// @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
/// @param len Bytes of data.
/// @return 1 where it is, else 0; 0 for a NULL of length above 0.
/// @see SRS-004 §5.5; formats.md §3 (Admission 5)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_validate_encoding")]
pub unsafe extern "C" fn ax_validate_encoding(data: *const c_char, len: usize) -> c_int {
    // SAFETY: forwarded.
    unsafe { ax_is_nfc(data, len) }
}

/// Tells whether a text is exactly one JSON value as RFC 8785 writes it, at most 128 levels deep.
///
/// Integers from -2^63 to 2^64-1 are canonical in exact decimal.
///
/// @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
/// @param len Bytes of data.
/// @return 1 where it is, else 0; 0 for a NULL of length above 0.
/// @see SRS-004 §5.1; formats.md §2
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_is_canonical_json")]
pub unsafe extern "C" fn ax_is_canonical_json(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { bytes(data.cast(), len) }.is_some_and(is_canonical_json))
}

/// Writes a text with every CRLF and every CR as LF.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
///     NULL where src_len is 0.
/// @param src_len Bytes of src.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL A required pointer is NULL.
/// @see SRS-004 §5.6; formats.md §3 (Admission 4)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_normalise_line_endings")]
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
            text::runs(src).for_each(|run| ClosureSink(put).put(run));
        })
    }
}

/// Checks a text as admission does, and writes it with every CRLF and every CR as LF.
///
/// Admissible text is UTF-8 in Unicode Normalization Form C without control characters other than
/// line ends.
///
/// @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst, for the text and the NUL.
/// @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
///     NULL where src_len is 0.
/// @param src_len Bytes of src.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_ERR_ENCODING src is not admissible (flag encoding).
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL dst, or src with a length above 0, is NULL (flag domain).
/// @see SRS-004 §5.5 and §5.6; formats.md §3 (Admission 4 and 5)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_validate_and_normalise")]
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
                text.runs().for_each(|run| ClosureSink(put).put(run))
            })
        },
        Err(error) => {
            flags.set(Fault::Encoding);
            error.code()
        }
    }
}
