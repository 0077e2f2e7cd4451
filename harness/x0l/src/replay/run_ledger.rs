//! What replay keeps of a run's ledger: its observations, sorted by oracle.

use std::collections::BTreeSet;

use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::evidence::proof::RawAnswer;
use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::unescape;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::verify::VerifiedRecord;

use crate::log::{ClosingStatement, ProviderFacts};

/// An observation of the ledger.
pub(super) struct RecordedCall {
    pub(super) seq: u64,
    pub(super) oracle: String,
    pub(super) model: String,
    pub(super) completion: Completion,
    pub(super) failure: Option<Failure>,
    pub(super) input_hash: Hash,
    pub(super) output: String,
    pub(super) params: Params,
    /// The binding of the raw answer, where the record does not hold all of it.
    pub(super) raw: Option<RawAnswer>,
    /// Which model answered, where the ledger says so.
    pub(super) facts: Option<ProviderFacts>,
}

impl RecordedCall {
    pub(super) fn read(record: &VerifiedRecord<'_>) -> Option<RecordedCall> {
        let view = record.observation?;
        Some(RecordedCall {
            seq: view.ledger_seq,
            oracle: unescape(view.oracle_id),
            model: unescape(view.model_id),
            completion: view.completion,
            failure: view.failure,
            input_hash: view.input_hash,
            output: unescape(view.output),
            params: view.params,
            raw: None,
            facts: None,
        })
    }

    /// Whether the call brought an answer, whatever admission made of it.
    pub(super) fn is_answered(&self) -> bool {
        self.failure.is_none() || self.raw.is_some()
    }

    /// Reads the answer's raw text: from the record, but for the line ends, or from the blob that the RAW record
    /// after it names. `None` where the blob is missing, altered or not text.
    pub(super) fn read_raw_text(&self, blobs: &BlobStore) -> Option<String> {
        if self.completion == Completion::Complete {
            return Some(self.output.clone());
        }
        let raw = self.raw?;
        let bytes = blobs.read(&raw.sha256, MAX_ANSWER_BYTES).ok()??;
        let bytes = (sha256(&bytes) == raw.sha256).then_some(bytes)?;
        String::from_utf8(bytes).ok()
    }
}

/// The longest raw answer that is read from a blob.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// The run's ledger, up to its first damaged record.
#[derive(Default)]
pub(super) struct RunLedger {
    /// The calls of the model, in order.
    pub(super) calls: Vec<RecordedCall>,
    /// The calls of the sentinels, in order.
    pub(super) sentinels: Vec<RecordedSentinel>,
    /// The hashes of the lines of the cycle log, in order, up to the first that is out of its place.
    pub(super) bindings: Vec<CycleBinding>,
    /// The outcome and the files' hashes that the ledger records at its end.
    pub(super) closing: Option<ClosingStatement>,
    /// Whether the ledger records what is frozen.
    pub(super) opened: bool,
    /// Whether the ledger is sealed.
    pub(super) sealed: bool,
    /// Whether no record is damaged. In a damaged ledger a missing record is no further finding.
    pub(super) intact: bool,
    /// The blobs that the observations name by hash.
    pub(super) named: BTreeSet<Hash>,
    /// The number of records.
    pub(super) entries: u64,
    /// The chain value of the last record.
    pub(super) head: Hash,
}

/// A line's hash in the ledger.
#[derive(Clone, Copy)]
pub(super) struct CycleBinding {
    /// The sequence number of the observation that has it.
    pub(super) seq: u64,
    /// SHA-256 of the line.
    pub(super) sha256: Hash,
}

/// A sentinel's place in the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SentinelPlace {
    /// The number of cycles that are bound before it.
    pub(super) cycles: u64,
    /// The number of the model's calls since then: those of the calibration, or of a cycle that has not ended.
    pub(super) open_calls: usize,
}

/// A call of a sentinel.
pub(super) struct RecordedSentinel {
    pub(super) call: RecordedCall,
    pub(super) place: SentinelPlace,
}

impl RunLedger {
    /// Whether an answer came from another model than the first.
    pub(super) fn has_other_model(&self) -> bool {
        let sentinels = self.sentinels.iter().map(|sentinel| &sentinel.call);
        let mut models = self
            .calls
            .iter()
            .chain(sentinels)
            .filter_map(|call| Some(&call.facts.as_ref()?.answered_by));
        let first = models.next();
        models.any(|model| Some(model) != first)
    }
}
