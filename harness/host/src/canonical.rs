//! `host.h`: the canonical form of JSON.

use std::ffi::{c_char, c_int};

use axilog_ledger::input_file::MAX_INPUT_BYTES;
use axilog_ledger::jcs::canonicalize;

use crate::boundary::run;
use crate::given_text::{check_length, clear_text, give_text};
use crate::pointer::{bytes, invalid};

/// Gives the canonical form of a JSON text (RFC 8785), which questions of AX_INPUT_KIND_JSON have.
///
/// @param json JSON text in any spelling, borrowed for the call.
/// @param json_len Bytes of json, at most 64 MiB.
/// @param canonical Receives the canonical form, NUL-terminated, which axh_string_free frees; NULL on failure. It
///     overlaps no other argument.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or json is no JSON that has a canonical form: the text has its place.
/// @see SRS-004 §8; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_canonical_json(
    json: *const c_char,
    json_len: usize,
    canonical: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(canonical) };
    run(|| {
        if canonical.is_null() {
            return Err(invalid(
                "canonical is NULL, expected a pointer that receives the text",
            ));
        }
        // SAFETY: by contract.
        let json = unsafe { bytes("json", json, json_len) }?;
        check_length("json", json, MAX_INPUT_BYTES)?;
        let form = canonicalize(json).map_err(|error| {
            invalid(format!(
                "json is not JSON with a canonical form, at byte {}: {}",
                error.offset, error.reason
            ))
        })?;
        let form = String::from_utf8_lossy(&form).into_owned();
        // SAFETY: by contract.
        unsafe { give_text(canonical, form) };
        Ok(())
    })
}
