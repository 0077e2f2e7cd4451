//! `commitment.h`: tagged commitments (formats.md §1).

use core::ffi::c_char;

use super::pointer::{Flags, bytes, c_string};
use super::types::ct_fault_flags_t;
use crate::fault::Fault;
use crate::hash;

/// Computes a tagged commitment: SHA-256 of the tag, the payload's length as 64 bits
/// little-endian, and the payload.
///
/// The function takes any tag; ax_commit_evidence insists on the closed set of evidence tags.
///
/// @param tag NUL-terminated tag, borrowed for the call. NULL sets domain.
/// @param payload Bytes to commit to, borrowed for the call; may be NULL where payload_len is 0,
///     else NULL sets domain.
/// @param payload_len Bytes of payload.
/// @param out_commit Receives the 32 bytes of the commitment, all zero on failure; may overlap
///     payload. NULL sets domain.
/// @param faults Fault flags of the caller, of which at least the first seven exist; the call sets
///     no flag but domain and clears none. NULL: the call does nothing.
/// @see formats.md §1
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_axilog_commit")]
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
