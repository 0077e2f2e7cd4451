//! An index of the observations of a ledger, by sequence and by `obs_hash`. It grows with the ledger, by about 100 bytes
//! for each observation.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use axilog::hash::Hash;

use super::own_records::visit_records;
use crate::error::FileError;
use crate::standing::{ObservationStanding, Standing, StandingReader};

/// The observations of a ledger.
#[derive(Default)]
pub(super) struct ObservationIndex {
    by_sequence: BTreeMap<u64, Hash>,
    standings: HashMap<Hash, (u64, Standing)>,
}

impl ObservationIndex {
    /// Reads the observations of a ledger that was verified. `path` is its name in messages.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub(super) fn read(ledger: impl Read, path: &Path) -> Result<ObservationIndex, FileError> {
        let mut index = ObservationIndex::default();
        let mut standings = StandingReader::default();
        visit_records(ledger, path, &mut |entry, observation| {
            standings.take(entry, observation, &mut |told| index.add(told));
        })?;
        Ok(index)
    }

    /// Adds an observation, or what was decided on it.
    pub(super) fn add(&mut self, told: ObservationStanding) {
        self.by_sequence.insert(told.ledger_seq, told.obs_hash);
        self.standings
            .insert(told.obs_hash, (told.ledger_seq, told.standing));
    }

    /// The `obs_hash` of the observation with this sequence.
    pub(super) fn find(&self, ledger_seq: u64) -> Option<Hash> {
        self.by_sequence.get(&ledger_seq).copied()
    }

    /// The sequence and the standing of the observation with this `obs_hash`.
    pub(super) fn standing(&self, obs_hash: &Hash) -> Option<(u64, Standing)> {
        self.standings.get(obs_hash).copied()
    }
}
