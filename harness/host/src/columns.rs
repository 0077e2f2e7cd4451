//! `host.h`: records in columns.

use std::ffi::c_char;
use std::ptr;

use axilog::evidence::policy::PolicyResult;
use axilog::ffi::agent::{health_of, violation_of};
use axilog::hash::Hash;
use axilog::json::escaped::EscapedText;
use axilog_ledger::reader::ReadRecord;
use axilog_ledger::record_contents::RecordContents;

use crate::decision::{completion_of, failure_of};
use crate::pointer::SizedStruct;
use crate::record::{kind_of, number_of_class, observation_of};

/// Texts, one for each record: text i has the bytes from the offset i to the next one, as large_utf8 of Arrow has them.
#[repr(C)]
pub struct axh_texts_t {
    /// Array of one element more than there are texts; the first is 0.
    pub offsets: *const i64,
    /// Bytes of all texts, without NULs between them.
    pub bytes: *const c_char,
}

/// Records in columns: each pointer is to an array with one element for each record, as axh_record_t has it, and of
/// hashes 32 bytes each. What a record's kind does not have is 0 or an empty text. The reader owns the arrays; they are
/// valid until the next call with it that reads or closes.
#[repr(C)]
pub struct axh_columns_t {
    /// Bytes of this struct: sizeof (axh_columns_t), which the caller sets.
    pub size: usize,
    /// Number of records.
    pub count: usize,
    /// Places of the records in the ledger.
    pub sequence: *const u64,
    /// Numbers of the observations that they are or are about.
    pub ledger_seq: *const u64,
    /// Offsets of their lines in the file.
    pub offset: *const u64,
    /// The last times that the ledger holds up to them.
    pub time: *const u64,
    /// Bytes of the whole answers.
    pub output_size: *const u64,
    /// Values that were judged, raw Q16.16.
    pub actual: *const i32,
    /// Limits of policies, raw Q16.16.
    pub threshold: *const i32,
    /// Numbers of faults since the last reset.
    pub fault_count: *const u32,
    /// An axh_record_kind_t each.
    pub kind: *const u8,
    /// An ax_completion_state_t each.
    pub completion_state: *const u8,
    /// An ax_failure_type_t each.
    pub failure_type: *const u8,
    /// 1 for each policy that was breached, else 0.
    pub breached: *const u8,
    /// An ax_input_class_t each; -1 where it is unknown.
    pub input_class: *const i8,
    /// An ax_health_state_t each, before the transition.
    pub prev_state: *const u8,
    /// An ax_health_state_t each, after the transition.
    pub next_state: *const u8,
    /// An ax_violation_t each.
    pub violation: *const u8,
    /// Chain values.
    pub chain: *const u8,
    /// Hashes of questions, and of raw answers.
    pub content_hash: *const u8,
    /// Hashes of observations.
    pub obs_hash: *const u8,
    /// Identities of oracles.
    pub oracle_id: axh_texts_t,
    /// Identities of models.
    pub model_id: axh_texts_t,
    /// Answers as far as records hold them.
    pub output: axh_texts_t,
    /// Identities of policies.
    pub policy_id: axh_texts_t,
    /// Canonical bytes.
    pub bytes: axh_texts_t,
}

// SAFETY: `repr(C)`, begins with its size; zero is NULL or a number.
unsafe impl SizedStruct for axh_columns_t {}

/// The most bytes of text in one batch, unless a single record has more.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// The arrays of a batch.
#[derive(Default)]
pub(crate) struct ColumnBuffers {
    numbers: [Vec<u64>; 5],
    values: [Vec<i32>; 2],
    fault_count: Vec<u32>,
    codes: [Vec<u8>; 7],
    input_class: Vec<i8>,
    hashes: [Vec<u8>; 3],
    texts: [TextBuffer; 5],
}

/// The texts of one column. The offsets lack the last one until the batch is given.
#[derive(Default)]
struct TextBuffer {
    offsets: Vec<i64>,
    bytes: Vec<u8>,
}

/// What a kind of record has beyond what every record has.
#[derive(Default)]
struct Fields {
    output_size: u64,
    actual: i32,
    threshold: i32,
    fault_count: u32,
    /// In the order of the columns, without the kind.
    codes: [u8; 6],
    input_class: i8,
    content_hash: Hash,
    obs_hash: Hash,
}

impl ColumnBuffers {
    /// Empties every column.
    pub(crate) fn clear(&mut self) {
        self.numbers.iter_mut().for_each(Vec::clear);
        self.values.iter_mut().for_each(Vec::clear);
        self.fault_count.clear();
        self.codes.iter_mut().for_each(Vec::clear);
        self.input_class.clear();
        self.hashes.iter_mut().for_each(Vec::clear);
        for text in &mut self.texts {
            text.offsets.clear();
            text.bytes.clear();
        }
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.fault_count.len()
    }

    /// Whether the batch has as much text as one may have.
    pub(crate) fn is_full(&self) -> bool {
        self.texts
            .iter()
            .map(|text| text.bytes.len())
            .sum::<usize>()
            >= MAX_TEXT_BYTES
    }

    /// Appends a record.
    pub(crate) fn push(&mut self, read: &ReadRecord<'_>) {
        let entry = &read.verified.entry;
        self.texts.iter_mut().for_each(TextBuffer::begin);
        let [oracle, model, output, policy, bytes] = &mut self.texts;
        bytes.bytes.extend_from_slice(entry.payload);
        let mut fields = Fields::default();
        match &read.contents {
            RecordContents::Genesis | RecordContents::Seal(_) => {}
            RecordContents::Observation(view) => {
                oracle.put(view.oracle_id);
                model.put(view.model_id);
                output.put(view.output);
                fields.output_size = view.output_size;
                fields.content_hash = view.input_hash;
                fields.obs_hash = view.obs_hash;
                let [completion, failure, ..] = &mut fields.codes;
                *completion = completion_of(view.completion) as u8;
                *failure = failure_of(view.failure) as u8;
            }
            RecordContents::Policy(record) => {
                policy.bytes.extend_from_slice(record.policy_id);
                fields.actual = record.actual;
                fields.threshold = record.threshold;
                let [_, _, breached, ..] = &mut fields.codes;
                *breached = (record.result == PolicyResult::Breach).into();
            }
            RecordContents::Transition(record) => {
                fields.fault_count = record.fault_count;
                fields.input_class =
                    i8::try_from(number_of_class(record.input_class)).unwrap_or(-1);
                let [.., before, behind, violation] = &mut fields.codes;
                *before = health_of(record.prev_state) as u8;
                *behind = health_of(record.next_state) as u8;
                *violation = violation_of(record.violation) as u8;
            }
            RecordContents::RawAnswer(raw) => {
                fields.output_size = raw.bytes;
                fields.content_hash = raw.sha256;
            }
        }
        push_each(
            &mut self.numbers,
            [
                entry.sequence,
                observation_of(&read.contents),
                read.verified.offset,
                read.time,
                fields.output_size,
            ],
        );
        push_each(&mut self.values, [fields.actual, fields.threshold]);
        self.fault_count.push(fields.fault_count);
        let [completion, failure, breached, before, behind, violation] = fields.codes;
        let kind = kind_of(&read.contents) as u8;
        push_each(
            &mut self.codes,
            [
                kind, completion, failure, breached, before, behind, violation,
            ],
        );
        self.input_class.push(fields.input_class);
        for (column, hash) in
            (self.hashes.iter_mut()).zip([entry.chain, fields.content_hash, fields.obs_hash])
        {
            column.extend_from_slice(&hash);
        }
    }

    /// Ends the batch and gives its columns.
    pub(crate) fn columns(&mut self) -> axh_columns_t {
        let [sequence, ledger_seq, offset, time, output_size] =
            self.numbers.each_ref().map(|column| start(column));
        let [actual, threshold] = self.values.each_ref().map(|column| start(column));
        let [
            kind,
            completion_state,
            failure_type,
            breached,
            prev_state,
            next_state,
            violation,
        ] = self.codes.each_ref().map(|column| start(column));
        let [chain, content_hash, obs_hash] = self.hashes.each_ref().map(|column| start(column));
        let [oracle_id, model_id, output, policy_id, bytes] =
            self.texts.each_mut().map(TextBuffer::end);
        axh_columns_t {
            size: size_of::<axh_columns_t>(),
            count: self.len(),
            sequence,
            ledger_seq,
            offset,
            time,
            output_size,
            actual,
            threshold,
            fault_count: self.fault_count.as_ptr(),
            kind,
            completion_state,
            failure_type,
            breached,
            input_class: self.input_class.as_ptr(),
            prev_state,
            next_state,
            violation,
            chain,
            content_hash,
            obs_hash,
            oracle_id,
            model_id,
            output,
            policy_id,
            bytes,
        }
    }
}

impl TextBuffer {
    /// Begins the next text.
    fn begin(&mut self) {
        self.offsets.push(offset_of(self.bytes.len()));
    }

    fn put(&mut self, escaped: EscapedText<'_>) {
        escaped.unescape(&mut |run| self.bytes.extend_from_slice(run));
    }

    fn end(&mut self) -> axh_texts_t {
        self.begin();
        axh_texts_t {
            offsets: self.offsets.as_ptr(),
            bytes: self.bytes.as_ptr().cast(),
        }
    }
}

/// No buffer is longer than an `i64` says.
fn offset_of(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn start<T>(column: &[T]) -> *const T {
    match column.is_empty() {
        true => ptr::null(),
        false => column.as_ptr(),
    }
}

fn push_each<T, const N: usize>(columns: &mut [Vec<T>; N], values: [T; N]) {
    for (column, value) in columns.iter_mut().zip(values) {
        column.push(value);
    }
}
