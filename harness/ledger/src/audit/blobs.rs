//! The blobs of a ledger, compared with the records that name them.
//!
//! formats.md §6 (Blobs) and Raw answers; decision D28. A blob that a record names must be there and have that
//! hash. A file that no record names is left behind: a writer that was interrupted between a blob and its record
//! leaves one, so it is reported and is no failure. The records are read before the blobs, and those that a writer
//! has added meanwhile once more, before a file counts as left behind.

use std::collections::HashSet;
use std::fs::Metadata;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use axilog::hash::Hash;

use super::budgets::AuditBudgets;
use super::report::AuditVerdict;
use crate::error::{FileError, LedgerError};
use crate::file::blobs::{BlobState, BlobStore};
use crate::ledger_input::open_ledger;
use crate::named_blobs::{NamedBlobs, read_raw_answer};
use crate::verify::VerifiedRecord;

/// The most files that a report names of each kind. All are counted.
pub const MAX_NAMED_BLOBS: usize = 20;

/// A comparison of blobs with records, in progress. Its memory grows with the number of distinct blobs.
pub struct BlobComparison {
    ledger: PathBuf,
    store: BlobStore,
    named: NamedBlobs,
    /// The raw answers of which a record says another length: they are damaged, whatever their hash.
    other_lengths: HashSet<Hash>,
    /// The most bytes of a blob that are read.
    limit: u64,
    /// The offset of the last record's line.
    last_offset: u64,
    report: BlobReport,
}

/// The result of a comparison of blobs with records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobReport {
    /// The number of blobs whose hash was computed.
    pub recomputed: u64,
    /// The blobs that records name and that are not there.
    pub missing: BlobList,
    /// The blobs whose bytes do not have the hash in their name, or not the length in the record.
    pub damaged: BlobList,
    /// The blobs that were not read, since they are longer than [`AuditBudgets::blob_bytes`].
    pub unread: BlobList,
    /// The files among the blobs that no record names. Their bytes are not read.
    pub left_behind: BlobList,
    /// The number of raw answers that a record binds.
    pub bound_answers: u64,
}

/// Files of one kind: all are counted, the first ones are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobList {
    /// The number of files.
    pub count: u64,
    /// The first [`MAX_NAMED_BLOBS`] of them.
    pub named: Vec<ListedBlob>,
}

/// A file that a report names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBlob {
    /// The file.
    pub path: PathBuf,
    /// The sequence of the observation that needs it, where one does.
    pub ledger_seq: Option<u64>,
}

impl BlobList {
    fn add(&mut self, path: PathBuf, ledger_seq: Option<u64>) {
        self.count = self.count.saturating_add(1);
        if self.named.len() < MAX_NAMED_BLOBS {
            self.named.push(ListedBlob { path, ledger_seq });
        }
    }
}

impl BlobReport {
    /// The verdict over the blobs that records name: failed if one is missing or damaged, else incomplete if one was
    /// not read.
    #[must_use]
    pub fn verdict(&self) -> AuditVerdict {
        if self.missing.count > 0 || self.damaged.count > 0 {
            return AuditVerdict::Failed;
        }
        match self.unread.count {
            0 => AuditVerdict::Ok,
            _ => AuditVerdict::Incomplete,
        }
    }
}

impl BlobComparison {
    /// Begins a comparison of the blobs of the ledger at `path`.
    #[must_use]
    pub fn of_ledger(path: &Path, budgets: &AuditBudgets) -> BlobComparison {
        BlobComparison {
            ledger: path.to_owned(),
            store: BlobStore::of_ledger(path),
            named: NamedBlobs::default(),
            other_lengths: HashSet::new(),
            limit: budgets.blob_bytes,
            last_offset: 0,
            report: BlobReport::default(),
        }
    }

    /// Takes the next good record of the ledger.
    pub fn take_record(&mut self, record: &VerifiedRecord<'_>) {
        self.last_offset = record.offset;
        let observation = record.observation.as_ref();
        if let Some(named) = self.named.take_record(&record.entry, observation) {
            self.require(&named.hash, Some(named.ledger_seq));
        }
        let Some(raw) = read_raw_answer(&record.entry) else {
            return;
        };
        self.report.bound_answers = self.report.bound_answers.saturating_add(1);
        let path = self.store.path(&raw.sha256);
        // A missing file is named already.
        let has_other_length = |file: Metadata| file.is_file() && file.len() != raw.bytes;
        if path.symlink_metadata().is_ok_and(has_other_length)
            && self.other_lengths.insert(raw.sha256)
        {
            self.report.damaged.add(path, Some(raw.ledger_seq));
        }
    }

    fn require(&mut self, hash: &Hash, ledger_seq: Option<u64>) {
        // What has its name and is no regular file is damaged, which its hash shows.
        if !self.store.is_taken(hash) {
            let path = self.store.path(hash);
            self.report.missing.add(path, ledger_seq);
        }
    }

    /// Computes the hash of every blob that a record names and ends the comparison.
    ///
    /// # Errors
    /// Those of [`BlobStore::list_files`] and [`BlobStore::examine`].
    pub fn finish(mut self) -> Result<BlobReport, LedgerError> {
        for hash in self.named.find_bound_documents(&self.store)?.hashes {
            if self.named.add(hash) {
                self.require(&hash, None);
            }
        }
        let mut unnamed = Vec::new();
        for (path, hash) in self.store.list_files()? {
            match hash.filter(|hash| self.named.contains(hash)) {
                Some(hash) => self.compare(path, &hash)?,
                None => unnamed.push((path, hash)),
            }
        }
        if !unnamed.is_empty() {
            self.take_newer_records()?;
        }
        for (path, hash) in unnamed {
            if !hash.is_some_and(|hash| self.named.contains(&hash)) {
                self.report.left_behind.add(path, None);
            }
        }
        Ok(self.report)
    }

    fn compare(&mut self, path: PathBuf, hash: &Hash) -> Result<(), LedgerError> {
        if self.other_lengths.contains(hash) {
            return Ok(());
        }
        let recomputed = self.report.recomputed.saturating_add(1);
        match self.store.examine(hash, self.limit)? {
            None => {}
            Some(BlobState::TooLong) => self.report.unread.add(path, None),
            Some(BlobState::Whole) => self.report.recomputed = recomputed,
            Some(BlobState::Damaged) => {
                self.report.recomputed = recomputed;
                self.report.damaged.add(path, None);
            }
        }
        Ok(())
    }

    /// Takes the records that were added to the ledger since it was read: their blobs are not left behind.
    fn take_newer_records(&mut self) -> Result<(), LedgerError> {
        // What is read through a pipe does not grow.
        if !self.ledger.is_file() {
            return Ok(());
        }
        let mut ledger = open_ledger(&self.ledger)?;
        let read = ledger
            .seek(SeekFrom::Start(self.last_offset))
            .and_then(|_| self.named.take_lines(ledger));
        Ok(read.map_err(FileError::from_io(&self.ledger, "read the ledger"))?)
    }
}
