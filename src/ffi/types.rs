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
/// Caller-owned. The library sets a flag to exactly 1, one byte at a time, and never clears one.
/// The order is part of the interface: functions of sha256.h, commitment.h and dvm.h touch only the
/// first seven, so that callers with a shorter struct may pass theirs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ct_fault_flags_t {
    /// A result above the range was saturated.
    pub overflow: u8,
    /// A result below the range was saturated.
    pub underflow: u8,
    /// Division by zero.
    pub div_zero: u8,
    /// A result was saturated, in either direction.
    pub saturation: u8,
    /// A value lost bits in a conversion.
    pub narrowing: u8,
    /// A NULL, an unknown tag, or another argument outside the domain.
    pub domain: u8,
    /// The ledger has failed.
    pub ledger_fail: u8,
    /// The sink refused a record.
    pub io_error: u8,
    /// A conversion was not exact.
    pub precision: u8,
    /// Text that is not admissible.
    pub encoding: u8,
    /// A field that breaks the schema.
    pub schema: u8,
    /// A sequence that does not increase.
    pub ordering: u8,
    /// Something was cut, or was too much to keep track of.
    pub size: u8,
    /// A call that the protocol does not allow.
    pub protocol: u8,
    /// A record did not fit its buffer.
    pub serialise: u8,
    /// A record could not be committed; for callers with a step of their own.
    pub commit: u8,
}

/// Success.
pub const AX_OK: i32 = 0;
/// Text is not admissible: not UTF-8, not NFC, or a control character.
pub const AX_ERR_ENCODING: i32 = -1;
/// A field breaks the schema.
pub const AX_ERR_SCHEMA: i32 = -2;
/// A sequence number does not increase.
pub const AX_ERR_ORDERING: i32 = -3;
/// Larger than the limit.
pub const AX_ERR_SIZE: i32 = -4;
/// A hash does not match.
pub const AX_ERR_HASH: i32 = -5;
/// The caller's buffer is too small.
pub const AX_ERR_BUFFER: i32 = -6;
/// The call is not allowed here; also for a NULL that may not be one.
pub const AX_ERR_PROTOCOL: i32 = -7;
/// The ledger has failed, is sealed, or was never initialised.
pub const AX_ERR_LEDGER: i32 = -8;

/// One line about a return code.
///
/// Returns a static string, also for a code that is not one; never NULL.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
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

/// The version of this interface: major times 65536 plus minor. A caller built against another
/// major version must not go on.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_abi_version() -> u32 {
    0x0000_0001
}

/// The library's version as a static string, such as "0.1.0".
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The Unicode version whose NFC the library decides, as a static string, such as "18.0.0"; "none" for
/// a library built with the feature nfc-none, to which only ASCII is admissible.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_unicode_version() -> *const c_char {
    crate::text::UNICODE_VERSION_C.as_ptr()
}
