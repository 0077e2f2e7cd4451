//! `sha256.h`: SHA-256 (FIPS 180-4; formats.md §1).

use super::pointer::bytes;
use crate::hash;

/// Computes the SHA-256 of a byte string.
///
/// @param out Receives the 32 bytes of the digest; all zero where data is NULL and len is above 0.
///     NULL: the call does nothing.
/// @param data Bytes to hash, borrowed for the call; may be NULL where len is 0, and may overlap
///     out.
/// @param len Bytes of data.
/// @see formats.md §1 (FIPS 180-4)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_axilog_sha256")]
pub unsafe extern "C" fn axilog_sha256(out: *mut [u8; 32], data: *const u8, len: usize) {
    if out.is_null() {
        return;
    }
    // SAFETY: `data` by contract; `out` is not NULL.
    unsafe { out.write(bytes(data, len).map_or([0; 32], hash::sha256)) }
}

/// Computes the SHA-256 of a byte string, exactly as axilog_sha256 does.
///
/// @param out Receives the 32 bytes of the digest; all zero where data is NULL and len is above 0.
///     NULL: the call does nothing.
/// @param data Bytes to hash, borrowed for the call; may be NULL where len is 0, and may overlap
///     out.
/// @param len Bytes of data.
/// @see formats.md §1 (FIPS 180-4)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_sha256")]
pub unsafe extern "C" fn ax_sha256(out: *mut [u8; 32], data: *const u8, len: usize) {
    // SAFETY: forwarded.
    unsafe { axilog_sha256(out, data, len) }
}
