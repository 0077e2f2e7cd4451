//! Each thread's last decision. Emits no header.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::path::Path;

use axilog_ledger::decision::StepDecision;
use axilog_ledger::json_report::decision::decision_json_text;
use axilog_ledger::visible_text::escape_deceptive_json;

use crate::decision::axh_decision_t;
use crate::pointer::Output;

thread_local! {
    static LAST_DECISION: RefCell<LastDecision> = const { RefCell::new(LastDecision::None) };
}

/// A decision, which most programs never ask for as text.
enum LastDecision {
    None,
    Kept(Box<Path>, Box<StepDecision>),
    Told(CString),
}

/// Gives a decision to the caller, and keeps it for the calling thread.
pub(crate) fn give_decision(
    out: Option<Output<axh_decision_t>>,
    path: &Path,
    decision: StepDecision,
) {
    if let Some(out) = out {
        out.write(axh_decision_t::of(&decision));
    }
    let kept = LastDecision::Kept(path.into(), Box::new(decision));
    // A thread that is ending may have dropped its decision already.
    let _ = LAST_DECISION.try_with(|last| last.replace(kept));
}

/// The decision that the calling thread kept last, as JSON; empty where it has kept none.
pub(crate) fn last_decision() -> *const c_char {
    let told = LAST_DECISION.try_with(|last| {
        let mut last = last.borrow_mut();
        if let LastDecision::Kept(path, decision) = &*last {
            let json = decision_json_text(path, decision);
            // JSON has no NUL.
            let text = CString::new(escape_deceptive_json(&json).as_bytes()).unwrap_or_default();
            *last = LastDecision::Told(text);
        }
        match &*last {
            LastDecision::Told(text) => text.as_ptr(),
            _ => c"".as_ptr(),
        }
    });
    told.unwrap_or(c"".as_ptr())
}
