//! Calibration: whether a model answers one prompt alike at temperature 0 (Q22 to Q24, Q55; F1 to F3).
//!
//! The model is asked one fixed prompt three times. The three answers must have one canonical form; what
//! differs around
//! it does not matter. There is no second try. Determinism: D1.

use axilog::hash::Hash;

use super::template::CyclePrompt;

/// The number of calls.
pub const CALLS: usize = 3;

const SYSTEM: &str = "You answer with exactly one JSON object and no other text.";
const USER: &str = "Answer with this object: {\"candidates\":[]}";

/// The prompt of every call.
#[must_use]
pub fn prompt() -> CyclePrompt {
    CyclePrompt {
        system: SYSTEM.to_owned(),
        user: USER.to_owned(),
    }
}

/// Returns the hash that all calls have in common, if they do; `forms` has the hash of each canonical form, in
/// order, `None` for an answer without one.
#[must_use]
pub fn common_form(forms: &[Option<Hash>]) -> Option<Hash> {
    let first = forms.first().copied().flatten()?;
    let all = forms.len() == CALLS && forms.iter().all(|form| *form == Some(first));
    all.then_some(first)
}
