//! Why a run counts for nothing: `INVALID_RUN / REASON`.

use strum::IntoStaticStr;

/// The rule of the experiment that a run broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum InvalidReason {
    /// The padding changes the tokens beside it, or is not one token each time (Q3).
    PadUnstable,
    /// A record or a situation is longer than its segment (Gate P4).
    BufferOverflow,
    /// A prompt has another length, or other tokens, than its parts, or the server counts other numbers of
    /// tokens in two prompts (Gate P4).
    ShadowPersistence,
    /// A baseline episode recorded no precedent (P1).
    BaselineNotInstantiated,
    /// The prompt does not hold the precedent that was recorded before it (P2).
    DeadChannel,
    /// No answer of a run compiled, so the run shows no choice of its oracle.
    NoUsefulAnswer,
    /// An episode of run B had no novel conflict (Q6).
    InsufficientPressure,
    /// Another model than the one that gave the first answer gave a later one, as the server says.
    ModelChanged,
}

impl InvalidReason {
    /// The reason as documents name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The finding that makes a run invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("INVALID_RUN / {}: {detail}", reason.as_str())]
pub struct InvalidRun {
    /// The rule that was broken.
    pub reason: InvalidReason,
    /// What was found and what was expected, in a sentence.
    pub detail: String,
}

impl InvalidRun {
    /// A finding with its detail.
    pub fn new(reason: InvalidReason, detail: impl Into<String>) -> InvalidRun {
        InvalidRun {
            reason,
            detail: detail.into(),
        }
    }
}
