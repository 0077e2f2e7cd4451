//! Calibration: is the model steady enough at temperature 0 (Q22 to Q24, Q55; F1 to F3)?
//!
//! One fixed prompt, three times. The three answers must have one canonical form; what differs around
//! it does not matter. There is no second try. Determinism: D1.

use axilog::hash::Hash;

use super::template::Prompt;

/// How often the prompt is asked.
pub const CALLS: usize = 3;

const SYSTEM: &str = "You answer with exactly one JSON object and no other text.";
const USER: &str = "Answer with this object: {\"candidates\":[]}";

/// The prompt.
#[must_use]
pub fn prompt() -> Prompt {
    Prompt {
        system: SYSTEM.to_owned(),
        user: USER.to_owned(),
    }
}

/// The one canonical form of all calls, if every one of them has it; `forms` has the hash of each, in
/// order, `None` for an answer without one.
#[must_use]
pub fn steady(forms: &[Option<Hash>]) -> Option<Hash> {
    let first = forms.first().copied().flatten()?;
    let all = forms.len() == CALLS && forms.iter().all(|form| *form == Some(first));
    all.then_some(first)
}
