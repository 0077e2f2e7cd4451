//! The answers of a ledger that a question may be derived from.
//!
//! SRS-004 §10.1 (SHALL-039); formats.md §5 (Derived inputs); decision D31. The index is made when it is first needed,
//! so that ledgers without derived inputs cost nothing; then it grows with the ledger, about 80 bytes an observation.

use std::collections::{BTreeMap, HashSet};

use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag};

use super::Session;
use super::call::OracleCall;
use crate::decision::RecordedObservation;
use crate::derivation::find_sources;
use crate::encoding::hex;
use crate::error::{FileError, LedgerError};
use crate::file::lines::{LedgerLine, LineReader};

/// The observations of a ledger.
#[derive(Default)]
pub(super) struct ObservationIndex {
    by_sequence: BTreeMap<u64, Hash>,
    hashes: HashSet<Hash>,
}

impl ObservationIndex {
    fn add(&mut self, ledger_seq: u64, obs_hash: Hash) {
        self.by_sequence.insert(ledger_seq, obs_hash);
        self.hashes.insert(obs_hash);
    }
}

impl Session {
    /// Gives the `obs_hash` of each of these observations, for an input that is derived from them.
    ///
    /// # Errors
    /// [`LedgerError::UnknownSource`] for a record that is no observation of the ledger;
    /// [`FileError::Io`](crate::error::FileError::Io).
    pub fn find_observations(&mut self, sequences: &[u64]) -> Result<Vec<Hash>, LedgerError> {
        let path = self.path().to_owned();
        let index = self.index_observations()?;
        let find = |sequence: &u64| {
            let unknown = || LedgerError::UnknownSource {
                path: path.clone(),
                source_name: format!("record {sequence}"),
            };
            let found = index.by_sequence.get(sequence).copied();
            found.ok_or_else(unknown)
        };
        sequences.iter().map(find).collect()
    }

    /// Checks that the answers which a question says it is derived from are in the ledger.
    pub(super) fn check_sources(&mut self, call: &OracleCall) -> Result<(), LedgerError> {
        let Some(sources) = find_sources(call.input.bytes()) else {
            return Ok(());
        };
        let sources = sources.map_err(|reason| LedgerError::InvalidInput {
            path: self.path().to_owned(),
            reason: reason.to_owned(),
        })?;
        let path = self.path().to_owned();
        let index = self.index_observations()?;
        match sources
            .iter()
            .find(|source| !index.hashes.contains(*source))
        {
            Some(unknown) => Err(LedgerError::UnknownSource {
                path,
                source_name: format!("the answer with the obs_hash {}", hex(unknown)),
            }),
            None => Ok(()),
        }
    }

    /// Notes an observation that was recorded, where the index is made.
    pub(super) fn note_observation(&mut self, observation: &RecordedObservation) {
        if let Some(index) = &mut self.observations {
            index.add(observation.ledger_seq, observation.obs_hash);
        }
    }

    fn index_observations(&mut self) -> Result<&ObservationIndex, LedgerError> {
        if self.observations.is_none() {
            let index = self.read_observations()?;
            self.observations = Some(index);
        }
        Ok(self.observations.get_or_insert_default())
    }

    fn read_observations(&self) -> Result<ObservationIndex, LedgerError> {
        let mut index = ObservationIndex::default();
        let mut lines = LineReader::new(self.file.bytes());
        loop {
            let next = lines.next_line();
            let next = next.map_err(FileError::from_io(self.path(), "read the ledger"))?;
            let Some((_, LedgerLine::Whole(line))) = next else {
                return Ok(index);
            };
            // Opening has verified the ledger.
            if let Ok(entry) = axilog::ledger_line::parse(line)
                && entry.tag == Tag::Obs
                && let Ok(view) = ObservationView::parse(entry.payload)
            {
                index.add(view.ledger_seq, view.obs_hash);
            }
        }
    }
}
