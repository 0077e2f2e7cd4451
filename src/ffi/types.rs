//! `types.h`: Q16.16, fault flags, return codes, versions (c-abi.md; SRS-004 §25.2).

use core::ffi::{c_char, c_int};

/// A Q16.16 fixed-point number: the raw integer is the value times 65536.
pub type q16_16_t = i32;

/// 1.0 in Q16.16.
pub const Q16_16_ONE: i32 = 65536;
/// 0.5 in Q16.16.
pub const Q16_16_HALF: i32 = 32768;

/// Sixteen sticky fault flags, each 0 or 1.
///
/// The caller owns the struct. The library sets a flag to exactly 1, one byte at a time, and never
/// clears one. The order is part of the interface: functions of commitment.h and dvm.h touch only the
/// first seven, so that callers with a shorter struct may pass theirs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ct_fault_flags_t {
    /// A result above the range was saturated.
    pub overflow: u8,
    /// A result below the range was saturated.
    pub underflow: u8,
    /// A number was divided by zero.
    pub div_zero: u8,
    /// A result was saturated, in either direction.
    pub saturation: u8,
    /// A value lost bits in a conversion.
    pub narrowing: u8,
    /// An argument was outside its domain: a NULL, an unknown tag, a number that is not in its enum.
    pub domain: u8,
    /// The ledger has failed.
    pub ledger_fail: u8,
    /// The sink refused a record.
    pub io_error: u8,
    /// A conversion was not exact.
    pub precision: u8,
    /// A text was not admissible.
    pub encoding: u8,
    /// A field broke the schema.
    pub schema: u8,
    /// A sequence did not increase.
    pub ordering: u8,
    /// An answer was cut, or there were too many oracles to hold to their models.
    pub size: u8,
    /// The protocol did not allow the call.
    pub protocol: u8,
    /// A record did not fit its buffer.
    pub serialise: u8,
    /// A record could not be committed; for callers with a step of their own.
    pub commit: u8,
}

/// The call succeeded.
pub const AX_OK: i32 = 0;
/// A text is not admissible: it is not UTF-8, not NFC, or has a control character.
pub const AX_ERR_ENCODING: i32 = -1;
/// A field breaks the schema.
pub const AX_ERR_SCHEMA: i32 = -2;
/// A sequence number does not increase.
pub const AX_ERR_ORDERING: i32 = -3;
/// A record or a registry is larger than its limit.
pub const AX_ERR_SIZE: i32 = -4;
/// A hash does not match.
pub const AX_ERR_HASH: i32 = -5;
/// The caller's buffer is too small.
pub const AX_ERR_BUFFER: i32 = -6;
/// The call is not allowed here, or a required pointer is NULL.
pub const AX_ERR_PROTOCOL: i32 = -7;
/// The ledger has failed, is sealed, or was never initialised.
pub const AX_ERR_LEDGER: i32 = -8;

/// Describes a return code in one line of English.
///
/// @param code Any number; the codes are AX_OK and the AX_ERR_ constants.
/// @return A static string of the library, never NULL: "unknown code" for a number that is not a
///     code.
/// @see SRS-004 §25.2
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_strerror")]
pub unsafe extern "C" fn ax_strerror(code: c_int) -> *const c_char {
    match code {
        AX_OK => c"success",
        AX_ERR_ENCODING => c"text is not admissible: not UTF-8, not NFC, or a control character",
        AX_ERR_SCHEMA => c"a field breaks the record's schema",
        AX_ERR_ORDERING => c"a sequence number does not increase",
        AX_ERR_SIZE => c"larger than the limit",
        AX_ERR_HASH => c"a hash does not match its record",
        AX_ERR_BUFFER => c"the buffer is too small",
        AX_ERR_PROTOCOL => c"the call is not allowed here",
        AX_ERR_LEDGER => c"the ledger has failed, is sealed, or was never initialised",
        _ => c"unknown code",
    }
    .as_ptr()
}

/// Gives the version of this interface: the major version times 65536, plus the minor version.
///
/// A program that was compiled against another major version must not go on.
///
/// @return The version of the library that is loaded.
/// @see SRS-004 §25.2
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_abi_version")]
pub unsafe extern "C" fn ax_abi_version() -> u32 {
    0x0000_0002
}

/// Gives the version of the library as text, such as "0.2.0".
///
/// @return A static string of the library, never NULL.
/// @see SRS-004 §25.2
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_version")]
pub unsafe extern "C" fn ax_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Gives the Unicode version whose Normalization Form C the library decides, such as "18.0.0".
///
/// @return A static string of the library, never NULL: "none" for a library built with the feature
///     nfc-none, to which only ASCII is admissible.
/// @see SRS-004 §5.5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_unicode_version")]
pub unsafe extern "C" fn ax_unicode_version() -> *const c_char {
    crate::text::UNICODE_VERSION_C.as_ptr()
}
