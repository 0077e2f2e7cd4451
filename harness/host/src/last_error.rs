//! The text of each thread's last error. Emits no header.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

use axilog_ledger::visible_text::escape_deceptive_line;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// The text that the calling thread kept last, NUL-terminated; empty where it has kept none.
pub(crate) fn last_error() -> *const c_char {
    // A thread that is ending may have dropped its text already.
    LAST_ERROR
        .try_with(|text| text.borrow().as_ptr())
        .unwrap_or(c"".as_ptr())
}

/// Keeps a text for the calling thread, as one line in which nothing deceives, as the command prints its errors.
pub(crate) fn keep_text(text: &str) {
    // No NUL is left: it is among the characters that are escaped.
    let text = CString::new(escape_deceptive_line(text).as_bytes()).unwrap_or_default();
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
}
