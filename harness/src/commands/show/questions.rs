//! The questions of a ledger, from its blobs.

use std::path::Path;

use axilog::hash::{Hash, sha256};
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input_file::MAX_INPUT_BYTES;

/// Reads questions, and counts those that it cannot.
pub(super) struct QuestionReader {
    blobs: BlobStore,
    unread: u64,
}

impl QuestionReader {
    /// Reads the questions of the ledger at `path`.
    pub(super) fn of_ledger(path: &Path) -> QuestionReader {
        QuestionReader {
            blobs: BlobStore::of_ledger(path),
            unread: 0,
        }
    }

    /// The question with the hash that an observation names; `None`, and counted, where its blob is missing or damaged,
    /// has more than 64 MiB, or cannot be read.
    pub(super) fn read(&mut self, hash: &Hash) -> Option<String> {
        if *hash == sha256(b"") {
            return Some(String::new());
        }
        let read = self.blobs.read(hash, MAX_INPUT_BYTES.saturating_add(1));
        let bytes = read.ok().flatten().filter(|bytes| sha256(bytes) == *hash);
        let question = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        self.unread += u64::from(question.is_none());
        question
    }

    /// How many questions could not be read.
    pub(super) fn unread(&self) -> u64 {
        self.unread
    }
}
