//! The blobs that a ledger names: those of its records, its manifest, and the schemas that the manifest declares.
//!
//! formats.md §5 (Configuration, Manifest) and §6 (Blobs, Raw answers).

use std::collections::HashSet;
use std::io::{self, Read};

use axilog::agent::stimulus::CONTROL_ORACLE;
use axilog::evidence::proof::{Proof, RawAnswer};
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag, sha256};
use axilog::ledger::Entry;

use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::file::lines::{LedgerLine, LineReader};
use crate::manifest::{FoundManifest, find_manifest};
use crate::rules::read_manifest_hash;

/// The hashes of the blobs that a ledger names. The memory grows with their number.
#[derive(Debug, Default)]
pub struct NamedBlobs {
    hashes: HashSet<Hash>,
    /// The configuration that the first reset names.
    configuration: Option<Hash>,
}

/// A blob that a record names for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedBlob {
    /// The SHA-256 of its bytes.
    pub hash: Hash,
    /// The sequence of the observation that needs it.
    pub ledger_seq: u64,
}

impl NamedBlobs {
    /// Takes the next record, with the observation that it is, and gives the blob that it is the first to name.
    pub fn take_record(
        &mut self,
        entry: &Entry<'_>,
        observation: Option<&ObservationView<'_>>,
    ) -> Option<NamedBlob> {
        if let Some(view) = observation {
            let is_control = view.oracle_id.bytes() == CONTROL_ORACLE.as_bytes();
            if is_control && view.input_hash != sha256(b"") {
                self.configuration.get_or_insert(view.input_hash);
            }
            return self.name(view.input_hash, view.ledger_seq);
        }
        let raw = read_raw_answer(entry)?;
        self.name(raw.sha256, raw.ledger_seq)
    }

    fn name(&mut self, hash: Hash, ledger_seq: u64) -> Option<NamedBlob> {
        self.add(hash).then_some(NamedBlob { hash, ledger_seq })
    }

    /// Adds a blob that something else than a record names. Gives whether nothing named it before.
    pub fn add(&mut self, hash: Hash) -> bool {
        // The empty string needs no blob.
        hash != sha256(b"") && self.hashes.insert(hash)
    }

    /// Whether a blob is named.
    #[must_use]
    pub fn contains(&self, hash: &Hash) -> bool {
        self.hashes.contains(hash)
    }

    /// Reads which blobs the configuration that the records name leads to: its manifest, and the manifest's schemas.
    ///
    /// # Errors
    /// Those of [`find_manifest`].
    pub fn find_bound_documents(&self, store: &BlobStore) -> Result<BoundDocuments, LedgerError> {
        let mut found = BoundDocuments::default();
        let Some(configuration) = self.configuration else {
            return Ok(found);
        };
        // A configuration that cannot be read is another check's.
        let Ok(Some(hash)) = read_manifest_hash(store, &configuration) else {
            return Ok(found);
        };
        found.hashes.push(hash);
        match find_manifest(store, &hash)? {
            FoundManifest::Good(manifest) => found.hashes.extend(manifest.schema_hashes()),
            FoundManifest::Missing | FoundManifest::Bad(_) => found.lacks_manifest = true,
        }
        Ok(found)
    }

    /// Takes the records of the lines of `source`, up to one that is no ledger line. They are not verified.
    ///
    /// # Errors
    /// The source's error.
    pub fn take_lines(&mut self, source: impl Read) -> io::Result<()> {
        let mut lines = LineReader::new(source);
        while let Some((_, LedgerLine::Whole(line))) = lines.next_line()? {
            let Ok(entry) = axilog::ledger_line::parse(line) else {
                break;
            };
            let is_observation = entry.tag == Tag::Obs;
            let view = is_observation.then(|| ObservationView::parse(entry.payload));
            self.take_record(&entry, view.and_then(Result::ok).as_ref());
        }
        Ok(())
    }
}

/// The blobs that a configuration leads to.
#[derive(Debug, Default)]
pub struct BoundDocuments {
    /// The manifest, and the schemas that it declares.
    pub hashes: Vec<Hash>,
    /// Whether the manifest is missing or bad, so that the schemas are not known.
    pub lacks_manifest: bool,
}

/// The binding of a raw answer that a record is; `None` for any other record.
#[must_use]
pub fn read_raw_answer(entry: &Entry<'_>) -> Option<RawAnswer> {
    if entry.tag != Tag::Proof {
        return None;
    }
    match Proof::parse(entry.payload) {
        Ok(Proof::Raw(raw)) => Some(raw),
        _ => None,
    }
}
