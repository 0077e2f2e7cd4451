//! An index of the observations of a ledger, by sequence and by `obs_hash`. It grows with the ledger, by about 80 bytes
//! for each observation.

use std::collections::{BTreeMap, HashSet};
use std::io::Read;
use std::path::Path;

use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag};

use crate::error::FileError;
use crate::file::lines::{LedgerLine, LineReader};

/// The observations of a ledger.
#[derive(Default)]
pub(super) struct ObservationIndex {
    by_sequence: BTreeMap<u64, Hash>,
    hashes: HashSet<Hash>,
}

impl ObservationIndex {
    /// Reads the observations of a ledger that was verified. `path` is its name in messages.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub(super) fn read(ledger: impl Read, path: &Path) -> Result<ObservationIndex, FileError> {
        let mut index = ObservationIndex::default();
        let mut lines = LineReader::new(ledger);
        loop {
            let next = lines.next_line();
            let next = next.map_err(FileError::from_io(path, "read the ledger"))?;
            let Some((_, LedgerLine::Whole(line))) = next else {
                return Ok(index);
            };
            if let Ok(entry) = axilog::ledger_line::parse(line)
                && entry.tag == Tag::Obs
                && let Ok(view) = ObservationView::parse(entry.payload)
            {
                index.add(view.ledger_seq, view.obs_hash);
            }
        }
    }

    /// Adds an observation.
    pub(super) fn add(&mut self, ledger_seq: u64, obs_hash: Hash) {
        self.by_sequence.insert(ledger_seq, obs_hash);
        self.hashes.insert(obs_hash);
    }

    /// The `obs_hash` of the observation with this sequence.
    pub(super) fn find(&self, ledger_seq: u64) -> Option<Hash> {
        self.by_sequence.get(&ledger_seq).copied()
    }

    /// Whether an observation has this `obs_hash`.
    pub(super) fn contains(&self, obs_hash: &Hash) -> bool {
        self.hashes.contains(obs_hash)
    }
}
