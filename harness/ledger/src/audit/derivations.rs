//! Derived inputs: calls whose question was made from earlier answers.
//!
//! formats.md §5 (Derived inputs); SRS-004 §10.1 (SHALL-039); decision D31. The input of such a call is canonical
//! JSON with a member `derived_from`, the `obs_hash`es of the answers in the order of their use.

use std::collections::{HashMap, HashSet};

use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, sha256};

use crate::derivation::find_sources;
use crate::encoding::hex;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;

/// The most bytes of an input that are read to find what it is derived from.
const MAX_INPUT_BYTES: u64 = 64 << 20;

/// The inputs of a ledger that say what they were derived from. Memory grows with the number of distinct inputs
/// and derivations.
pub(super) struct Derivations {
    store: BlobStore,
    /// The inputs that were read and say nothing.
    plain_inputs: HashSet<Hash>,
    derived: Vec<DerivedInput>,
}

/// An observation whose input was derived from others.
struct DerivedInput {
    ledger_seq: u64,
    /// The `obs_hash`es that it names; an error says why they cannot be read.
    sources: Result<Vec<Hash>, &'static str>,
}

impl Derivations {
    pub(super) fn new(store: BlobStore) -> Derivations {
        Derivations {
            store,
            plain_inputs: HashSet::new(),
            derived: Vec::new(),
        }
    }

    /// Reads the observation's input, if it is among the blobs.
    ///
    /// # Errors
    /// Those of [`BlobStore::read`].
    pub(super) fn take_observation(
        &mut self,
        view: &ObservationView<'_>,
    ) -> Result<(), LedgerError> {
        let hash = view.input_hash;
        if hash == sha256(b"") || self.plain_inputs.contains(&hash) {
            return Ok(());
        }
        // A blob that is missing or damaged is another check's.
        let input = self.store.read(&hash, MAX_INPUT_BYTES)?.unwrap_or_default();
        match find_sources(&input) {
            Some(sources) => self.derived.push(DerivedInput {
                ledger_seq: view.ledger_seq,
                sources,
            }),
            None => {
                self.plain_inputs.insert(hash);
            }
        }
        Ok(())
    }

    /// Whether there is anything to compare with the observations.
    pub(super) fn is_empty(&self) -> bool {
        self.derived.is_empty()
    }

    /// The number of calls whose input was derived from earlier answers.
    pub(super) fn count(&self) -> usize {
        self.derived.len()
    }

    /// The derivations that do not hold, in words. `visit` calls its argument with the `obs_hash` and the
    /// sequence of every observation.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(super) fn find_faults(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(Hash, u64)) -> Result<(), LedgerError>,
    ) -> Result<Vec<String>, LedgerError> {
        let mut named: HashMap<Hash, Option<u64>> = HashMap::new();
        for source in self.derived.iter().flat_map(|d| d.sources.iter().flatten()) {
            named.insert(*source, None);
        }
        visit(&mut |obs_hash, ledger_seq| {
            if let Some(place) = named.get_mut(&obs_hash) {
                place.get_or_insert(ledger_seq);
            }
        })?;
        let mut faults = Vec::new();
        for DerivedInput {
            ledger_seq,
            sources,
        } in &self.derived
        {
            let sources = match sources {
                Ok(sources) => sources,
                Err(reason) => {
                    faults.push(format!("the input of observation {ledger_seq}: {reason}"));
                    continue;
                }
            };
            for source in sources {
                let place = named.get(source).copied().flatten();
                if place.is_none_or(|place| place >= *ledger_seq) {
                    faults.push(format!(
                        "the input of observation {ledger_seq} is derived from {}, which is no earlier observation of this ledger",
                        hex(source)
                    ));
                }
            }
        }
        Ok(faults)
    }
}
