//! `oracle.h`: observation types (SRS-004 §25.3).

use core::mem::MaybeUninit;

use super::pointer::enum_value;
use super::types::q16_16_t;
use crate::evidence::observation::{Completion, Failure, Params};

/// The value of schema_version in every record (SRS-004-SHALL-047).
pub const AX_OBS_SCHEMA_VERSION: &str = "AX:OBS:v1";

/// Whether an answer was fully received (SRS-004-SHALL-035).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_completion_state_t {
    /// The answer was received in full.
    AX_COMPLETION_COMPLETE = 0,
    /// A prefix of the answer was received.
    AX_COMPLETION_TRUNCATED = 1,
    /// No answer was received.
    AX_COMPLETION_ERROR = 2,
}

/// The failure of an oracle (SRS-004-SHALL-035).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_failure_type_t {
    /// The oracle did not fail.
    AX_FAILURE_NULL = 0,
    /// No answer came in time.
    AX_FAILURE_TIMEOUT = 1,
    /// The answer is not admissible.
    AX_FAILURE_INVALID_OUTPUT = 2,
    /// The network or the protocol failed.
    AX_FAILURE_TRANSPORT_ERROR = 3,
}

/// The sampling parameters of a call (SRS-004-SHALL-036). A sentinel stands for null.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ax_oracle_params_t {
    /// The largest number of tokens in the answer, from 0; -1 is null.
    pub max_tokens: i32,
    /// The seed of the sampling, from 0; -1 is null.
    pub seed: i64,
    /// The temperature of the sampling, raw Q16.16, from 0; INT32_MIN is null.
    pub temperature: q16_16_t,
    /// The probability mass to sample from, raw Q16.16, from 0 to 65536; INT32_MIN is null.
    pub top_p: q16_16_t,
}

impl ax_oracle_params_t {
    /// Every parameter null.
    pub(super) const NULL: ax_oracle_params_t = ax_oracle_params_t {
        max_tokens: -1,
        seed: -1,
        temperature: i32::MIN,
        top_p: i32::MIN,
    };

    /// As the core has it. Values out of range stay so, for the core to refuse.
    pub(super) fn load(&self) -> Params {
        Params {
            max_tokens: (self.max_tokens != -1).then_some(self.max_tokens),
            seed: (self.seed != -1).then_some(self.seed),
            temperature: (self.temperature != i32::MIN).then_some(self.temperature),
            top_p: (self.top_p != i32::MIN).then_some(self.top_p),
        }
    }

    pub(super) fn of(params: &Params) -> ax_oracle_params_t {
        ax_oracle_params_t {
            max_tokens: params.max_tokens.unwrap_or(-1),
            seed: params.seed.unwrap_or(-1),
            temperature: params.temperature.unwrap_or(i32::MIN),
            top_p: params.top_p.unwrap_or(i32::MIN),
        }
    }
}

/// `None` for an integer that is no completion state.
pub(super) fn load_completion(raw: MaybeUninit<ax_completion_state_t>) -> Option<Completion> {
    Completion::ALL
        .get(usize::try_from(enum_value(raw)).ok()?)
        .copied()
}

/// `None` for an integer that is no failure type.
pub(super) fn load_failure(raw: MaybeUninit<ax_failure_type_t>) -> Option<Option<Failure>> {
    match usize::try_from(enum_value(raw)).ok()? {
        0 => Some(None),
        number => Failure::ALL
            .get(number.checked_sub(1)?)
            .map(|&failure| Some(failure)),
    }
}

pub(super) fn completion_of(completion: Completion) -> MaybeUninit<ax_completion_state_t> {
    MaybeUninit::new(match completion {
        Completion::Complete => ax_completion_state_t::AX_COMPLETION_COMPLETE,
        Completion::Truncated => ax_completion_state_t::AX_COMPLETION_TRUNCATED,
        Completion::Error => ax_completion_state_t::AX_COMPLETION_ERROR,
    })
}

pub(super) fn failure_of(failure: Option<Failure>) -> MaybeUninit<ax_failure_type_t> {
    MaybeUninit::new(match failure {
        None => ax_failure_type_t::AX_FAILURE_NULL,
        Some(Failure::Timeout) => ax_failure_type_t::AX_FAILURE_TIMEOUT,
        Some(Failure::InvalidOutput) => ax_failure_type_t::AX_FAILURE_INVALID_OUTPUT,
        Some(Failure::TransportError) => ax_failure_type_t::AX_FAILURE_TRANSPORT_ERROR,
    })
}
