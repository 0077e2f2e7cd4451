//! Why a run counts for nothing: `INVALID_RUN / REASON`.

use std::fmt;

use axilog_oracle::tokens::TokenError;

use crate::AblationError;

/// The reasons there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The padding changes what stands beside it, or is not one token each time (Q3).
    PadUnstable,
    /// A record or a situation is longer than its segment (Gate P4).
    BufferOverflow,
    /// A prompt has another length, or other tokens, than its parts (Gate P4).
    ShadowPersistence,
    /// A baseline episode recorded no precedent (P1).
    BaselineNotInstantiated,
    /// The prompt does not hold what was recorded before it (P2).
    DeadChannel,
    /// An episode of run B had no novel conflict (Q6).
    InsufficientPressure,
}

impl Reason {
    /// As documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::PadUnstable => "PAD_UNSTABLE",
            Reason::BufferOverflow => "BUFFER_OVERFLOW",
            Reason::ShadowPersistence => "SHADOW_PERSISTENCE",
            Reason::BaselineNotInstantiated => "BASELINE_NOT_INSTANTIATED",
            Reason::DeadChannel => "DEAD_CHANNEL",
            Reason::InsufficientPressure => "INSUFFICIENT_PRESSURE",
        }
    }
}

/// What was found where something else was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Why.
    pub reason: Reason,
    /// What was found and what was expected, in a sentence.
    pub detail: String,
}

impl Invalid {
    /// For this reason, told by `detail`.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Invalid {
        Invalid {
            reason,
            detail: detail.into(),
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "INVALID_RUN / {}: {}", self.reason.as_str(), self.detail)
    }
}

/// Why something went no further.
#[derive(Debug)]
pub enum Stop {
    /// The run counts for nothing.
    Invalid(Invalid),
    /// It could not go on.
    Error(AblationError),
}

impl From<Invalid> for Stop {
    fn from(invalid: Invalid) -> Stop {
        Stop::Invalid(invalid)
    }
}

impl From<AblationError> for Stop {
    fn from(error: AblationError) -> Stop {
        Stop::Error(error)
    }
}

impl From<TokenError> for Stop {
    fn from(error: TokenError) -> Stop {
        Stop::Error(super::error::AblationError::from(error).into())
    }
}
