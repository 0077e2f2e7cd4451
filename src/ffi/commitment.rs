//! `commitment.h`: tagged commitments (formats.md §1).

use core::ffi::c_char;

use super::pointer::{Flags, bytes, c_string};
use super::types::ct_fault_flags_t;
use crate::fault::Fault;
use crate::hash;

/// out_commit = SHA-256(tag, payload_len as 64 bits little-endian, payload), for any tag. The one
/// that insists on the closed set of tags is ax_commit_evidence.
///
/// A NULL tag, or a NULL payload of length above 0, sets domain and zeroes out_commit. A NULL faults
/// or out_commit does nothing else. Touches no flag but domain.
///
/// # Safety
/// tag is NULL or NUL-terminated; payload is NULL or points to payload_len readable bytes;
/// out_commit is NULL or points to 32 writable bytes; faults is NULL or points to at least the first
/// seven flags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axilog_commit(
    tag: *const c_char,
    payload: *const u8,
    payload_len: u64,
    out_commit: *mut [u8; 32],
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return;
    };
    if out_commit.is_null() {
        flags.set(Fault::Domain);
        return;
    }
    // SAFETY: by contract; a length beyond the address space cannot be readable.
    let (tag, payload) = unsafe {
        let payload = usize::try_from(payload_len)
            .ok()
            .and_then(|len| bytes(payload, len));
        (c_string(tag, usize::MAX), payload)
    };
    let commit = match (tag, payload) {
        (Some(tag), Some(payload)) => hash::commit(tag, payload),
        _ => {
            flags.set(Fault::Domain);
            [0; 32]
        }
    };
    // SAFETY: not NULL, writable by contract.
    unsafe { out_commit.write(commit) }
}
