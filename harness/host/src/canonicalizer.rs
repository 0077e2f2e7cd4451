//! `host.h`: the one JSON object in the text of a language model.

use std::ffi::{c_char, c_int};

use axilog_ledger::input_file::MAX_INPUT_BYTES;
use axilog_oracle::canonicalized_json::canonicalized_json;
use axilog_oracle::canonicalizer::canonicalize;

use crate::boundary::run_check;
use crate::given_text::{check_length, clear_text, give_text};
use crate::pointer::{bytes, utf8};

/// Finds the one JSON object in the text of a language model, as the live harness X-0L does: prose and fences around it
/// are left out, and nothing is repaired or chosen.
///
/// This is not axh_canonical_json, which writes a JSON text in its canonical form and takes no text around it.
///
/// @param text Text as the model gave it, in UTF-8, borrowed for the call.
/// @param text_len Bytes of text, at most 64 MiB.
/// @param json Receives the object that `axilog x0l canonicalize` prints, NUL-terminated, which axh_string_free frees: its
///     "status" (OK, NO_JSON, AMBIGUOUS_MULTI_BLOCK or PARSE_ERROR) and "raw_hash", and where the status is OK the object
///     as it stands in the text ("block"), in canonical form ("json"), and the hash of that ("canonicalized_hash"). NULL
///     on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the status is OK, AXH_NOT_OK where it is another, or one of these codes.
/// @retval AXH_ERR_ARGUMENT text is NULL, not UTF-8 or too long.
/// @see X-0L, A1 to A7
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_canonicalize(
    text: *const c_char,
    text_len: usize,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let text = unsafe { bytes("text", text, text_len) }?;
        check_length("text", text, MAX_INPUT_BYTES)?;
        let found = canonicalize(utf8("text", text)?);
        // SAFETY: by contract.
        unsafe { give_text(json, canonicalized_json(&found)) };
        Ok(found.block.is_ok())
    })
}
