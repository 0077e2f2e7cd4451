//! Texts that the library gives to C, and the bound of those that it takes. Emits no header.

use std::ffi::{CString, c_char};
use std::ptr;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::visible_text::escape_deceptive_json;
use serde_json::Value;

/// Sets where a text goes to NULL, if a text is wanted.
///
/// # Safety
/// `out` is NULL, or may be written.
pub(crate) unsafe fn clear_text(out: *mut *mut c_char) {
    if !out.is_null() {
        // SAFETY: by contract.
        unsafe { out.write(ptr::null_mut()) };
    }
}

/// Gives a text, if it is wanted.
///
/// # Safety
/// As for [`clear_text`].
pub(crate) unsafe fn give_text(out: *mut *mut c_char, text: String) {
    if !out.is_null() {
        // Neither JSON nor source code has a NUL.
        let text = CString::new(text).unwrap_or_default();
        // SAFETY: by contract.
        unsafe { out.write(text.into_raw()) };
    }
}

/// Gives an object as the command prints it, if it is wanted.
///
/// # Safety
/// As for [`clear_text`].
pub(crate) unsafe fn give_json(out: *mut *mut c_char, object: &Value) {
    if !out.is_null() {
        let text = escape_deceptive_json(&object.to_string()).into_owned();
        // SAFETY: by contract.
        unsafe { give_text(out, text) };
    }
}

/// Checks that a text is not longer than `limit` bytes. `what` is its name in messages.
pub(crate) fn check_length(what: &str, text: &[u8], limit: u64) -> Result<(), LedgerError> {
    match text.len() as u64 > limit {
        true => Err(FileError::TooLong {
            what: what.to_owned(),
            limit,
            hint: "",
        }
        .into()),
        false => Ok(()),
    }
}
