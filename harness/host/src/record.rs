//! `host.h`: a record that was read.

use std::ffi::{CString, c_char, c_int};
use std::ptr;

use axilog::agent::state::InputClass;
use axilog::evidence::observation::Params;
use axilog::evidence::policy::PolicyResult;
use axilog::evidence::view::ObservationView;
use axilog::ffi::agent::{ax_health_state_t, ax_violation_t, health_of, violation_of};
use axilog::ffi::oracle::{ax_completion_state_t, ax_failure_type_t, ax_oracle_params_t};
use axilog::json::escaped::EscapedText;
use axilog_ledger::encoding::unescape;
use axilog_ledger::reader::ReadRecord;
use axilog_ledger::record_contents::RecordContents;

use crate::decision::{completion_of, failure_of};
use crate::pointer::SizedStruct;

/// What a record is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum axh_record_kind_t {
    /// The first record of every ledger.
    AXH_RECORD_GENESIS = 0,
    /// What an oracle answered, or how it failed; the time; a control input.
    AXH_RECORD_OBSERVATION = 1,
    /// What one policy said of the observation before.
    AXH_RECORD_POLICY = 2,
    /// What the observation before made of the agent.
    AXH_RECORD_TRANSITION = 3,
    /// Length and hash of an answer that the observation before does not hold whole.
    AXH_RECORD_RAW_ANSWER = 4,
    /// The end of the ledger.
    AXH_RECORD_SEAL = 5,
}

/// A record. What its kind does not have is 0 or NULL. The reader owns what the struct points to; it is valid until the
/// next call with the reader that reads a record or closes it.
#[repr(C)]
pub struct axh_record_t {
    /// Bytes of this struct: sizeof (axh_record_t), which the caller sets.
    pub size: usize,
    /// Place of the record in the ledger: the number of records before it.
    pub sequence: u64,
    /// Number of the observation that the record is or is about; 0 for the genesis and a seal.
    pub ledger_seq: u64,
    /// Offset in bytes at which the record's line begins in the file.
    pub offset: u64,
    /// The last time that the ledger holds up to the record; 0 before the first.
    pub time: u64,
    /// Canonical bytes of the record, as they are committed.
    pub bytes: *const c_char,
    /// Number of bytes.
    pub bytes_len: usize,
    /// Of an observation: identity of the oracle, NUL-terminated.
    pub oracle_id: *const c_char,
    /// Of an observation: versioned identity of the oracle's model, NUL-terminated.
    pub model_id: *const c_char,
    /// Of an observation: the answer as far as the record holds it, its line ends normalised, NUL-terminated.
    pub output: *const c_char,
    /// Bytes of output.
    pub output_len: usize,
    /// Of an observation or a raw answer: bytes of the whole answer.
    pub output_size: u64,
    /// Of a policy: its identity, NUL-terminated.
    pub policy_id: *const c_char,
    /// Commit of the record.
    pub commit: [u8; 32],
    /// Chain value after the record.
    pub chain: [u8; 32],
    /// Of an observation: SHA-256 of the canonical question. Of a raw answer: SHA-256 of the answer as it came.
    pub content_hash: [u8; 32],
    /// Of an observation: its hash.
    pub obs_hash: [u8; 32],
    /// Of an observation: sampling parameters of the call.
    pub params: ax_oracle_params_t,
    /// What the record is.
    pub kind: axh_record_kind_t,
    /// Of an observation: whether the answer was received in full, in part or not at all.
    pub completion_state: ax_completion_state_t,
    /// Of an observation: the failure of the oracle; AX_FAILURE_NULL where it did not fail.
    pub failure_type: ax_failure_type_t,
    /// Of a transition: an ax_input_class_t; -1 where it is unknown.
    pub input_class: c_int,
    /// Of a transition: state of the agent before.
    pub prev_state: ax_health_state_t,
    /// Of a transition: state of the agent after it.
    pub next_state: ax_health_state_t,
    /// Of a transition: the rule that was violated; AX_VIOLATION_NONE for none.
    pub violation: ax_violation_t,
    /// Of a transition: number of faults since the last reset.
    pub fault_count: u32,
    /// Of a policy: the value that was judged, raw Q16.16; INT32_MIN where there was none.
    pub actual: i32,
    /// Of a policy: its limit, raw Q16.16.
    pub threshold: i32,
    /// Of a policy: 1 where the value breached it, else 0.
    pub breached: u8,
}

// SAFETY: `repr(C)`, begins with its size; zero is NULL, a number, or the first value of its enum.
unsafe impl SizedStruct for axh_record_t {}

/// The texts that an [`axh_record_t`] points to.
#[derive(Default)]
pub(crate) struct RecordTexts {
    bytes: Vec<u8>,
    names: [CString; 3],
    output: CString,
}

impl RecordTexts {
    /// Copies the texts of a record, and gives the record that points to them.
    pub(crate) fn copy(&mut self, read: &ReadRecord<'_>) -> axh_record_t {
        let entry = &read.verified.entry;
        self.bytes.clear();
        self.bytes.extend_from_slice(entry.payload);
        let mut record = axh_record_t {
            sequence: entry.sequence,
            offset: read.verified.offset,
            time: read.time,
            bytes: self.bytes.as_ptr().cast(),
            bytes_len: self.bytes.len(),
            commit: entry.commit,
            chain: entry.chain,
            kind: kind_of(&read.contents),
            ledger_seq: observation_of(&read.contents),
            ..axh_record_t::EMPTY
        };
        match &read.contents {
            RecordContents::Genesis | RecordContents::Seal(_) => {}
            RecordContents::Observation(view) => self.copy_observation(view, &mut record),
            RecordContents::Policy(policy) => {
                record.policy_id = self.keep_name(2, to_c_string(policy.policy_id.to_vec()));
                record.actual = policy.actual;
                record.threshold = policy.threshold;
                record.breached = (policy.result == PolicyResult::Breach).into();
            }
            RecordContents::Transition(transition) => {
                record.input_class = number_of_class(transition.input_class);
                record.prev_state = health_of(transition.prev_state);
                record.next_state = health_of(transition.next_state);
                record.violation = violation_of(transition.violation);
                record.fault_count = transition.fault_count;
            }
            RecordContents::RawAnswer(raw) => {
                record.output_size = raw.bytes;
                record.content_hash = raw.sha256;
            }
        }
        record
    }

    fn copy_observation(&mut self, view: &ObservationView<'_>, record: &mut axh_record_t) {
        record.oracle_id = self.keep_name(0, to_text(view.oracle_id));
        record.model_id = self.keep_name(1, to_text(view.model_id));
        self.output = to_text(view.output);
        record.output = self.output.as_ptr();
        record.output_len = self.output.as_bytes().len();
        record.output_size = view.output_size;
        record.content_hash = view.input_hash;
        record.obs_hash = view.obs_hash;
        record.params = params_of(&view.params);
        record.completion_state = completion_of(view.completion);
        record.failure_type = failure_of(view.failure);
    }

    /// The output of the observation that was copied last.
    pub(crate) fn output(&self) -> &[u8] {
        self.output.as_bytes()
    }

    fn keep_name(&mut self, at: usize, name: CString) -> *const c_char {
        self.names.get_mut(at).map_or(ptr::null(), |kept| {
            *kept = name;
            kept.as_ptr()
        })
    }
}

impl axh_record_t {
    const EMPTY: axh_record_t = axh_record_t {
        size: size_of::<axh_record_t>(),
        sequence: 0,
        ledger_seq: 0,
        offset: 0,
        time: 0,
        bytes: ptr::null(),
        bytes_len: 0,
        oracle_id: ptr::null(),
        model_id: ptr::null(),
        output: ptr::null(),
        output_len: 0,
        output_size: 0,
        policy_id: ptr::null(),
        commit: [0; 32],
        chain: [0; 32],
        content_hash: [0; 32],
        obs_hash: [0; 32],
        params: ax_oracle_params_t {
            max_tokens: 0,
            seed: 0,
            temperature: 0,
            top_p: 0,
        },
        kind: axh_record_kind_t::AXH_RECORD_GENESIS,
        completion_state: ax_completion_state_t::AX_COMPLETION_COMPLETE,
        failure_type: ax_failure_type_t::AX_FAILURE_NULL,
        input_class: 0,
        prev_state: ax_health_state_t::AX_HEALTH_UNINIT,
        next_state: ax_health_state_t::AX_HEALTH_UNINIT,
        violation: ax_violation_t::AX_VIOLATION_NONE,
        fault_count: 0,
        actual: 0,
        threshold: 0,
        breached: 0,
    };
}

/// The kind of a record.
pub(crate) fn kind_of(contents: &RecordContents<'_>) -> axh_record_kind_t {
    match contents {
        RecordContents::Genesis => axh_record_kind_t::AXH_RECORD_GENESIS,
        RecordContents::Observation(_) => axh_record_kind_t::AXH_RECORD_OBSERVATION,
        RecordContents::Policy(_) => axh_record_kind_t::AXH_RECORD_POLICY,
        RecordContents::Transition(_) => axh_record_kind_t::AXH_RECORD_TRANSITION,
        RecordContents::RawAnswer(_) => axh_record_kind_t::AXH_RECORD_RAW_ANSWER,
        RecordContents::Seal(_) => axh_record_kind_t::AXH_RECORD_SEAL,
    }
}

/// The number of the observation that a record is or is about; 0 where there is none.
pub(crate) fn observation_of(contents: &RecordContents<'_>) -> u64 {
    match contents {
        RecordContents::Genesis | RecordContents::Seal(_) => 0,
        RecordContents::Observation(view) => view.ledger_seq,
        RecordContents::Policy(policy) => policy.obs_ledger_seq,
        RecordContents::Transition(transition) => transition.ledger_seq,
        RecordContents::RawAnswer(raw) => raw.ledger_seq,
    }
}

/// The number of an input class in C; -1 for one that is unknown.
pub(crate) fn number_of_class(class: Option<InputClass>) -> c_int {
    let position = InputClass::ALL.iter().position(|c| Some(*c) == class);
    position.map_or(-1, |position| c_int::try_from(position).unwrap_or(-1))
}

fn params_of(params: &Params) -> ax_oracle_params_t {
    ax_oracle_params_t {
        max_tokens: params.max_tokens.unwrap_or(-1),
        seed: params.seed.unwrap_or(-1),
        temperature: params.temperature.unwrap_or(i32::MIN),
        top_p: params.top_p.unwrap_or(i32::MIN),
    }
}

fn to_text(escaped: EscapedText<'_>) -> CString {
    to_c_string(unescape(escaped).into_bytes())
}

/// No text of a record has a NUL: it is not admissible.
fn to_c_string(bytes: Vec<u8>) -> CString {
    CString::new(bytes).unwrap_or_default()
}
