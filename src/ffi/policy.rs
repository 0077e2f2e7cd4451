//! `policy.h`: policies and their evaluation (formats.md §4; SRS-004 §17, §25.4).

use core::ffi::c_char;
use core::mem::MaybeUninit;

use super::agent::ax_agent_ctx_t;
use super::audit::ax_ledger_ctx_t;
use super::types::q16_16_t;
use crate::policy::{Evaluation, Registry, Rules};

/// What a policy, or all of them together, decided.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_policy_result_t {
    /// The value is allowed.
    AX_POLICY_PERMITTED = 0,
    /// The value is not allowed.
    AX_POLICY_BREACH = 1,
}

/// How a value is compared with its threshold: it breaches where the comparison holds. Any other
/// number always breaches (SRS-004-SHALL-028).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_policy_cmp_t {
    /// Greater than.
    AX_POLICY_CMP_GT = 0,
    /// Less than.
    AX_POLICY_CMP_LT = 1,
    /// Greater than or equal.
    AX_POLICY_CMP_GE = 2,
    /// Less than or equal.
    AX_POLICY_CMP_LE = 3,
}

/// What the functions that set something up return.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_policy_err_t {
    /// Success.
    AX_POLICY_OK = 0,
    /// The context is NULL.
    AX_POLICY_ERR_NULL_CTX = -1,
    /// Another required pointer is NULL.
    AX_POLICY_ERR_NULL_INPUT = -2,
    /// A record did not fit its buffer.
    AX_POLICY_ERR_SERIALISE = -3,
    /// A record could not be committed.
    AX_POLICY_ERR_COMMIT = -4,
    /// An id or a selector is not one, or the ids are not strictly ascending.
    AX_POLICY_ERR_INVALID_ID = -5,
    /// More than AX_POLICY_MAX_COUNT policies.
    AX_POLICY_ERR_OVERFLOW = -6,
}

/// The built-in policy of SRS-004 §17.3.
pub const AX_POLICY_ID_MAX_VELOCITY: &str = "POL-001-MAX-VELOCITY";

/// One policy (SRS-004 §17.5).
#[repr(C)]
pub struct ax_policy_t {
    /// 1 to 64 of A-Z a-z 0-9 - _ . and a NUL.
    pub policy_id: *const c_char,
    /// Raw Q16.16.
    pub threshold: q16_16_t,
    /// When a value breaches.
    pub comparison: MaybeUninit<ax_policy_cmp_t>,
    /// 0: never evaluated, no record.
    pub enabled: u8,
}

/// A table of policies in strictly ascending byte order of policy_id.
#[repr(C)]
pub struct ax_policy_registry_t {
    /// count policies; NULL where count is 0.
    pub policies: *const ax_policy_t,
    /// At most AX_POLICY_MAX_COUNT.
    pub count: usize,
    /// The selector of each policy: a lower-case letter, then lower-case letters, digits and
    /// underscores, at most 32 bytes, not ending in _q16;
    /// NULL: "value" for all.
    pub selectors: *const *const c_char,
}

/// A value to evaluate and what its records are bound to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ax_policy_input_t {
    /// Raw Q16.16; INT32_MIN is no value and breaches.
    pub value: q16_16_t,
    /// Sequence for the records.
    pub ledger_seq: u64,
    /// Sequence of the observation (SRS-004-SHALL-044).
    pub obs_ledger_seq: u64,
}

/// The fields of an AX:POLICY:v1 (SRS-004 §25.4).
#[repr(C)]
pub struct ax_policy_record_t {
    /// The value that was compared.
    pub actual: q16_16_t,
    /// Sequence of the record's step.
    pub ledger_seq: u64,
    /// Sequence of the observation (SRS-004-SHALL-044).
    pub obs_ledger_seq: u64,
    /// Which policy.
    pub policy_id: *const c_char,
    /// 0: PERMITTED; 1: BREACH.
    pub result: u8,
    /// The limit.
    pub threshold: q16_16_t,
}

/// The rules an agent runs under and what they said last. Caller-owned; made by ax_policy_init.
#[repr(C)]
pub struct ax_policy_ctx_t {
    /// Where records are committed; for ax_agent_step the agent's own ledger.
    pub ledger: *mut ax_ledger_ctx_t,
    /// Whose violation a breach sets; may be NULL.
    pub agent: *mut ax_agent_ctx_t,
    /// 1: something breached in this cycle.
    pub breach_flag: u8,
    /// Policies evaluated in this cycle.
    pub evaluation_count: u8,
    /// Sequence of the last evaluation.
    pub last_eval_seq: u64,
    /// The policies.
    pub registry: *const ax_policy_registry_t,
    /// 1: a TRUNCATED answer is evaluated like a COMPLETE one (SRS-004-SHALL-040).
    pub permit_truncated: u8,
    /// 1: an INVALID_OUTPUT stops the agent rather than alarming it (SRS-004 §15.2).
    pub stop_on_invalid: u8,
}

impl ax_policy_ctx_t {
    pub(super) fn rules<'r>(&self, registry: &'r dyn Registry) -> Rules<'r> {
        Rules {
            registry,
            permit_truncated: self.permit_truncated != 0,
            stop_on_invalid: self.stop_on_invalid != 0,
        }
    }

    /// Begins a cycle with what a step's policies said.
    pub(super) fn begin_cycle(&mut self, evaluation: Evaluation) {
        self.breach_flag = 0;
        self.evaluation_count = 0;
        self.note(evaluation);
    }

    pub(super) fn note(&mut self, evaluation: Evaluation) {
        self.breach_flag |= u8::from(evaluation.breach);
        self.evaluation_count = self.evaluation_count.saturating_add(evaluation.count);
        self.last_eval_seq = evaluation.ledger_seq;
    }
}
