//! The raw answers of a ledger, admitted again and compared with the observations that do not hold them.
//!
//! formats.md §3 (Admission) and §6 (Raw answers); decision D28. A RAW record binds the bytes of such an answer. So
//! anybody can see whether admission makes the observation of them: what was cut must begin the answer and end where
//! the rule cuts, and what was refused must be inadmissible, or violate a declared schema.

use std::collections::HashMap;

use axilog::admission::{InputKind, input_hash};
use axilog::evidence::proof::RawAnswer;
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, sha256};

use crate::admission::{AnswerFit, AnswerText, COMPARED_BYTES, compare_answer, may_lack_answer};
use crate::encoding::unescape;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::named_blobs::read_raw_answer;
use crate::verify::VerifiedRecord;

/// The most faults that are named. All are counted.
const MAX_NAMED: u64 = 20;

/// The comparison of raw answers with their observations, in progress. Each answer is read whole once, however many
/// observations it has. Memory grows with the number of distinct answers.
pub(super) struct RawAnswerComparison {
    store: BlobStore,
    /// The most bytes of a blob that are read.
    limit: u64,
    /// The last record, if it is an observation that may lack its answer.
    unheld: Option<Vec<u8>>,
    /// The answers that were read; `None` for one whose blob is missing, damaged or too long.
    texts: HashMap<Hash, Option<AnswerText>>,
    /// The questions of refused answers, and whether each is there and admissible.
    questions: HashMap<Hash, bool>,
    pub(super) summary: RawAnswerSummary,
}

/// What the comparison found.
#[derive(Default)]
pub(super) struct RawAnswerSummary {
    /// The number of answers that are missing, damaged or longer than what is read.
    pub(super) unread: u64,
    /// The number of answers that are not recorded as admission makes them.
    pub(super) faults: u64,
    /// The first [`MAX_NAMED`] of them, in words.
    pub(super) named: Vec<String>,
}

impl RawAnswerComparison {
    pub(super) fn new(store: BlobStore, limit: u64) -> RawAnswerComparison {
        RawAnswerComparison {
            store,
            limit,
            unheld: None,
            texts: HashMap::new(),
            questions: HashMap::new(),
            summary: RawAnswerSummary::default(),
        }
    }

    /// Takes the next good record of the ledger. `may_refuse` says of an oracle whether a schema may be why an
    /// admissible answer of it was refused; whether it is, is the check of the schemas.
    ///
    /// # Errors
    /// Those of [`BlobStore::read`].
    pub(super) fn take_record(
        &mut self,
        record: &VerifiedRecord<'_>,
        may_refuse: impl Fn(&str) -> bool,
    ) -> Result<(), LedgerError> {
        let unheld = self.unheld.take();
        if let Some(view) = &record.observation {
            self.unheld = may_lack_answer(view).then(|| record.entry.payload.to_owned());
            return Ok(());
        }
        let (Some(observation), Some(raw)) = (unheld, read_raw_answer(&record.entry)) else {
            return Ok(());
        };
        let Ok(view) = ObservationView::parse(&observation) else {
            return Ok(());
        };
        let Some(text) = self.check_text(&raw)? else {
            self.summary.unread = self.summary.unread.saturating_add(1);
            return Ok(());
        };
        let oracle_id = unescape(view.oracle_id);
        let reason = match self.compare(&view, &raw, text)? {
            AnswerFit::Recorded => return Ok(()),
            AnswerFit::Admissible if may_refuse(&oracle_id) => return Ok(()),
            AnswerFit::Admissible if !self.has_good_question(&view)? => return Ok(()),
            AnswerFit::Admissible => {
                "it is admissible, and is recorded as INVALID_OUTPUT without a schema that it could violate"
                    .to_owned()
            }
            AnswerFit::Differs(reason) => reason,
        };
        let summary = &mut self.summary;
        summary.faults = summary.faults.saturating_add(1);
        if summary.faults <= MAX_NAMED {
            summary.named.push(format!(
                "the raw answer of observation {}: {reason}",
                view.ledger_seq
            ));
        }
        Ok(())
    }

    /// Reads an answer whole, unless it was read before; `None` for one that is missing, damaged or too long.
    fn check_text(&mut self, raw: &RawAnswer) -> Result<Option<AnswerText>, LedgerError> {
        let hash = &raw.sha256;
        if let Some(known) = self.texts.get(hash) {
            return Ok(*known);
        }
        // One byte more than the record says shows that there are more.
        let answer = self.read(hash, self.limit.min(raw.bytes.saturating_add(1)))?;
        let answer = answer.filter(|answer| sha256(answer) == *hash);
        let text = answer.map(|answer| AnswerText::of(&answer));
        self.texts.insert(*hash, text);
        Ok(text)
    }

    fn compare(
        &self,
        view: &ObservationView<'_>,
        raw: &RawAnswer,
        text: AnswerText,
    ) -> Result<AnswerFit, LedgerError> {
        if text.raw_bytes != raw.bytes {
            return Ok(AnswerFit::Differs(format!(
                "it has {} bytes, and its RAW record says {}",
                text.raw_bytes, raw.bytes
            )));
        }
        let beginning = self.read(&raw.sha256, COMPARED_BYTES as u64)?;
        Ok(compare_answer(view, text, &beginning.unwrap_or_default()))
    }

    /// Whether the question was admissible, so that only the answer can be why it was refused. A question that cannot
    /// be read is another check's.
    fn has_good_question(&mut self, view: &ObservationView<'_>) -> Result<bool, LedgerError> {
        let hash = view.input_hash;
        if let Some(known) = self.questions.get(&hash) {
            return Ok(*known);
        }
        let question = self.read(&hash, self.limit)?.unwrap_or_default();
        let is_good = input_hash(&question, InputKind::Text) == Ok(hash);
        self.questions.insert(hash, is_good);
        Ok(is_good)
    }

    /// Reads a blob; the empty string needs none.
    fn read(&self, hash: &Hash, limit: u64) -> Result<Option<Vec<u8>>, LedgerError> {
        match *hash == sha256(b"") {
            true => Ok(Some(Vec::new())),
            false => self.store.read(hash, limit),
        }
    }
}
