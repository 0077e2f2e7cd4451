//! `policy.h`: policies and their evaluation (formats.md §4; SRS-004 §17, §25.4).

use core::ffi::c_char;
use core::mem::MaybeUninit;

use super::agent::ax_agent_ctx_t;
use super::audit::ax_ledger_ctx_t;
use super::types::q16_16_t;
use crate::policy::{Evaluation, Registry, Rules};

/// The decision of one policy, or of several together.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_policy_result_t {
    /// The value is allowed.
    AX_POLICY_PERMITTED = 0,
    /// The value is not allowed.
    AX_POLICY_BREACH = 1,
}

/// The comparison of a value with its threshold. The value breaches where the comparison holds; any
/// other number always breaches (SRS-004-SHALL-028).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_policy_cmp_t {
    /// The value is greater than the threshold.
    AX_POLICY_CMP_GT = 0,
    /// The value is less than the threshold.
    AX_POLICY_CMP_LT = 1,
    /// The value is greater than the threshold or equal to it.
    AX_POLICY_CMP_GE = 2,
    /// The value is less than the threshold or equal to it.
    AX_POLICY_CMP_LE = 3,
}

/// Return codes of the functions that make a policy context or write a policy record.
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
    /// An id or a selector is not valid, or the ids do not ascend strictly.
    AX_POLICY_ERR_INVALID_ID = -5,
    /// The registry has more than AX_POLICY_MAX_COUNT policies.
    AX_POLICY_ERR_OVERFLOW = -6,
}

/// The built-in policy of SRS-004 §17.3.
pub const AX_POLICY_ID_MAX_VELOCITY: &str = "POL-001-MAX-VELOCITY";

/// One policy (SRS-004 §17.5).
#[repr(C)]
pub struct ax_policy_t {
    /// Identity of the policy: 1 to 64 of A-Z a-z 0-9 - _ . and a NUL.
    pub policy_id: *const c_char,
    /// Limit, raw Q16.16.
    pub threshold: q16_16_t,
    /// Comparison under which a value breaches.
    pub comparison: MaybeUninit<ax_policy_cmp_t>,
    /// 0 where the policy is never evaluated and leaves no record; another number where it is.
    pub enabled: u8,
}

/// A table of policies in strictly ascending byte order of policy_id.
#[repr(C)]
pub struct ax_policy_registry_t {
    /// Array of count policies; NULL where count is 0.
    pub policies: *const ax_policy_t,
    /// Number of policies, at most AX_POLICY_MAX_COUNT.
    pub count: usize,
    /// Array with the selector of each policy: `[oracle#]path`, at most 192 bytes of UTF-8 and a NUL. The
    /// path is the name of a member at the top level of the answer (a letter or an underscore, then
    /// letters, digits, underscores and hyphens) or an RFC 6901 pointer, which begins with a slash, and
    /// does not end in _q16. In a pointer the step `~*` (at most twice) leads to every element of an array:
    /// the value is the greatest for GT and GE and the least for LT and LE, and there is none where one
    /// element has none or the array is empty. The last step `~#` leads to the number of elements of an
    /// array or of members of an object, 0 to 32767. A last `~eN`, N from -9 to 9, divides the number by 10^N
    /// before it is rounded to Q16.16. What stands before the first # is an oracle_id, and the policy judges the
    /// answers of that oracle only; without it, those of every oracle. A selector that begins with a
    /// slash is all path. "elapsed" is the time and takes no oracle. NULL: "value" for every policy.
    pub selectors: *const *const c_char,
}

/// A value to evaluate, and the sequences that its records carry.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ax_policy_input_t {
    /// Value, raw Q16.16; INT32_MIN stands for no value and breaches.
    pub value: q16_16_t,
    /// Sequence of the step, which the records carry.
    pub ledger_seq: u64,
    /// Sequence of the observation (SRS-004-SHALL-044).
    pub obs_ledger_seq: u64,
}

/// The fields of an AX:POLICY:v1 (SRS-004 §25.4).
#[repr(C)]
pub struct ax_policy_record_t {
    /// Value that was compared, raw Q16.16; INT32_MIN stands for no value.
    pub actual: q16_16_t,
    /// Sequence of the step.
    pub ledger_seq: u64,
    /// Sequence of the observation (SRS-004-SHALL-044).
    pub obs_ledger_seq: u64,
    /// Identity of the policy, NUL-terminated.
    pub policy_id: *const c_char,
    /// Decision of the policy: 0 is PERMITTED, 1 is BREACH.
    pub result: u8,
    /// Limit that the value was compared with, raw Q16.16.
    pub threshold: q16_16_t,
}

/// The rules that an agent runs under, and their last decision. The caller owns the context;
/// ax_policy_init makes it.
#[repr(C)]
pub struct ax_policy_ctx_t {
    /// Ledger that records are committed to; for an agent that steps its own. NULL: none.
    pub ledger: *mut ax_ledger_ctx_t,
    /// Agent whose violation a breach sets. NULL: none.
    pub agent: *mut ax_agent_ctx_t,
    /// 1 where a policy was breached in this cycle, else 0.
    pub breach_flag: u8,
    /// Number of policies that were evaluated in this cycle.
    pub evaluation_count: u8,
    /// 1 where the last answer was permitted, and the agent was ENABLED after it and since, else 0;
    /// what ax_agent_may_act reads.
    pub answer_permitted: u8,
    /// Sequence of the last step that was evaluated.
    pub last_eval_seq: u64,
    /// Policies of the agent.
    pub registry: *const ax_policy_registry_t,
    /// 1 where a TRUNCATED answer is evaluated like a COMPLETE one, else 0 (SRS-004-SHALL-040).
    pub permit_truncated: u8,
    /// 1 where an INVALID_OUTPUT stops the agent, 0 where it alarms the agent (SRS-004 §15.2).
    pub stop_on_invalid: u8,
    /// 1 where the configuration names manifest, else 0.
    pub has_manifest: u8,
    /// SHA-256 of a document of the host's that the ledger is bound to from its first reset on; the
    /// library never reads the document.
    pub manifest: [u8; 32],
}

impl ax_policy_ctx_t {
    pub(super) fn rules<'r>(&self, registry: &'r dyn Registry) -> Rules<'r> {
        Rules {
            registry,
            permit_truncated: self.permit_truncated != 0,
            stop_on_invalid: self.stop_on_invalid != 0,
            manifest: (self.has_manifest != 0).then_some(self.manifest),
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
