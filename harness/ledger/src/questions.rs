//! The questions of a ledger's answers, which lie among the blobs: a record names its question by hash only.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::view::ObservationView;
use axilog::hash::sha256;

use crate::derivation::find_derivation;
use crate::error::{FileError, LedgerError};
use crate::file::blobs::BlobStore;
use crate::input_file::MAX_INPUT_BYTES;
use crate::verify::{LedgerExpectations, verify_ledger};

/// The distinct questions of a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerQuestions {
    /// Their exact bytes: first those that were made from answers, then the others, each in the order of the ledger.
    pub questions: Vec<Vec<u8>>,
    /// The number of those that are not among them, because all would be too long.
    pub left_out: u64,
    /// The number of those that are not among the blobs, or have other bytes there.
    pub missing: u64,
}

/// Reads the questions of the answers in `source`, as far as it is a good ledger, at most `limit` bytes of them. Where
/// that is not enough for all, those that were made from answers go first. The blobs are those beside `path`.
///
/// Memory: twice `limit`, and a hash for each distinct question.
///
/// # Errors
/// [`LedgerError`] where the ledger or a blob cannot be read.
pub fn read_questions(
    source: impl Read,
    path: &Path,
    limit: u64,
) -> Result<LedgerQuestions, LedgerError> {
    let store = BlobStore::of_ledger(path);
    // An answer without a question has the hash of nothing.
    let mut seen = HashSet::from([sha256(b"")]);
    let mut derived = QuestionsWithin::new(limit);
    let mut others = QuestionsWithin::new(limit);
    let mut missing = 0u64;
    let mut blob_error = None;
    let expected = LedgerExpectations::default();
    verify_ledger(source, None, &expected, &mut |record| {
        let Some(view) = &record.observation else {
            return;
        };
        if !is_answer(view) || !seen.insert(view.input_hash) {
            return;
        }
        match store.read_intact(&view.input_hash, MAX_INPUT_BYTES) {
            Ok(Some(question)) => match find_derivation(&question) {
                Some(_) => derived.add(question),
                None => others.add(question),
            },
            Ok(None) => missing = missing.saturating_add(1),
            Err(error) => drop(blob_error.get_or_insert(error)),
        }
    })
    .map_err(FileError::from_io(path, "read the ledger"))?;
    if let Some(error) = blob_error {
        return Err(error);
    }
    let mut found = derived;
    found.left_out = found.left_out.saturating_add(others.left_out);
    others
        .questions
        .into_iter()
        .for_each(|question| found.add(question));
    Ok(LedgerQuestions {
        questions: found.questions,
        left_out: found.left_out,
        missing,
    })
}

/// Whether an observation is an oracle's answer, and not the time or a control input.
fn is_answer(view: &ObservationView<'_>) -> bool {
    [TIME_ORACLE, CONTROL_ORACLE]
        .into_iter()
        .all(|reserved| view.oracle_id.bytes() != reserved.as_bytes())
}

/// Questions of a bounded length in all.
struct QuestionsWithin {
    questions: Vec<Vec<u8>>,
    /// The number of bytes that still have room.
    room: u64,
    left_out: u64,
}

impl QuestionsWithin {
    fn new(limit: u64) -> QuestionsWithin {
        QuestionsWithin {
            questions: Vec::new(),
            room: limit,
            left_out: 0,
        }
    }

    /// Adds a question, or counts it where it has no room.
    fn add(&mut self, question: Vec<u8>) {
        match self.room.checked_sub(question.len() as u64) {
            Some(room) => {
                self.room = room;
                self.questions.push(question);
            }
            None => self.left_out = self.left_out.saturating_add(1),
        }
    }
}
