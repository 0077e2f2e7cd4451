//! `host.h`: what the functions return, and the text of the last error.

use std::ffi::{c_char, c_int};

use crate::last_error::{last_error, last_os_error};

/// The call succeeded.
pub const AXH_OK: i32 = 0;
/// What was checked is not OK: the verdict on a ledger is another, an answer would be refused, or a text is not as it
/// should be.
pub const AXH_NOT_OK: i32 = 1;
/// The reader has no further record: what the ledger holds was read.
pub const AXH_END: i32 = 2;
/// An argument is not what the function takes: a NULL, a struct of another size, a number outside its enum, text that is
/// not UTF-8, a policy file or schema that is not valid. Nothing was done.
pub const AXH_ERR_ARGUMENT: i32 = -101;
/// The handle is NULL, closed, or no handle of this library. Nothing was done.
pub const AXH_ERR_HANDLE: i32 = -102;
/// The handle belongs to the process that this one was forked from, which alone may use it. Nothing was done.
pub const AXH_ERR_FORKED: i32 = -103;
/// The ledger does not take this: it is sealed, the oracle or its model is not one that may answer, the question is not
/// admissible or violates its schema, the time does not increase. Nothing was recorded.
pub const AXH_ERR_REFUSED: i32 = -104;
/// The file for a new ledger holds a ledger already.
pub const AXH_ERR_EXISTS: i32 = -105;
/// Another process, or another handle of this one, is writing to the ledger.
pub const AXH_ERR_LOCKED: i32 = -106;
/// The ledger cannot be gone on with: it is damaged, holds no observation, or what it names is missing or altered.
pub const AXH_ERR_LEDGER: i32 = -107;
/// The operating system refused an operation, or the ledger is no longer under its path. The text says whether anything
/// was recorded; open the ledger again to go on.
pub const AXH_ERR_IO: i32 = -108;
/// The library has a defect, and stopped in the middle of a call. The ledger takes no further steps through this handle;
/// close it, and open the ledger again to see what it holds.
pub const AXH_ERR_DEFECT: i32 = -109;

/// Gives the text of the last error of the calling thread: what was found, what was expected, what to do.
///
/// Each thread has a text of its own. A call that succeeds leaves it as it is.
///
/// @return A string of one line in UTF-8, never NULL; empty where no call of this thread has failed. The library owns
///     it; it is valid until the next function of this header fails on this thread, or the thread ends.
/// @see SRS-004 §25.2
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_last_error() -> *const c_char {
    last_error()
}

/// Gives the operating system's number of the last error of the calling thread.
///
/// A call that succeeds leaves it as it is.
///
/// @return An errno of Unix, or an error of GetLastError on Windows; 0 where the last error was no refusal of the
///     operating system, or no call of this thread has failed.
/// @see SRS-004 §25.2
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_last_os_error() -> c_int {
    last_os_error()
}
