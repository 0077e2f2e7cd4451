//! The questions of a ledger, from its blobs.

use std::path::Path;

use axilog::hash::Hash;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input_file::MAX_INPUT_BYTES;

/// What an oracle was asked.
#[derive(Clone)]
pub(super) enum ShownQuestion {
    Text(String),
    /// Its blob is missing or damaged, has more than 64 MiB, or cannot be read.
    Unreadable,
}

impl ShownQuestion {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            ShownQuestion::Text(text) => Some(text),
            ShownQuestion::Unreadable => None,
        }
    }
}

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

    /// Reads the question with the hash that an observation names.
    pub(super) fn read(&mut self, hash: &Hash) -> ShownQuestion {
        let read = self.blobs.read_intact(hash, MAX_INPUT_BYTES).ok().flatten();
        match read.and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(text) => ShownQuestion::Text(text),
            None => {
                self.unread = self.unread.saturating_add(1);
                ShownQuestion::Unreadable
            }
        }
    }

    /// How many questions could not be read.
    pub(super) fn unread(&self) -> u64 {
        self.unread
    }
}
