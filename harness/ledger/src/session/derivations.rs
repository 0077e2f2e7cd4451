//! The answers of a ledger that a question may be derived from.
//!
//! SRS-004 §10.1 (SHALL-039); formats.md §5 (Derived inputs); decision D31. The index of observations is made when it is
//! first needed, so that ledgers without derived inputs cost nothing.

use axilog::hash::Hash;

use super::Session;
use super::call::OracleCall;
use super::observation_index::ObservationIndex;
use crate::decision::RecordedObservation;
use crate::derivation::find_sources;
use crate::encoding::hex;
use crate::error::LedgerError;

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
            let found = index.find(*sequence);
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
        match sources.iter().find(|source| !index.contains(source)) {
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
            let index = ObservationIndex::read(self.file.bytes(), self.path())?;
            self.observations = Some(index);
        }
        Ok(self.observations.get_or_insert_default())
    }
}
