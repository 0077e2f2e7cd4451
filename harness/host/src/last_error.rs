//! Each thread's last error: its text, its reason, and the operating system's number. Emits no header.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_int};

use axilog_ledger::visible_text::escape_deceptive_line;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
    static LAST_REASON: Cell<c_int> = const { Cell::new(0) };
    static LAST_OS_ERROR: Cell<c_int> = const { Cell::new(0) };
}

/// The text that the calling thread kept last, NUL-terminated; empty where it has kept none.
pub(crate) fn last_error() -> *const c_char {
    // A thread that is ending may have dropped its text already.
    LAST_ERROR
        .try_with(|text| text.borrow().as_ptr())
        .unwrap_or(c"".as_ptr())
}

/// The operating system's number of the error that the calling thread kept last; 0 where it has none.
pub(crate) fn last_os_error() -> c_int {
    LAST_OS_ERROR.try_with(Cell::get).unwrap_or(0)
}

/// The reason of the error that the calling thread kept last; 0 where it has none.
pub(crate) fn last_reason() -> c_int {
    LAST_REASON.try_with(Cell::get).unwrap_or(0)
}

/// Keeps an error for the calling thread: its text as one line in which nothing deceives, as the command prints its
/// errors, its reason, and the operating system's number. Both numbers are 0 for none.
pub(crate) fn keep_error(text: &str, reason: c_int, os_error: c_int) {
    // No NUL is left: it is among the characters that are escaped.
    let text = CString::new(escape_deceptive_line(text).as_bytes()).unwrap_or_default();
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
    let _ = LAST_REASON.try_with(|last| last.set(reason));
    let _ = LAST_OS_ERROR.try_with(|last| last.set(os_error));
}
