//! `sha256.h`: SHA-256 (FIPS 180-4; formats.md §1).

use super::pointer::bytes;
use crate::hash;

/// SHA-256 of len bytes. A NULL data of length above 0 zeroes out; a NULL out does nothing.
///
/// # Safety
/// out is NULL or points to 32 writable bytes; data is NULL or points to len readable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axilog_sha256(out: *mut [u8; 32], data: *const u8, len: usize) {
    if out.is_null() {
        return;
    }
    // SAFETY: `data` by contract; `out` is not NULL.
    unsafe { out.write(bytes(data, len).map_or([0; 32], hash::sha256)) }
}

/// The same as axilog_sha256.
///
/// # Safety
/// As for axilog_sha256.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_sha256(out: *mut [u8; 32], data: *const u8, len: usize) {
    // SAFETY: forwarded.
    unsafe { axilog_sha256(out, data, len) }
}
