//! The blobs of a ledger, compared with the records that name them.
//!
//! formats.md §6 (Blobs) and Raw answers; decision D28. A blob that a record names must be there and have that
//! hash; a blob that no record names may have been put there by anybody.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use axilog::agent::stimulus::CONTROL_ORACLE;
use axilog::evidence::proof::{Proof, RawAnswer};
use axilog::hash::{Hash, Tag, sha256};

use crate::error::LedgerError;
use crate::file::blobs::{BlobFile, BlobStore};
use crate::manifest::{FoundManifest, find_manifest};
use crate::rules::read_manifest_hash;
use crate::verify::VerifiedRecord;

/// The most files that a report names of each kind. All are counted.
pub const MAX_NAMED_BLOBS: usize = 20;

/// A comparison of blobs with records, in progress. Its memory grows with the number of distinct blobs.
pub struct BlobComparison {
    store: BlobStore,
    referenced: HashSet<Hash>,
    /// The configuration that the first reset names.
    configuration: Option<Hash>,
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
    /// The files among the blobs that no record names.
    pub unreferenced: BlobList,
    /// The number of raw answers that a record binds.
    pub bound_answers: u64,
}

/// Files of one kind: all are counted, the first ones are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobList {
    /// The number of files.
    pub count: u64,
    /// The first [`MAX_NAMED_BLOBS`] of them.
    pub named: Vec<NamedBlob>,
}

/// A blob that a report names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBlob {
    /// The file.
    pub path: PathBuf,
    /// The sequence of the observation that needs it, where one does.
    pub ledger_seq: Option<u64>,
}

impl BlobList {
    fn add(&mut self, path: PathBuf, ledger_seq: Option<u64>) {
        self.count = self.count.saturating_add(1);
        if self.named.len() < MAX_NAMED_BLOBS {
            self.named.push(NamedBlob { path, ledger_seq });
        }
    }
}

impl BlobReport {
    /// Whether every blob is there, undamaged and named by a record.
    #[must_use]
    pub fn is_good(&self) -> bool {
        [&self.missing, &self.damaged, &self.unreferenced]
            .iter()
            .all(|list| list.count == 0)
    }
}

impl BlobComparison {
    /// Begins a comparison of the blobs of the ledger at `path`.
    #[must_use]
    pub fn of_ledger(path: &Path) -> BlobComparison {
        BlobComparison {
            store: BlobStore::of_ledger(path),
            referenced: HashSet::new(),
            configuration: None,
            report: BlobReport::default(),
        }
    }

    /// Takes the next good record of the ledger.
    pub fn take_record(&mut self, record: &VerifiedRecord<'_>) {
        if record.entry.tag == Tag::Proof
            && let Ok(Proof::Raw(raw)) = Proof::parse(record.entry.payload)
        {
            self.take_raw_answer(&raw);
        }
        if let Some(view) = &record.observation {
            self.require(&view.input_hash, Some(view.ledger_seq));
            let is_control = view.oracle_id.bytes() == CONTROL_ORACLE.as_bytes();
            if is_control && view.input_hash != sha256(b"") {
                self.configuration.get_or_insert(view.input_hash);
            }
        }
    }

    /// Requires the manifest that the configuration names, and the schemas that the manifest declares.
    fn require_manifest(&mut self) -> Result<(), LedgerError> {
        let Some(configuration) = self.configuration else {
            return Ok(());
        };
        // A configuration that cannot be read is another check's.
        let Ok(Some(hash)) = read_manifest_hash(&self.store, &configuration) else {
            return Ok(());
        };
        self.require(&hash, None);
        if let FoundManifest::Good(manifest) = find_manifest(&self.store, &hash)? {
            manifest
                .schema_hashes()
                .for_each(|hash| self.require(&hash, None));
        }
        Ok(())
    }

    fn take_raw_answer(&mut self, raw: &RawAnswer) {
        self.report.bound_answers = self.report.bound_answers.saturating_add(1);
        self.require(&raw.sha256, Some(raw.ledger_seq));
        let path = self.store.path(&raw.sha256);
        // The hash is computed at the end, and a missing file is named already.
        if path.metadata().is_ok_and(|file| file.len() != raw.bytes) {
            self.report.damaged.add(path, Some(raw.ledger_seq));
        }
    }

    fn require(&mut self, hash: &Hash, ledger_seq: Option<u64>) {
        if *hash == sha256(b"") || !self.referenced.insert(*hash) {
            return;
        }
        if !self.store.contains(hash) {
            let path = self.store.path(hash);
            self.report.missing.add(path, ledger_seq);
        }
    }

    /// Computes the hash of every blob and ends the comparison.
    ///
    /// # Errors
    /// Those of [`BlobStore::examine_files`].
    pub fn finish(mut self) -> Result<BlobReport, LedgerError> {
        self.require_manifest()?;
        let (referenced, report) = (&self.referenced, &mut self.report);
        self.store.examine_files(&mut |path, file| match file {
            BlobFile::Blob(hash) => {
                report.recomputed = report.recomputed.saturating_add(1);
                if !referenced.contains(&hash) {
                    report.unreferenced.add(path, None);
                }
            }
            BlobFile::Damaged => {
                report.recomputed = report.recomputed.saturating_add(1);
                report.damaged.add(path, None);
            }
            BlobFile::NotABlob => report.unreferenced.add(path, None),
        })?;
        Ok(self.report)
    }
}
