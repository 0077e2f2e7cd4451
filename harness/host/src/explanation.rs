//! `host.h`: why a step was decided as it was.

use std::ffi::{c_char, c_int};
use std::ptr;

use axilog_ledger::json_report::decision::{left_behind_json, torn_line_json};
use serde_json::json;

use crate::boundary::run;
use crate::given_text::{clear_text, give_json};
use crate::last_decision::{KeptDecision, last_decision, take_last_decision};
use crate::open_ledgers::ask;
use crate::options::axh_ledger_t;

/// Gives the last decision of the calling thread as JSON: that of its last axh_observe, axh_time or axh_control that
/// returned AXH_OK.
///
/// The object is the one that the command prints with --json (docs/cli.md): each policy with the value that it compared,
/// the states before and after, and in "why" the reasons in words. It takes some microseconds to make, and is made only
/// where this function is called.
///
/// @return A string of one line in UTF-8, never NULL; empty where no such call of this thread has succeeded. The library
///     owns it; it is valid until the next of those calls succeeds on this thread, or the thread ends.
/// @see SRS-004 §11 and §12; formats.md §4 and §5
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_last_decision() -> *const c_char {
    last_decision()
}

/// A decision that a program has taken with axh_take_decision.
pub struct axh_kept_decision_t {
    _private: [u8; 0],
}

/// Takes the last decision of the calling thread, to be told later or on another thread. axh_last_decision of this thread
/// is empty then, until the next decision.
///
/// @return The decision, which axh_kept_decision_free frees; NULL where axh_last_decision is empty.
/// @see SRS-004 §11 and §12
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_take_decision() -> *mut axh_kept_decision_t {
    take_last_decision().map_or(ptr::null_mut(), |kept| Box::into_raw(kept).cast())
}

/// Gives a decision that was taken, as the JSON that axh_last_decision would have given. Several threads may ask at once.
///
/// @param kept Decision to tell, from axh_take_decision; NULL for none.
/// @return A string of one line in UTF-8, never NULL; empty for NULL. It is valid until the decision is freed.
/// @see SRS-004 §11 and §12; formats.md §4 and §5
///
/// # Safety
/// kept is NULL, or from axh_take_decision and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_kept_decision(kept: *const axh_kept_decision_t) -> *const c_char {
    // SAFETY: by contract.
    let kept = unsafe { kept.cast::<KeptDecision>().as_ref() };
    kept.map_or(c"".as_ptr(), KeptDecision::tell)
}

/// Frees a decision that was taken.
///
/// @param kept Decision to free, from axh_take_decision; NULL for none.
/// @see SRS-004 §11 and §12
///
/// # Safety
/// kept is NULL, or from axh_take_decision and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_kept_decision_free(kept: *mut axh_kept_decision_t) {
    if !kept.is_null() {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(kept.cast::<KeptDecision>()) });
    }
}

/// Gives what opening a ledger did, as JSON: the records that it added to complete an interrupted step, in "torn" the
/// incomplete last line that it moved to another file, and in "left_behind" the files among the blobs that no record
/// names and that it moved out of them; null for neither.
///
/// @param ledger Ledger to describe.
/// @param json Receives the object, NUL-terminated, with the members completed_records, torn and left_behind of what the
///     command prints with --json; axh_string_free frees it. NULL on failure. It overlaps no other argument.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @see formats.md §6
///
/// # Safety
/// json is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_opening(ledger: *const axh_ledger_t, json: *mut *mut c_char) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run(|| {
        let object = ask(ledger, |session| {
            json!({
                "completed_records": session.completed_records(),
                "torn": torn_line_json(session.torn_line()),
                "left_behind": left_behind_json(session.left_behind()),
            })
        })?;
        // SAFETY: by contract.
        unsafe { give_json(json, &object) };
        Ok(())
    })
}
