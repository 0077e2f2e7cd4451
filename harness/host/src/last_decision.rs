//! Each thread's last decision, and decisions that programs keep longer. Emits no header.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::path::Path;
use std::sync::OnceLock;

use axilog_ledger::decision::StepDecision;
use axilog_ledger::json_report::decision::decision_json_text;
use axilog_ledger::visible_text::escape_deceptive_json;

use crate::decision::axh_decision_t;
use crate::pointer::Output;

thread_local! {
    static LAST_DECISION: RefCell<Option<Box<KeptDecision>>> = const { RefCell::new(None) };
}

/// A decision, which most programs never ask for as text.
pub(crate) struct KeptDecision {
    path: Box<Path>,
    decision: StepDecision,
    text: OnceLock<CString>,
}

impl KeptDecision {
    /// The decision as JSON.
    pub(crate) fn tell(&self) -> *const c_char {
        let text = self.text.get_or_init(|| {
            let json = decision_json_text(&self.path, &self.decision);
            // JSON has no NUL.
            CString::new(escape_deceptive_json(&json).as_bytes()).unwrap_or_default()
        });
        text.as_ptr()
    }
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
    let kept = KeptDecision {
        path: path.into(),
        decision,
        text: OnceLock::new(),
    };
    // A thread that is ending may have dropped its decision already.
    let _ = LAST_DECISION.try_with(|last| last.replace(Some(Box::new(kept))));
}

/// The decision that the calling thread kept last, as JSON; empty where it has kept none.
pub(crate) fn last_decision() -> *const c_char {
    let told = LAST_DECISION.try_with(|last| last.borrow().as_ref().map(|kept| kept.tell()));
    told.ok().flatten().unwrap_or(c"".as_ptr())
}

/// Takes the decision that the calling thread kept last.
pub(crate) fn take_last_decision() -> Option<Box<KeptDecision>> {
    let taken = LAST_DECISION.try_with(RefCell::take);
    taken.ok().flatten()
}
